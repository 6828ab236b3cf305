"""How a town is cut into sheets: paper, scale, the grid of detail sheets, and which sheet lies beside which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
import numpy.typing as npt
import shapely

from layers.crs import feet_per_unit
from layers.errors import CallError
from layers.schema import LAYERS, schema
from layers.town import Town
from mapping.outputs.places import usable

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
ASSETS = tuple(name for name in LAYERS if schema(name).asset)
SCALES = (
    100,
    200,
    300,
    400,
    500,
    600,
    800,
    1000,
    1200,
    1500,
    2000,
    2500,
    3000,
    4000,
    5000,
    6000,
    8000,
    10000,
    15000,
    20000,
)
"""Feet of ground to an inch of paper, as engineers' scales have them."""
FINEST = 200
"""Detail sheets are not drawn larger than this unless asked for: an outfall's place is known to a few feet."""
MOST_SHEETS = 40
"""Detail sheets of a book; a set that is thicker is not carried along."""
LAP_IN = 0.3
"""Inches that a sheet shows beyond its match lines, so that nothing lies on the very edge."""
SIDES = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}


@dataclass(frozen=True)
class Paper:
    """A size of paper in inches, the width of the column with the title, and how much larger its text and symbols are."""

    name: str
    width: float
    height: float
    column: float
    size: float

    @property
    def margin(self) -> float:
        """Inches around the sheet."""
        return 0.35 * self.size

    @property
    def map(self) -> Box:
        """The frame of the map on the paper, in inches."""
        ticks = 0.16 * self.size
        right = self.width - self.margin - self.column - 0.12 * self.size
        return (self.margin + ticks, self.margin + ticks, right, self.height - self.margin)


PAPERS: Mapping[str, Paper] = {
    "letter": Paper("8.5 × 11 in", 11, 8.5, 2.4, 1.0),
    "tabloid": Paper("11 × 17 in", 17, 11, 3.1, 1.25),
    "arch_d": Paper("24 × 36 in", 36, 24, 5.4, 2.0),
}


@dataclass(frozen=True)
class Sheet:
    """One sheet: its number, what it is called, the ground within its match lines and within its frame, its scale.

    Coordinates are in the town's CRS. `beside` gives the numbers of the sheets on its four sides, where there are any.
    """

    number: int
    title: str
    tile: Box
    view: Box
    feet_per_inch: float
    beside: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_overview(self) -> bool:
        """Whether it shows the whole town."""
        return self.number == 1


@dataclass(frozen=True)
class Book:
    """What every sheet of a book says alike."""

    town: Town
    paper: Paper
    on: date
    sheets: Sequence[Sheet]
    permit: str
    sources: str
    unlocated: str
    count: int


def choose_paper(name: str) -> Paper:
    """The paper of that name, or a CallError that lists what there is."""
    if name not in PAPERS:
        raise CallError(f"there is no paper {name!r}", hint=f"choose one of {', '.join(PAPERS)}")
    return PAPERS[name]


def cut_sheets(town: Town, paper: Paper, *, feet_per_inch: float | None = None) -> list[Sheet]:
    """The overview, then the detail sheets from north-west to south-east; squares without an asset get no sheet.

    The scale of the detail sheets is the largest that needs no more than MOST_SHEETS of them, unless it is given.
    """
    shapes = _assets(town)
    if not len(shapes):
        return [_overview(town, paper, shapes)]
    frame = paper.map
    sides = np.array([frame[2] - frame[0], frame[3] - frame[1]])
    per_inch = 1 / feet_per_unit(town.crs)
    if feet_per_inch is None:
        feet_per_inch = next(
            (
                scale
                for scale in SCALES
                if scale >= FINEST and len(_cells(shapes, _tile(sides, scale * per_inch))) <= MOST_SHEETS
            ),
            SCALES[-1],
        )
    details = _details(shapes, sides, feet_per_inch, per_inch)
    squares = np.array([shapely.box(*each.tile) for each in details], dtype=object)
    return [_overview(town, paper, np.concatenate([shapes, squares])), *details]


def _assets(town: Town) -> npt.NDArray[np.object_]:
    frames = [town.layer(name).geometry for name in ASSETS if town.has(name)]
    located = [frame[usable(frame)].to_numpy() for frame in frames]
    return np.concatenate(located) if located else np.array([], dtype=object)


def _tile(sides: npt.NDArray[np.float64], unit: float) -> npt.NDArray[np.float64]:
    """Width and height on the ground of what lies within the match lines, `unit` being ground units to an inch."""
    tile: npt.NDArray[np.float64] = (sides - 2 * LAP_IN) * unit
    return tile


