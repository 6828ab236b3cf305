"""A case: one matter from opening to correction; its state and deadlines are computed from events and law."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from layers.errors import CallError, RegisterError
from layers.records import Record, Records
from mapping.cases.clock import Deadline, deadlines
from mapping.cases.steps import gather_facts, name_state, tell_next
from mapping.law import Law
from mapping.register import KINDS, Register, record_json

# A deadline that has not started yet is shown only where the thread of the notice leads to it.
THREAD_STARTS = frozenset({"identified", "issued", "received"})
# When a case has ended or its notice was reversed, only the Town's own duties stay open: what was asked of the person
# falls away.
OVER = frozenset({"ended", "appeal reversed"})
TOWNS_OWN = ("SMSO", "Town")


@dataclass(frozen=True)
class Case:
    """One matter; `events` are those in force, `superseded` those that no longer hold, both in the order of entry.

    `state` is one plain phrase, `next` plain sentences: what the law asks next, of whom, by when, with the section.
    """

    id: str
    title: str
    state: str
    subject: str
    premises: tuple[str, ...]
    finding_ids: tuple[str, ...]
    opened_on: date
    events: tuple[Record, ...]
    superseded: tuple[Record, ...]
    deadlines: tuple[Deadline, ...]
    next: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The object that `case --json` prints."""
        return {
            "id": self.id,
            "title": self.title,
            "state": self.state,
            "subject": self.subject,
            "premises": list(self.premises),
            "findings": list(self.finding_ids),
            "opened_on": self.opened_on.isoformat(),
            "events": [{**record_json(each), "title": KINDS[each.kind].title} for each in self.events],
            "superseded": [{**record_json(each), "title": KINDS[each.kind].title} for each in self.superseded],
            "deadlines": [each.to_json() for each in self.deadlines],
            "next": list(self.next),
        }


def open_case(
    register: Register, *, title: str, subject: str, premises: Sequence[str], findings: Sequence[str], on: date, by: str
) -> str:
    """The number of a new case, the next of its year; nothing is said about anyone until an identification is recorded."""
    data = {"title": title, "premises": list(premises), "findings": list(findings)}
    return register.append("case_opened", subject=subject, on=on, data=data, by=by).case


def list_cases(
    records: Records,
    law: Law,
    on: date,
    *,
    readings: Mapping[str, str] | None = None,
    until: date | None = None,
) -> list[Case]:
    """Every case by number; `on` decides what is open and what overdue.

    `readings` are the Town's choices between readings of the law. With `until`, what happened later is not yet known:
    the cases as they stood on that day.
    """
    standing = {each.seq for each in records.in_force()}
    threads: dict[str, list[Record]] = {}
    for each in records.everything:
        if each.case and (until is None or each.on <= until):
            threads.setdefault(each.case, []).append(each)
    return [_case(thread, standing, law, on, readings or {}) for _, thread in sorted(threads.items(), key=_by_number)]


def find_case(cases: Iterable[Case], case: str) -> Case:
    """The case of that number, or a CallError."""
    for each in cases:
        if each.id == case:
            return each
    raise CallError(f"there is no case {case!r}", hint="case list shows the cases there are")


def check_order(records: Records, record: Record) -> None:
    """Nothing, or a RegisterError with the reason why the event cannot follow what stands in its case.

    Give it to `Register.append`. An event whose data says why it is a `late_entry` is accepted as it is.
    """
    if not record.case or record.kind in ("case_opened", "superseded") or record.data.get("late_entry"):
        return
    thread = [each for each in records.in_force() if each.case == record.case]
    ended = _ended(thread, record)
    if ended:
        raise RegisterError(
            f"event {record.kind}: {ended}", hint="open a new case, or say why it comes late in data.late_entry"
        )
    early = _too_early(thread, record)
    if early:
        raise RegisterError(
            f"event {record.kind}: {early}", hint="enter what is missing first, or say why in data.late_entry"
        )


def _ended(thread: Sequence[Record], record: Record) -> str:
    end = next((each for each in thread if KINDS[each.kind].ends), None)
    if end is None or KINDS[record.kind].ended:
        return ""
    return f"case {record.case} ended on {end.on} ({KINDS[end.kind].title.lower()})"


def _too_early(thread: Sequence[Record], record: Record) -> str:
    needed = KINDS[record.kind].after
    days = [each.on for each in thread if each.kind in needed]
    if not needed or (days and min(days) <= record.on):
        return ""
    if days:
        return f"its date {record.on} lies before {' or '.join(needed)} of {min(days)}"
    return f"no {' or '.join(needed)} is recorded in case {record.case} yet"


def _by_number(item: tuple[str, list[Record]]) -> tuple[int, int]:
    year, _, number = item[0].partition("-")
    return int(year), int(number)


def _case(thread: Sequence[Record], standing: set[int], law: Law, on: date, readings: Mapping[str, str]) -> Case:
    opening = next(each for each in thread if each.kind == "case_opened")
    events = tuple(each for each in thread if each.seq in standing)
    facts = gather_facts(events)
    limits = _deadlines(events, facts, law, on, readings)
    return Case(
        id=opening.case,
        title=opening.data["title"],
        state=name_state(facts),
        subject=opening.subject,
        premises=tuple(opening.data.get("premises") or ()),
        finding_ids=tuple(opening.data.get("findings") or ()),
        opened_on=opening.on,
        events=events,
        superseded=tuple(each for each in thread if each.seq not in standing and each.kind != "superseded"),
        deadlines=limits,
        next=tell_next(facts, limits, law, on),
    )


def _deadlines(
    events: Sequence[Record], facts: frozenset[str], law: Law, on: date, readings: Mapping[str, str]
) -> tuple[Deadline, ...]:
    decided = [each.data["outcome"] for each in events if each.kind == "appeal_decided" and "outcome" in law.facts]
    known = {name: day for name, day in clock_events(events).items() if name in law.event_names}
    found = deadlines(law, known, settings={**readings, **({"outcome": decided[-1]} if decided else {})}, on=on)
    return tuple(each for each in found if _belongs(each, facts))


def clock_events(events: Iterable[Record]) -> dict[str, date]:
    """The dates that the case hands to the law's clock: of its events, and of the dates that their data set.

    Of several events of one kind the first counts, or the last where the kind says so.
    """
    days: dict[str, date] = {}
    for each in sorted(events, key=lambda record: (record.on, record.seq)):
        kind = KINDS[each.kind]
        if kind.clock and (kind.dated == "last" or kind.clock not in days):
            days[kind.clock] = each.on
        for field in kind.fields:
            if field.clock and each.data.get(field.name):
                days[field.clock] = date.fromisoformat(each.data[field.name])
    return days


def _belongs(limit: Deadline, facts: frozenset[str]) -> bool:
    if limit.code == "bond_completion" and "bond_posted" not in facts:
        return False
    if limit.code == "appeal" and limit.state == "overdue":
        return False  # a right that has lapsed: nobody is late with it
    if limit.start is None:
        waited_for = limit.state == "pending" and limit.start_event in THREAD_STARTS
        return waited_for and "identified" in facts and not facts & OVER
    return not facts & OVER or limit.state in ("met", "late") or limit.who.startswith(TOWNS_OWN)
