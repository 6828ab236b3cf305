"""Plain local days from what files write for them: ISO, American, epoch milliseconds, stamps with or without an offset."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

LOCAL = ZoneInfo("America/New_York")
FIRST_DAY, LAST_DAY = date(1900, 1, 2), date(2100, 1, 1)
"""No record of a drain is older or later; 1899-12-30, 1900-01-01 and 9999-12-31 are what programs write for no day."""
EPOCH_MS = re.compile(r"-?\d{11,13}", re.ASCII)
"""Milliseconds since 1970 as map services write them; eight digits are a day, fourteen a stamp."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_day(text: str) -> date | None:
    """The day that a text says, in New York, or None.

    A stamp in UTC is a day in New York, save at midnight, when it is a bare day that a program made a stamp; a stamp with
    another offset is a day there; one without is a day as it stands. A year of two digits or a day before its month says
    no day for certain.

    >>> read_day("2024-07-02T03:30:00Z"), read_day("2024-07-01T00:00:00Z")
    (datetime.date(2024, 7, 1), datetime.date(2024, 7, 1))
    >>> read_day("7/4/2024"), read_day("31/12/2024"), read_day("7/4/24")
    (datetime.date(2024, 7, 4), None, None)
    """
    readers: tuple[Callable[[str], datetime], ...] = (_epoch, _iso, _compact, _american, _mail)
    for read in readers:
        try:
            found = _local_day(read(text.strip()))
        except (ValueError, TypeError, OverflowError):
            continue
        return found if FIRST_DAY <= found < LAST_DAY else None
    return None


def _local_day(stamp: datetime) -> date:
    in_utc = stamp.utcoffset() == timedelta(0)
    if in_utc and stamp.time() != datetime.min.time():
        stamp = stamp.astimezone(LOCAL)
    return stamp.date()


def _epoch(text: str) -> datetime:
    if not EPOCH_MS.fullmatch(text):
        raise ValueError(text)
    return EPOCH + timedelta(milliseconds=int(text))


def _iso(text: str) -> datetime:
    if not re.match(r"\d{4}([-/]?)\d{2}\1\d{2}(?!\d)", text, re.ASCII):
        raise ValueError(text)
    return datetime.fromisoformat(text.replace("/", "-"))


def _compact(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%d%H%M%S")  # noqa: DTZ007 - as it stands, in no zone


def _american(text: str) -> datetime:
    found = re.match(r"(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)", text, re.ASCII)
    if not found:
        raise ValueError(text)
    month, day, year = map(int, found.groups())
    return datetime(year, month, day)  # noqa: DTZ001 - as it stands, in no zone


def _mail(text: str) -> datetime:
    """`Mon, 01 Jul 2024 23:30:00 GMT`, as a GeoJSON of a map service has it."""
    if not re.search(r"\d{4} \d{1,2}:\d{2}", text, re.ASCII):
        raise ValueError(text)
    return parsedate_to_datetime(text)
