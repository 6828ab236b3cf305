"""The map book: an overview, detail sheets and a schedule of outfalls, as one vector PDF."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from layers.crs import feet_per_unit
from layers.schema import schema
from layers.town import Town
from mapping.findings.report import Report
from mapping.law import load_permit
from mapping.outputs.files import replace_file
from mapping.outputs.schedule import draw_schedule, schedule_pages
from mapping.outputs.sheet_frame import draw_frame
from mapping.outputs.sheet_grid import ASSETS, Book, Paper, Sheet, choose_paper, cut_sheets
from mapping.outputs.sheet_map import Ground, count_unlocated, draw_map
from mapping.outputs.sheet_parts import draw_column
from mapping.outputs.sheet_symbols import Canvas
from mapping.words import say_list

OVERVIEW_SIZE = 0.7
"""How large symbols and words are on the overview, where there is least room, against the details."""
SETTINGS: Any = {
    "pdf.fonttype": 42,  # text stays text: it can be searched and copied
    "pdf.compression": 6,
    "font.family": "DejaVu Sans",
    "hatch.linewidth": 0.35,
    "lines.scale_dashes": False,
    "path.simplify": False,
}


def write_map_book(
    town: Town,
    report: Report | None,
    out: Path,
    on: date,
    *,
    public: bool,
    paper: str = "letter",
    feet_per_inch: float | None = None,
) -> list[Sheet]:
    """Writes the map book of the town to the PDF file `out` and returns its map sheets.

    `paper` is a name of PAPERS; `feet_per_inch` the scale of the detail sheets, chosen to fit where it is left out.
    Everything is drawn as vectors; the same town on the same day gives the same bytes. A public book shows no flag
    about somebody's premises, and no field with personal data is on either.
    """
    size = choose_paper(paper)
    sheets = cut_sheets(town, size, feet_per_inch=feet_per_inch)
    schedule = schedule_pages(town, sheets, size)
    book = Book(
        town=town,
        paper=size,
        on=on,
        sheets=sheets,
        permit=_permit_line(town),
        sources=_sources_line(town),
        unlocated=_unlocated_line(town),
        count=len(sheets) + len(schedule),
    )
    ground = Ground(town, report, public=public)

    def write(beside: Path) -> None:
        day = datetime(on.year, on.month, on.day, tzinfo=UTC)
        about = {
            "Title": f"{town.name}: MS4 outfall map",
            "Creator": "MS4 outfall map",
            "CreationDate": day,
            "ModDate": day,
        }
        with matplotlib.rc_context(SETTINGS), PdfPages(beside, metadata=about) as pdf:
            for sheet in sheets:
                pdf.savefig(_draw_sheet(book, ground, sheet))
            for number, rows in enumerate(schedule, start=len(sheets) + 1):
                figure, canvas = _blank(size)
                draw_schedule(canvas, book, rows, number)
                pdf.savefig(figure)

    replace_file(out, write)
    return sheets


def _draw_sheet(book: Book, ground: Ground, sheet: Sheet) -> Figure:
    figure, paper = _blank(book.paper)
    left, bottom, right, top = book.paper.map
    wide, high = book.paper.width, book.paper.height
    axes = figure.add_axes((left / wide, bottom / high, (right - left) / wide, (top - bottom) / high))
    axes.set_axis_off()
    axes.set(xlim=(sheet.view[0], sheet.view[2]), ylim=(sheet.view[1], sheet.view[3]))
    size = book.paper.size * (OVERVIEW_SIZE if sheet.is_overview else 1)
    canvas = Canvas(axes, sheet.feet_per_inch / feet_per_unit(book.town.crs), size)
    drawn = draw_map(canvas, ground, sheet, book.sheets[1:] if sheet.is_overview else ())
    if sheet.is_overview:
        _draw_index(canvas, book.sheets)
    if not drawn.symbols:
        x, y = (sheet.view[0] + sheet.view[2]) / 2, (sheet.view[1] + sheet.view[3]) / 2
        canvas.write(x, y, "Nothing is located yet: import layers with places", 9, ha="center", va="center")
    draw_frame(paper, book, sheet)
    draw_column(paper, book, sheet, drawn)
    return figure


def _blank(paper: Paper) -> tuple[Figure, Canvas]:
    """An empty sheet, and a canvas over all of it whose units are inches."""
    figure = Figure(figsize=(paper.width, paper.height))
    axes: Any = figure.add_axes((0, 0, 1, 1), zorder=10)
    axes.set(xlim=(0, paper.width), ylim=(0, paper.height))
    axes.set_axis_off()
    axes.patch.set_visible(False)
    return figure, Canvas(axes, 1.0, paper.size)


def _draw_index(canvas: Canvas, sheets: Sequence[Sheet]) -> None:
    """The squares of the detail sheets on the overview, with their numbers."""
    for sheet in sheets[1:]:
        left, bottom, right, top = sheet.tile
        canvas.axes.add_patch(
            Rectangle((left, bottom), right - left, top - bottom, fill=False, linewidth=0.5 * canvas.size, zorder=8)
        )
        inset = 0.05 * canvas.size * canvas.unit
        canvas.write(left + inset, top - inset, str(sheet.number), 9, weight="bold", va="top", zorder=9)


def _permit_line(town: Town) -> str:
    spdes = str(town.settings.options.get("spdes_id", "")) or "not on record"
    return f"{load_permit(town.settings.permit).title} · SPDES ID {spdes}"


def _sources_line(town: Town) -> str:
    sources = {str(each) for name in ASSETS if town.has(name) for each in town.layer(name)["source"]} - {""}
    return f"Sources: {say_list(sorted(sources), most=6)}." if sources else "Sources: not on record."


def _unlocated_line(town: Town) -> str:
    counts = count_unlocated(town, ASSETS)
    said = say_list([f"{schema(name).title.lower()} {count}" for name, count in counts.items()], most=9)
    return f"Without a place, on no sheet: {said}." if counts else ""
