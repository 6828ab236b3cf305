"""Files that leave the office: swapped in whole, and text that no spreadsheet runs and no font or XML reader chokes on."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.ft2font import FT2Font

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula (CWE-1236); Excel reads the full-width forms too."""
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
"""DejaVu, which comes with matplotlib: the same letters on sheets and stop lists, whatever the machine has."""
NOT_SHOWN = "\N{REPLACEMENT CHARACTER}"


def replace_file(path: Path, write: Callable[[Path], None]) -> Path:
    """The file that `write` makes, put in place only when it is whole; what stood there before stays until then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(beside)
        os.replace(beside, path)  # noqa: PTH105 - the atomic replacement is the point
    finally:
        beside.unlink(missing_ok=True)
    return path


def plain_cell(value: Any) -> str | int | float | Decimal | None:
    """A value as a cell: numbers stay numbers, dates are ISO text, text that looks like a formula gets an apostrophe.

    >>> from datetime import date
    >>> plain_cell("=HYPERLINK(1)"), plain_cell(-73.6), plain_cell("OF-014"), plain_cell(True)
    ("'=HYPERLINK(1)", -73.6, 'OF-014', 'yes')
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float | Decimal):
        return None if value != value else value
    text = "".join(char if char.isprintable() or char in "\t\n\r" else " " for char in str(value))
    return f"'{text}" if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA) else text


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """A CSV file in UTF-8 (with the mark that Excel needs to see it), every cell plain."""

    def write(beside: Path) -> None:
        with beside.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows([plain_cell(value) for value in row] for row in rows)

    return replace_file(path, write)


def printable(text: Any, *, limit: int = 200) -> str:
    """One line of text that our font can draw: control characters gone, letters that it lacks shown as �, long text cut."""
    kept = "".join(char if char.isprintable() else " " for char in str(text))
    drawn = "".join(char if ord(char) in _letters() else NOT_SHOWN for char in " ".join(kept.split()))
    return drawn if len(drawn) <= limit else f"{drawn[: limit - 1]}…"


@cache
def _letters() -> frozenset[int]:
    return frozenset(FT2Font(str(FONTS / "DejaVuSans.ttf")).get_charmap())
