"""The frame of the map on a sheet: ticks of the coordinate grid, match lines to the sheets beside it."""

from __future__ import annotations

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from layers.crs import feet_per_unit
from mapping.outputs.sheet_grid import Book, Sheet
from mapping.outputs.sheet_symbols import Canvas

CORNER_IN = 0.3
"""Inches from a corner of the frame within which no tick stands, for want of room for its number."""


def draw_frame(canvas: Canvas, book: Book, sheet: Sheet) -> None:
    """The frame of the map with ticks of the coordinate grid, and the match lines to the sheets beside it."""
    left, bottom, right, top = book.paper.map
    canvas.axes.add_patch(Rectangle((left, bottom), right - left, top - bottom, fill=False, linewidth=book.paper.size))
    _draw_ticks(canvas, book, sheet)
    if not sheet.is_overview:
        _draw_match_lines(canvas, book, sheet)


def _draw_ticks(canvas: Canvas, book: Book, sheet: Sheet) -> None:
    """Ticks on all four sides; eastings are written below, northings at the left, none in the corners."""
    left, bottom, right, top = book.paper.map
    unit, size = sheet.feet_per_inch / feet_per_unit(book.town.crs), book.paper.size
    step, long, corner = _round_step(1.2 * size * unit), 0.07 * size, CORNER_IN * size * unit
    ticks = []
    for easting in np.arange(np.ceil((sheet.view[0] + corner) / step) * step, sheet.view[2] - corner, step):
        x = left + (easting - sheet.view[0]) / unit
        ticks += [[(x, bottom), (x, bottom + long)], [(x, top), (x, top - long)]]
        canvas.write(x, bottom - 0.04 * size, f"{easting:,.0f} E", 4.5, ha="center", va="top")
    for northing in np.arange(np.ceil((sheet.view[1] + corner) / step) * step, sheet.view[3] - corner, step):
        y = bottom + (northing - sheet.view[1]) / unit
        ticks += [[(left, y), (left + long, y)], [(right, y), (right - long, y)]]
        canvas.write(left - 0.04 * size, y, f"{northing:,.0f} N", 4.5, ha="right", va="center", rotation=90)
    canvas.axes.add_collection(LineCollection(ticks, colors="black", linewidths=0.6), autolim=False)


def _round_step(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, … from a value up.

    >>> [_round_step(value) for value in (3, 70, 720)]
    [5.0, 100.0, 1000.0]
    """
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= value))


def _draw_match_lines(canvas: Canvas, book: Book, sheet: Sheet) -> None:
    left, bottom, right, top = book.paper.map
    unit, size = sheet.feet_per_inch / feet_per_unit(book.town.crs), book.paper.size
    lap = (sheet.tile[0] - sheet.view[0]) / unit
    inner = (left + lap, bottom + lap, right - lap, top - lap)
    ends = {
        "west": ((inner[0], bottom), (inner[0], top), 90),
        "east": ((inner[2], bottom), (inner[2], top), 90),
        "south": ((left, inner[1]), (right, inner[1]), 0),
        "north": ((left, inner[3]), (right, inner[3]), 0),
    }
    for side, number in sheet.beside.items():
        (x, y), (x2, y2), turn = ends[side]
        canvas.axes.plot([x, x2], [y, y2], color="#000000", linewidth=0.7 * size, linestyle=(0, (8, 3, 2, 3)))
        outward = {"west": (-lap / 2, 0), "east": (lap / 2, 0), "south": (0, -lap / 2), "north": (0, lap / 2)}[side]
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        canvas.write(
            (x + x2) / 2 + outward[0], (y + y2) / 2 + outward[1], f"MATCH LINE · SEE SHEET {number}", 6,
            weight="bold", ha="center", va="center", rotation=turn, bbox=box,
        )  # fmt: skip
