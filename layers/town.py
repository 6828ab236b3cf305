"""Town: all layers and joins, frozen, in one projected CRS; the one argument of rules and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import geopandas as gpd
import pandas as pd
from pyproj import CRS

from layers.joins.network import Network
from layers.joins.noding import make_network
from layers.joins.premises import link_premises
from layers.joins.waters import link_waters, link_watersheds
from layers.overlay import lay_over, turned_lines
from layers.records import Records
from layers.schema import schema
from layers.settings import Settings


@dataclass(frozen=True)
class Town:
    """Facts and links of one town; frames are the town's own and must be copied before they are changed."""

    settings: Settings
    layers: Mapping[str, gpd.GeoDataFrame]
    premises_links: pd.DataFrame
    water_links: pd.DataFrame
    watershed_links: pd.DataFrame
    network: Network
    records: Records = field(default_factory=Records)
    folder: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", MappingProxyType(dict(self.layers)))

    @property
    def name(self) -> str:
        """The town's name as it stands in `town.toml`."""
        return self.settings.name

    @property
    def crs(self) -> CRS:
        """The projected CRS of every frame."""
        return self.settings.crs

    def layer(self, name: str) -> gpd.GeoDataFrame:
        """The layer, index = our text id; empty with its columns where the town has none."""
        found = self.layers.get(name)
        return schema(name).empty(self.crs) if found is None else found

    def has(self, name: str) -> bool:
        """Whether the layer holds at least one row."""
        return name in self.layers and len(self.layers[name]) > 0


@dataclass(frozen=True)
class Joins:
    """The tables of links that `layers.gpkg` keeps beside the layers."""

    premises_links: pd.DataFrame
    water_links: pd.DataFrame
    watershed_links: pd.DataFrame
    network: Network


LINE_FIELDS = ("from_id", "to_id", "status", "source_id")
READ_BY_JOINS: Mapping[str, tuple[str, ...]] = {
    "catch_basins": ("system", "source_id"),
    "manholes": ("system", "source_id"),
    "outfalls": ("system", "source_id", "source", "recv_name", "recv_segment"),
    "pipes": (*LINE_FIELDS, "system", "invert_up_ft", "invert_dn_ft"),
    "ditches": LINE_FIELDS,
    "culverts": LINE_FIELDS,
    "drains": ("premises_key", "source"),
    "parcels": (),
    "waters": ("name", "ir_category", "listed_303d", "tmdl"),
    "watersheds": (),
    "roads": (),
}
"""The layers and fields that `make_joins` looks at; a test holds that it needs no others."""


def make_joins(layers: Mapping[str, gpd.GeoDataFrame], settings: Settings, records: Records | None = None) -> Joins:
    """All joins of the layers, in memory; nothing is written."""
    return Joins(**{name: make() for name, make in join_makers(layers, settings, records).items()})


def join_makers(
    layers: Mapping[str, gpd.GeoDataFrame], settings: Settings, records: Records | None = None
) -> dict[str, Callable[[], Any]]:
    """What makes each table of Joins, by its name, for who wants to do it step by step."""
    limits: dict[str, Any] = {"crs": settings.crs, "tolerances": settings.tolerances}
    return {
        "premises_links": partial(link_premises, layers, **limits),
        "water_links": partial(link_waters, layers, **limits, records=records),
        "watershed_links": partial(link_watersheds, layers),
        "network": partial(make_network, layers, **limits, turned=turned_lines(records or Records())),
    }


def make_town(
    settings: Settings,
    layers: Mapping[str, gpd.GeoDataFrame],
    records: Records | None = None,
    folder: Path | None = None,
) -> Town:
    """A town from its layers and records, the records laid over the facts and every join made anew."""
    records = records or Records()
    laid = lay_over(layers, records, settings.crs)
    joins = make_joins(laid, settings, records)
    return Town(
        settings, laid, joins.premises_links, joins.water_links, joins.watershed_links, joins.network, records, folder
    )
