"""The column beside the map on a sheet: title, key map, legend, north arrow, scale bar, notes, permit, number."""

from __future__ import annotations

from math import atan2, cos, degrees, radians

import geopandas as gpd
import numpy as np
import shapely
from matplotlib.collections import PatchCollection
from matplotlib.patches import Polygon, Rectangle

from layers.crs import feet_per_unit, to_lonlat
from layers.town import Town
from mapping.outputs.sheet_grid import Book, Sheet
from mapping.outputs.sheet_labels import text_size
from mapping.outputs.sheet_map import DOUBTFUL, FLOW, INFERRED, Drawn
from mapping.outputs.sheet_symbols import Canvas, paint, paint_flow
from mapping.outputs.style import STYLE, TABLE, dash
from mapping.words import say_day

RULE = {"color": "#000000", "linewidth": 0.6}
ROW_IN = 0.155
"""Inches of one row of the legend on letter paper."""
SPARE_REVISIONS = 2
"""Empty lines for revisions on paper that is large enough for an engineer's sheet."""
BAR_FEET = (50, 100, 200, 250, 400, 500, 1000, 2000, 2500, 4000, 5000, 10000, 20000, 40000)


def draw_column(canvas: Canvas, book: Book, sheet: Sheet, drawn: Drawn) -> None:
    """The column at the right of the sheet, from the title down; `canvas` has inches of paper as its units."""
    paper, size = book.paper, book.paper.size
    left, right = paper.width - paper.margin - paper.column, paper.width - paper.margin
    top, bottom = paper.height - paper.margin, paper.margin
    canvas.axes.add_patch(Rectangle((left, bottom), paper.column, top - bottom, fill=False, linewidth=0.8 * size))
    y = _draw_title(canvas, book, sheet, left, right, top)
    if len(book.sheets) > 2 and not sheet.is_overview:
        y = _draw_key(canvas, book, sheet, left, right, y)
    foot = _draw_foot(canvas, book, sheet, left, right, bottom)
    foot = _draw_notes(canvas, book, sheet, drawn, left, right, foot)
    foot = _draw_scale(canvas, book, sheet, left, right, foot)
    _draw_legend(canvas, sheet, drawn, left, y, foot)


def _draw_title(canvas: Canvas, book: Book, sheet: Sheet, left: float, right: float, top: float) -> float:
    size = book.paper.size
    y = top - 0.1 * size
    for text, points, weight in (
        (book.town.name, 11, "bold"),
        ("MS4 Outfall and Storm Sewer System Map", 6.9, "normal"),
        (sheet.title, 8.5, "bold"),
    ):
        for line in _wrap(text, points * size, right - left - 0.2 * size, weight):
            y -= (points + 3) / 72 * size
            canvas.write(left + 0.1 * size, y, line, points, weight=weight, va="bottom")
    return _rule(canvas, left, right, y - 0.07 * size)


def _draw_key(canvas: Canvas, book: Book, sheet: Sheet, left: float, right: float, top: float) -> float:
    """Where the sheet lies among the others, with its number and those of its neighbours."""
    size = book.paper.size
    details = [each for each in book.sheets if not each.is_overview]
    boxes = np.array([each.tile for each in details])
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    room = np.array([right - left - 0.2 * size, 1.15 * size])
    unit = float(((high - low) / room).max())
    wide, tall = (high - low) / unit
    corner = np.array([left + 0.1 * size + (room[0] - wide) / 2, top - 0.08 * size - tall])
    squares = (boxes - np.tile(low, 2)) / unit + np.tile(corner, 2)
    patches = [Rectangle((x, y), x2 - x, y2 - y) for x, y, x2, y2 in squares]
    fills = ["black" if each.number == sheet.number else "white" for each in details]
    canvas.axes.add_collection(
        PatchCollection(patches, facecolors=fills, edgecolors="black", linewidths=0.4 * size), autolim=False
    )
    named = {sheet.number, *sheet.beside.values()}
    for each, fill, (x, y, x2, y2) in zip(details, fills, squares, strict=True):
        if each.number in named:
            ink = "white" if fill == "black" else "black"
            points = min(6.0, (y2 - y) * 72 / size * 0.6, (x2 - x) * 72 / size * 0.4)
            canvas.write((x + x2) / 2, (y + y2) / 2, str(each.number), points, color=ink, ha="center", va="center")
    return _rule(canvas, left, right, float(corner[1]) - 0.08 * size)


