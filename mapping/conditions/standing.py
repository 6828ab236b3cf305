"""What a water or watershed is under § 194-3: conditions A to D by what is on record and what the register says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

from layers.joins.waters import plain_name
from layers.records import Record
from layers.town import Town
from mapping.law import Law
from mapping.words import say_day

LISTED = "5"
TMDL_APPROVED = "4a"
Row = Mapping[str, Any]
Approval = tuple[date | None, str]
"""The day on which a TMDL was approved, None where it is not recorded, and its pollutants."""


@dataclass(frozen=True)
class Standing:
    """What a water or watershed is under the law: a condition letter or none, the pollutants, and why in words."""

    condition: str
    pollutants: str
    why: str
    certain: bool = True


@dataclass(frozen=True)
class Standings:
    """The standing of every water and watershed of a town on a day under a law."""

    town: Town
    law: Law
    on: date

    @cached_property
    def in_force(self) -> frozenset[str]:
        """The codes of the law on the day."""
        return frozenset(self.law.on(self.on))

    @cached_property
    def waters(self) -> dict[str, Row]:
        """The fields of each water by its id."""
        return _rows(self.town, "waters")

    @cached_property
    def sheds(self) -> dict[str, Row]:
        """The fields of each watershed by its id."""
        return _rows(self.town, "watersheds")

    @cached_property
    def of_waters(self) -> dict[str, list[Standing]]:
        """What each water is under the law."""
        return {segment: self._of_water(segment, water) for segment, water in self.waters.items()}

    def of_outfall(self, outfall: str) -> list[Standing]:
        """Condition A for every notice to the Town about the outfall itself."""
        return [self._noticed(each) for each in self._said("condition_noticed", f"outfalls:{outfall}")]

    def of_shed(self, shed: Row) -> list[Standing]:
        """What lying in a watershed brings: C or D for a TMDL; a 303(d) watershed is told and brings no condition."""
        found = []
        approved = [(shed["approved_on"], shed["pollutant"])] if shed["kind"] == "TMDL" else []
        for day, pollutants in self._approvals([shed["name"]], approved, shed["pollutant"]):
            found += self._tmdl(day, pollutants, shed["stormwater_requirements"])
        if shed["kind"] == "303(d)":
            why = f"303(d) listed water{_for(shed['pollutant'])}; condition B asks for a discharge to it"
            found.append(Standing("", shed["pollutant"], why))
        return found

    def _of_water(self, segment: str, water: Row) -> list[Standing]:
        """Every standing of a water: listed and under a TMDL at once is possible, for different pollutants."""
        category, pollutants = water["ir_category"], water["pollutants"]
        claimed = water["listed_303d"] == "yes"
        found = [self._noticed(each) for each in self._said("condition_noticed", f"waters:{segment}", water["name"])]
        if category == LISTED or (claimed and category != TMDL_APPROVED):
            found.append(self._listed(category, pollutants, denied=water["listed_303d"] == "no"))
        odd = ", recorded as 303(d) listed, which category 4a is not" if claimed and category == TMDL_APPROVED else ""
        prefix = "" if category == "unknown" else f"category {category}{odd}, "
        has_tmdl = category == TMDL_APPROVED or water["tmdl"] == "yes" or bool(water["tmdl_approved_on"])
        approved = [(water["tmdl_approved_on"], pollutants)] if has_tmdl else []
        for day, what in self._approvals([segment, water["name"]], approved, pollutants):
            tmdl = self._tmdl(day, what, self._requirements(segment))
            found += [replace(each, why=f"{prefix}{each.why}") for each in tmdl]
        under = [each for each in found if each.condition]
        return under or found[:1] or [Standing("", pollutants, _no_condition(category))]

    def _noticed(self, notice: Record) -> Standing:
        """Condition A: the Town has been notified that its discharge may contribute to violating a standard."""
        pollutant, who = str(notice.data.get("pollutant", "")), str(notice.data.get("notified_by", ""))
        by = f" by {who}" if who else ""
        why = (
            f"the Town was notified{by} on {say_day(notice.on)} that its discharge may contribute to the violation of a "
            f"water quality standard{_for(pollutant)}"
        )
        return Standing("A" if "condition_A" in self.in_force else "", pollutant, why)

    def _listed(self, category: str, pollutants: str, *, denied: bool) -> Standing:
        why = f"303(d) listed{f' (category {category})' if category != 'unknown' else ''}{_for(pollutants)}"
        if denied:
            why += ", though recorded as not on the list"
        return Standing("B" if "condition_B" in self.in_force else "", pollutants, why, certain=not denied)

    def _tmdl(self, approved: date | None, pollutants: str, requirements: str) -> list[Standing]:
        """C or D by the day of approval; both, uncertain, where that day is not recorded."""
        if approved is not None and approved > self.on:
            return [Standing("", pollutants, f"a TMDL{_for(pollutants)} is to be approved on {say_day(approved)}")]
        when = f"approved {say_day(approved)}" if approved else "whose day of approval is not recorded"
        why = f"TMDL{_for(pollutants)}, {when}"
        if requirements == "no":
            return [Standing("", pollutants, f"{why}, recorded as without stormwater requirements")]
        if requirements == "unknown":
            why += ", stormwater requirements not recorded"
        possible = "CD" if approved is None else "C" if approved <= self.law.since else "D"
        held = [letter for letter in possible if f"condition_{letter}" in self.in_force] or [""]
        return [Standing(letter, pollutants, why, certain=approved is not None) for letter in held]

    def _requirements(self, segment: str) -> str:
        """Whether the TMDL of a water has stormwater requirements, as its watershed polygons say."""
        tmdl = [shed for shed in self.sheds.values() if shed["segment_id"] == segment and shed["kind"] == "TMDL"]
        said = {shed["stormwater_requirements"] for shed in tmdl}
        return "yes" if "yes" in said else "no" if said == {"no"} else "unknown"

    # -- what the register says

    @cached_property
    def _events(self) -> Mapping[tuple[str, str], list[Record]]:
        """Notices of condition A and approvals of TMDLs up to the day, by kind and by what they are about."""
        found: dict[tuple[str, str], list[Record]] = {}
        for event in self.town.records.of("condition_noticed", "tmdl_approved"):
            if event.on <= self.on and event.data.get("condition", "A") == "A":
                water = "" if event.subject.startswith("outfalls:") else str(event.data.get("water", ""))
                for about in {event.subject, water, plain_name(water)} - {""}:
                    found.setdefault((event.kind, about), []).append(event)
        return found

    def _said(self, kind: str, *names: str) -> list[Record]:
        """The events of a kind about what is called so: `layer:id`, an id or a name in any spelling."""
        if not self._events:
            return []
        keys = {each for name in names for each in (name, name.partition(":")[2], plain_name(name)) if each}
        found = {each.seq: each for key in keys for each in self._events.get((kind, key), ())}
        return [found[seq] for seq in sorted(found)]

    def _approvals(self, names: Iterable[str], on_record: list[Approval], pollutants: str) -> list[Approval]:
        """Every approval of a TMDL once; a day that the register gives stands for one that is not on record."""
        said = [
            (each.on, str(each.data.get("pollutant", "")) or pollutants) for each in self._said("tmdl_approved", *names)
        ]
        dated = [each for each in on_record if each[0] is not None]
        known = dated if said else on_record
        return known + [each for each in said if each[0] not in {day for day, _ in dated}]


def _rows(town: Town, layer: str) -> dict[str, Row]:
    """The fields of every row of a layer by its id, geometry left out."""
    frame = town.layer(layer)
    return {str(key): row for key, row in frame.drop(columns=frame.geometry.name).to_dict("index").items()}


def _for(pollutants: str) -> str:
    return f" for {pollutants}" if pollutants else ""


def _no_condition(category: str) -> str:
    if category == "unknown":
        return "category not recorded, so no condition can be said"
    return f"category {category}, under no condition B, C or D"
