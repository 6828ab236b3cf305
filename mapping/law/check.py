"""What must hold in a pack beyond the form of its tables: every name it uses is there, every limit can be counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from mapping.law.pack import Law
from mapping.law.rows import NO_LIMIT, TIME_UNITS, UNITS, Parameter, Reading, Row

CHANGEABLE = ("value", "unit", "starts", "met_by", "extended_by", "stay")


def check_rows(rows: Sequence[Row]) -> list[str]:
    """What is wrong with the dates of the rows: none may end before it begins or overlap another of its code."""
    backward = [f"{row.code} ends before it begins" for row in rows if row.until and row.until < row.since]
    pairs = [
        (one, other, max(one.since, other.since)) for one, other in combinations(rows, 2) if one.code == other.code
    ]
    doubled = [
        f"two rows of {one.code} are in force on {day}"
        for one, other, day in pairs
        if one.in_force(day) and other.in_force(day)
    ]
    return backward + doubled


def check_law(law: Law) -> list[str]:
    """What is wrong inside a law pack: names used twice or not there, limits that cannot be counted, bad readings."""
    names = [name for event in law.events for name in (event.name, *event.aliases)]
    faults = find_twice("event", [*names, *law.codes])
    faults += [
        f"{row.code} is in section {row.section}, which no [[section]] holds"
        for row in law.parameters
        if not any(section.holds(row.section) for section in law.sections)
    ]
    faults += [fault for row in law.parameters for fault in _row_faults(row, law)]
    faults += [fault for reading in law.readings.values() for fault in _reading_faults(reading, law)]
    return faults


def _row_faults(row: Parameter, law: Law) -> Iterator[str]:
    """What is wrong with one row, as it stands or as a reading leaves it."""
    if row.unit not in UNITS:
        yield f"{row.code} has the unknown unit {row.unit!r}, known are {', '.join(filter(None, UNITS))}"
    if row.unit in TIME_UNITS and not (isinstance(row.value, int) and row.value > 0):
        yield f"{row.code} needs a number of {row.unit} above zero, not {row.value!r}"
    if row.starts and row.unit not in (*TIME_UNITS, *NO_LIMIT):
        yield f"{row.code} starts from an event and needs a unit of time, or 'none stated'"
    if row.repeats and row.unit not in ("day", "days"):
        yield f"{row.code} repeats and must be counted in days"
    used = {start.event for start in row.starts} | {name for start in row.starts for name in start.unless}
    used |= {*row.met_by, *((row.stay.begins, row.stay.ends) if row.stay else ())}
    yield from (f"{row.code} names the unknown event {name!r}" for name in sorted(used - set(law.event_names)))
    for key, value in (pair for start in row.starts for pair in start.when.items()):
        if key not in law.facts or value not in law.facts[key].choices:
            yield f"{row.code} asks for {key} = {value}, which no [[fact]] offers"
    if row.extended_by:
        units = {other.unit for other in law.parameters if other.code == row.extended_by}
        if units != {row.unit}:
            yield f"{row.code} is extended by {row.extended_by!r}, which is no row in {row.unit}"


def _reading_faults(reading: Reading, law: Law) -> Iterator[str]:
    """What is wrong with one reading, and with the rows as each of its choices leaves them."""
    offered = [reading.default, *reading.changes]
    yield from (f"reading {reading.key} has no choice {name!r}" for name in offered if name not in reading.choices)
    if reading.default in reading.changes:
        yield f"reading {reading.key} changes rows by its default: let the rows say it"
    yield from (
        f"reading {reading.key} moves the unknown row {code!r}" for code in reading.moves if code not in law.codes
    )
    for choice, rows in reading.changes.items():
        strays = [code for code in rows if code not in reading.moves]
        yield from (f"reading {reading.key}, {choice} changes {code}, which it does not move" for code in strays)
        if choice in reading.choices:
            changed = (row for row in law.under({reading.key: choice}).parameters if row.code in rows)
            yield from (
                f"reading {reading.key}, {choice}: {fault}" for row in changed for fault in _row_faults(row, law)
            )


def find_twice(kind: str, names: Iterable[str]) -> list[str]:
    """What is wrong with names that must be there once only."""
    return [f"the {kind} {name!r} is there twice" for name, times in Counter(names).items() if times > 1]
