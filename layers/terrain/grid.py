"""The way of water over a grid of heights: into which marked cells each cell drains, and what shape that has on the map."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import shapely
from pyproj import CRS
from scipy import ndimage

from layers.crs import to_crs
from layers.errors import SourceError
from layers.sources.elevation import PACKAGES, Heights

TOWARD = {1: (0, 1), 2: (1, 1), 4: (1, 0), 8: (1, -1), 16: (0, -1), 32: (-1, -1), 64: (-1, 0), 128: (-1, 1)}
"""The D8 codes and the step (rows down, columns right) that each stands for."""
STOP = 0
"""The D8 code of a cell out of which nothing flows."""

Grid = npt.NDArray[Any]


def mark_cells(shapes: gpd.GeoSeries, values: Sequence[int], heights: Heights, *, wide: bool = False) -> Grid:
    """The grid with the value of each shape in its cells, 0 elsewhere; of two shapes in one cell the later one's.

    A shape takes the cells that its line runs through or whose middle it covers; if `wide` all that it touches.
    """
    features = _optional("rasterio.features")
    located = np.flatnonzero(shapes.notna() & ~shapes.is_empty)
    if not len(located):
        return np.zeros(heights.values.shape, np.int32)
    placed = to_crs(shapes.iloc[located], heights.crs)
    pairs = zip(placed, np.asarray(values)[located].tolist(), strict=True)
    grid: Grid = features.rasterize(
        pairs, out_shape=heights.values.shape, transform=heights.transform, fill=0, dtype="int32", all_touched=wide
    )
    return grid


def find_catchments(heights: Heights, *, burned: Grid, depth: float, stops: Grid, numbers: Grid) -> Grid:
    """For each cell the number (> 0) of the stop that it drains to, 0 where it drains to one without or off the grid.

    Water runs down the steepest of eight ways from cells of which the `burned` ones are lowered by `depth` (unit of the
    heights); sags are filled to where they spill; it ends in `stops` and at the edge of what is known.
    """
    pyflwdir, dem = _optional("pyflwdir"), _optional("pyflwdir.dem")
    ground = heights.values - np.where(burned, np.float32(depth), np.float32(0))
    known = np.isfinite(ground)
    ends = np.flatnonzero(stops & known & (numbers > 0))
    if not len(ends):
        return np.zeros(ground.shape, np.int32)
    edge = edge_of(known)
    filled, flood = dem.fill_depressions(ground, nodata=np.nan, idxs_pit=np.flatnonzero((stops & known) | edge))
    flood[edge] = STOP  # on a level edge water leaves, it does not run along it
    flow = _steepest(filled, flood, heights.cell)
    flow[stops & known] = STOP
    grid = pyflwdir.from_array(flow, ftype="d8", check_ftype=False)
    found: Grid = grid.basins(idxs=ends, ids=numbers.flat[ends].astype(np.uint32)).astype(np.int32)
    return found


def _steepest(filled: Grid, flood: Grid, cell: tuple[float, float]) -> Grid:
    """The D8 code of the steepest way down from each cell; on a level the way by which a flood would leave it.

    The flood's own ways lead to the lowest neighbour, however far: on a plain slope they would drift to one side.
    """
    rows, columns = filled.shape
    padded = np.pad(filled, 1, constant_values=np.nan)
    steepest, code = np.zeros(filled.shape, np.float32), flood.copy()
    for each, (down, right) in TOWARD.items():
        far = np.float32(np.hypot(down * cell[1], right * cell[0]))
        slope = (filled - padded[1 + down : 1 + down + rows, 1 + right : 1 + right + columns]) / far
        steeper = slope > steepest
        steepest[steeper], code[steeper] = slope[steeper], each
    return code


def edge_of(known: Grid) -> Grid:
    """The known cells beside which something unknown lies: a cell without height, or the end of the grid."""
    inner: Grid = ndimage.binary_erosion(known, np.ones((3, 3), bool))
    return known & ~inner


def outline(numbers: Grid, heights: Heights, crs: CRS) -> dict[int, shapely.Geometry]:
    """The area of each number (> 0) of a grid in the projected `crs`, its outline along the cells."""
    features = _optional("rasterio.features")
    parts: dict[int, list[shapely.Geometry]] = {}
    for shape, value in features.shapes(numbers, mask=numbers > 0, connectivity=4, transform=heights.transform):
        parts.setdefault(int(value), []).append(shapely.geometry.shape(shape))
    whole = {number: shapely.union_all(parts[number]) for number in sorted(parts)}
    placed = to_crs(gpd.GeoSeries(list(whole.values()), crs=heights.crs), crs)
    return dict(zip(whole, placed, strict=True))


def is_known(heights: Heights, points: gpd.GeoSeries) -> Grid:
    """For each point whether the grid has a height there."""
    placed = to_crs(points, heights.crs)
    column, row = (~heights.transform) @ (placed.x.to_numpy(), placed.y.to_numpy())
    at = np.floor(np.stack([row, column])).astype(int)
    within = ((at >= 0) & (at < np.array([heights.values.shape]).T)).all(axis=0)
    known = np.zeros(len(within), bool)
    known[within] = np.isfinite(heights.values[tuple(at[:, within])])
    return known


def _optional(name: str) -> Any:
    """A package of terrain work, or a SourceError that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as fault:
        raise SourceError(f"terrain needs {name}", hint=PACKAGES, code="terrain_packages") from fault
