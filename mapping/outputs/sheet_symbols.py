"""The table of symbols on paper: areas, lines and points drawn with matplotlib as vectors, never as pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from mapping.outputs.files import printable
from mapping.outputs.style import INK, SHORE, STYLE, Symbol

PT_PER_PX = 0.62
"""Points on letter paper for a pixel of the screen: what is read from a sheet in the hand is smaller and sharper."""
HATCH = {"45": "////", "135": "\\\\\\\\", "dots": "...", "": ""}
LINE_DASH = {"45": "9 5", "135": "9 4 2 4", "dots": "2 5", "": ""}
"""How an impaired stream is told in black: the dash that stands for the hatch of an impaired lake."""
HOUSE = Path([(-1, -1), (1, -1), (1, 0.2), (0, 1), (-1, 0.2), (-1, -1)])
FLAG = Path([(-0.6, -1), (-0.6, 1), (0.9, 0.5), (-0.6, 0.1)])
MARKERS: dict[str, Any] = {
    "square": "s",
    "circle": "o",
    "ring": "o",
    "triangle": "v",
    "diamond": "D",
    "hexagon": "h",
    "pentagon": "p",
    "cross": "x",
    "house": HOUSE,
    "flag": FLAG,
}
Shapes = npt.NDArray[np.object_] | Sequence[shapely.Geometry]


@dataclass(frozen=True)
class Canvas:
    """Axes to draw on, how many of their units are an inch of paper, and how much larger than on letter paper all is."""

    axes: Any
    unit: float
    size: float

    def points(self, pixels: float) -> float:
        """Points on this paper for pixels of the table of symbols."""
        return pixels * PT_PER_PX * self.size

    def dash(self, dash: str) -> Any:
        """A dash array of the table as matplotlib takes it."""
        return (0, [self.points(float(part)) for part in dash.split()]) if dash else "solid"

    def write(self, x: float, y: float, text: str, size: float = 6.5, *, limit: int = 80, **look: Any) -> None:
        """One line of text from a file or from us; nothing in it is read as mathematics."""
        text = printable(text, limit=limit)
        self.axes.text(x, y, text, fontsize=size * self.size, parse_math=False, clip_on=True, **look)


def paint(
    canvas: Canvas, name: str, shapes: Shapes, *, order: float, dash: str | None = None, hatch: str | None = None
) -> None:
    """Draws shapes with the symbol of that name, `order` saying what lies on what.

    `dash` stands for the symbol's own dash (`""`: solid), `hatch` for its hatch as matplotlib writes it (`""`: none).
    """
    symbol, shapes = STYLE[name], np.asarray(shapes, dtype=object)
    shapes = shapes[~shapely.is_empty(shapes)]
    if not len(shapes):
        return
    dimension = shapely.get_dimensions(shapes)
    if symbol.kind == "point":
        _paint_points(canvas, symbol, shapely.get_coordinates(shapes), order)
        return
    if symbol.kind == "area":
        _paint_areas(canvas, symbol, shapes[dimension == 2], order, HATCH[symbol.hatch] if hatch is None else hatch)
    lines = shapes[dimension == 1]
    if len(lines):
        _paint_lines(canvas, symbol, _parts(lines), order, symbol.dash if dash is None else dash)


def paint_flow(canvas: Canvas, lines: Shapes, *, order: float) -> None:
    """An arrow head on the middle of each line that is long enough on the paper, pointing the way that water runs."""
    shapes = np.asarray(lines, dtype=object)
    shapes = shapes[shapely.length(shapes) > 0.3 * canvas.size * canvas.unit]
    if not len(shapes):
        return
    middle = shapely.length(shapes) / 2
    step = 0.02 * canvas.unit
    here = shapely.get_coordinates(shapely.line_interpolate_point(shapes, middle - step))
    there = shapely.get_coordinates(shapely.line_interpolate_point(shapes, middle + step))
    along = there - here
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    across = along[:, ::-1] * [-1, 1]
    reach = 0.024 * canvas.size * canvas.unit
    at = (here + there) / 2
    heads = np.stack(
        [at + along * 1.6 * reach, at - along * reach + across * reach, at - along * reach - across * reach], 1
    )
    canvas.axes.add_collection(
        PolyCollection(list(heads), facecolors=INK, edgecolors="none", zorder=order), autolim=False
    )


def paint_hair(canvas: Canvas, lines: Shapes, *, order: float) -> None:
    """Lines as thin grey strokes, for what is only to be recognized."""
    if len(lines):
        _stroke(canvas, _parts(np.asarray(lines, dtype=object)), "#B5B5B5", 0.8, "", order)


# -- areas


def _paint_areas(canvas: Canvas, symbol: Symbol, shapes: npt.NDArray[np.object_], order: float, hatch: str) -> None:
    if not len(shapes):
        return
    if symbol.shape == "band":
        _stroke(canvas, _parts(shapely.boundary(shapes)), "#DDDDDD", symbol.width_px * 5, "", order - 0.1)
    patches = PatchCollection(
        [PathPatch(_path(shape)) for shape in shapes],
        facecolors=symbol.fill or "none",
        edgecolors=symbol.stroke,
        linewidths=canvas.points(symbol.width_px),
        linestyles=[canvas.dash(symbol.dash)],
        zorder=order,
    )
    if hatch:
        patches.set_hatch(hatch)
    canvas.axes.add_collection(patches, autolim=False)


def _path(shape: shapely.Geometry) -> Path:
    """A polygon or several, holes and all, as one path."""
    rings = [
        shapely.get_coordinates(ring) for polygon in _polygons(shape) for ring in (polygon.exterior, *polygon.interiors)
    ]
    codes = [
        np.concatenate([[Path.MOVETO], np.full(len(ring) - 2, Path.LINETO), [Path.CLOSEPOLY]]).astype(np.uint8)
        for ring in rings
    ]
    return Path(np.concatenate(rings), np.concatenate(codes))


def _polygons(shape: shapely.Geometry) -> list[shapely.Polygon]:
    return [part for part in shapely.get_parts(shape) if not part.is_empty]


# -- lines


def _parts(shapes: npt.NDArray[np.object_]) -> list[npt.NDArray[np.float64]]:
    return [shapely.get_coordinates(part) for part in shapely.get_parts(shapely.get_parts(shapes)) if not part.is_empty]


def _paint_lines(canvas: Canvas, symbol: Symbol, lines: list[npt.NDArray[np.float64]], order: float, dash: str) -> None:
    if symbol.shape == "cased":
        _stroke(canvas, lines, symbol.stroke, symbol.width_px, "", order)
        _stroke(canvas, lines, symbol.fill, symbol.width_px * 0.55, "", order + 0.05)
        return
    if symbol.shape == "water":
        _stroke(canvas, lines, SHORE, 1.4, "", order)
        if symbol.hatch:
            _stroke(canvas, lines, symbol.stroke, symbol.width_px * 1.6, LINE_DASH[symbol.hatch], order + 0.05)
        return
    _stroke(canvas, lines, symbol.stroke, symbol.width_px, dash, order)
    if symbol.shape == "ticked":
        _stroke(
            canvas,
            [tick for line in lines for tick in _end_ticks(canvas, line)],
            symbol.stroke,
            symbol.width_px,
            "",
            order,
        )
    if symbol.shape == "drain":
        ends = np.array([[line[0], line[-1]] for line in lines])
        for at, fill in ((0, "white"), (1, symbol.stroke)):
            canvas.axes.scatter(
                ends[:, at, 0], ends[:, at, 1], s=canvas.points(5) ** 2, facecolors=fill, edgecolors=symbol.stroke,
                linewidths=canvas.points(1), zorder=order + 0.1,
            )  # fmt: skip
    if symbol.text:
        for line in lines:
            if shapely.LineString(line).length > 0.5 * canvas.unit:
                x, y = line[len(line) // 2 - 1 : len(line) // 2 + 1].mean(axis=0)
                canvas.write(x, y, symbol.text, 4, color=symbol.stroke, ha="center", va="center", zorder=order + 0.1)


def _stroke(
    canvas: Canvas, lines: Sequence[npt.NDArray[np.float64]], color: str, width_px: float, dash: str, order: float
) -> None:
    canvas.axes.add_collection(
        LineCollection(
            lines, colors=color, linewidths=canvas.points(width_px), linestyles=[canvas.dash(dash)], zorder=order,
            capstyle="butt",
        ),
        autolim=False,
    )  # fmt: skip


def _end_ticks(canvas: Canvas, line: npt.NDArray[np.float64]) -> Iterable[npt.NDArray[np.float64]]:
    """A short stroke across each end of a culvert."""
    reach = 0.035 * canvas.size * canvas.unit
    for end, inward in ((line[0], line[1]), (line[-1], line[-2])):
        along = inward - end
        across = along[::-1] * [-1, 1] / max(float(np.hypot(*along)), 1e-9) * reach
        yield np.array([end - across, end + across])


# -- points


def _paint_points(canvas: Canvas, symbol: Symbol, at: npt.NDArray[np.float64], order: float) -> None:
    if symbol.shape == "tag":
        for x, y in at:
            canvas.write(x, y, "B", 5, ha="center", va="center", zorder=order, **tag_look(canvas))
        return
    is_open = symbol.shape in ("ring", "cross") or not symbol.fill
    canvas.axes.scatter(
        at[:, 0],
        at[:, 1],
        s=canvas.points(symbol.size_px) ** 2,
        marker=MARKERS[symbol.shape],
        facecolors=symbol.stroke if symbol.shape == "cross" else "none" if is_open else symbol.fill,
        edgecolors=None if symbol.shape == "cross" else symbol.stroke,
        linewidths=canvas.points(symbol.width_px),
        linestyles=[canvas.dash(symbol.dash)],
        zorder=order,
    )
    if symbol.text and symbol.shape != "flag":
        ink = "white" if symbol.fill and symbol.fill != "#FFFFFF" else symbol.stroke
        for x, y in at:
            size = symbol.size_px * 0.36
            canvas.write(
                x, y, symbol.text, size, color=ink, ha="center", va="center", weight="bold", zorder=order + 0.05
            )


def tag_look(canvas: Canvas) -> dict[str, Any]:
    """How the letters in the small box look that an outfall wears for its special conditions."""
    symbol = STYLE["flag_condition"]
    box = {
        "facecolor": symbol.fill,
        "edgecolor": symbol.stroke,
        "linewidth": canvas.points(symbol.width_px),
        "pad": 0.8,
    }
    return {"color": symbol.stroke, "weight": "bold", "bbox": box}
