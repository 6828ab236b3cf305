"""The law's clock: every deadline that the law pack knows, from the events of a matter and the Town's readings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from layers.errors import CallError
from mapping.cases.counting import Counted, Pause, count
from mapping.law import Law, Parameter

Events = Mapping[str, date]


@dataclass(frozen=True)
class Deadline:
    """One duty and its time.

    `start` is None until an event starts it. `limit` is None where the law states no number; `unit` then says
    "immediately", "none stated" or "before". `raw` is the day as counted (None for business days), to which the Town
    plans its own duties; `due` the day on which it may still be done; `why` one sentence where they differ. `state` is
    pending, open, overdue, met or late. `reading` names the readings of the law that move it. `periods` counts the
    complete periods of a continuing violation, None for anything else.
    """

    code: str
    title: str
    who: str
    section: str
    numbered_by_order: bool
    start_event: str
    start: date | None
    limit: int | None
    unit: str
    raw: date | None
    due: date | None
    why: str
    state: str
    reading: str
    periods: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The deadline with its dates as text."""
        return {key: value.isoformat() if isinstance(value, date) else value for key, value in asdict(self).items()}


@dataclass(frozen=True)
class Matter:
    """What one matter is judged by: the law as the Town reads it, events by their own names, readings and facts, day."""

    law: Law
    events: Events
    facts: Mapping[str, str]
    on: date
    closed: Collection[date]

    def done(self, row: Parameter) -> date | None:
        """The first day on which the row's duty was carried out, or None."""
        return min((self.events[name] for name in (row.code, *row.met_by) if name in self.events), default=None)


def clock(law: Law, events: Events, *, settings: Mapping[str, str], on: date) -> dict[str, Any]:
    """What the command `clock` prints: {"deadlines": [...]}, as `deadlines` gives them."""
    return {"deadlines": [each.to_json() for each in deadlines(law, events, settings=settings, on=on)]}


def deadlines(
    law: Law, events: Events, *, settings: Mapping[str, str], on: date, closed: Collection[date] = ()
) -> list[Deadline]:
    """Every duty of the law that an event starts, in the order of the pack, as it stands on the day `on`.

    `events` gives the day of each event by its name in the pack, an alias, or the code of a row, which says that the
    duty was carried out. `settings` holds readings and the facts of the matter; `closed` the Town's own closing days.
    A duty follows the row in force on the day that starts it. Raises CallError for unknown events and settings.
    """
    matter = Matter(law.under(settings), name_events(law, events), law.settle(settings), on, closed)
    started = [(row, *find_start(row, matter.events, matter.facts)) for row in matter.law.parameters if row.starts]
    return [_deadline(matter, row, event, start) for row, event, start in started if row.in_force(start or on)]


def name_events(law: Law, events: Events) -> dict[str, date]:
    """The events under the pack's own names; a CallError lists every unknown one, and those given two days."""
    named: dict[str, date] = {}
    faults = []
    for name, day in events.items():
        try:
            own = law.event_name(name)
        except CallError as fault:
            faults.append(fault)
            continue
        if named.setdefault(own, day) != day:
            faults.append(CallError(f"{own} is given two days, {named[own]} and {day}", hint="give one"))
    if faults:
        raise CallError("; ".join(fault.text for fault in faults), hint=faults[0].hint)
    return named


def find_start(row: Parameter, events: Events, facts: Mapping[str, str]) -> tuple[str, date | None]:
    """The event that starts the row's limit and its day; the event that is waited for and None if it is yet to come."""
    possible = [start for start in row.starts if not any(event in events for event in start.unless)]
    for start in possible:
        if start.event in events and all(facts.get(key) == value for key, value in start.when.items()):
            return start.event, events[start.event]
    return (possible or row.starts)[0].event, None


def _deadline(matter: Matter, row: Parameter, event: str, start: date | None) -> Deadline:
    limit = _limit(matter, row, start or matter.on)
    counted = _count(matter, row, start, limit)
    done = matter.done(row)
    return Deadline(
        code=row.code,
        title=row.title,
        who=row.who,
        section=row.section,
        numbered_by_order=row.numbered_by_order,
        start_event=event,
        start=start,
        limit=limit,
        unit=row.unit,
        raw=counted.raw,
        due=counted.due,
        why=counted.why,
        state=_state(row, start, limit, counted.due, done, matter.on),
        reading=_reading(matter, row),
        periods=_periods(row, start, done or matter.on) if row.repeats else None,
    )


def _limit(matter: Matter, row: Parameter, day: date) -> int | None:
    """The number of units allowed, with the extension where its event has happened."""
    extension = matter.law.on(day).get(row.extended_by)
    if row.limit and extension and matter.done(extension):
        return row.limit + extension.number
    return row.limit


def _count(matter: Matter, row: Parameter, start: date | None, limit: int | None) -> Counted:
    """When the time ends; no dates before it starts, nor where the law states no number."""
    if start is None or (limit is None and row.unit != "before"):
        return Counted(None, None, "")
    if limit is None:
        return Counted(start, start, "")
    pause = None
    if row.stay and row.stay.begins in matter.events:
        pause = Pause(matter.events[row.stay.begins], matter.events.get(row.stay.ends))
    return count(start, limit, row.unit, pause=pause, closed=matter.closed)


def _state(row: Parameter, start: date | None, limit: int | None, due: date | None, done: date | None, on: date) -> str:
    """Pending, open, overdue, met or late; nobody is overdue on the due date itself."""
    if done and not row.keeps:
        return "met" if due is None or done <= due else "late"
    stands_still = limit is not None and due is None
    if start is None or on < start or stands_still:
        return "pending"
    if due is None or on <= due:
        return "open"
    return "met" if row.keeps else "overdue"


def _periods(row: Parameter, start: date | None, end: date) -> int:
    """The complete periods between the start and the day `end`, on which the next one is not complete yet."""
    return max(0, ((end - start).days - 1) // row.number) if start else 0


def _reading(matter: Matter, row: Parameter) -> str:
    """The readings that move the row and the facts it turns on, each with its present choice."""
    law, facts = matter.law, matter.facts
    readings = [f"{each.title}: {facts[each.key]}" for each in law.readings_of(row.code)]
    asked = dict.fromkeys(key for start in row.starts if start.event in matter.events for key in start.when)
    return "; ".join([*readings, *(f"{law.facts[key].title}: {facts.get(key, 'not recorded')}" for key in asked)])
