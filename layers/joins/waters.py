"""Receiving waters: every water near an outfall as a candidate, which it discharges to and why; watersheds."""

from __future__ import annotations

import re
from collections.abc import Mapping

import geopandas as gpd
import numpy as np
import numpy.typing as npt
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
    pairs = _near(outfalls, waters, tolerances.water_ft / feet_per_unit(crs))
    pairs["denied"] = _denied(pairs, outfalls, waters, denied)
    told = _told(outfalls, waters, confirmed, denied)
    pairs = pd.concat([pairs[~_among(pairs, told)], told], ignore_index=True)
    shapes = outfalls.geometry.to_numpy()[pairs["outfall"]], waters.geometry.to_numpy()[pairs["water"]]
    pairs["distance_ft"] = np.round(shapely.distance(*shapes) * feet_per_unit(crs), 1)
    pairs["segment_id"] = waters.index.to_numpy(object)[pairs["water"]]
    pairs = _choose(pairs.sort_values(["outfall", "distance_ft", "segment_id"]), waters, tolerances.water_tie_ft)
    return _described(pairs, outfalls, waters)


def _decided(records: Records) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """For each outfall the water that an officer confirmed last, and the pairs that were found not to be connected."""
    confirmed: dict[str, str] = {}
    denied: set[tuple[str, str]] = set()
    for record in records.of("link_confirmed"):
        layer, _, segment = str(record.data["to"]).partition(":")
        outfall = record.subject_id
        if not record.subject.startswith("outfalls:") or layer != "waters":
            continue
        if record.data.get("connected") == "no":
            denied.add((outfall, segment))
            if confirmed.get(outfall) == segment:
                del confirmed[outfall]
        else:
            confirmed[outfall] = segment
            denied.discard((outfall, segment))
    return confirmed, denied


def _near(outfalls: gpd.GeoDataFrame, waters: gpd.GeoDataFrame, limit: float) -> pd.DataFrame:
    """Row numbers of outfall and water of every pair within the limit (CRS units)."""
    tree = shapely.STRtree(waters.geometry.to_numpy())
    outfall, water = tree.query(outfalls.geometry.to_numpy(), predicate="dwithin", distance=limit)
    return pd.DataFrame({"outfall": outfall, "water": water, "method": "nearest"})


def _denied(
    pairs: pd.DataFrame, outfalls: gpd.GeoDataFrame, waters: gpd.GeoDataFrame, denied: set[tuple[str, str]]
) -> npt.NDArray[np.bool_]:
    ids = zip(
        outfalls.index.to_numpy(object)[pairs["outfall"]], waters.index.to_numpy(object)[pairs["water"]], strict=True
    )
    return np.array([pair in denied for pair in ids], dtype=bool)


def _told(
    outfalls: gpd.GeoDataFrame, waters: gpd.GeoDataFrame, confirmed: Mapping[str, str], denied: set[tuple[str, str]]
) -> pd.DataFrame:
    """At most one pair an outfall: the confirmed water, else the recorded segment, else the nearest of the recorded name."""
    number = {str(segment): row for row, segment in enumerate(waters.index)}
    by_name: dict[str, list[str]] = {}
    for segment, name in waters["name"].items():
        by_name.setdefault(plain_name(name), []).append(str(segment))
    by_name.pop("", None)  # a water without a name is nobody's recorded name
    found: list[tuple[int, int, str]] = []
    recorded = zip(outfalls.index, outfalls["recv_segment"], outfalls["recv_name"], outfalls.geometry, strict=True)
    for row, (outfall, segment, name, place) in enumerate(recorded):
        free = [each for each in by_name.get(plain_name(name), ()) if (outfall, each) not in denied]
        if confirmed.get(outfall) in number:
            found.append((row, number[confirmed[outfall]], "confirmed"))
        elif segment in number and (outfall, segment) not in denied:
            found.append((row, number[segment], "recorded segment"))
        elif free:
            nearest = min(free, key=lambda each: (_apart(place, waters.geometry.iat[number[each]]), each))
            found.append((row, number[nearest], "recorded name"))
    table = pd.DataFrame(found, columns=["outfall", "water", "method"])
    return table.astype({"outfall": np.int64, "water": np.int64}).assign(denied=np.zeros(len(found), dtype=bool))


def _apart(place: shapely.Geometry | None, water: shapely.Geometry | None) -> float:
    return float(shapely.distance(place, water)) if place is not None and water is not None else np.inf


def _among(pairs: pd.DataFrame, told: pd.DataFrame) -> pd.Series[bool]:
    """Which pairs are told as well as near."""
    keys = pd.MultiIndex.from_frame(pairs[["outfall", "water"]])
    return pd.Series(keys.isin(pd.MultiIndex.from_frame(told[["outfall", "water"]])), index=pairs.index)


def _choose(pairs: pd.DataFrame, waters: gpd.GeoDataFrame, tie_ft: float) -> pd.DataFrame:
    """Marks what is chosen: the water told, else the nearest and those about as near whose standing differs."""
    told = pairs["method"] != "nearest"
    standing = waters[["ir_category", "listed_303d", "tmdl"]].astype("str").agg("|".join, axis=1).to_numpy()
    pairs["standing"] = standing[pairs["water"]]
    open_ = pairs[~pairs["denied"] & ~told.groupby(pairs["outfall"]).transform("any")]
    first = open_.drop_duplicates("outfall").set_index("outfall")
    nearest, its_standing = (open_["outfall"].map(first[name]) for name in ("distance_ft", "standing"))
    as_near = (open_["distance_ft"] <= nearest + tie_ft) & (open_["standing"] != its_standing)
    plausible = open_.index[as_near | ~open_.duplicated("outfall")]
    pairs["chosen"] = told | pairs.index.isin(plausible)
    pairs["ambiguous"] = pairs["chosen"] & (pairs.groupby("outfall")["chosen"].transform("sum") > 1)
    return pairs.sort_values(["outfall", "chosen", "distance_ft", "segment_id"], ascending=[True, False, True, True])


def _described(pairs: pd.DataFrame, outfalls: gpd.GeoDataFrame, waters: gpd.GeoDataFrame) -> pd.DataFrame:
    """The links with names, confidence and source; a recorded water that was not found makes the nearest only possible."""
    recorded = (outfalls["recv_name"] != "") | (outfalls["recv_segment"] != "")
    unmatched = recorded.to_numpy()[pairs["outfall"]] & (pairs["method"] == "nearest")
    unsure = pairs["ambiguous"] | unmatched | ~pairs["chosen"]
    method = pairs["method"].mask(pairs["denied"], "found not connected")
    by_register = pairs["denied"] | (method == "confirmed")
    source = np.where(method == "nearest", "drawing", outfalls["source"].to_numpy(object)[pairs["outfall"]])
    columns = {
        "outfall_id": outfalls.index.to_numpy(object)[pairs["outfall"]],
        "segment_id": pairs["segment_id"].to_numpy(object),
        "name": waters["name"].to_numpy(object)[pairs["water"]],
        "method": method.to_numpy(object),
        "distance_ft": pairs["distance_ft"].to_numpy(float),
        "chosen": pairs["chosen"].to_numpy(bool),
        "ambiguous": pairs["ambiguous"].to_numpy(bool),
        "confidence": np.where(by_register, "confirmed", np.where(unsure, "possible", "probable")),
        "source": np.where(by_register, "register", source),
    }
    return pd.DataFrame(columns)


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
