"""How complete the map is: for each attribute that the permit asks for, the share of the Town's assets that have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import geopandas as gpd
import pandas as pd

from layers.schema import schema
from layers.town import Town
from mapping.ms4 import ms4_test
from mapping.outputs.due import GONE


class Asked(NamedTuple):
    """An attribute that the map must show: layer, a short code, what it is, and the fields any one of which says it."""

    layer: str
    code: str
    title: str
    fields: tuple[str, ...]


ASKED = (
    Asked("outfalls", "type", "open drainage or closed pipe", ("location",)),
    Asked("outfalls", "material", "material", ("material",)),
    Asked("outfalls", "shape", "shape", ("shape",)),
    Asked("outfalls", "size", "dimensions", ("diameter_in", "width_in", "height_in")),
    Asked("outfalls", "submerged", "submerged in water", ("submerged_water",)),
    Asked("outfalls", "sediment", "submerged in sediment", ("submerged_sediment",)),
    Asked("outfalls", "receiving", "receiving water or system", ("recv_segment", "recv_name", "recv_ms4")),
    Asked("pipes", "material", "material", ("material",)),
    Asked("pipes", "shape", "shape", ("shape",)),
    Asked("pipes", "size", "dimensions", ("diameter_in",)),
    Asked("ditches", "lining", "lining", ("lining",)),
    Asked("ditches", "shape", "shape", ("shape",)),
    Asked("ditches", "size", "dimensions", ("top_in", "bottom_in", "depth_in")),
    Asked("culverts", "size", "dimensions", ("diameter_in", "width_in", "height_in")),
    Asked("catch_basins", "connections", "number of connections", ("connections_in", "connections_out")),
    Asked("manholes", "connections", "number of connections", ("connections_in", "connections_out")),
)
"""Comprehensive system mapping, GP-0-24-001 Part IV.D (general knowledge, not verified)."""


@dataclass(frozen=True)
class Share:
    """The share of the Town's assets of a layer that have an attribute (None: there are no assets), and those without."""

    asked: Asked
    count: int
    without: tuple[str, ...]

    @property
    def share(self) -> float | None:
        """From 0 to 1, four decimals; never rounded up to the whole."""
        if not self.count:
            return None
        return int(10_000 * (self.count - len(self.without)) / self.count) / 10_000


def town_assets(town: Town, layer: str) -> gpd.GeoDataFrame:
    """The Town's own assets of a layer that are in use and not known to be a sewer's."""
    frame = town.layer(layer)
    return frame[(frame["owner"] == "Town") & ~frame["status"].isin(GONE) & (ms4_test(town, layer)["is_ms4"] != "no")]


def completeness(town: Town) -> list[Share]:
    """The shares for every attribute of ASKED, in that order; a place on the map counts as an attribute of each layer."""
    layers = dict.fromkeys(asked.layer for asked in ASKED)
    places = [_share(town, Asked(layer, "located", "place on the map", ("geometry",))) for layer in layers]
    return [*places, *(_share(town, asked) for asked in ASKED)]


def _share(town: Town, asked: Asked) -> Share:
    assets = town_assets(town, asked.layer)
    known = pd.Series(False, index=assets.index)
    for name in asked.fields:
        known |= is_known(assets, asked.layer, name)
    return Share(asked, len(assets), tuple(str(asset) for asset in assets.index[~known]))


def is_known(assets: gpd.GeoDataFrame, layer: str, name: str) -> pd.Series[bool]:
    """Whether a field is on record, for each row; `unknown` and empty text are not."""
    values = assets[name]
    known = pd.Series(values.notna(), index=assets.index, dtype=bool)
    is_text = name != "geometry" and schema(layer).field(name).type in ("text", "yesno")
    return known & ~values.isin(["", "unknown"]) if is_text else known
