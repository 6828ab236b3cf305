"""Text files and spreadsheets as tables of text: every cell as it was typed, every row accounted for."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd

from layers.errors import SourceError

DELIMITERS = ",;\t|"
LONGEST_CELL = 1 << 30
"""Characters in one cell; the outline of a lake as WKT passes csv's own limit of 131,072."""
EXACT_DIGITS = 15
"""Digits of a number that a spreadsheet keeps."""
PADDED = re.compile(r"0+(\.0+)?")
Notes = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """One sheet as text: its columns, its rows that hold something (index = row number in the file), what was noted."""

    name: str
    frame: pd.DataFrame
    encoding: str
    notes: Notes = field(default=())


def read_tables(path: Path, *, encoding: str = "") -> list[Table]:
    """The table of a text file, or every sheet of a workbook that holds something; a SourceError says what is wrong."""
    if path.suffix.lower() == ".xlsx":
        return list(_read_workbook(path))
    text, used = _decode(path.read_bytes(), encoding, path.name)
    rows = list(_split(text, path))
    return [_table(path.name, path.stem, rows, used)] if rows else []


def _table(name: str, sheet: str, rows: Sequence[tuple[int, list[str]]], encoding: str, notes: Notes = ()) -> Table:
    """A table from numbered rows, the first of which is the header."""
    header, body = _header(name, rows), rows[1:]
    width = len(rows[0][1])
    for number, row in body:
        if any(cell.strip() for cell in row[width:]):
            raise SourceError(
                f"{name}, row {number}, has more cells than the header",
                hint="mend the row or quote its commas; the header must be the first row",
                code="source_ragged",
            )
    short = [number for number, row in body if len(row) < width]
    if short:
        notes += (("short_rows", f"{len(short)} rows have fewer cells than the header, the first is row {short[0]}"),)
    cells = [[row[at] if at < len(row) else "" for at in header.values()] for _, row in body]
    numbers = pd.Index([number for number, _ in body], dtype="int64")
    return Table(sheet, pd.DataFrame(cells, columns=list(header), index=numbers, dtype=object), encoding, notes)


def _header(name: str, rows: Sequence[tuple[int, list[str]]]) -> dict[str, int]:
    """Column names and where they stand; a column without a name is left out where it is empty, else it gets one."""
    names = [cell.strip() for cell in rows[0][1]]
    doubled = sorted(each for each, count in Counter(names).items() if each and count > 1)
    if doubled:
        raise SourceError(
            f"{name} has the column {', '.join(doubled)} twice", hint="rename one of them", code="source_columns"
        )
    held = [any(at < len(row) and row[at].strip() for _, row in rows[1:]) for at in range(len(names))]
    unnamed = sum(full and not each for each, full in zip(names, held, strict=True))
    if unnamed >= sum(map(bool, names)):
        raise SourceError(
            f"{name}, row {rows[0][0]}, leaves {unnamed} of its columns without a name",
            hint="delete titles above the header",
            code="source_columns",
        )
    return {each or f"column {at + 1}": at for at, each in enumerate(names) if each or held[at]}


# -- text files


def _decode(raw: bytes, encoding: str, name: str) -> tuple[str, str]:
    """Text and the encoding it was in: as told, else by its mark, else UTF-8, else Windows-1252 (what spreadsheets save)."""
    marked = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    for each in [encoding] if encoding else [marked, "cp1252"]:
        try:
            return raw.decode(each).removeprefix("\ufeff"), each.removesuffix("-sig").upper()
        except (ValueError, LookupError):
            continue
    raise SourceError(
        f"the text of {name} is not in {encoding or 'UTF-8 or Windows-1252'}",
        hint="name its encoding with --encoding",
        code="source_encoding",
    )


def _split(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, each with the line on which it ends."""
    told = re.match(r"sep=(.)\r?\n", text)
    body = text[told.end() :] if told else text
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=told[1] if told else _delimiter(body), strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num + bool(told), row
    except csv.Error as fault:
        raise SourceError(
            f"{path.name}, row {reader.line_num + bool(told)}: {fault}",
            hint="mend the quotes of the row, or save the file again as CSV",
            code="source_ragged",
        ) from fault


def _delimiter(text: str) -> str:
    """The sign that divides the header into most cells; a comma where none does."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return max(DELIMITERS, key=lambda sign: len(next(csv.reader([first], delimiter=sign), [])))


# -- spreadsheets


def _read_workbook(path: Path) -> Iterator[Table]:
    book, formulas = _load(path, data_only=True), _load(path, data_only=False)
    for sheet in book.worksheets:
        rows = [(at, [_cell_text(cell) for cell in row]) for at, row in enumerate(sheet.iter_rows(), start=1)]
        filled = [(at, row) for at, row in rows if any(cell.strip() for cell in row)]
        if filled:
            notes = tuple(_sheet_notes(sheet, formulas[sheet.title]))
            yield _table(f"{path.name}, sheet {sheet.title}", sheet.title, filled, "UTF-8", notes)


def _load(path: Path, *, data_only: bool) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of styles and checks that it does not keep
            return openpyxl.load_workbook(path, data_only=data_only)
    except Exception as fault:  # a damaged workbook makes openpyxl raise nearly anything
        raise SourceError(
            f"{path.name} is no spreadsheet, is locked, or is damaged",
            hint="save it again as .xlsx without a password",
            code="source_damaged",
        ) from fault


def _cell_text(cell: Any) -> str:
    """A cell as it is shown: dates as ISO, whole numbers without `.0`, zeros that its format adds in front or behind."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat()
    if isinstance(value, int | float) and not isinstance(value, bool):
        if PADDED.fullmatch(cell.number_format or ""):
            whole, _, digits = cell.number_format.partition(".")
            return f"{value:0{len(whole) + (len(digits) + 1 if digits else 0)}.{len(digits)}f}"
        return str(int(value)) if float(value).is_integer() else str(value)
    return str(value)


def _sheet_notes(sheet: Any, formulas: Any) -> Iterable[tuple[str, str]]:
    unread = [
        cell.coordinate
        for row in formulas.iter_rows()
        for cell in row
        if cell.data_type == "f" and sheet[cell.coordinate].value is None
    ]
    if unread:
        told = f"{len(unread)} formulas hold no stored value and were read as empty: {', '.join(unread[:5])}"
        yield "formula_unread", f"{told}; open the file in a spreadsheet program and save it"
    merged = [str(each) for each in sheet.merged_cells.ranges]
    if merged:
        yield "merged_cells", f"only the first cell of merged cells holds their value: {', '.join(merged[:5])}"
    long = [cell.coordinate for row in sheet.iter_rows() for cell in row if _is_cut(cell.value)]
    if long:
        yield "number_cut", f"numbers of more than {EXACT_DIGITS} digits are not exact: {', '.join(long[:5])}"


def _is_cut(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= 10**EXACT_DIGITS
