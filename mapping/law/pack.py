"""A law and a permit as wholes: the rows in force on a day, citations, and the law as it reads under settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import Any, Generic, TypeVar

from layers.errors import CallError, LawError
from mapping.law.rows import Citation, EventName, Fact, Parameter, Reading, Requirement, Row, Section

R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class Pack(Generic[R]):
    """What a law and a permit have in common: dated rows, in the order of the file."""

    name: str
    title: str
    parameters: tuple[R, ...]

    def on(self, day: date) -> dict[str, R]:
        """The rows in force on that day, by code."""
        return {row.code: row for row in self.parameters if row.in_force(day)}

    def row(self, code: str) -> R:
        """The newest row of that code, or a LawError that lists the codes there are."""
        rows = [row for row in self.parameters if row.code == code]
        if not rows:
            raise LawError(f"{self.name} has no row {code!r}", hint=f"its rows are {listed(self.codes)}")
        return max(rows, key=lambda row: row.since)

    @property
    def codes(self) -> tuple[str, ...]:
        """Every code once, in the order of the file."""
        return tuple(dict.fromkeys(row.code for row in self.parameters))


@dataclass(frozen=True)
class Law(Pack[Parameter]):
    """A town's law; `since` is the date of its present text; facts and readings by key."""

    municipality: str
    adopted: date
    since: date
    history: str
    sections: tuple[Section, ...]
    events: tuple[EventName, ...]
    facts: Mapping[str, Fact]
    readings: Mapping[str, Reading]

    def cite(self, code: str) -> Citation:
        """Section, whether it is numbered by order, and quotation of the row, or a LawError for an unknown code."""
        return self.row(code).cite()

    @property
    def event_names(self) -> tuple[str, ...]:
        """Every event the clock knows: those that limits start from, then the codes of the rows."""
        return tuple(dict.fromkeys([*(event.name for event in self.events), *self.codes]))

    def event_name(self, name: str) -> str:
        """The event's own name whichever way it is written, or a CallError that lists the events there are."""
        plain = re.sub(r"[\s-]+", "_", name.strip()).casefold()
        names = {alias: event.name for event in self.events for alias in event.aliases}
        names |= {each.casefold(): each for each in self.event_names}
        if plain not in names:
            raise CallError(f"{self.name} knows no event {name!r}", hint=f"its events are {listed(self.event_names)}")
        return names[plain]

    def settle(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Every reading, defaults included, and the facts given; a CallError lists every setting that is wrong."""
        choices = {key: each.choices for key, each in self.readings.items()}
        choices |= {key: each.choices for key, each in self.facts.items()}
        faults = [
            f"{key} = {value} is none of: {listed(choices[key])}" if key in choices else f"there is no setting {key!r}"
            for key, value in settings.items()
            if value not in choices.get(key, ())
        ]
        if faults:
            raise CallError(f"{self.name}: {'; '.join(faults)}", hint=f"its settings are {listed(choices)}")
        return {key: reading.default for key, reading in self.readings.items()} | dict(settings)

    def under(self, settings: Mapping[str, str]) -> Law:
        """The law as it reads under the settings: what the chosen readings change is laid over the rows.

        Where two readings change the same value of a row, the later one in the file stands.
        """
        settled = self.settle(settings)
        changed: dict[str, dict[str, Any]] = {}
        for key, reading in self.readings.items():
            for code, change in reading.changes.get(settled[key], {}).items():
                changed.setdefault(code, {}).update(change)
        return replace(self, parameters=tuple(replace(row, **changed.get(row.code, {})) for row in self.parameters))

    def readings_of(self, code: str) -> list[Reading]:
        """The readings that move that row, in the order of the file."""
        return [reading for reading in self.readings.values() if code in reading.moves]

    def to_json(self) -> dict[str, Any]:
        """The whole pack for `law --json`: every parameter with its citation, every reading, sections and events."""
        rows = [{**_plain(row), "start_event": row.start_event, "amount": row.amount} for row in self.parameters]
        return {
            "law": self.name,
            "title": self.title,
            "municipality": self.municipality,
            "adopted": self.adopted.isoformat(),
            "since": self.since.isoformat(),
            "history": self.history,
            "parameters": rows,
            "readings": [_plain(reading) for reading in self.readings.values()],
            "facts": [_plain(fact) for fact in self.facts.values()],
            "events": [_plain(event) for event in self.events],
            "sections": [_plain(section) for section in self.sections],
        }


@dataclass(frozen=True)
class Permit(Pack[Requirement]):
    """A state permit; what no public source confirms is marked so, and nothing of it is printed as a quotation."""

    operator: str
    since: date

    def cite(self, code: str) -> Citation:
        """Part of the permit and title of the row, or a LawError for an unknown code."""
        return self.row(code).cite()

    def reporting_year(self, year: int) -> tuple[date, date]:
        """First and last day, both included, of the reporting year that begins in `year`."""
        start = self.row("reporting_year_start").value
        first, following = (date.fromisoformat(f"{each:04d}-{start}") for each in (year, year + 1))
        return first, following - timedelta(days=1)

    def to_json(self) -> dict[str, Any]:
        """The whole pack for `permit --json`: every parameter with its part of the permit and whether it is verified."""
        return {
            "permit": self.name,
            "title": self.title,
            "operator": self.operator,
            "since": self.since.isoformat(),
            "parameters": [{**_plain(row), "amount": row.amount} for row in self.parameters],
        }


def listed(names: Iterable[str]) -> str:
    """Names with commas between them."""
    return ", ".join(names)


def _plain(row: Any) -> dict[str, Any]:
    """A row with its dates as text, ready for JSON."""
    return {key: _text_dates(value) for key, value in asdict(row).items()}


def _text_dates(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _text_dates(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_text_dates(each) for each in value]
    return value
