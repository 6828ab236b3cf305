"""Special conditions B, C and D of § 194-3: which waters an outfall reaches, on what basis, and what that means."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import Any

import pandas as pd
import shapely

from layers.crs import feet_per_unit
from layers.town import Town
from mapping.law import Law
from mapping.words import say_day, say_feet

BASES = ("discharges_to", "tributary_to", "within_watershed")
"""How an outfall is concerned with a water, the closest first."""
LISTED = "5"
TMDL_APPROVED = "4a"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Condition:
    """One water or special watershed of one outfall: the basis, the condition's letter or none, and why in words.

    `distance_ft`: feet to the water, or of stream down to it; not a number where it is not known. `pollutants` as
    recorded.
    """

    outfall_id: str
    segment_id: str
    name: str
    ir_category: str
    basis: str
    condition: str
    pollutants: str
    distance_ft: float
    confidence: str
    text: str


@dataclass(frozen=True)
class Standing:
    """What a water or watershed is under the law: a condition letter or none, the pollutants, and why in words."""

    condition: str
    pollutants: str
    why: str
    certain: bool = True


@dataclass(frozen=True)
class Reached:
    """A water on the way down from an outfall: basis, feet from the outfall, and the water it was reached through."""

    segment_id: str
    basis: str
    distance_ft: float
    through: str


def list_conditions(town: Town, law: Law, on: date, *, outfalls: Collection[str] | None = None) -> list[Condition]:
    """Every water and special watershed of every outfall (or of those given), one an outfall, water, basis and condition.

    `discharges_to`: a chosen water link, with its distance; kept also where the water is under no condition (condition
    empty). `tributary_to`: a water further down the stream network that is under a condition, with the feet of stream
    from the outfall. `within_watershed`: the outfall lies in the polygon of a 303(d) or TMDL watershed.
    B holds for 303(d)-listed waters only (category 5, or said to be listed and not category 4a); C for a TMDL approved
    up to the law's own date, D for a later one; neither before it is approved, nor where it is recorded to have no
    stormwater requirements. Lying in a watershed is not discharging to its water: it brings C or D, whose words name a
    "water body or watershed", but never B. Source: § 194-3, special conditions B to D.
    """
    ask = _Ask(town, law, on, outfalls)
    order = {basis: rank for rank, basis in enumerate(BASES)}
    rows = [*ask.waters(), *ask.watersheds()]
    return sorted(
        rows, key=lambda row: (row.outfall_id, order[row.basis], math.isnan(row.distance_ft), row.distance_ft)
    )


def outfall_conditions(town: Town, law: Law, on: date, *, outfalls: Collection[str] | None = None) -> pd.DataFrame:
    """The rows of `list_conditions` as a table, its columns the fields of Condition."""
    columns = [each.name for each in fields(Condition)]
    table = pd.DataFrame(list_conditions(town, law, on, outfalls=outfalls), columns=columns)
    return table.astype({"distance_ft": float})


@dataclass(frozen=True)
class _Ask:
    town: Town
    law: Law
    on: date
    only: Collection[str] | None

    @cached_property
    def in_force(self) -> frozenset[str]:
        return frozenset(self.law.on(self.on))

    @cached_property
    def of(self) -> dict[str, Row]:
        """The fields of each water by its id."""
        return _rows(self.town, "waters")

    @cached_property
    def sheds(self) -> dict[str, Row]:
        """The fields of each watershed by its id."""
        return _rows(self.town, "watersheds")

    @cached_property
    def standings(self) -> dict[str, list[Standing]]:
        """What each water is under the law."""
        return {segment: self._of_water(segment, water) for segment, water in self.of.items()}

    def waters(self) -> Iterator[Condition]:
        """Of the waters that outfalls discharge to and of those further down."""
        links = self._asked(self.town.water_links, "outfall_id")
        streams, places = Streams(self.town), self.town.layer("outfalls").geometry.to_dict()
        for link in links[links["chosen"].astype(bool)].to_dict("records"):
            start = Reached(link["segment_id"], "discharges_to", link["distance_ft"], "")
            for reached in [start, *streams.below(start.segment_id, places.get(link["outfall_id"]))]:
                for standing in self.standings[reached.segment_id]:
                    if standing.condition or reached.basis == "discharges_to":
                        confidence = link["confidence"] if standing.certain else "possible"
                        yield self._condition(link["outfall_id"], reached, standing, confidence)

    def watersheds(self) -> Iterator[Condition]:
        """Of the special watersheds that outfalls lie in."""
        links = self._asked(self.town.watershed_links, "asset_id")
        for link in links[links["layer"] == "outfalls"].to_dict("records"):
            shed = self.sheds[link["watershed_id"]]
            water = self.of.get(shed["segment_id"], {"name": shed["name"], "ir_category": "unknown"})
            for standing in self._of_shed(shed):
                named = shed["name"] or link["watershed_id"]
                yield Condition(
                    outfall_id=link["asset_id"],
                    segment_id=shed["segment_id"],
                    name=water["name"],
                    ir_category=water["ir_category"],
                    basis="within_watershed",
                    condition=standing.condition,
                    pollutants=standing.pollutants,
                    distance_ft=0.0,
                    confidence="probable" if standing.certain else "possible",
                    text=f"lies within the watershed on record as {named}: {standing.why}",
                )

    def _asked(self, links: pd.DataFrame, column: str) -> pd.DataFrame:
        return links if self.only is None else links[links[column].isin(list(self.only))]

    def _condition(self, outfall: str, reached: Reached, standing: Standing, confidence: str) -> Condition:
        water = self.of[reached.segment_id]
        named, feet = water["name"] or reached.segment_id, say_feet(reached.distance_ft)
        if reached.basis == "discharges_to":
            text = f"discharges to {named} ({feet}): {standing.why}"
        else:
            text = f"reaches {named} through {reached.through} ({feet} down): {standing.why}"
        return Condition(
            outfall_id=outfall,
            segment_id=reached.segment_id,
            name=water["name"],
            ir_category=water["ir_category"],
            basis=reached.basis,
            condition=standing.condition,
            pollutants=standing.pollutants,
            distance_ft=float(reached.distance_ft),
            confidence=confidence,
            text=text,
        )

    def _of_water(self, segment: str, water: Row) -> list[Standing]:
        """Every standing of a water: listed and under a TMDL at once is possible, for different pollutants."""
        category, pollutants = water["ir_category"], water["pollutants"]
        claimed = water["listed_303d"] == "yes"
        found = []
        if category == LISTED or (claimed and category != TMDL_APPROVED):
            found.append(self._listed(category, pollutants, denied=water["listed_303d"] == "no"))
        if category == TMDL_APPROVED or water["tmdl"] == "yes" or water["tmdl_approved_on"]:
            odd = (
                ", recorded as 303(d) listed, which category 4a is not" if claimed and category == TMDL_APPROVED else ""
            )
            prefix = "" if category == "unknown" else f"category {category}{odd}, "
            tmdl = self._tmdl(water["tmdl_approved_on"], pollutants, self._requirements(segment))
            found += [replace(each, why=f"{prefix}{each.why}") for each in tmdl]
        under = [each for each in found if each.condition]
        return under or found[:1] or [Standing("", pollutants, _no_condition(category))]

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

    def _of_shed(self, shed: Row) -> list[Standing]:
        pollutant = shed["pollutant"]
        if shed["kind"] == "TMDL":
            return self._tmdl(shed["approved_on"], pollutant, shed["stormwater_requirements"])
        if shed["kind"] == "303(d)":
            why = f"303(d) listed water{_for(pollutant)}; condition B asks for a discharge to it"
            return [Standing("", pollutant, why)]
        return []

    def _requirements(self, segment: str) -> str:
        """Whether the TMDL of a water has stormwater requirements, as its watershed polygons say."""
        tmdl = [shed for shed in self.sheds.values() if shed["segment_id"] == segment and shed["kind"] == "TMDL"]
        said = {shed["stormwater_requirements"] for shed in tmdl}
        return "yes" if "yes" in said else "no" if said == {"no"} else "unknown"


class Streams:
    """The stream network that `to_segment` makes of the waters, with lengths; loops end where they close."""

    def __init__(self, town: Town) -> None:
        waters = town.layer("waters")
        self.feet = feet_per_unit(town.crs)
        self.shape = waters.geometry.to_dict()
        self.name = {segment: str(name) or str(segment) for segment, name in waters["name"].items()}
        self.to = {segment: str(to) for segment, to in waters["to_segment"].items() if to in waters.index}

    def path(self, segment: str) -> list[str]:
        """The segment and every one below it, each once."""
        way: dict[str, None] = {}
        at: str | None = segment
        while at is not None and at not in way:
            way[at] = None
            at = self.to.get(at)
        return list(way)

    def below(self, segment: str, place: shapely.Point | None) -> Iterator[Reached]:
        """Every water below the one that an outfall at `place` discharges to, with the feet of stream on the way."""
        way, at, feet = self.path(segment), place, 0.0
        for here, following in pairwise(way):
            leave, enter = self._junction(here, following)
            feet += self._along(here, at, leave)
            at = enter
            yield Reached(following, "tributary_to", round(feet, 1), self.name[here])

    def _junction(self, here: str, following: str) -> tuple[shapely.Point | None, shapely.Point | None]:
        """Where one water leaves for the next: the points on each that are nearest to the other."""
        one, other = self.shape[here], self.shape[following]
        if one is None or other is None:
            return None, None
        ends = shapely.get_coordinates(shapely.shortest_line(one, other))
        return shapely.Point(ends[0]), shapely.Point(ends[-1])

    def _along(self, segment: str, start: shapely.Point | None, end: shapely.Point | None) -> float:
        """Feet along a stream, straight across a lake; not a number where a place is not known."""
        if start is None or end is None:
            return float("nan")
        shape = self.shape[segment]
        if isinstance(shape, shapely.LineString):
            return abs(float(shape.project(end)) - float(shape.project(start))) * self.feet
        return float(start.distance(end)) * self.feet


def letters(rows: Iterable[str]) -> tuple[str, ...]:
    """The condition letters among the values, each once, in the order of the law."""
    return tuple(sorted({each for each in rows if each}))


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
