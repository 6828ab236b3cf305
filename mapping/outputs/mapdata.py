"""The features of the map as GeoJSON with nothing but what is displayed: one source for the app and the map file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from layers.crs import feet_per_unit, to_lonlat
from layers.errors import CallError
from layers.joins.network import CERTAINTY
from layers.joins.sewersheds import find_differences
from layers.schema import LAYERS, schema
from layers.town import Town
from mapping.outputs.places import DECIMALS, is_usable, locate, name_of, names, shown, usable
from mapping.outputs.style import STYLE, dash, flag_symbol, symbol_name
from mapping.words import say_day

if TYPE_CHECKING:
    from mapping.cases.case import Case
    from mapping.findings import Finding, Report

DRAWN_WITHIN_FT = 0.5
"""Lines are thinned for the screen by at most this much; measures are never taken from what is drawn."""
SOON = timedelta(days=7)
WRITTEN_ON_MAP = frozenset({"roads", "waters"})
CERTAIN: Mapping[str, str] = {
    "inferred": "direction not on record",
    "doubtful": "a doubtful link",
}
CARRYING = frozenset({"pipes", "ditches", "culverts"})


@dataclass(frozen=True)
class MapLayer:
    """One switch of the map: its name, its title, and whether it is on at first."""

    name: str
    title: str
    on: bool = True


DRAWN = (
    MapLayer("parcels", "Lots"),
    MapLayer("watersheds", "Watersheds under special conditions", on=False),
    MapLayer("sewersheds", "Preliminary sewersheds", on=False),
    MapLayer("boundary", "Designated area"),
    MapLayer("waters", "Waters"),
    MapLayer("roads", "Roads"),
    MapLayer("ditches", "Ditches"),
    MapLayer("culverts", "Culverts"),
    MapLayer("pipes", "Pipes"),
    MapLayer("drains", "Private drains"),
    MapLayer("manholes", "Manholes"),
    MapLayer("catch_basins", "Catch basins"),
    MapLayer("facilities", "Facilities"),
    MapLayer("outfalls", "Outfalls and interconnections"),
    MapLayer("unsure", "We cannot say"),
    MapLayer("flags", "Flags"),
    MapLayer("cases", "Cases"),
)
"""In the order in which they are drawn, the ground first."""


def features(town: Town, report: Report | None, cases: Sequence[Case], layer: str, *, public: bool) -> dict[str, Any]:
    """One layer of the map as a GeoJSON FeatureCollection in EPSG:4326, six decimals.

    `layer` is a name of DRAWN; a CallError names those there are. Each feature has `subject` (`layer:id`), `symbol` (a
    name of STYLE), `name` (what is said of it) and, where it applies, `dash` (certainty), `turned` (water runs against
    the way it was drawn), `label`, `tag` (letters of conditions), `faint` (possible), `slot` (its
    place beside a structure), `why`. What is not located is left out. With the sewersheds come the areas in which those
    from premises and from terrain differ. A `public` map has no cases
    and no flags about a premises: a suspicion is not published.
    """
    if layer == "flags":
        return _flags(town, report, public=public)
    if layer == "cases":
        return _cases(town, report, [] if public else cases)
    if layer == "unsure":
        return _unsure(town, report)
    if layer not in LAYERS:
        raise CallError(
            f"the map has no layer {layer!r}", hint=f"choose one of {', '.join(each.name for each in DRAWN)}"
        )
    return _layer(town, layer)


def list_layers(town: Town, report: Report | None, cases: Sequence[Case], *, public: bool) -> list[dict[str, Any]]:
    """The switches of the map in drawing order: `name`, `title`, `on`, `count` of what is located; without empty ones."""
    counts = [_count(town, report, cases, each.name, public=public) for each in DRAWN]
    return [
        {"name": each.name, "title": each.title, "on": each.on, "count": count}
        for each, count in zip(DRAWN, counts, strict=True)
        if count
    ]


def case_sign(case: Case, on: date) -> tuple[str, str]:
    """The name in STYLE of a case and its next day in words (`late since Mon 7 Dec 2026`), empty where nothing is due."""
    late = [each.due for each in case.deadlines if each.state == "overdue" and each.due]
    ahead = [each.due for each in case.deadlines if each.state == "open" and each.due]
    if case.state.startswith(("corrected", "closed")):
        return "case_corrected", ""
    if late:
        return "case_late", f"late since {say_day(min(late))}"
    if not ahead:
        return "case_open", ""
    return "case_soon" if min(ahead) - on <= SOON else "case_open", f"due {say_day(min(ahead))}"


def _layer(town: Town, layer: str) -> dict[str, Any]:
    frame = town.layer(layer)
    frame = frame[usable(frame.geometry)]
    columns = [name for name in schema(layer).names if name in frame and name not in schema(layer).staff_only]
    certainty, turned = _certainty(town, layer), _turned(town, layer)
    properties = []
    for key, name, row in zip(frame.index, names(layer, frame), frame[columns].to_dict("records"), strict=True):
        one: dict[str, Any] = {"subject": f"{layer}:{key}", "symbol": symbol_name(layer, row), "name": name}
        if certainty.get(key, "recorded") != "recorded":
            one["dash"] = dash(STYLE[one["symbol"]], certainty[key])
            one["why"] = CERTAIN[certainty[key]]
        if key in turned:
            one["turned"] = True
        if layer in WRITTEN_ON_MAP and row.get("name"):
            one["label"] = shown(row["name"], length=40)
        properties.append(one)
    if layer == "drains":
        _mark_points(frame, properties)
    shapes = frame.geometry
    if layer == "sewersheds":
        apart = find_differences(frame)
        shapes = pd.concat([shapes, apart.geometry])
        properties += [_difference(row) for row in apart.itertuples()]
    return _collection(town, shapes, properties)


def _difference(row: Any) -> dict[str, Any]:
    """An area that lies in the sewershed of one basis alone; the subject is the one in which it lies."""
    basis = "premises" if row.basis == "parcels" else row.basis
    name = f"{shown(row.outfall_id, length=60)} · {row.acres:,.1f} acres by {basis} alone"
    return {"subject": f"sewersheds:{row.Index}", "symbol": "sewershed_differs", "name": name}


def _mark_points(drains: gpd.GeoDataFrame, properties: Sequence[dict[str, Any]]) -> None:
    for dimension, one in zip(shapely.get_dimensions(drains.geometry.to_numpy()), properties, strict=True):
        if dimension == 0:
            one["symbol"] = "drain_point"


def _flags(town: Town, report: Report | None, *, public: bool) -> dict[str, Any]:
    findings = [each for each in _flagged(report, public=public) if is_usable(each.geometry)]
    signs = [_flag(town, each) for each in findings]
    single = _one_tag_a_place(findings, signs)
    slots: Counter[tuple[str, bool]] = Counter()
    for finding, sign in single:
        if shapely.get_dimensions(finding.geometry) == 0:
            row = sign["subject"], "tag" in sign
            sign["slot"] = slots[row]
            slots[row] += 1
    return _points(town, [finding.geometry for finding, _ in single], [sign for _, sign in single])


def _flag(town: Town, finding: Finding) -> dict[str, Any]:
    subject = ":".join(finding.subject)
    return {
        "subject": subject,
        "finding": finding.id,
        "symbol": flag_symbol(finding.rule),
        "name": shown(f"{finding.title} · {name_of(town, subject)}", length=200),
        "faint": finding.confidence == "possible",
    }


def _one_tag_a_place(
    findings: Sequence[Finding], signs: Sequence[dict[str, Any]]
) -> list[tuple[Finding, dict[str, Any]]]:
    """Findings and signs, all special conditions of one subject in one tag with their letters."""
    kept: dict[str, tuple[Finding, dict[str, Any]]] = {}
    for finding, sign in zip(findings, signs, strict=True):
        is_tag = sign["symbol"] == "flag_condition"
        key = f"tag of {sign['subject']}" if is_tag else finding.id
        _, first = kept.setdefault(key, (finding, sign))
        if is_tag:
            letters = set(first.get("tag", "").split()) | set(finding.conditions)
            first["tag"] = " ".join(sorted(letters)) or "?"
    return list(kept.values())


def _cases(town: Town, report: Report | None, cases: Sequence[Case]) -> dict[str, Any]:
    placed, properties = [], []
    for case in cases:
        subjects = [case.subject, *(f"premises:{key}" for key in case.premises)]
        found = next(((each, where) for each in subjects if (where := locate(town, each)) is not None), None)
        if found is None:
            continue
        symbol, words = case_sign(case, report.on if report else date.max)
        placed.append(found[1])
        properties.append(
            {
                "subject": found[0],
                "case": case.id,
                "symbol": symbol,
                "name": shown(" · ".join(filter(None, [f"Case {case.id}", case.state, words])), length=200),
                "label": shown(words or case.state, length=40),
            }
        )
    return _points(town, placed, properties)


def _unsure(town: Town, report: Report | None) -> dict[str, Any]:
    """What a rule could not judge: one sign a subject with all that is missing."""
    missing: dict[str, list[str]] = {}
    for each in report.cannot_say if report else ():
        missing.setdefault(":".join(each.subject), []).append(each.text)
    found = {subject: locate(town, subject) for subject in missing}
    placed = {subject: where for subject, where in found.items() if where is not None}
    flags = Counter(":".join(each.subject) for each in _flagged(report, public=False) if _is_beside(each))
    properties = [
        {
            "subject": subject,
            "symbol": "flag_unsure",
            "name": shown(f"We cannot say · {name_of(town, subject)}", length=200),
            "why": shown("; ".join(dict.fromkeys(missing[subject])), length=300),
            **({"slot": flags[subject]} if where.geom_type == "Point" else {}),
        }
        for subject, where in placed.items()
    ]
    return _points(town, list(placed.values()), properties)


def _is_beside(finding: Finding) -> bool:
    """Whether the flag stands in the row to the left of a structure."""
    return flag_symbol(finding.rule) != "flag_condition" and is_usable(finding.geometry)


def _count(town: Town, report: Report | None, cases: Sequence[Case], layer: str, *, public: bool) -> int:
    if layer in LAYERS:
        return int(usable(town.layer(layer).geometry).sum()) if town.has(layer) else 0
    return len(features(town, report, cases, layer, public=public)["features"])


def _flagged(report: Report | None, *, public: bool) -> list[Finding]:
    found = () if report is None else report.findings
    findings = [each for each in found if each.status != "dismissed" and each.severity != "note"]
    return [each for each in findings if not (public and (each.premises or each.subject[0] in ("premises", "parcels")))]


def _certainty(town: Town, layer: str) -> dict[str, str]:
    """For each line of a carrying layer the least certain of its parts in the network."""
    if layer not in CARRYING:
        return {}
    edges = town.network.edges
    mine = edges[edges["layer"] == layer]
    worst = mine["certainty"].map(CERTAINTY.index).groupby(mine["asset_id"]).max()
    return {str(key): CERTAINTY[int(rank)] for key, rank in worst.items()}


def _turned(town: Town, layer: str) -> frozenset[str]:
    """The lines of a carrying layer in which water runs against the way they were drawn."""
    edges, nodes = town.network.edges, town.network.nodes.geometry.to_numpy()
    mine = edges[edges["layer"] == layer]
    if layer not in CARRYING or not len(mine):
        return frozenset()
    drawn_from = shapely.get_point(mine.geometry.to_numpy(), 0)
    tail, head = (nodes[mine[end].to_numpy(np.int64)] for end in ("tail", "head"))
    against = shapely.distance(drawn_from, tail) > shapely.distance(drawn_from, head)
    return frozenset(mine["asset_id"][against])


def _points(
    town: Town, geometry: Sequence[shapely.Geometry], properties: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    points = [each.representative_point() for each in geometry]
    return _collection(town, gpd.GeoSeries(points, crs=town.crs), properties)


def _collection(town: Town, geometry: gpd.GeoSeries, properties: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    thinned = geometry.simplify(DRAWN_WITHIN_FT / feet_per_unit(town.crs), preserve_topology=True)
    placed = to_lonlat(thinned).to_numpy()
    rounded = shapely.transform(placed, lambda xy: np.round(xy, DECIMALS))
    shapes = [json.loads(text) for text in shapely.to_geojson(rounded)]
    return {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "geometry": shape, "properties": dict(each)}
            for shape, each in zip(shapes, properties, strict=True)
        ],
    }
