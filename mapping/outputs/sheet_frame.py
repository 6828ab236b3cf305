"""The frame of the map on a sheet: ticks of the coordinate grid, match lines to the sheets beside it."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Rectangle

from layers.crs import feet_per_unit
from mapping.outputs.sheet_grid import Book, Sheet
from mapping.outputs.sheet_symbols import Canvas

TICK = {"color": "#000000", "linewidth": 0.6}


def draw_frame(canvas: Canvas, book: Book, sheet: Sheet) -> None:
    """The frame of the map with ticks of the coordinate grid, and the match lines to the sheets beside it."""
    left, bottom, right, top = book.paper.map
    canvas.axes.add_patch(Rectangle((left, bottom), right - left, top - bottom, fill=False, linewidth=book.paper.size))
    _draw_ticks(canvas, book, sheet)
    if not sheet.is_overview:
        _draw_match_lines(canvas, book, sheet)


def _draw_ticks(canvas: Canvas, book: Book, sheet: Sheet) -> None:
    left, bottom, right, top = book.paper.map
    unit, size = sheet.feet_per_inch / feet_per_unit(book.town.crs), book.paper.size
    step = _round_step(1.2 * size * unit)
    for first, last, low, upright in (
        (sheet.view[0], sheet.view[2], left, True),
        (sheet.view[1], sheet.view[3], bottom, False),
    ):
        for value in np.arange(np.ceil(first / step) * step, last, step):
            at, text = low + (value - first) / unit, f"{value:,.0f} {'E' if upright else 'N'}"
            if upright:
                for y, way in ((bottom, 1), (top, -1)):
                    canvas.axes.plot([at, at], [y, y + way * 0.07 * size], **TICK)
                canvas.write(at, bottom - 0.04 * size, text, 4.5, ha="center", va="top")
            else:
                for x, way in ((left, 1), (right, -1)):
                    canvas.axes.plot([x, x + way * 0.07 * size], [at, at], **TICK)
                canvas.write(left - 0.04 * size, at, text, 4.5, ha="right", va="center", rotation=90)


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