def _draw_legend(canvas: Canvas, sheet: Sheet, drawn: Drawn, left: float, top: float, bottom: float) -> None:
    """The symbols that are on this sheet, and no others."""
    size = canvas.size
    entries = [(each.name, each.label) for each in TABLE if each.name in drawn.symbols]
    extra = ((FLOW, "Way that water runs"), (INFERRED, "Direction inferred"), (DOUBTFUL, "Direction or joint doubtful"))
    entries += [(name, label) for name, label in extra if name in drawn.symbols]
    canvas.write(left + 0.1 * size, top - 0.16 * size, "Legend", 7, weight="bold", va="center")
    room = top - bottom - 0.38 * size
    row = min(ROW_IN * size, room / max(len(entries), 1))
    points = min(6.2, row * 72 / size * 0.62)
    for at, (name, label) in enumerate(entries):
        y = top - 0.3 * size - row * (at + 0.5)
        hatch = "" if name.startswith("watershed") and not sheet.is_overview else None
        _draw_entry(canvas, name, left + 0.1 * size, y, 0.34 * size, row, hatch)
        canvas.write(left + 0.54 * size, y, label, points, va="center")


def _draw_entry(canvas: Canvas, name: str, x: float, y: float, width: float, row: float, hatch: str | None) -> None:
    line = shapely.LineString([(x, y), (x + width, y)])
    if name == FLOW:
        paint(canvas, "pipe", [line], order=2)
        paint_flow(canvas, [line], order=3)
    elif name in (INFERRED, DOUBTFUL):
        paint(canvas, "pipe", [line], order=2, dash=dash(STYLE["pipe"], name))
    elif STYLE[name].kind == "point":
        paint(canvas, name, [shapely.Point(x + width / 2, y)], order=2)
    elif STYLE[name].kind == "line":
        paint(canvas, name, [line], order=2)
    else:
        paint(canvas, name, [shapely.box(x, y - row * 0.36, x + width, y + row * 0.36)], order=2, hatch=hatch)


def _draw_scale(canvas: Canvas, book: Book, sheet: Sheet, left: float, right: float, bottom: float) -> float:
    """North arrow and scale bar in feet; returns the height of the rule above them."""
    size, y = book.paper.size, bottom + 0.24 * book.paper.size
    _draw_north(canvas, left + 0.24 * size, y + 0.02 * size, size)
    turn = convergence(book.town, sheet)
    side = "west" if turn > 0 else "east"
    canvas.write(left + 0.1 * size, bottom + 0.06 * size, f"grid north; true north {abs(turn):.2f}° {side} of it", 4.6)
    room = right - left - 0.75 * size
    feet = max((each for each in BAR_FEET if each / sheet.feet_per_inch <= room), default=BAR_FEET[0])
    x, long = left + 0.56 * size, feet / sheet.feet_per_inch
    for part in range(4):
        ink = "black" if part % 2 == 0 else "white"
        canvas.axes.add_patch(
            Rectangle(
                (x + long * part / 4, y), long / 4, 0.06 * size, facecolor=ink, edgecolor="black", linewidth=0.5 * size
            )
        )
    for share in (0.0, 0.5, 1.0):
        text = f"{feet * share:,.0f}{' ft' if share == 1 else ''}"
        canvas.write(x + long * share, y + 0.1 * size, text, 5.5, ha="center", va="bottom")
    ratio = sheet.feet_per_inch * 12
    canvas.write(x, y + 0.3 * size, f"1 inch = {sheet.feet_per_inch:,.0f} ft (1:{ratio:,.0f}) at full size", 5.5)
    return _rule(canvas, left, right, y + 0.5 * size)


