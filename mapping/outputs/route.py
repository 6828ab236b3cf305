"""The order in which crews visit the locations that are due, over the town's roads and within the day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd
import shapely
import vroom

from layers.crs import lonlat_to, to_lonlat
from layers.errors import CallError
from layers.town import Town
from mapping.outputs.due import DueLocation, undecided_locations
from mapping.outputs.plan import Crew, Left, Plan, Stop, say_minute
from mapping.outputs.roads_graph import FEET_PER_MILE, STRAIGHT_DETOUR, STRAIGHT_MPH, Travel, travel_between
from mapping.screening import dry_weather, limits_of

SERVICE_MIN: Mapping[str, float] = {"outfall": 20, "interconnection": 15, "intraconnection": 15}
"""Minutes at a location: walk, describe, photograph. A crew does 15 to 25 outfalls a day, 15 to 20 minutes each; a town
may set its own as `service_min` in its options."""
SAMPLE_MIN = 20.0
"""Minutes more where the last visit saw something: a flow to be measured and sampled takes 15 to 20."""
FOLLOW_UP = frozenset({"obvious", "suspect", "reinspect"})
FAR_FT = 500.0
"""A stop further from its road is pointed out: five minutes each way over rough ground."""
TOO_FAR_FT = 2640.0
"""Half a mile from any road is not where a crew stops; more likely the point or the roads are wrong."""
FARTHEST_START_FT = 10560.0
"""A garage two miles from any road of the town is a slip in the coordinates."""
MOST_STOPS = 500
"""Stops that are ordered together; a crew does some twenty a day, so more only cost time."""
MANY_STOPS = 100
"""From here on the search for the best order takes seconds and is cut short."""
NEVER_S = 10**7
"""Seconds that stand for no road at all: more than any day has."""


def plan_route(
    town: Town,
    *,
    start: tuple[float, float],
    due: Sequence[DueLocation],
    on: date,
    crews: int = 1,
    hours: float = 7.0,
    private: bool = False,
) -> Plan:
    """Routes for `crews` from `start` (longitude, latitude) and back within `hours`, driving and visits together.

    `due` comes from `due_locations`, the most urgent first. Times are those of the town's roads (private ones only
    where `private`), or of straight lines where it has none, which the plan says. Every location that is due becomes a
    stop, unreachable, or left out with the reason. Raises CallError for a start that is not near the town's roads.
    """
    _check(crews, hours)
    located = town.layer("outfalls").geometry.dropna()
    asked = [each for each in due if each.id in located.index]
    chosen, crowd = asked[:MOST_STOPS], asked[MOST_STOPS:]
    places = np.array([lonlat_to(town.crs, *start), *((located[e.id].x, located[e.id].y) for e in chosen)], float)
    travel = travel_between(places, town.layer("roads"), private=private)
    _check_start(start, float(travel.snap_ft[0]))
    day = _Day(town, chosen, travel, hours, _service_minutes(town))
    unreachable = day.unreachable()
    lost = {left.id for left in unreachable}
    jobs = [number for number, each in enumerate(chosen, start=1) if each.id not in lost]
    orders = day.solve(jobs, crews)
    visited = {number for order in orders for number in order}
    left_out = [Left(each.id, "not located: no coordinates on record") for each in due if each.id not in located.index]
    left_out += [Left(chosen[number - 1].id, day.why_left(number, crews)) for number in jobs if number not in visited]
    left_out += [Left(each.id, f"after the {MOST_STOPS} most urgent, which are more than fit") for each in crowd]
    return Plan(
        town=town.name,
        on=on,
        start=start,
        start_at=say_minute(day.leave),
        crews=tuple(day.crew(order) for order in orders),
        unreachable=tuple(unreachable),
        left_out=tuple(left_out),
        dry_weather=dry_weather_of(town, on),
        basis=travel.basis,
        notes=_notes(town, travel, unreachable),
    )


def dry_weather_of(town: Town, on: date) -> str:
    """`yes` or `no` where an inspection recorded for that day says how much it rained before it, else `unknown`."""
    limits = limits_of(town.settings.options)
    said = {dry_weather(record.data, limits=limits) for record in town.records.of("inspection") if record.on == on}
    return next((word for word in ("no", "yes") if word in said), "unknown")


def _check(crews: int, hours: float) -> None:
    if not 1 <= crews <= 20:
        raise CallError(f"{crews} crews cannot be planned", hint="give 1 to 20 crews")
    if not 0 < hours <= 16:
        raise CallError(f"a day of {hours:g} hours cannot be planned", hint="give more than 0 and at most 16 hours")


def _service_minutes(town: Town) -> Mapping[str, float]:
    own = town.settings.options.get("service_min", {})
    if not isinstance(own, Mapping) or not all(
        isinstance(value, int | float) and 0 < value <= 480 for value in own.values()
    ):
        raise CallError(
            f"town.toml, [options]: service_min = {own!r} is no table of minutes",
            hint="write service_min = { outfall = 25 }",
        )
    return {**SERVICE_MIN, **own}


def _check_start(start: tuple[float, float], snap_ft: float) -> None:
    if not snap_ft <= FARTHEST_START_FT:
        raise CallError(
            f"the start {start[0]}, {start[1]} lies {snap_ft / FEET_PER_MILE:,.1f} miles from the nearest road",
            hint="give longitude,latitude of the garage, such as --start -73.597,41.327",
        )


@dataclass(frozen=True)
class _Day:
    """What the steps of a plan share; place 0 of `travel` is the start, place n the n-th of `chosen`."""

    town: Town
    chosen: Sequence[DueLocation]
    travel: Travel
    hours: float
    service_min: Mapping[str, float]

    def unreachable(self) -> list[Left]:
        """The locations to which no road leads from the start and back."""
        found = []
        for number, each in enumerate(self.chosen, start=1):
            if self.travel.snap_ft[number] > TOO_FAR_FT:
                found.append(Left(each.id, f"the nearest road is {self.travel.snap_ft[number]:,.0f} ft away"))
            elif not np.isfinite(self._there_and_back(number)):
                found.append(Left(each.id, "its road is not joined to the roads of the start"))
        return found

    def solve(self, jobs: Sequence[int], crews: int) -> list[list[int]]:
        """For each crew that goes out the numbers of its stops in order."""
        if not jobs:
            return []
        problem = vroom.Input()
        minutes = self.travel.minutes
        problem.set_durations_matrix("car", np.where(np.isfinite(minutes), np.round(minutes * 60), NEVER_S))
        window = vroom.TimeWindow(0, int(self.hours * 3600))
        problem.add_vehicle([vroom.Vehicle(crew, start=0, end=0, time_window=window) for crew in range(crews)])
        problem.add_job([vroom.Job(n, n, 0, int(self._service(n) * 60), priority=self._due(n).priority) for n in jobs])
        # many stops are searched less deeply; of routes that are equally short any may come
        steps = problem.solve(exploration_level=5 if len(jobs) <= MANY_STOPS else 2, nb_threads=1).routes
        stops = steps[steps["type"] == "job"]
        return [[int(number) for number in order["id"]] for _, order in stops.groupby("vehicle_id")]

    def why_left(self, number: int, crews: int) -> str:
        """Why a location that can be reached is no stop."""
        alone = self._there_and_back(number) + self._service(number)
        if alone > self.hours * 60:
            return f"alone it takes {alone / 60:.1f} hours, the day has {self.hours:g}"
        days = "one crew's day" if crews == 1 else f"the days of {crews} crews"
        return f"does not fit: {days} of {self.hours:g} hours would be longer; try more crews, or the next day"

    def crew(self, order: Sequence[int]) -> Crew:
        """The day of the crew that visits the places in that order and returns."""
        legs = [self.travel.leg(start, end) for start, end in pairwise([0, *order, 0])]
        drives = [float(self.travel.minutes[start, end]) for start, end in pairwise([0, *order, 0])]
        lonlat = to_lonlat(self.town.layer("outfalls").geometry[[self._due(number).id for number in order]])
        stops, clock = [], float(self.leave)
        for seq, number in enumerate(order, start=1):
            clock += drives[seq - 1]
            where = lonlat.iloc[seq - 1]
            stops.append(self._stop(seq, number, clock, drives[seq - 1], legs[seq - 1][0] / FEET_PER_MILE, where))
            clock += self._service(number)
        return Crew(
            stops=tuple(stops),
            drive_min=round(sum(drives), 1),
            service_min=sum(stop.service_min for stop in stops),
            length_mi=round(sum(length for length, _ in legs) / FEET_PER_MILE, 2),
            back_at=say_minute(clock + drives[-1]),
            path=shapely.MultiLineString([path for _, path in legs]),
        )

    def _stop(self, seq: int, number: int, clock: float, drive: float, leg_mi: float, where: shapely.Point) -> Stop:
        each, snap_ft = self._due(number), float(self.travel.snap_ft[number])
        return Stop(
            seq=seq,
            layer=each.layer,
            id=each.id,
            eta=say_minute(clock),
            drive_min=round(drive, 1),
            service_min=self._service(number),
            reasons=tuple(reason.text for reason in each.reasons),
            lon=round(where.x, 6),
            lat=round(where.y, 6),
            snap_ft=round(snap_ft, 1),
            leg_mi=leg_mi,
            facts=_facts(self.town, each, snap_ft),
        )

    @property
    def leave(self) -> int:
        """The minute of the day at which crews leave."""
        text = str(self.town.settings.options.get("route_start", "08:00"))
        hour, _, minute = text.partition(":")
        if not (hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60):
            raise CallError(f"route_start {text!r} is no time of day", hint='write "08:00" in [options] of town.toml')
        return int(hour) * 60 + int(minute)

    def _due(self, number: int) -> DueLocation:
        return self.chosen[number - 1]

    def _service(self, number: int) -> float:
        each = self._due(number)
        extra = SAMPLE_MIN if any(reason.code in FOLLOW_UP for reason in each.reasons) else 0.0
        return float(self.service_min[each.kind]) + extra

    def _there_and_back(self, number: int) -> float:
        return float(self.travel.minutes[0, number] + self.travel.minutes[number, 0])


def _facts(town: Town, each: DueLocation, snap_ft: float) -> dict[str, str]:
    """What the stop list says beside the order of the stops; empty where nothing is on record."""
    row, links = town.layer("outfalls").loc[each.id], town.water_links
    waters = [str(name) for name in links.loc[(links["outfall_id"] == each.id) & links["chosen"].astype(bool), "name"]]
    size = "" if pd.isna(row["diameter_in"]) else f'{row["diameter_in"]:g}"'
    material = "" if row["material"] == "unknown" else str(row["material"])
    return {
        "kind": each.kind,
        "road": str(row["road"]),
        "pipe": f"{size} {material}".strip(),
        "water": " or ".join(dict.fromkeys(filter(None, waters))),
        "last_on": each.last_on.isoformat() if each.last_on else "",
        "rating": each.rating,
        "due_on": each.due_on.isoformat() if each.due_on else "",
        "on_foot": f"{snap_ft:,.0f} ft from the road" if snap_ft > FAR_FT else "",
    }


def _notes(town: Town, travel: Travel, unreachable: Sequence[Left]) -> tuple[str, ...]:
    notes = [f"{left.id} cannot be reached: {left.why}" for left in unreachable]
    if travel.basis != "roads":
        notes.append(
            f"No roads to drive on are on record: times are those of straight lines, {STRAIGHT_DETOUR:g} times their "
            f"length at {STRAIGHT_MPH:g} mph"
        )
    undecided = len(undecided_locations(town))
    if undecided:
        notes.append(f"Outlets of unknown owner or kind, not counted as due until it is recorded: {undecided}")
    return tuple(notes)
