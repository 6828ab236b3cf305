"""What a rule can say about a subject: that it found something, that it is fine, or that it cannot say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import geopandas as gpd
import shapely
from pyproj import CRS

from layers.crs import to_lonlat
from mapping.law import Citation

CONFIDENCE = ("possible", "probable", "confirmed")
"""From weak to sure; a flag is as sure as the weakest link it rests on."""
SEVERITY = ("error", "warning", "note")
"""From grave to slight: what is wrong, what is to be looked at, what is good to know and not drawn on the map."""
DECIMALS = 6
"""Decimals of a degree in what leaves the town's own CRS: about a third of a foot."""

Subject = tuple[str, str]
"""Layer and id."""


@dataclass(frozen=True)
class Fact:
    """One thing that speaks for or against, the asset that it is about, and where it comes from."""

    text: str
    layer: str = ""
    id: str = ""
    source: str = ""


@dataclass(frozen=True)
class Measure:
    """A number that says how much is at stake."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True)
class Water:
    """A water behind a finding: on what basis it is reached, under which conditions it is, and for which pollutants."""

    id: str
    name: str
    ir_category: str
    basis: str
    conditions: tuple[str, ...]
    pollutants: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The water as `check --json` prints it."""
        return asdict(self) | {"conditions": list(self.conditions), "pollutants": list(self.pollutants)}


@dataclass(frozen=True)
class Fine:
    """There is nothing to flag, and why."""

    reason: str


NOT_IN_USE = Fine("it is not in use")
NOT_MS4 = Fine("it is no part of the Town's MS4")


@dataclass(frozen=True)
class CannotSay:
    """What is missing to judge this subject; shown as loudly as a flag."""

    subject: Subject
    text: str
    rule: str = ""

    def to_json(self) -> dict[str, Any]:
        """The entry of `cannot_say` in `check --json`."""
        return {"rule": self.rule, "subject": _subject(self.subject), "text": self.text}


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a rule found about a subject; the check adds what follows from it: title, waters, citation, status.

    `waters` None: every water that the outfalls reach. `cites` empty: what the card cites first. `severity` empty: the
    card's. `other` tells two findings of one rule about one subject apart. The geometry is in the town's CRS.
    """

    subject: Subject
    confidence: str
    facts_for: tuple[Fact, ...]
    clears: tuple[str, ...]
    facts_against: tuple[Fact, ...] = ()
    premises: tuple[str, ...] = ()
    outfalls: tuple[str, ...] = ()
    waters: tuple[Water, ...] | None = None
    cites: tuple[str, ...] = ()
    measure: Measure | None = None
    severity: str = ""
    other: str = ""
    geometry: shapely.Geometry | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A flag: rule, subject, what speaks for and against, what would clear it, what it rests on in law, and where it is.

    `status` is `open`, `dismissed` or `in case`. The id stays the same from check to check.
    """

    id: str
    rule: str
    title: str
    status: str
    subject: Subject
    premises: tuple[str, ...]
    outfalls: tuple[str, ...]
    waters: tuple[Water, ...]
    conditions: tuple[str, ...]
    confidence: str
    measure: Measure | None
    facts_for: tuple[Fact, ...]
    facts_against: tuple[Fact, ...]
    clears: tuple[str, ...]
    citation: Citation
    geometry: shapely.Geometry | None
    crs: CRS
    severity: str = "warning"

    def to_json(self) -> dict[str, Any]:
        """The finding as `check --json` prints it, its geometry in EPSG:4326."""
        return findings_to_json([self])[0]


def findings_to_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Findings of one town as `check --json` prints them; they are reprojected together, which is far quicker."""
    if not findings:
        return []
    places = to_lonlat(gpd.GeoSeries([each.geometry for each in findings], crs=findings[0].crs))
    return [_plain(finding, place) for finding, place in zip(findings, places, strict=True)]


def weakest(words: Iterable[str]) -> str:
    """The weakest of several confidences.

    >>> weakest(["confirmed", "possible", "probable"])
    'possible'
    """
    return min(words, key=CONFIDENCE.index)


def _plain(finding: Finding, place: shapely.Geometry | None) -> dict[str, Any]:
    return {
        "id": finding.id,
        "rule": finding.rule,
        "title": finding.title,
        "status": finding.status,
        "subject": _subject(finding.subject),
        "premises": list(finding.premises),
        "outfalls": list(finding.outfalls),
        "waters": [water.to_json() for water in finding.waters],
        "conditions": list(finding.conditions),
        "confidence": finding.confidence,
        "severity": finding.severity,
        "measure": asdict(finding.measure) if finding.measure else None,
        "for": [asdict(fact) for fact in finding.facts_for],
        "against": [asdict(fact) for fact in finding.facts_against],
        "clears": list(finding.clears),
        "citation": finding.citation.to_json(),
        "geometry": _geojson(place),
    }


def _subject(subject: Subject) -> dict[str, str]:
    return {"layer": subject[0], "id": subject[1]}


def _geojson(place: shapely.Geometry | None) -> Any:
    if place is None or place.is_empty:
        return None
    return json.loads(shapely.to_geojson(shapely.transform(place, lambda xy: xy.round(DECIMALS))))
