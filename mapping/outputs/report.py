"""The annual report's package: numbers, the rows behind them, and the map book, in one folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font

from layers.store import digest
from layers.town import Town
from mapping.cases.case import Case
from mapping.findings.report import Report
from mapping.law import Law, Permit, load_law, load_permit
from mapping.outputs.files import plain_cell, replace_file, write_csv
from mapping.outputs.numbers import Number, Numbers, annual_numbers
from mapping.outputs.sheets import write_map_book

NUMBERS_HEADER = ("code", "label", "value", "rows", "rows_listed")
ROWS_HEADER = ("code", "label", "layer", "id", "place", "event", "kind", "on", "case", "days")
WIDE = {"label": 60, "id": 24, "place": 40, "code": 28, "kind": 22}
"""Columns of the workbook that are wider than the others, in letters."""


class Picture(Protocol):
    """What a report is made of: a town with its findings and cases on a day."""

    @property
    def town(self) -> Town:
        """The town."""

    @property
    def report(self) -> Report:
        """Its findings."""

    @property
    def cases(self) -> Sequence[Case]:
        """Its cases."""

    @property
    def on(self) -> date:
        """The day."""


def write_report(
    picture: Picture, *, year: int, out: Path, public: bool = False, paper: str = "letter"
) -> dict[str, Any]:
    """Writes the report of a permit year into the folder `out` and returns what `report --json` prints.

    `numbers.json`, `numbers.csv`, `rows.xlsx` (every row behind every number) and `mapbook.pdf`. A public report
    counts but does not list what is about somebody's premises, and holds no personal data. Numbers come first: a year
    that cannot be reported is refused (CallError) before anything is written.
    """
    town = picture.town
    law, permit = load_law(town.settings.law), load_permit(town.settings.permit)
    numbers = annual_numbers(town, law, permit, cases=picture.cases, report=picture.report, year=year, on=picture.on)
    said = numbers.to_json(public=public) | {"inputs": _inputs(town), "rules": _rules(law, permit, picture.report)}
    files = [
        replace_file(out / "numbers.json", lambda beside: _write_json(beside, said)),
        write_csv(out / "numbers.csv", NUMBERS_HEADER, (_line(each, public=public) for each in numbers.numbers)),
        replace_file(out / "rows.xlsx", lambda beside: _write_workbook(beside, town, numbers, public=public)),
        out / "mapbook.pdf",
    ]
    write_map_book(town, picture.report, files[-1], picture.on, public=public, paper=paper)
    return said | {"files": [str(file) for file in files]}


def _inputs(town: Town) -> dict[str, str]:
    """What the numbers rest on: equal inputs and rules give equal numbers."""
    records = town.records.everything
    return {
        "layers.gpkg": digest(town.folder) if town.folder else "",
        "register": records[-1].hash if records else "",
    }


def _rules(law: Law, permit: Permit, report: Report) -> dict[str, Any]:
    packs = json.dumps([law.to_json(), permit.to_json()], sort_keys=True, default=str)
    return {
        "law": law.name,
        "permit": permit.name,
        "packs_sha256": hashlib.sha256(packs.encode()).hexdigest(),
        "checked": list(report.looked_at),
        "not_run": [each.rule for each in report.not_run],
    }


def _write_json(path: Path, said: dict[str, Any]) -> None:
    path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _line(number: Number, *, public: bool) -> tuple[Any, ...]:
    listed = number.public_rows() if public else number.rows
    return (number.code, number.label, number.value, len(number.rows), len(listed))


def _write_workbook(path: Path, town: Town, numbers: Numbers, *, public: bool) -> None:
    """A workbook whose text cells are text: no formula runs, no id loses a zero, no date turns into a number."""
    book = Workbook(write_only=True)
    book.properties.creator = "MS4 outfall map"
    book.properties.title = f"{town.name}, {numbers.start.isoformat()} to {numbers.end.isoformat()}"
    _fill(book, "Numbers", NUMBERS_HEADER, (_line(each, public=public) for each in numbers.numbers))
    _fill(book, "Rows", ROWS_HEADER, _rows(town, numbers, public=public))
    book.save(path)


def _rows(town: Town, numbers: Numbers, *, public: bool) -> Iterator[tuple[Any, ...]]:
    for number in numbers.numbers:
        for row in number.public_rows() if public else number.rows:
            place = _place(town, row.get("layer", ""), row.get("id", ""))
            rest = (row.get(name) for name in ROWS_HEADER[5:])
            yield (number.code, number.label, row.get("layer"), row.get("id"), place, *rest)


def _place(town: Town, layer: str, asset: str) -> str:
    """The road or address of a thing, empty where there is none; never a name."""
    layer, field = ("parcels", "address") if layer in ("premises", "parcels") else (layer, "road")
    frame = town.layer(layer) if layer in town.layers else None
    if frame is None or field not in frame or asset not in frame.index:
        return ""
    return str(frame.at[asset, field])


def _fill(book: Workbook, title: str, header: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
    sheet = book.create_sheet(title)
    for at, name in enumerate(header):
        sheet.column_dimensions[chr(ord("A") + at)].width = WIDE.get(name, 14)
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name, bold=True) for name in header])
    for row in rows:
        sheet.append([_cell(sheet, value) for value in row])


def _cell(sheet: Any, value: Any, *, bold: bool = False) -> WriteOnlyCell:
    cell = WriteOnlyCell(sheet, plain_cell(value))
    if isinstance(cell.value, str):
        cell.data_type = "s"  # openpyxl would take a text that begins with = for a formula
        cell.number_format = "@"
    if bold:
        cell.font = Font(bold=True)
    return cell
