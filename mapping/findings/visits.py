"""Inspections of a monitoring location as visits in order, and which later ones clear an earlier one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from layers.errors import FieldError
from layers.records import Record
from mapping.findings.facts import Facts
from mapping.findings.finding import Fact
from mapping.screening import Designation, Limits, designate, dry_weather, is_flowing

SIGNS = ("potential", "suspect", "obvious")
"""Designations that speak for an illicit discharge, from weak to grave."""


@dataclass(frozen=True)
class Visit:
    """An inspection that can be read: how it was designated, whether water ran, and whether it was dry weather."""

    record: Record
    designation: Designation
    flowing: bool
    dry: str

    @classmethod
    def of(cls, record: Record, limits: Limits) -> Visit:
        """The visit that an `inspection` record tells of; raises FieldError where it cannot be read."""
        designation = designate(record.data, limits=limits)
        return cls(record, designation, is_flowing(record.data), dry_weather(record.data, limits=limits))

    @property
    def on(self) -> date:
        """The day of the visit."""
        return self.record.on

    @property
    def order(self) -> tuple[date, str, int]:
        """Day, then time as written, then entry: the order of visits."""
        return self.on, datetime.fromisoformat(self.record.data["at"]).time().isoformat(), self.record.seq

    @property
    def gravity(self) -> int:
        """0 without indicators enough, then 1 to 3 for potential, suspect, obvious; the graver of sheet and inspector.

        Weak signs in a flow after rain are what rain brings: they count only where the inspector says so.
        """
        word = self.designation.gravest
        if word == "potential" and self.flowing and self.dry == "no" and self.designation.inspector != word:
            return 0
        return SIGNS.index(word) + 1 if word in SIGNS else 0

    @property
    def is_sign(self) -> bool:
        """Whether it speaks for an illicit discharge: indicators enough, or flow in dry weather."""
        return self.gravity > 0 or (self.flowing and self.dry == "yes")

    @property
    def is_clean(self) -> bool:
        """Whether it speaks against one: neither indicators enough nor flow, and known to be in dry weather."""
        return self.gravity == 0 and not self.flowing and self.dry == "yes"

    def fact(self, text: str) -> Fact:
        """A fact that the visit states about its location."""
        layer, _, location = self.record.subject.partition(":")
        return Fact(text, layer, location, f"register entry {self.record.seq}")


@dataclass(frozen=True)
class Location:
    """A monitoring location and all that the register says of it."""

    facts: Facts
    id: str

    @property
    def subject(self) -> str:
        """The location as records name it."""
        return f"outfalls:{self.id}"

    @cached_property
    def _read(self) -> tuple[list[Visit], str]:
        visits, unread = [], ""
        for record in self.facts.records_about(self.subject, "inspection"):
            try:
                visits.append(Visit.of(record, self.facts.limits))
            except FieldError as fault:
                unread = fault.text
        return sorted(visits, key=lambda visit: visit.order), unread

    @property
    def visits(self) -> list[Visit]:
        """The visits that can be read, in their order."""
        return self._read[0]

    @property
    def unread(self) -> str:
        """Why the last inspection that cannot be read cannot; empty where all can."""
        return self._read[1]

    @cached_property
    def standing(self) -> list[Visit]:
        """The visits that speak for an illicit discharge and that later clean ones have not cleared."""
        return [visit for visit in self.visits if visit.is_sign and self.visits_to_clear(visit) != 0]

    def visits_to_clear(self, sign: Visit) -> int | None:
        """How many more clean visits in dry weather clear what a visit showed; None where none ever will.

        An obvious discharge is not cleared by looking again, it takes a correction on record too. Whether the clean
        visit comes before that record or after it does not matter: it is often what the correction was recorded upon.
        """
        corrected = self.corrected_on(sign)
        if corrected is None and sign.designation.gravest == "obvious":
            return None
        weak_or_not = "clean_visits_suspect" if sign.designation.gravest == "suspect" else "clean_visits_potential"
        needed = self.facts.limits["clean_visits_corrected" if corrected else weak_or_not]
        clean = sum(visit.is_clean for visit in self.visits if visit.order > sign.order)
        return max(0, int(needed) - clean)

    def corrected_on(self, sign: Visit) -> date | None:
        """The day of a correction on record since a visit, of the location itself or in a case that its flag is in."""
        return self.facts.corrected_on(self.subject, {f"ILL-01:{self.subject}"}, since=sign.on)

    def exemption(self) -> Record | None:
        """The last determination whether its flow is exempt, if there is one."""
        return next(iter(reversed(self.facts.records_about(self.subject, "exemption_determined"))), None)
