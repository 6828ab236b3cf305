"""Where things are, what they are called on the map, and how they are found by id, address or section-block-lot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from layers.crs import to_lonlat
from layers.schema import LAYERS
from layers.town import Town

DECIMALS = 6
"""Of a degree: about four inches, a tenth of what a survey of outfalls is good for."""
NEAR_DEG = 0.25
"""Some fifteen miles: no crew starts further away than that."""
LABEL_LENGTH = 120
HIDDEN = re.compile("[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Control and direction marks, and halves of characters: as they are they turn a name round, hide a part or break a file."""
DETAIL: Mapping[str, tuple[str, ...]] = {
    "parcels": ("address", "print_key"),
    "waters": ("name",),
    "watersheds": ("name", "kind"),
    "roads": ("name",),
    "boundary": ("name",),
    "facilities": ("name", "kind"),
    "outfalls": ("kind", "road"),
    "catch_basins": ("kind", "road"),
    "manholes": ("kind", "road"),
    "pipes": ("system", "material"),
    "culverts": ("material",),
    "ditches": ("lining",),
    "drains": ("carries",),
    "sewersheds": ("outfall_id", "basis"),
}
"""What is said of a thing when the pointer is on it, after its id. No field with personal data may stand here."""
NAMED_BY_FIELDS = frozenset({"parcels", "waters", "watersheds", "roads", "boundary"})
SEARCHED = (
    "outfalls",
    "catch_basins",
    "manholes",
    "facilities",
    "parcels",
    "waters",
    "pipes",
    "ditches",
    "culverts",
    "drains",
)
"""In the order in which equally good matches are shown."""
SEARCH_FIELDS = ("name", "address", "print_key", "sbl")
EXTENT = (("boundary",), ("outfalls", "catch_basins", "pipes", "ditches"), ("parcels",), ("waters",))
"""What the first view of the map shows: the first of these groups of which something is located."""


@dataclass(frozen=True)
class Place:
    """One thing that can be looked for: its subject (`layer:id`), its name, and the words by which it is found."""

    subject: str
    name: str
    words: tuple[str, ...]


def shown(value: Any, *, length: int = LABEL_LENGTH) -> str:
    """A value of a town's file as text that is safe to set as text: no control or direction marks, not too long.

    >>> shown("Main St \\u202egpj.exe") == "Main St \\ufffdgpj.exe"
    True
    """
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return ""
    text = HIDDEN.sub("\ufffd", str(value))
    return text if len(text) <= length else text[: length - 1] + "…"


def usable(geometry: gpd.GeoSeries) -> pd.Series[bool]:
    """For each geometry whether it can be drawn: not missing, not empty, finite."""
    finite = np.isfinite(shapely.bounds(geometry.to_numpy())).all(axis=1) if len(geometry) else np.array([], dtype=bool)
    return pd.Series(finite, index=geometry.index)


def is_usable(geometry: Any) -> bool:
    """Whether one geometry can be drawn."""
    return geometry is not None and bool(np.isfinite(shapely.bounds(geometry)).all())


def layer_of(subject: str) -> tuple[str, str]:
    """The layer and the id of `layer:id`; `premises:KEY` is a lot.

    >>> layer_of("premises:0551 2.-1-1")
    ('parcels', '0551 2.-1-1')
    """
    layer, _, key = subject.partition(":")
    return ("parcels" if layer == "premises" else layer), key


def is_known(town: Town, subject: str) -> bool:
    """Whether the town has the thing."""
    layer, key = layer_of(subject)
    return layer in LAYERS and key in town.layer(layer).index


def locate(town: Town, subject: str) -> shapely.Geometry | None:
    """The geometry of `layer:id` in the town's CRS, None where it is unknown or not located."""
    if not is_known(town, subject):
        return None
    layer, key = layer_of(subject)
    geometry = town.layer(layer).geometry.loc[key]
    return geometry if is_usable(geometry) else None


def is_unlocated(town: Town, subject: str) -> bool:
    """Whether the town has the thing and does not know where it is."""
    return is_known(town, subject) and locate(town, subject) is None