def _draw_north(canvas: Canvas, x: float, y: float, size: float) -> None:
    tip, reach = y + 0.34 * size, 0.09 * size
    canvas.axes.add_patch(
        Polygon([(x, tip), (x + reach, y), (x, y + 0.07 * size)], facecolor="black", edgecolor="black")
    )
    canvas.axes.add_patch(
        Polygon([(x, tip), (x - reach, y), (x, y + 0.07 * size)], facecolor="white", edgecolor="black")
    )
    canvas.write(x, tip + 0.02 * size, "N", 7, weight="bold", ha="center", va="bottom")


def convergence(town: Town, sheet: Sheet) -> float:
    """Degrees by which true north lies west of the grid's north in the middle of the sheet; negative: east of it."""
    x, y = (sheet.view[0] + sheet.view[2]) / 2, (sheet.view[1] + sheet.view[3]) / 2
    step = 1000 / feet_per_unit(town.crs)
    here, there = to_lonlat(gpd.GeoSeries([shapely.Point(x, y), shapely.Point(x, y + step)], crs=town.crs))
    return degrees(atan2((there.x - here.x) * cos(radians(here.y)), there.y - here.y))


def _draw_notes(
    canvas: Canvas, book: Book, sheet: Sheet, drawn: Drawn, left: float, right: float, bottom: float
) -> float:
    size = book.paper.size
    notes = [
        f"Coordinates: {book.town.crs.name}. Elevations as recorded, vertical datum not stated.",
        book.sources,
        "Not a survey: places are as accurate as their sources. Receiving waters by record, else the nearest within reach.",
    ]
    if book.unlocated and sheet.is_overview:
        notes.append(book.unlocated)
    if drawn.unnamed:
        notes.append(f"{drawn.unnamed} outfalls on this sheet found no room for their id: see the schedule.")
    lines = [line for note in notes for line in _wrap(note, 4.8 * size, right - left - 0.2 * size, "normal")]
    step = 6.3 / 72 * size
    top = bottom + step * len(lines) + 0.1 * size
    for at, line in enumerate(lines):
        canvas.write(left + 0.1 * size, top - 0.05 * size - step * (at + 0.8), line, 4.8, limit=200)
    return _rule(canvas, left, right, top)


def _draw_foot(canvas: Canvas, book: Book, sheet: Sheet, left: float, right: float, bottom: float) -> float:
    """Permit, who drew it and when, revisions, and the number of the sheet."""
    size = book.paper.size
    y = bottom + 0.08 * size
    canvas.write(left + 0.1 * size, y, f"Sheet {sheet.number} of {book.count}", 11, weight="bold")
    canvas.write(right - 0.1 * size, y + 0.01 * size, say_day(book.on), 7, ha="right")
    y = _rule(canvas, left, right, bottom + 0.34 * size)
    for text in ("Checked", "Drawn"):
        canvas.write(left + 0.1 * size, y + 0.06 * size, text, 5)
        canvas.axes.plot([left + 0.5 * size, right - 0.1 * size], [y + 0.05 * size] * 2, **RULE)
        y += 0.18 * size
    for revision in range(SPARE_REVISIONS if size > 1 else 0, -1, -1):
        issued = "" if revision else f"{book.on.isoformat()}  first issue"
        canvas.write(left + 0.1 * size, y + 0.06 * size, f"Rev. {revision}  {issued}", 5)
        y = _rule(canvas, left, right, y + 0.2 * size)
    if size > 1:
        canvas.write(left + 0.1 * size, y + 0.72 * size, "Seal", 5, va="top")
        y = _rule(canvas, left, right, y + 0.8 * size)
    for line in reversed(_wrap(book.permit, 6 * size, right - left - 0.2 * size, "normal")):
        canvas.write(left + 0.1 * size, y + 0.06 * size, line, 6)
        y += 0.13 * size
    return _rule(canvas, left, right, y + 0.06 * size)


def _rule(canvas: Canvas, left: float, right: float, y: float) -> float:
    canvas.axes.plot([left, right], [y, y], **RULE)
    return y


def _wrap(text: str, points: float, width: float, weight: str) -> list[str]:
    """The text in lines that are no wider than `width` inches."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_size(longer, points, weight)[0] <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
