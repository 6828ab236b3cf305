"""What the register says, as plain records that joins and rules can read without knowing the register."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any


@dataclass(frozen=True)
class Record:
    """One thing that the Town asserts; `subject` is `layer:id` (`outfalls:OF-014`, `premises:KEY`) or empty."""

    seq: int
    kind: str
    on: date
    by: str
    at: datetime
    subject: str = ""
    case: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    hash: str = ""

    @property
    def subject_id(self) -> str:
        """The id part of the subject."""
        return self.subject.partition(":")[2]


@dataclass(frozen=True)
class Records:
    """All records in the order in which they were entered; superseded ones stay but are not in force."""

    everything: tuple[Record, ...] = ()

    @classmethod
    def from_iterable(cls, records: Iterable[Record]) -> Records:
        """Records ordered by `seq`."""
        return cls(tuple(sorted(records, key=lambda r: r.seq)))

    def __iter__(self) -> Iterator[Record]:
        return iter(self.in_force())

    def in_force(self) -> list[Record]:
        """Every record that no later `superseded` record has replaced, `superseded` records themselves left out."""
        gone = {int(r.data["supersedes"]) for r in self.everything if r.kind == "superseded"}
        return [r for r in self.everything if r.seq not in gone and r.kind != "superseded"]

    def of(self, *kinds: str, subject: str | None = None, case: str | None = None) -> list[Record]:
        """The records in force of the given kinds, oldest entry first, of one subject or case if given."""
        return [
            r
            for r in self.in_force()
            if r.kind in kinds and (subject is None or r.subject == subject) and (case is None or r.case == case)
        ]
