"""The schedule at the end of the map book: every outfall with what is on record and the sheets that show it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import shapely

from layers.town import Town
from mapping.outputs.places import is_usable
from mapping.outputs.sheet_grid import Book, Paper, Sheet
from mapping.outputs.sheet_labels import text_size
from mapping.outputs.sheet_symbols import Canvas
from mapping.words import say_day

COLUMNS = (
    ("Outfall", 0.15),
    ("Kind", 0.12),
    ("Owner", 0.09),
    ("Standing", 0.08),
    ("Conveyance", 0.12),
    ("Receiving water", 0.26),
    ("Water found by", 0.11),
    ("Sheet", 0.07),
)
"""Heads and shares of the width."""
ROW_IN, POINTS = 0.158, 6.0
Row = tuple[str, ...]


def schedule_pages(town: Town, sheets: Sequence[Sheet], paper: Paper) -> list[list[Row]]:
    """The rows of the schedule in pages; none where the town has no outfalls."""
    rows = _rows(town, sheets)
    room = paper.height - 2 * paper.margin - 0.85 * paper.size
    most = int(room / (ROW_IN * paper.size))
    return [rows[at : at + most] for at in range(0, len(rows), most)]


def _rows(town: Town, sheets: Sequence[Sheet]) -> list[Row]:
    waters, outfalls = _waters(town), town.layer("outfalls").sort_index()
    rows: list[Row] = []
    for asset, place, row in zip(outfalls.index, outfalls.geometry, outfalls.to_dict("records"), strict=True):
        size = "" if pd.isna(row["diameter_in"]) else f'{row["diameter_in"]:g}"'
        material = "" if row["material"] == "unknown" else str(row["material"])
        pipe = f"{size} {material}".strip()
        water, method = waters.get(asset, ("not found", ""))
        on = _sheets_of(place, sheets) if is_usable(place) else "not located"
        rows.append((str(asset), row["kind"], row["owner"], row["status"], pipe, water, method, on))
    return rows


def _waters(town: Town) -> dict[str, tuple[str, str]]:
    """For each outfall the waters that it discharges to with their category, several where that is open, and the method."""
    links, waters = town.water_links, town.layer("waters")
    found: dict[str, tuple[str, str]] = {}
    for outfall, group in links[links["chosen"].astype(bool)].groupby("outfall_id"):
        said = [
            f"{name or segment} (IR {waters.at[segment, 'ir_category']})" if segment in waters.index else str(name)
            for name, segment in zip(group["name"], group["segment_id"], strict=True)
        ]
        found[str(outfall)] = (" or ".join(dict.fromkeys(said)), " or ".join(dict.fromkeys(group["method"])))
    return found


def _sheets_of(place: shapely.Point, sheets: Sequence[Sheet]) -> str:
    return ", ".join(str(each.number) for each in sheets[1:] if shapely.box(*each.tile).intersects(place))


def draw_schedule(canvas: Canvas, book: Book, rows: Sequence[Row], number: int) -> None:
    """One page of the schedule."""
    paper, size = book.paper, book.paper.size
    left, right = paper.margin, paper.width - paper.margin
    y = paper.height - paper.margin - 0.16 * size
    canvas.write(left, y, f"{book.town.name}: schedule of outfalls", 11, weight="bold")
    canvas.write(right, y, f"{say_day(book.on)} · sheet {number} of {book.count}", 7, ha="right")
    y -= 0.3 * size
    for head, x, _ in _columns(left, right):
        canvas.write(x, y, head, POINTS, weight="bold")
    canvas.axes.plot([left, right], [y - 0.05 * size] * 2, color="black", linewidth=0.8 * size)
    for row in rows:
        y -= ROW_IN * size
        for text, (_, x, width) in zip(row, _columns(left, right), strict=True):
            canvas.write(x, y, _fit(text, POINTS * size, width - 0.06 * size), POINTS)
        canvas.axes.plot([left, right], [y - 0.045 * size] * 2, color="#BBBBBB", linewidth=0.3 * size)
    canvas.write(
        left, paper.margin, "Not a survey. Waters by confirmed link, record, else the nearest within reach.", 5
    )


def _columns(left: float, right: float) -> list[tuple[str, float, float]]:
    x, made = left, []
    for head, share in COLUMNS:
        width = share * (right - left)
        made.append((head, x, width))
        x += width
    return made


def _fit(text: str, points: float, width: float) -> str:
    while len(text) > 1 and text_size(text, points)[0] > width:
        text = f"{text[:-2]}…"
    return text
