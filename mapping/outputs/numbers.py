"""The numbers of one permit year, each with the rows behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from layers.errors import CallError
from layers.records import Record
from layers.town import Town
from mapping.cases.case import Case
from mapping.conditions import outfall_conditions
from mapping.findings.report import Report
from mapping.findings.rule import cards
from mapping.law import Law, Permit
from mapping.outputs.completeness import completeness
from mapping.outputs.due import KINDS, due_locations, monitoring_locations, rate, undecided_locations
from mapping.register import KINDS as EVENT_KINDS
from mapping.screening import dry_weather, limits_of

Row = Mapping[str, Any]
RATINGS = ("unlikely", "potential", "suspect", "obvious")
STEPS = (
    "issued",
    "notice_mailed",
    "notice_filed",
    "suspension_emergency",
    "suspension_detected",
    "access_terminated",
    "corrective_access",
    "warrant_issued",
    "injunction",
    "alternative_remedies",
    "nuisance",
    "conviction",
)
"""Steps of enforcement under the law, in their order."""
PRIVATE = frozenset({"premises", "parcels", "drains"})
"""Rows about somebody's premises: counted in public, listed in the office only."""


@dataclass(frozen=True)
class Number:
    """One number: a code that stays, a plain label, the value (None: cannot be said), and the rows behind it.

    A count is the number of its rows; for a share the rows are those that lack the attribute. A row has `layer` and
    `id`, or the `event` (seq) with its kind, day, case and subject, or a `case`.
    """

    code: str
    label: str
    value: int | float | None
    rows: tuple[Row, ...]

    def public_rows(self) -> tuple[Row, ...]:
        """The rows without those about somebody's premises."""
        return tuple(row for row in self.rows if row.get("layer") not in PRIVATE)

    def to_json(self, *, public: bool = False) -> dict[str, Any]:
        """The number as `report --json` gives it."""
        rows = self.public_rows() if public else self.rows
        return {"code": self.code, "label": self.label, "value": self.value, "rows": [dict(row) for row in rows]}


@dataclass(frozen=True)
class Numbers:
    """The numbers of the permit year from `start` to `end`, both included, as they stood on `as_of`."""

    year: int
    start: date
    end: date
    as_of: date
    numbers: tuple[Number, ...]

    def __getitem__(self, code: str) -> Number:
        """The number of that code."""
        return next(each for each in self.numbers if each.code == code)

    def to_json(self, *, public: bool = False) -> dict[str, Any]:
        """Year, window and numbers as `report --json` gives them."""
        return {
            "year": self.year,
            "from": self.start.isoformat(),
            "to": self.end.isoformat(),
            "numbers": [each.to_json(public=public) for each in self.numbers],
        }


def annual_numbers(
    town: Town, law: Law, permit: Permit, *, cases: Sequence[Case], report: Report, year: int, on: date
) -> Numbers:
    """The numbers of the permit year that begins in `year`, as known on the day `on`.

    The year runs from 3 January to 2 January, both included: an event of 1 or 2 January belongs to the year before.
    Events count by their own date. Inventory, what is due and flags stand as of `on`, or of the year's end where that
    is earlier; `report` and `cases` are to be made for that day. Raises CallError for a year before the permit.
    """
    if not permit.since.year <= year <= 9998:
        raise CallError(
            f"{permit.title} has no reporting year {year}", hint=f"it took effect on {permit.since.isoformat()}"
        )
    start, end = permit.reporting_year(year)
    count = _Count(town, law, permit, start, end, min(on, end))
    numbers = [
        *count.locations(),
        *count.inspections(),
        *count.due(),
        *count.complaints(),
        *count.cases(cases),
        *count.steps(),
        *count.flags(report),
        *count.waters(),
        *count.completeness(),
    ]
    return Numbers(year, start, end, count.as_of, tuple(numbers))


def permit_year(permit: Permit, day: date) -> int:
    """The permit year that a day belongs to: that of the year before until its second of January."""
    return day.year if day >= permit.reporting_year(day.year)[0] else day.year - 1