def _cells(shapes: npt.NDArray[np.object_], tile: npt.NDArray[np.float64]) -> dict[tuple[int, int], Box]:
    """The squares (row from the north, column from the west) that hold an asset, each with its box on the ground."""
    bounds = shapely.total_bounds(shapes)
    across, down = np.maximum(np.ceil((bounds[2:] - bounds[:2]) / tile).astype(int), 1)
    left, top = (bounds[:2] + bounds[2:]) / 2 + np.array([-across, down]) * tile / 2
    # only squares that the box of some asset touches are looked at: a far outlier does not make a million of them
    boxes = shapely.bounds(shapes)
    first = np.floor((boxes[:, [0, 3]] - [left, top]) / (tile * [1, -1])).astype(int)
    last = np.floor((boxes[:, [2, 1]] - [left, top]) / (tile * [1, -1])).astype(int)
    wanted = {
        (min(row, int(down) - 1), min(column, int(across) - 1))
        for (c0, r0), (c1, r1) in zip(first.tolist(), last.tolist(), strict=True)
        for row in range(r0, r1 + 1)
        for column in range(c0, c1 + 1)
    }
    made = {
        (row, column): (
            float(left + column * tile[0]),
            float(top - (row + 1) * tile[1]),
            float(left + (column + 1) * tile[0]),
            float(top - row * tile[1]),
        )
        for row, column in sorted(wanted)
    }
    full = np.unique(
        shapely.STRtree(shapes).query([shapely.box(*box) for box in made.values()], predicate="intersects")[0]
    )
    keys = list(made)
    return {keys[index]: made[keys[index]] for index in full.tolist()}


def _details(
    shapes: npt.NDArray[np.object_], sides: npt.NDArray[np.float64], feet_per_inch: float, per_inch: float
) -> list[Sheet]:
    cells = _cells(shapes, _tile(sides, feet_per_inch * per_inch))
    numbers = {cell: number for number, cell in enumerate(cells, start=2)}
    lap = LAP_IN * feet_per_inch * per_inch
    made = []
    for (row, column), tile in cells.items():
        beside = {
            side: numbers[row + down, column + right]
            for side, (down, right) in SIDES.items()
            if (row + down, column + right) in numbers
        }
        view = (tile[0] - lap, tile[1] - lap, tile[2] + lap, tile[3] + lap)
        made.append(
            Sheet(numbers[row, column], f"Detail {_letters(row)}{column + 1}", tile, view, feet_per_inch, beside)
        )
    return made


def _letters(row: int) -> str:
    """A, B, … Z, AA, AB, … as rows of a grid are called.

    >>> [_letters(row) for row in (0, 25, 26)]
    ['A', 'Z', 'AA']
    """
    return (_letters(row // 26 - 1) if row >= 26 else "") + chr(ord("A") + row % 26)


def _overview(town: Town, paper: Paper, shapes: npt.NDArray[np.object_]) -> Sheet:
    """The whole town: its boundary, its assets and the squares of the details, else whatever is located."""
    bounds = _extent(town, ("boundary",), shapes)
    if bounds is None:
        bounds = _extent(town, ("parcels", "waters", "roads"), shapes)
    left, bottom, right, top = bounds or (0.0, 0.0, 1000.0, 1000.0)
    frame, per_inch = paper.map, 1 / feet_per_unit(town.crs)
    wide, high = (frame[2] - frame[0]) * per_inch, (frame[3] - frame[1]) * per_inch
    room = 1.06
    needed = max((right - left) * room / wide, (top - bottom) * room / high)
    scale = next((scale for scale in SCALES if scale >= needed), SCALES[-1] * np.ceil(needed / SCALES[-1]))
    x, y = (left + right) / 2, (bottom + top) / 2
    half_wide, half_high = wide * scale / 2, high * scale / 2
    view = (x - half_wide, y - half_high, x + half_wide, y + half_high)
    return Sheet(1, "Overview and index of sheets", view, view, float(scale))


def _extent(town: Town, layers: Sequence[str], assets: npt.NDArray[np.object_]) -> Box | None:
    located = [
        town.layer(name).geometry[usable(town.layer(name).geometry)].to_numpy() for name in layers if town.has(name)
    ]
    shapes = np.concatenate([*located, assets]) if located else assets
    return tuple(shapely.total_bounds(shapes).tolist()) if len(shapes) else None
