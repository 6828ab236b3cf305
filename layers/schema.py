"""The schemas of the layers, read from `data/schemas`: fields, types, units, codes and names seen in towns' files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd

from layers.errors import LayerError

FOLDER = Path(__file__).resolve().parent.parent / "data" / "schemas"
TYPES = ("text", "number", "integer", "date", "yesno")
LAYERS = (
    "catch_basins",
    "manholes",
    "outfalls",
    "pipes",
    "ditches",
    "culverts",
    "drains",
    "parcels",
    "waters",
    "watersheds",
    "roads",
    "facilities",
    "boundary",
    "sewersheds",
)


@dataclass(frozen=True)
class Field:
    """One field: type, unit, allowed codes, other names and spellings; `staff_only` fields never leave the office."""

    name: str
    type: str
    title: str
    unit: str = ""
    codes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    synonyms: Mapping[str, str] = field(default_factory=dict)
    staff_only: bool = False


@dataclass(frozen=True)
class Schema:
    """One layer: id column, geometry types, and fields in the order of the file."""

    layer: str
    title: str
    one: str
    id: str
    id_aliases: tuple[str, ...]
    geometry: tuple[str, ...]
    asset: bool
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        """The field of that name, or a LayerError."""
        for each in self.fields:
            if each.name == name:
                return each
        raise LayerError(f"layer {self.layer} has no field {name!r}", hint=f"its fields are {', '.join(self.names)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The fields' names."""
        return tuple(each.name for each in self.fields)

    @property
    def staff_only(self) -> frozenset[str]:
        """The fields with personal data."""
        return frozenset(each.name for each in self.fields if each.staff_only)

    def empty(self, crs: Any) -> gpd.GeoDataFrame:
        """A layer with no rows, its columns as they must be, in the CRS given."""
        columns = {name: pd.Series([], dtype=dtype(self.field(name).type)) for name in self.names}
        frame = gpd.GeoDataFrame(columns, geometry=gpd.GeoSeries([], crs=crs), crs=crs)
        frame.index = pd.Index([], dtype="str", name=self.id)
        return frame


def dtype(kind: str) -> str:
    """The pandas dtype of a schema type: text and codes `str`, dates `object` (plain `datetime.date` or None)."""
    return {"text": "str", "yesno": "str", "number": "float64", "integer": "Int64", "date": "object"}[kind]


@cache
def schema(layer: str) -> Schema:
    """The schema of one layer, or a LayerError that lists the layers there are."""
    if layer not in LAYERS:
        raise LayerError(f"there is no layer {layer!r}", hint=f"choose one of {', '.join(LAYERS)}")
    common = tomllib.loads((FOLDER / "_common.toml").read_text(encoding="utf-8"))["field"]
    raw = tomllib.loads((FOLDER / f"{layer}.toml").read_text(encoding="utf-8"))
    own = raw.pop("field", [])
    taken = {each["name"] for each in own}
    fields = tuple(_field(each, layer) for each in own + [each for each in common if each["name"] not in taken])
    return Schema(
        layer=raw["layer"],
        title=raw["title"],
        one=raw["one"],
        id=raw["id"],
        id_aliases=tuple(raw["id_aliases"]),
        geometry=tuple(raw["geometry"]),
        asset=raw["asset"],
        fields=fields,
    )


def _field(raw: dict[str, Any], layer: str) -> Field:
    if raw["type"] not in TYPES:
        raise LayerError(f"schema {layer}: field {raw['name']} has the unknown type {raw['type']!r}")
    tuples: dict[str, Any] = {key: tuple(raw.pop(key, ())) for key in ("codes", "aliases")}
    return Field(**tuples, **raw)
