"""Public holidays of New York and business days, by General Construction Law § 24."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, timedelta
from functools import cache
from types import MappingProxyType

MONDAY, TUESDAY, THURSDAY, SATURDAY, SUNDAY = 0, 1, 3, 5, 6
DAY = timedelta(days=1)


@cache
def holidays(year: int) -> Mapping[date, str]:
    """Every public holiday of the year with its name, as § 24 reads today.

    A holiday on a Sunday is kept on the next day too, Flag Day aside; there is no shift from Saturday to Friday. Every
    general election day is a holiday, the day after Thanksgiving is none. Do not take these days from a package: the
    common ones leave out Lincoln's Birthday or election day, or shift Saturdays.

    >>> holidays(2026)[date(2026, 11, 3)]
    'general election day'
    """
    days = {
        date(year, 1, 1): "New Year's Day",
        _nth(year, 1, MONDAY, 3): "Dr. Martin Luther King, Jr. Day",
        date(year, 2, 12): "Lincoln's Birthday",
        _nth(year, 2, MONDAY, 3): "Washington's Birthday",
        _last(year, 5, MONDAY): "Memorial Day",
        date(year, 6, 19): "Juneteenth",
        date(year, 7, 4): "Independence Day",
        _nth(year, 9, MONDAY, 1): "Labor Day",
        _nth(year, 10, MONDAY, 2): "Columbus Day",
        date(year, 11, 11): "Veterans' Day",
        _nth(year, 11, THURSDAY, 4): "Thanksgiving Day",
        date(year, 12, 25): "Christmas Day",
    }
    days |= {day + DAY: f"{name}, kept on Monday" for day, name in days.items() if day.weekday() == SUNDAY}
    days[_nth(year, 6, SUNDAY, 2)] = "Flag Day"
    days[_nth(year, 11, MONDAY, 1) + DAY] = "general election day"
    return MappingProxyType(dict(sorted(days.items())))


def is_business_day(day: date, *, closed: Collection[date] = ()) -> bool:
    """Whether the day is no Saturday, Sunday or public holiday, nor one of the Town's own closing days.

    >>> is_business_day(date(2026, 7, 3)), is_business_day(date(2026, 11, 27))
    (True, True)
    """
    return day.weekday() not in (SATURDAY, SUNDAY) and day not in holidays(day.year) and day not in closed


def next_business_day(day: date, *, closed: Collection[date] = ()) -> date:
    """The day itself if it is a business day, else the next one (§ 25-a)."""
    while not is_business_day(day, closed=closed):
        day += DAY
    return day


def _nth(year: int, month: int, weekday: int, number: int) -> date:
    """The first, second, … of a weekday in a month."""
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))


def _last(year: int, month: int, weekday: int) -> date:
    """The last of a weekday in a month of 31 days, such as May."""
    last = date(year, month, 31)
    return last - timedelta(days=(last.weekday() - weekday) % 7)
