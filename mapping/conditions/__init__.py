"""Special conditions A to D of § 194-3: which waters an outfall reaches, on what basis, and what that means."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property

import pandas as pd

from layers.crs import feet_per_unit
from layers.joins.downstream import Reached, Streams
from layers.joins.streams import link_streams
from layers.town import Town
from mapping.conditions.standing import Standing, Standings
from mapping.law import Law
from mapping.words import say_feet

BASES = ("discharges_to", "tributary_to", "within_watershed")
"""How an outfall is concerned with a water, the closest first."""


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


def list_conditions(town: Town, law: Law, on: date, *, outfalls: Collection[str] | None = None) -> list[Condition]:
    """Every water and special watershed of every outfall (or of those given), one an outfall, water, basis and condition.

    `discharges_to`: a chosen water link, with its distance; kept also where the water is under no condition (condition
    empty). `tributary_to`: a water further down the stream network that is under a condition, with the feet of stream
    from the outfall. `within_watershed`: the outfall lies in the polygon of a 303(d) or TMDL watershed.
    A holds where the register says that the Town was notified about the water, or about the outfall itself.
    B holds for 303(d)-listed waters only (category 5, or said to be listed and not category 4a); C for a TMDL approved
    up to the law's own date, D for a later one; neither before it is approved, nor where it is recorded to have no
    stormwater requirements. Lying in a watershed is not discharging to its water: it brings C or D, whose words name a
    "water body or watershed", but never B. A TMDL that only the register knows counts from the day of its approval.
    Source: § 194-3, special conditions A to D.
    """
    ask = _Ask(town, Standings(town, law, on), outfalls)
    order = {basis: rank for rank, basis in enumerate(BASES)}
    rows = [*ask.waters(), *ask.noticed(), *ask.watersheds()]
    return sorted(
        dict.fromkeys(rows),
        key=lambda row: (row.outfall_id, order[row.basis], math.isnan(row.distance_ft), row.distance_ft),
    )


def outfall_conditions(town: Town, law: Law, on: date, *, outfalls: Collection[str] | None = None) -> pd.DataFrame:
    """The rows of `list_conditions` as a table, its columns the fields of Condition."""
    columns = [each.name for each in fields(Condition)]
    table = pd.DataFrame(list_conditions(town, law, on, outfalls=outfalls), columns=columns)
    return table.astype({"distance_ft": float})


def make_streams(town: Town, wanted: Collection[str]) -> Streams:
    """The stream network of the town, to be asked for the ways down to the waters wanted; its links are made once."""
    kept = vars(town)
    if "stream_links" not in kept:
        kept["stream_links"] = link_streams(town.layers, crs=town.crs, tolerances=town.settings.tolerances)
    return Streams(town.layer("waters"), kept["stream_links"], feet=feet_per_unit(town.crs), wanted=wanted)


def letters(rows: Iterable[str]) -> tuple[str, ...]:
    """The condition letters among the values, each once, in the order of the law."""
    return tuple(sorted({each for each in rows if each}))


@dataclass(frozen=True)
class _Ask:
    town: Town
    standings: Standings
    only: Collection[str] | None

    @cached_property
    def chosen(self) -> pd.DataFrame:
        """The links from the outfalls asked for to the waters that they discharge to."""
        links = self._asked(self.town.water_links, "outfall_id")
        return links[links["chosen"].astype(bool)]

    def waters(self) -> Iterator[Condition]:
        """Of the waters that outfalls discharge to and of those further down."""
        of_waters, places = self.standings.of_waters, self.town.layer("outfalls").geometry
        wanted = [segment for segment, found in of_waters.items() if any(each.condition for each in found)]
        streams = make_streams(self.town, wanted)
        for link in self.chosen.to_dict("records"):
            outfall, segment, confidence = link["outfall_id"], link["segment_id"], link["confidence"]
            for standing in of_waters[segment]:
                yield self._discharges(outfall, segment, link["distance_ft"], confidence, standing)
            for reached in streams.below(segment, places.get(outfall)):
                sure = "possible" if "possible" in (confidence, reached.confidence) else "probable"
                for standing in of_waters[reached.segment_id]:
                    if standing.condition:
                        yield self._tributary(outfall, reached, sure, standing)

    def noticed(self) -> Iterator[Condition]:
        """Of condition A where the Town was notified about an outfall itself, at the waters that it discharges to."""
        for outfall in self.town.layer("outfalls").index if self.only is None else self.only:
            for standing in self.standings.of_outfall(outfall):
                mine = self.chosen[self.chosen["outfall_id"] == outfall]
                rows = zip(mine["segment_id"], mine["distance_ft"], mine["confidence"], strict=True)
                for segment, feet, confidence in rows if len(mine) else [("", math.nan, "confirmed")]:
                    yield self._discharges(outfall, segment, feet, confidence, standing)

    def watersheds(self) -> Iterator[Condition]:
        """Of the special watersheds that outfalls lie in."""
        links = self._asked(self.town.watershed_links, "asset_id")
        for link in links[links["layer"] == "outfalls"].to_dict("records"):
            shed = self.standings.sheds[link["watershed_id"]]
            water = self.standings.waters.get(shed["segment_id"], {"name": shed["name"], "ir_category": "unknown"})
            for standing in self.standings.of_shed(shed):
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

    def _discharges(self, outfall: str, segment: str, feet: float, confidence: str, standing: Standing) -> Condition:
        how = f"discharges to {self._name(segment)} ({say_feet(feet)})" if segment else "its water is not known"
        return self._condition(outfall, segment, "discharges_to", feet, confidence, standing, how)

    def _tributary(self, outfall: str, reached: Reached, confidence: str, standing: Standing) -> Condition:
        how = f"reaches {self._name(reached.segment_id)} through {self._name(reached.through)} ({_way(reached)})"
        feet = reached.distance_ft
        return self._condition(outfall, reached.segment_id, "tributary_to", feet, confidence, standing, how)

    def _condition(
        self, outfall: str, segment: str, basis: str, feet: float, confidence: str, standing: Standing, how: str
    ) -> Condition:
        water = self.standings.waters.get(segment, {"name": "", "ir_category": "unknown"})
        return Condition(
            outfall_id=outfall,
            segment_id=segment,
            name=water["name"],
            ir_category=water["ir_category"],
            basis=basis,
            condition=standing.condition,
            pollutants=standing.pollutants,
            distance_ft=float(feet),
            confidence=confidence if standing.certain else "possible",
            text=f"{how}: {standing.why}",
        )

    def _name(self, segment: str) -> str:
        return str(self.standings.waters[segment]["name"]) or segment


def _way(reached: Reached) -> str:
    """The feet down to a water in words, and those that no stream line shows."""
    straight = (
        f", {say_feet(reached.straight_ft)} of it straight over a lake or a gap" if reached.straight_ft >= 1 else ""
    )
    return f"{say_feet(reached.distance_ft)} down{straight}"
