"""Receiving waters: every water near an outfall as a candidate, which it discharges to and why; watersheds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from pyproj import CRS

from layers.crs import feet_per_unit
from layers.records import Records
from layers.tolerances import Tolerances

COLUMNS = (
    "outfall_id", "segment_id", "name", "method", "distance_ft", "chosen", "ambiguous", "confidence", "source",
)  # fmt: skip
SHED_COLUMNS = ("layer", "asset_id", "watershed_id")
WITHIN = ("outfalls", "catch_basins", "manholes")


def link_waters(
    layers: Mapping[str, gpd.GeoDataFrame], *, crs: CRS, tolerances: Tolerances, records: Records | None = None
) -> pd.DataFrame:
    """Links outfall → water, columns COLUMNS, one row a candidate within `water_ft` in any water, and every recorded one.

    Chosen: a confirmed link (`link_confirmed`), else the recorded segment, else the recorded name, else the nearest.
    Nearest waters that lie within `water_tie_ft` of each other and differ in standing are all chosen and ambiguous.
    A recorded water counts at any distance; the distance is kept. No water near and none on record: no row.
    """
    outfalls, waters = layers.get("outfalls"), layers.get("waters")
    if outfalls is None or waters is None or not len(outfalls) or not len(waters):
        return pd.DataFrame({name: [] for name in COLUMNS})
    confirmed, denied = _decided(records or Records())
    near = _candidates(outfalls, waters, feet_per_unit(crs), tolerances.water_ft)
    asked = _Asked(
        outfalls, waters, waters["name"].map(plain_name), near, confirmed, denied, feet_per_unit(crs), tolerances
    )
    rows = [row for outfall in outfalls.index for row in asked.rows(str(outfall))]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"distance_ft": float, "chosen": bool, "ambiguous": bool})


def _decided(records: Records) -> tuple[dict[str, str], dict[str, set[str]]]:
    """For each outfall the water that an officer confirmed last, and those that were found not to be connected."""
    confirmed: dict[str, str] = {}
    denied: dict[str, set[str]] = {}
    for record in records.of("link_confirmed"):
        layer, _, segment = str(record.data["to"]).partition(":")
        if not record.subject.startswith("outfalls:") or layer != "waters":
            continue
        if record.data.get("connected") == "no":
            denied.setdefault(record.subject_id, set()).add(segment)
            if confirmed.get(record.subject_id) == segment:
                del confirmed[record.subject_id]
        else:
            confirmed[record.subject_id] = segment
            denied.get(record.subject_id, set()).discard(segment)
    return confirmed, denied


def _candidates(
    outfalls: gpd.GeoDataFrame, waters: gpd.GeoDataFrame, feet: float, limit_ft: float
) -> dict[str, dict[str, float]]:
    """For each outfall the waters within the limit and how far they are, in ft."""
    places = outfalls[outfalls.geometry.notna()]
    located = waters[waters.geometry.notna()]
    tree = shapely.STRtree(located.geometry.to_numpy())
    place, water = tree.query(places.geometry.to_numpy(), predicate="dwithin", distance=limit_ft / feet)
    gap = shapely.distance(places.geometry.to_numpy()[place], located.geometry.to_numpy()[water]) * feet
    near: dict[str, dict[str, float]] = {}
    for outfall, segment, feet_away in zip(places.index[place], located.index[water], np.round(gap, 1), strict=True):
        near.setdefault(str(outfall), {})[str(segment)] = float(feet_away)
    return near


@dataclass(frozen=True)
class _Asked:
    """All that decides the water of an outfall."""

    outfalls: gpd.GeoDataFrame
    waters: gpd.GeoDataFrame
    names: pd.Series[str]
    near: Mapping[str, Mapping[str, float]]
    confirmed: Mapping[str, str]
    denied: Mapping[str, set[str]]
    feet: float
    tolerances: Tolerances

    def rows(self, outfall: str) -> list[tuple[object, ...]]:
        """The links of one outfall, the chosen first, then by distance."""
        distance = dict(self.near.get(outfall, {}))
        denied = self.denied.get(outfall, set())
        open_to = {segment: gap for segment, gap in distance.items() if segment not in denied}
        chosen, method, source, confidence = self._choice(outfall, open_to, denied)
        for segment in chosen:
            distance.setdefault(segment, self._distance(outfall, segment))
        ambiguous = len(chosen) > 1
        found: list[tuple[object, ...]] = []
        for segment, gap in sorted(distance.items(), key=lambda item: (item[0] not in chosen, item[1], item[0])):
            name = self.waters.at[segment, "name"]
            if segment in chosen:
                sure = "possible" if ambiguous else confidence
                found.append((outfall, segment, name, method, gap, True, ambiguous, sure, source))
            elif segment in denied:
                found.append(
                    (outfall, segment, name, "found not connected", gap, False, False, "confirmed", "register")
                )
            else:
                found.append((outfall, segment, name, "nearest", gap, False, False, "possible", "drawing"))
        return found

    def _choice(self, outfall: str, distance: Mapping[str, float], denied: set[str]) -> tuple[list[str], str, str, str]:
        """The waters chosen, by what method, from what source, with what confidence."""
        recorded = self.outfalls.loc[outfall]
        sure = self.confirmed.get(outfall, "")
        if sure in self.waters.index:
            return [sure], "confirmed", "register", "confirmed"
        segment = str(recorded["recv_segment"])
        if segment in self.waters.index and segment not in denied:
            return [segment], "recorded segment", str(recorded["source"]), "probable"
        named = self._named(outfall, str(recorded["recv_name"]), distance, denied)
        if named:
            return [named], "recorded name", str(recorded["source"]), "probable"
        confidence = "possible" if recorded["recv_name"] or recorded["recv_segment"] else "probable"
        return self._plausible(distance), "nearest", "drawing", confidence

    def _named(self, outfall: str, name: str, distance: Mapping[str, float], denied: set[str]) -> str:
        """The nearest water of that name, at any distance; empty where there is none."""
        wanted = plain_name(name)
        if not wanted:
            return ""
        same = [str(each) for each in self.waters.index[self.names == wanted] if each not in denied]
        return min(same, key=lambda each: (distance.get(each, self._distance(outfall, each)), each), default="")

    def _plausible(self, distance: Mapping[str, float]) -> list[str]:
        """The nearest water, and those about as near whose standing differs."""
        if not distance:
            return []
        ordered = sorted(distance, key=lambda each: (distance[each], each))
        first = ordered[0]
        limit = distance[first] + self.tolerances.water_tie_ft
        return [
            each
            for each in ordered
            if each == first or (distance[each] <= limit and self._standing(each) != self._standing(first))
        ]

    def _standing(self, segment: str) -> tuple[object, ...]:
        return tuple(self.waters.loc[segment, ["ir_category", "listed_303d", "tmdl"]])

    def _distance(self, outfall: str, segment: str) -> float:
        place, water = self.outfalls.geometry[outfall], self.waters.geometry[segment]
        return round(float(place.distance(water)) * self.feet, 1) if place is not None and water is not None else np.nan


def plain_name(name: str) -> str:
    """A water's name in the form in which two spellings are compared.

    >>> plain_name("Titicus  RESERVOIR."), plain_name("Crook Bk")
    ('titicus reservoir', 'crook brook')
    """
    words = re.sub(r"[^a-z0-9 ]", " ", name.casefold()).split()
    short = {
        "bk": "brook",
        "br": "brook",
        "res": "reservoir",
        "lk": "lake",
        "rv": "river",
        "riv": "river",
        "cr": "creek",
        "str": "stream",
    }
    return " ".join(short.get(word, word) for word in words)


def link_watersheds(layers: Mapping[str, gpd.GeoDataFrame]) -> pd.DataFrame:
    """Links structure → watershed polygon that it lies in (or on the edge of), columns SHED_COLUMNS, one row a pair."""
    sheds = layers.get("watersheds")
    found = []
    for layer in WITHIN:
        frame = layers.get(layer)
        if sheds is None or frame is None or not len(sheds) or not len(frame):
            continue
        located, polygons = frame[frame.geometry.notna()], sheds[sheds.geometry.notna()]
        tree = shapely.STRtree(polygons.geometry.to_numpy())
        asset, shed = tree.query(located.geometry.to_numpy(), predicate="intersects")
        found.append(
            pd.DataFrame({"layer": layer, "asset_id": located.index[asset], "watershed_id": polygons.index[shed]})
        )
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame({name: [] for name in SHED_COLUMNS})