@dataclass(frozen=True)
class _Count:
    town: Town
    law: Law
    permit: Permit
    start: date
    end: date
    as_of: date

    def events(self, *kinds: str) -> list[Record]:
        """The events in force whose own date lies in the year and is past, oldest first."""
        found = [each for each in self.town.records.of(*kinds) if self.start <= each.on <= self.as_of]
        return sorted(found, key=lambda each: (each.on, each.seq))

    @cached_property
    def monitored(self) -> Mapping[str, str]:
        """The kind of each monitoring location."""
        return {str(asset): str(kind) for asset, kind in monitoring_locations(self.town)["kind"].items()}

    def locations(self) -> Iterator[Number]:
        """Monitoring locations by kind, and the outlets about which that cannot be said."""
        for kind in KINDS:
            ids = [asset for asset, its in self.monitored.items() if its == kind]
            yield _assets(f"locations_{kind}", f"Monitoring locations: {kind}s", ids)
        open_ids = undecided_locations(self.town).index
        yield _assets("locations_undecided", "Outlets whose owner or kind is not known (not counted above)", open_ids)
        places = self.town.layer("outfalls").geometry
        lost = [asset for asset in self.monitored if places[asset] is None]
        yield _assets("locations_unlocated", "Monitoring locations without a place on the map", lost)

    def inspections(self) -> Iterator[Number]:
        """Inspections of monitoring locations in the year, and what they found."""
        limits = limits_of(self.town.settings.options)
        events = [each for each in self.events("inspection") if self._is_monitored(each)]
        dry = [each for each in events if dry_weather(each.data, limits=limits) == "yes"]
        sampled = [each for each in events if each.data.get("samples")]
        sampled += [each for each in self.events("sample") if self._is_monitored(each)]
        yield _events("inspections", "Inspections of monitoring locations", events)
        yield _assets("locations_inspected", "Monitoring locations inspected", _subjects(events))
        yield _assets(
            "locations_inspected_dry", "Monitoring locations inspected, dry weather on record", _subjects(dry)
        )
        yield _assets("locations_sampled", "Monitoring locations sampled", _subjects(sampled))
        ratings = {each.seq: rate(each, limits) for each in events}
        for rating in RATINGS:
            rated = [each for each in events if ratings[each.seq] == rating]
            yield _events(f"rated_{rating}", f"Inspections rated {rating} (the graver of sheet and inspector)", rated)
        unrated = [each for each in events if not ratings[each.seq]]
        yield _events("rated_none", "Inspections whose sheet is too incomplete to be rated", unrated)

    def due(self) -> Iterator[Number]:
        """Locations that are due at the end, the last day still ahead or past."""
        due = due_locations(self.town, self.permit, self.as_of)
        late = [each.id for each in due if each.is_overdue(self.as_of)]
        yield _assets("locations_due", "Monitoring locations due for a visit", [each.id for each in due])
        yield _assets("locations_overdue", "of these, overdue", late)

    def complaints(self) -> Iterator[Number]:
        """Complaints from the public."""
        yield _events("complaints", "Complaints from the public", self.events("complaint"))

    def cases(self, cases: Sequence[Case]) -> Iterator[Number]:
        """Cases by the date of their steps: each case once, however often a step was recorded."""
        detected, found = self._cases("case_opened"), self._cases("identified")
        corrected = self._cases("corrected", last=True)
        yield _events("cases_detected", "Suspected illicit discharges: cases opened", detected)
        yield _events("cases_identified", "Illicit discharges, connections or activities identified", found)
        yield _events("cases_eliminated", "Illicit discharges, connections or activities corrected", corrected)
        yield _days("days_to_correct", "Mean days from identification to correction", self._identified(), corrected)
        late = [each.id for each in cases if any(limit.state == "overdue" for limit in each.deadlines)]
        rows = tuple({"case": case} for case in late)
        yield Number("cases_overdue", "Cases with a deadline that has passed", len(rows), rows)

    def steps(self) -> Iterator[Number]:
        """Steps of enforcement, each as often as it was taken."""
        for kind in STEPS:
            yield _events(f"step_{kind}", EVENT_KINDS[kind].title, self.events(kind))

    def flags(self, report: Report) -> Iterator[Number]:
        """Open flags of each rule that was looked at; a flag is a suspicion or a gap, nothing established."""
        for code, card in cards().items():
            if code in report.looked_at:
                open_flags = [each.subject for each in report.findings if each.rule == code and each.status == "open"]
                rows = tuple({"layer": layer, "id": asset} for layer, asset in open_flags)
                yield Number(f"flags_{code}", f"Open flags {code}: {card.title}", len(rows), rows)

    def waters(self) -> Iterator[Number]:
        """Monitoring locations by special condition of § 194-3."""
        table = outfall_conditions(self.town, self.law, self.as_of)
        for letter in "BCD":
            under = set(table.loc[table["condition"] == letter, "outfall_id"])
            ids = [asset for asset in self.monitored if asset in under]
            yield _assets(f"condition_{letter}", f"Monitoring locations under special condition {letter}", ids)

    def completeness(self) -> Iterator[Number]:
        """The share of the Town's assets whose attributes are on record, the rows being those without."""
        for each in completeness(self.town):
            layer, code, title, _ = each.asked
            name = layer.replace("_", " ")
            label = f"Share of the Town's {name} on record: {title} (of {each.count} in use)"
            rows = tuple({"layer": layer, "id": asset} for asset in each.without)
            yield Number(f"complete_{layer}_{code}", label, each.share, rows)

    def _is_monitored(self, event: Record) -> bool:
        return event.subject.startswith("outfalls:") and event.subject_id in self.monitored

    def _cases(self, kind: str, *, last: bool = False) -> list[Record]:
        """For each case its first (or last) event of the kind, where that lies in the year."""
        chosen: dict[str, Record] = {}
        for each in sorted(self.town.records.of(kind), key=lambda r: (r.on, r.seq)):
            if each.on <= self.as_of and (last or each.case not in chosen):
                chosen[each.case] = each
        return [each for each in chosen.values() if self.start <= each.on]

    def _identified(self) -> Mapping[str, date]:
        days: dict[str, date] = {}
        for each in self.town.records.of("identified"):
            days[each.case] = min(each.on, days.get(each.case, each.on))
        return days


def _assets(code: str, label: str, ids: Iterable[Any]) -> Number:
    rows = tuple({"layer": "outfalls", "id": str(asset)} for asset in dict.fromkeys(ids))
    return Number(code, label, len(rows), rows)


def _events(code: str, label: str, events: Sequence[Record]) -> Number:
    return Number(code, label, len(events), tuple(_event_row(each) for each in events))


def _event_row(event: Record) -> dict[str, Any]:
    layer, _, asset = event.subject.partition(":")
    row = {"event": event.seq, "kind": event.kind, "on": event.on.isoformat(), "layer": layer, "id": asset}
    return {name: value for name, value in (row | {"case": event.case}).items() if value != ""}


def _subjects(events: Iterable[Record]) -> list[str]:
    return [each.subject_id for each in events]


def _days(code: str, label: str, started: Mapping[str, date], corrected: Sequence[Record]) -> Number:
    both = [each for each in corrected if each.case in started]
    days = [(each.on - started[each.case]).days for each in both]
    mean = round(sum(days) / len(days), 1) if days else None
    rows = tuple({"case": each.case, "days": took} for each, took in zip(both, days, strict=True))
    return Number(code, label, mean, rows)
