"""How days, business days, months and years are counted, by New York's General Construction Law."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta

from layers.errors import CallError
from mapping.cases.holidays import DAY, holidays, is_business_day, next_business_day


@dataclass(frozen=True)
class Pause:
    """The days after `begins` up to and with `ends` do not count; `ends` None: time stands still until further notice."""

    begins: date
    ends: date | None

    def covers(self, day: date) -> bool:
        """Whether that day does not count."""
        return self.begins < day and (self.ends is None or day <= self.ends)


@dataclass(frozen=True)
class Counted:
    """The end of a period: `raw` as counted (None for business days), `due` as it may be kept, why they differ.

    Both dates are None while the time stands still.
    """

    raw: date | None
    due: date | None
    why: str


def count(start: date, limit: int, unit: str, *, pause: Pause | None = None, closed: Collection[date] = ()) -> Counted:
    """The end of a period of `limit` units that begins with an event on `start`; that day itself is not counted (§ 20).

    `unit`: days, business days, months or years, singular or plural. `closed`: the Town's own closing days, beside the
    holidays of § 24. A CallError if the end lies beyond the calendar.

    >>> count(date(2026, 12, 1), 5, "days").due
    datetime.date(2026, 12, 7)
    """
    try:
        if unit.startswith("business day"):
            return _count_business_days(start, limit, pause, closed)
        return _count_calendar(start, limit, unit, pause, closed)
    except (OverflowError, ValueError) as fault:
        raise CallError(
            f"{limit} {unit} from {start} end beyond the calendar", hint="correct the date of the event"
        ) from fault


def add_months(start: date, months: int) -> date:
    """The same day of a later month, clipped to that month's end (§ 30).

    >>> add_months(date(2026, 8, 31), 6)
    datetime.date(2027, 2, 28)
    """
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))


def _count_calendar(start: date, limit: int, unit: str, pause: Pause | None, closed: Collection[date]) -> Counted:
    """Days, months (§ 30) or years of twelve months (§ 58); only the end moves to a business day (§ 25-a)."""
    if unit in ("day", "days"):
        raw = start + limit * DAY
    else:
        raw = add_months(start, limit * (12 if unit in ("year", "years") else 1))
    stood = ""
    if pause and pause.begins < raw:
        if pause.ends is None:
            return Counted(None, None, _stands_still(pause))
        lost = max(timedelta(0), pause.ends - max(pause.begins, start))
        raw, stood = raw + lost, _stood_still(pause.begins, pause.ends) if lost else ""
    due = next_business_day(raw, closed=closed)
    rolled = f"{_said(raw)} is {_closed_for(raw)}, so the time ends on the next business day, {_said(due)}"
    return Counted(raw, due, _sentence(stood, rolled if due != raw else ""))


def _count_business_days(start: date, limit: int, pause: Pause | None, closed: Collection[date]) -> Counted:
    """Business days one by one: Saturdays, Sundays and holidays are passed over."""
    day, left, passed, stood = start, limit, [], ""
    while left:
        day += DAY
        if pause and pause.covers(day):
            if pause.ends is None:
                return Counted(None, None, _stands_still(pause))
            stood = _stood_still(pause.begins, pause.ends)
        elif is_business_day(day, closed=closed):
            left -= 1
        elif day.weekday() < 5:
            passed.append(f"{_closed_for(day)} on {_said(day)}")
    here = f" (here {', '.join(passed)})" if passed else ""
    counted = f"business days are counted one by one, without Saturdays, Sundays and public holidays{here}"
    return Counted(None, day, _sentence(stood, counted))


def _said(day: date) -> str:
    return f"{day:%A} {day.isoformat()}"


def _closed_for(day: date) -> str:
    """Why a day is no business day, in the words of a sentence."""
    if day.weekday() >= 5:
        return "no business day"
    return holidays(day.year).get(day, "a day on which the Town is closed")


def _stands_still(pause: Pause) -> str:
    return f"The time stands still since {_said(pause.begins)}."


def _stood_still(begins: date, ends: date) -> str:
    return f"the time stood still from {_said(begins)} to {_said(ends)}"


def _sentence(*parts: str) -> str:
    """The parts that are not empty as one sentence."""
    text = "; ".join(filter(None, parts))
    return f"{text[0].upper()}{text[1:]}." if text else ""
