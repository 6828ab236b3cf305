"""What printed lists are drawn with: text that our font has, boxes to tick, lines to write on; measures in points."""

from __future__ import annotations

from functools import cache
from typing import Any

from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from mapping.outputs.files import FONTS, printable

PLAIN, BOLD = "DejaVuSans", "DejaVuSans-Bold"


@cache
def register_fonts() -> None:
    """Makes our fonts known to reportlab, once."""
    for name in (PLAIN, BOLD):
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"{name}.ttf")))


def say(canvas: Any, x: float, y: float, text: str, font: str, size: float) -> None:
    """Draws one line of text from x on."""
    canvas.setFont(font, size)
    canvas.drawString(x, y, printable(text))


def say_right(canvas: Any, x: float, y: float, text: str, font: str, size: float) -> None:
    """Draws one line of text that ends at x."""
    canvas.setFont(font, size)
    canvas.drawRightString(x, y, printable(text))


def lines(canvas: Any, x: float, y: float, text: str, width: float, most: int) -> None:
    """Draws at most `most` lines of text, wrapped to `width` points."""
    lines = simpleSplit(printable(text, limit=300), PLAIN, 8, width)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]} …"]
    for at, line in enumerate(lines):
        say(canvas, x, y - at * 10.5, fit(line, PLAIN, 8, width + 8), PLAIN, 8)


def fit(text: str, font: str, size: float, width: float) -> str:
    """The text, cut with … where it is wider than `width` points."""
    text = printable(text)
    while len(text) > 1 and pdfmetrics.stringWidth(text, font, size) > width:
        text = f"{text[:-2]}…"
    return text


def box(canvas: Any, x: float, y: float, size: float) -> None:
    """Draws a box to tick."""
    canvas.rect(x, y, size, size)


def blank(canvas: Any, x: float, y: float, width: float, label: str) -> None:
    """A line to write on, with what belongs there under it."""
    canvas.line(x, y, x + width, y)
    say(canvas, x, y - 9, label, PLAIN, 7)
