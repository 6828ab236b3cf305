"""Dates, distances and lists in the words in which findings are read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date

from layers.errors import CallError


def say_day(day: date) -> str:
    """A date for the eye.

    >>> say_day(date(2026, 12, 7))
    'Mon 7 Dec 2026'
    """
    return f"{day:%a} {day.day} {day:%b %Y}"


def read_day(text: str) -> date:
    """The date in a call, or a CallError that says how to write one."""
    try:
        return date.fromisoformat(text)
    except ValueError as fault:
        raise CallError(f"{text!r} is no date", hint="write it as 2026-11-30") from fault


def say_feet(feet: float) -> str:
    """A distance in feet for the eye; where it is not a number, that it is not known.

    >>> say_feet(6892.4), say_feet(float("nan"))
    ('6,892 ft', 'distance not known')
    """
    return f"{feet:,.0f} ft" if math.isfinite(feet) else "distance not known"


def say_list(words: Iterable[str], *, most: int = 5, between: str = ", ") -> str:
    """Words with commas (or what else is asked for) between them, those beyond `most` counted.

    >>> say_list(["CB-1", "CB-2"]), say_list("abcdefg", most=3)
    ('CB-1, CB-2', 'a, b, c and 4 more')
    """
    every = list(words)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return between.join(every[:most]) + more
