"""Which monitoring locations are due for a visit on a day, since when, and why."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil

import geopandas as gpd
import pandas as pd

from layers.errors import FieldError
from layers.records import Record, Records
from layers.town import Town
from mapping.law import Permit, Requirement
from mapping.ms4 import ms4_test
from mapping.screening import Limits, designate, dry_weather, is_flowing, limits_of
from mapping.words import say_day

KINDS = ("outfall", "interconnection", "intraconnection")
"""What the permit calls monitoring locations; an outlet whose kind nobody knows is none until somebody says so."""
GONE = frozenset({"abandoned", "proposed", "not_found"})
PRIORITY: Mapping[str, int] = {
    "obvious": 100,
    "suspect": 90,
    "reinspect": 60,
    "interval": 40,
    "never": 30,
    "not_dry": 20,
}
"""What a reason weighs when not every stop fits into the day (0 to 100): found trouble, then dates, then the rest."""


@dataclass(frozen=True)
class Reason:
    """Why a location is due: a code of PRIORITY, a sentence, and the last day to do it (None: no day is set)."""

    code: str
    text: str
    due_on: date | None = None


@dataclass(frozen=True)
class DueLocation:
    """A monitoring location to be visited; `reasons` has the gravest first, `rating` is that of the last inspection."""

    id: str
    kind: str
    reasons: tuple[Reason, ...]
    last_on: date | None = None
    rating: str = ""
    layer: str = "outfalls"

    @property
    def due_on(self) -> date | None:
        """The earliest last day among the reasons."""
        return min((each.due_on for each in self.reasons if each.due_on), default=None)

    @property
    def priority(self) -> int:
        """The weight of the gravest reason."""
        return PRIORITY[self.reasons[0].code]

    def is_overdue(self, on: date) -> bool:
        """Whether a last day has passed."""
        return self.due_on is not None and self.due_on < on


def monitoring_locations(town: Town) -> gpd.GeoDataFrame:
    """The outfalls, interconnections and intraconnections of the Town's MS4 that are in use: rows of `outfalls`.

    Owner unknown is not the Town, kind unknown is no outfall, a sewer's overflow is no part of the MS4 (§ 194-3):
    `undecided_locations` has those about which one of these is not known.
    """
    standing, part_of = _standing(town)
    return standing[(part_of == "yes") & standing["kind"].isin(KINDS)]


def undecided_locations(town: Town) -> gpd.GeoDataFrame:
    """Outlets in use of which nobody has said whether they are of the Town's MS4, or of what kind."""
    standing, part_of = _standing(town)
    return standing[(part_of == "unknown") | ((part_of == "yes") & ~standing["kind"].isin(KINDS))]


def _standing(town: Town) -> tuple[gpd.GeoDataFrame, pd.Series[str]]:
    """The outlets in use, and for each whether it is part of the MS4."""
    outfalls = town.layer("outfalls")
    standing = outfalls[~outfalls["status"].isin(GONE)]
    return standing, ms4_test(town, "outfalls")["is_ms4"].reindex(standing.index)


def due_locations(town: Town, permit: Permit, on: date) -> list[DueLocation]:
    """The monitoring locations that are due on that day, the most urgent first.

    A location is due when it was never inspected; when no inspection in dry weather is on record (rain that nobody
    wrote down is not dry weather); when the permit's interval since the last such inspection ends or has ended; when
    the last inspection found no flow but signs of an intermittent discharge; when it rated the location suspect or
    obvious. Inspections after `on` are not yet known. Sources: GP-0-24-001 Part VI.C.1.e and C.2, as in the permit pack.
    """
    history = inspections_by_location(town.records, until=on)
    limits = limits_of(town.settings.options)
    found = []
    for asset_id, kind in monitoring_locations(town)["kind"].items():
        past = history.get(str(asset_id), [])
        rating = rate(past[-1], limits) if past else ""
        reasons = [*_routine(past, permit, limits, on), *_follow_up(past, rating, permit)]
        if reasons:
            gravest_first = tuple(sorted(reasons, key=lambda reason: -PRIORITY[reason.code]))
            last_on = past[-1].on if past else None
            found.append(DueLocation(str(asset_id), str(kind), gravest_first, last_on, rating))
    return sorted(found, key=lambda each: (-each.priority, each.due_on or date.max, each.id))


def inspections_by_location(records: Records, *, until: date) -> dict[str, list[Record]]:
    """The inspections of each outfall up to that day, oldest first; inspections of other assets are left out."""
    found: dict[str, list[Record]] = {}
    for record in records.of("inspection"):
        if record.subject.startswith("outfalls:") and record.on <= until:
            found.setdefault(record.subject_id, []).append(record)
    return {asset: sorted(past, key=lambda r: (r.on, r.seq)) for asset, past in found.items()}


def rate(inspection: Record, limits: Limits) -> str:
    """The graver of the computed and the inspector's rating; empty where the sheet is too incomplete to be rated."""
    try:
        return designate(inspection.data, limits=limits).gravest
    except FieldError:
        return ""


def _routine(past: Sequence[Record], permit: Permit, limits: Limits, on: date) -> list[Reason]:
    if not past:
        return [Reason("never", "never inspected")]
    dry = [record for record in past if dry_weather(record.data, limits=limits) == "yes"]
    if not dry:
        return [Reason("not_dry", f"inspected {say_day(past[-1].on)}, but dry weather is not on record")]
    due_on = add_limit(dry[-1].on, permit.row("inspection_interval"))
    if due_on > on:
        return []
    return [Reason("interval", f"last dry-weather inspection {say_day(dry[-1].on)}, next by {say_day(due_on)}", due_on)]


def _follow_up(past: Sequence[Record], rating: str, permit: Permit) -> list[Reason]:
    if rating in ("suspect", "obvious"):
        due_on = add_limit(past[-1].on, permit.row(f"track_down_{rating}"))
        return [Reason(rating, f"rated {rating} on {say_day(past[-1].on)}: look for the source", due_on)]
    if rating == "potential" and not is_flowing(past[-1].data):
        due_on = add_limit(past[-1].on, permit.row("reinspection"))
        return [Reason("reinspect", f"signs without flow on {say_day(past[-1].on)}: inspect again", due_on)]
    return []


def add_limit(start: date, limit: Requirement) -> date:
    """The last day of a permit limit that starts on a day: hours are rounded up to days, 29 Feb becomes 28 Feb."""
    amount = limit.number
    if limit.unit.startswith("hour"):
        return start + timedelta(days=ceil(amount / 24))
    if limit.unit.startswith("year"):
        year = start.year + amount
        return start.replace(year=year, day=min(start.day, monthrange(year, start.month)[1]))
    return start + timedelta(days=amount)
