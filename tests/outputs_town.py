"""A town of a few roads and outfalls for the tests of what leaves the office; places in feet from its south-west corner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import shapely
from pyproj import CRS

from layers.crs import to_lonlat
from layers.records import Record, Records
from layers.schema import dtype, schema
from layers.settings import Settings
from layers.town import Town, make_town
from mapping.law import Permit, Requirement

NY_EAST = CRS.from_epsg(2260)
CORNER = (739000.0, 910000.0)
ON = date(2026, 11, 30)
PERMIT = Permit(
    name="a_permit",
    title="A permit",
    operator="A town",
    since=date(2024, 1, 3),
    parameters=tuple(
        Requirement(
            code=code, title=code, section="VI.C", since=date(2024, 1, 3), value=value, unit=unit, verified=False
        )
        for code, value, unit in (
            ("reporting_year_start", "01-03", "month-day"),
            ("inspection_interval", 5, "years"),
            ("reinspection", 30, "days"),
            ("track_down_suspect", 5, "days"),
            ("track_down_obvious", 24, "hours"),
        )
    ),
)
DRY = {"rain_24h_in": 0, "rain_48h_in": 0, "rain_72h_in": 0}


def at(*feet: tuple[float, float]) -> list[tuple[float, float]]:
    return [(CORNER[0] + x, CORNER[1] + y) for x, y in feet]


def point(x: float, y: float) -> shapely.Point:
    return shapely.Point(at((x, y))[0])


def line(*feet: tuple[float, float]) -> shapely.LineString:
    return shapely.LineString(at(*feet))


def box(x: float, y: float, x2: float, y2: float) -> shapely.MultiPolygon:
    return shapely.MultiPolygon([shapely.box(CORNER[0] + x, CORNER[1] + y, CORNER[0] + x2, CORNER[1] + y2)])


def lonlat(x: float, y: float) -> tuple[float, float]:
    there = to_lonlat(gpd.GeoSeries([point(x, y)], crs=NY_EAST))[0]
    return there.x, there.y


def layer(name: str, rows: Mapping[str, tuple[Any, Mapping[str, Any]]]) -> gpd.GeoDataFrame:
    """A layer that conforms to its schema from id → (geometry, fields); what is left out is not on record."""
    shape = schema(name)
    nothing = {"text": "", "yesno": "unknown", "number": float("nan"), "integer": pd.NA, "date": None}
    columns = {}
    for field in shape.fields:
        default = "unknown" if "unknown" in field.codes else nothing[field.type]
        columns[field.name] = pd.Series(
            [fields.get(field.name, default) for _, fields in rows.values()], dtype=dtype(field.type)
        )
    geometry = gpd.GeoSeries([shape_ for shape_, _ in rows.values()], crs=NY_EAST)
    frame = gpd.GeoDataFrame(columns, geometry=geometry, crs=NY_EAST)
    frame.index = pd.Index(list(rows), dtype="str", name=shape.id)
    return frame


def outfalls(**places: tuple[float, float] | None) -> gpd.GeoDataFrame:
    """Town outfalls in use; an id is written with `_` for `-`."""
    fields = {"owner": "Town", "status": "active", "kind": "outfall"}
    return layer(
        "outfalls", {name.replace("_", "-"): (point(*xy) if xy else None, fields) for name, xy in places.items()}
    )


def inspection(location: str, on: date, *, flow: str = "none", seq: int = 1, **seen: Any) -> Record:
    data = {"location": location, "at": f"{on}T09:00", "flow": flow, **seen}
    return record("inspection", on, seq=seq, subject=f"outfalls:{location}", data=data)


def record(kind: str, on: date, *, seq: int = 1, subject: str = "", case: str = "", data: Any = None) -> Record:
    return Record(
        seq, kind, on, "Inspector Example", datetime(2026, 1, 1, tzinfo=UTC), subject, case, data or {}, f"h{seq}"
    )


def town(
    layers: Mapping[str, gpd.GeoDataFrame],
    records: Sequence[Record] = (),
    *,
    folder: Path | None = None,
    **options: Any,
) -> Town:
    settings = Settings(name="Sampleton (synthetic)", crs=NY_EAST, options=options)
    return make_town(settings, layers, Records.from_iterable(records), folder)
