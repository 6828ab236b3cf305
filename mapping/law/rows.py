"""The rows of a law pack and a permit pack: what one parameter, event, fact, reading or section says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from layers.errors import LawError

TIME_UNITS = ("day", "days", "business day", "business days", "month", "months", "year", "years")
NO_LIMIT = ("none stated", "immediately", "before")
UNITS = (*TIME_UNITS, *NO_LIMIT, "", "USD", "date", "telephone")
Value = int | date | str | None


@dataclass(frozen=True)
class Citation:
    """What a finding, deadline or letter cites: section, whether its number follows from the order only, words."""

    section: str
    numbered_by_order: bool
    text: str

    @property
    def label(self) -> str:
        """The section for the eye, starred where the text itself does not number it.

        >>> Citation("194-14", True, "").label
        '§ 194-14*'
        """
        return f"§ {self.section}{'*' if self.numbered_by_order else ''}"

    def to_json(self) -> dict[str, Any]:
        """The citation as findings and deadlines print it."""
        return {"section": self.section, "numbered_by_order": self.numbered_by_order, "text": self.text}


@dataclass(frozen=True)
class Start:
    """An event that a limit runs from, if the facts in `when` hold and no event in `unless` has happened."""

    event: str
    when: Mapping[str, str] = field(default_factory=dict)
    unless: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stay:
    """The days after the event `begins`, up to and with the day of `ends`, are not counted."""

    begins: str
    ends: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One dated row of a pack, in force from `since` to `until`, both included; no `until`: still in force."""

    code: str
    title: str
    section: str
    since: date
    until: date | None = None
    value: Value = None
    unit: str = ""
    who: str = ""

    def in_force(self, day: date) -> bool:
        """Whether the row holds on that day."""
        return self.since <= day and (self.until is None or day <= self.until)

    @property
    def number(self) -> int:
        """The value where it is a number, or a LawError."""
        if isinstance(self.value, int):
            return self.value
        raise LawError(f"{self.code} has no number, its value is {self.value!r}")

    @property
    def amount(self) -> str:
        """Value and unit for the eye; empty where the row states neither."""
        if self.unit in ("date", "telephone"):
            return str(self.value)
        unit = self.unit.removesuffix("s") if self.value == 1 else self.unit
        return " ".join(str(part) for part in (self.value, unit) if part not in (None, ""))


@dataclass(frozen=True, kw_only=True)
class Parameter(Row):
    """A duty, clock, amount or definition of the law.

    `starts`: the events its limit can run from, the first that applies counts. `met_by`: events that fulfil it beside
    its own code. `extended_by`: the row whose value is added once its event has happened. `keeps`: something must be
    kept until then, not done by then. `repeats`: every complete period counts anew. `items`: a list that the section
    itself sets out. `numbered_by_order` is not read from the row: it comes from the pack's table of sections.
    """

    quotation: str
    at_least: int | None = None
    starts: tuple[Start, ...] = ()
    met_by: tuple[str, ...] = ()
    extended_by: str = ""
    stay: Stay | None = None
    keeps: bool = False
    repeats: bool = False
    items: Mapping[str, str] = field(default_factory=dict)
    numbered_by_order: bool = field(default=False, metadata={"derived": True})

    @property
    def start_event(self) -> str:
        """The first event that its limit can run from, or empty."""
        return self.starts[0].event if self.starts else ""

    @property
    def limit(self) -> int | None:
        """The number of time units that the law allows, or None where it states none."""
        return self.number if self.unit in TIME_UNITS else None

    @property
    def amount(self) -> str:
        """Value and unit for the eye; a range where the law states both ends."""
        if self.unit in NO_LIMIT:
            return self.unit
        if self.unit != "USD":
            return super().amount
        return f"up to ${self.value}" if self.at_least is None else f"${self.at_least} to ${self.value}"

    def cite(self) -> Citation:
        """Section and words of the row."""
        return Citation(self.section, self.numbered_by_order, self.quotation)


@dataclass(frozen=True, kw_only=True)
class Requirement(Row):
    """A parameter of the permit; `verified` says whether a public source confirms it, `note` what is known of it."""

    verified: bool
    start_event: str = ""
    note: str = ""

    def cite(self) -> Citation:
        """Part of the permit and what it asks; never a quotation."""
        return Citation(self.section, False, self.title)


@dataclass(frozen=True)
class Section:
    """A section of the chapter; `numbered_by_order` where its number follows from the order only."""

    number: str
    title: str
    numbered_by_order: bool

    def holds(self, section: str) -> bool:
        """Whether a citation such as 194-8C(1) lies in this section.

        >>> Section("194-1", "Title", True).holds("194-10A")
        False
        """
        return section.startswith(self.number) and not section[len(self.number) :][:1].isdigit()


@dataclass(frozen=True)
class EventName:
    """An event that limits start from, and other names it goes by."""

    name: str
    title: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """A fact of one matter that decides which limit runs; it has no default: unknown is unknown."""

    key: str
    title: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """A choice between readings of the law; `changes` lays other values over the rows it moves, one table a choice."""

    key: str
    title: str
    default: str
    choices: tuple[str, ...]
    moves: tuple[str, ...]
    text: str
    changes: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