def bounds(town: Town) -> tuple[float, float, float, float] | None:
    """West, south, east, north of the town in degrees: its boundary, else its assets, else its bounds as set, or None."""
    for names in EXTENT:
        located = [town.layer(name).geometry[usable(town.layer(name).geometry)] for name in names if town.has(name)]
        boxes = [shapely.box(*each.total_bounds) for each in located if len(each)]
        if boxes:
            west, south, east, north = to_lonlat(gpd.GeoSeries(boxes, crs=town.crs)).total_bounds
            return float(west), float(south), float(east), float(north)
    return town.settings.bounds


def start_of(town: Town) -> tuple[float, float]:
    """Where crews start: the `depot` of the town's options (longitude, latitude), else the middle of the town."""
    depot = town.settings.options.get("depot")
    if depot:
        return float(depot[0]), float(depot[1])
    west, south, east, north = bounds(town) or (0.0, 0.0, 0.0, 0.0)
    return round((west + east) / 2, DECIMALS), round((south + north) / 2, DECIMALS)


def around(town: Town) -> tuple[float, float, float, float]:
    """West, south, east, north in degrees of the country in which a start of crews can lie: the town and NEAR_DEG around."""
    lon, lat = start_of(town)
    west, south, east, north = bounds(town) or (lon, lat, lon, lat)
    return (
        max(min(west, lon) - NEAR_DEG, -180.0),
        max(min(south, lat) - NEAR_DEG, -90.0),
        min(max(east, lon) + NEAR_DEG, 180.0),
        min(max(north, lat) + NEAR_DEG, 90.0),
    )


def names(layer: str, frame: gpd.GeoDataFrame) -> list[str]:
    """What each row of a layer is called on the map, in the order of the frame."""
    fields = [frame[name] for name in DETAIL.get(layer, ()) if name in frame]
    called = []
    for key, *values in zip(frame.index, *fields, strict=True):
        parts = [part for part in (shown(value, length=60) for value in values) if part and part != "unknown"]
        first = [] if layer in NAMED_BY_FIELDS and parts else [shown(key, length=60)]
        called.append(" · ".join([*first, *parts]))
    return called


def name_of(town: Town, subject: str) -> str:
    """What `layer:id` is called on the map, its id where the town does not have it."""
    layer, key = layer_of(subject)
    return names(layer, town.layer(layer).loc[[key]])[0] if is_known(town, subject) else shown(key or subject)


def index_places(town: Town) -> tuple[Place, ...]:
    """All that can be looked for, in the order in which equally good matches are shown; owners' names are left out."""
    found: list[Place] = []
    for layer in SEARCHED:
        frame = town.layer(layer)
        fields = [frame[name] for name in SEARCH_FIELDS if name in frame]
        for key, name, *values in zip(frame.index, names(layer, frame), *fields, strict=True):
            words = tuple(word for word in map(_squeeze, (key, *values)) if word)
            found.append(Place(f"{layer}:{key}", name, words))
    return tuple(found)


def search(places: Sequence[Place], text: str, *, most: int = 12) -> list[Place]:
    """The places whose id, name, address or section-block-lot is, begins with or holds the text, in that order.

    Letters' case and the punctuation of a section-block-lot do not matter: `2 1 14` finds `2.-1-14`.
    """
    wanted = _squeeze(text)
    if not wanted:
        return []
    ranked = ((min(_rank(wanted, word) for word in each.words), position) for position, each in enumerate(places))
    best = sorted(hit for hit in ranked if hit[0] < 3)[:most]
    return [places[position] for _, position in best]


def _squeeze(text: Any) -> str:
    return re.sub(r"[\s\-./]+", " ", str(text)).strip().casefold()


def _rank(wanted: str, word: str) -> int:
    """0 the same, 1 begins with it, 2 holds it, 3 not at all."""
    return 0 if word == wanted else 1 if word.startswith(wanted) else 2 if wanted in word else 3
