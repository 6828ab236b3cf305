"""Small towns from tables: layers as lists of rows with WKT, as the cases in tests/rulebook write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import geopandas as gpd
import pandas as pd
import shapely
from pyproj import CRS

from layers.records import Record, Records
from layers.schema import schema
from layers.settings import Settings
from layers.town import Town, make_town

FEET = CRS.from_epsg(2260)
Row = Mapping[str, Any]


def town_of(layers: Mapping[str, Iterable[Row]], *, records: Iterable[Row] = (), options: Row | None = None) -> Town:
    """A town in EPSG:2260 feet; a row has `id`, `at` (WKT, left out: not located) and any fields of the schema."""
    frames = {name: layer_of(name, list(rows)) for name, rows in layers.items()}
    settings = Settings(name="Case Town", crs=FEET, options=dict(options or {}))
    return make_town(settings, frames, records_of(records))


def layer_of(name: str, rows: list[Row]) -> gpd.GeoDataFrame:
    """A conforming layer; fields left out are missing in the way of the schema."""
    own = schema(name)
    unknown = {key for row in rows for key in row} - {"id", "at", *own.names}
    assert not unknown, f"{name} has no field {unknown}"
    columns = {
        field.name: pd.Series(
            [row.get(field.name, missing(field.type, field.codes)) for row in rows],
            dtype={"number": "float64", "integer": "Int64", "date": "object"}.get(field.type, "str"),
        )
        for field in own.fields
    }
    shapes = [_shape(row["at"], own.geometry) if "at" in row else None for row in rows]
    frame = gpd.GeoDataFrame(columns, geometry=gpd.GeoSeries(shapes, crs=FEET), crs=FEET)
    frame.index = pd.Index([row["id"] for row in rows], dtype="str", name=own.id)
    return frame


def missing(kind: str, codes: tuple[str, ...]) -> object:
    """The missing value of a field, as layers keep it."""
    if kind in ("number", "integer", "date"):
        return {"number": float("nan"), "integer": pd.NA, "date": None}[kind]
    return "unknown" if kind == "yesno" or "unknown" in codes else ""


def records_of(rows: Iterable[Row]) -> Records:
    """Records in the order given; a row has kind, on, data and what else a record has."""
    return Records.from_iterable(
        Record(
            seq=number,
            kind=row["kind"],
            on=row["on"] if isinstance(row["on"], date) else date.fromisoformat(row["on"]),
            by="A. Officer",
            at=datetime(2026, 1, 1, 12, number % 60, tzinfo=UTC),
            subject=row.get("subject", ""),
            case=row.get("case", ""),
            data=row.get("data", {}),
        )
        for number, row in enumerate(rows, start=1)
    )


def _shape(wkt: str, kinds: tuple[str, ...]) -> shapely.Geometry:
    shape = shapely.from_wkt(wkt)
    if shape.geom_type == "Polygon" and "MultiPolygon" in kinds:
        return shapely.MultiPolygon([shape])
    return shape
