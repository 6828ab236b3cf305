"""Small towns for tests: layers written as WKT around a corner of EPSG:2260, in feet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import geopandas as gpd
import pandas as pd
import shapely
from pyproj import CRS

from layers.conform import blank
from layers.records import Record, Records
from layers.schema import schema
from layers.settings import Settings, parse_settings
from layers.town import Town, make_town

FEET = CRS.from_epsg(2260)
CORNER = (739_000.0, 910_000.0)
"""A place in the town, so that feet from the corner read as small numbers."""

Rows = Mapping[str, tuple[str, Mapping[str, Any]] | str]


def place(wkt: str) -> shapely.Geometry | None:
    """A shape in feet from the corner, in the working CRS; an empty text is no place."""
    if not wkt:
        return None
    return shapely.transform(shapely.from_wkt(wkt), lambda xy: xy + CORNER)


def layer(name: str, rows: Rows) -> gpd.GeoDataFrame:
    """A layer of the schema from id → WKT or (WKT, fields); every other field is blank."""
    known, made = schema(name), []
    for row in rows.values():
        wkt, given = (row, {}) if isinstance(row, str) else row
        shape = place(wkt)
        if shape is not None and shape.geom_type == "Polygon" and "MultiPolygon" in known.geometry:
            shape = shapely.MultiPolygon([shape])
        unknown = set(given) - set(known.names)
        assert not unknown, f"{name} has no field {unknown}"
        made.append({**{each.name: blank(each) for each in known.fields}, **given, "geometry": shape})
    index = pd.Index(list(rows), dtype="str", name=known.id)
    frame = gpd.GeoDataFrame(made, index=index, geometry="geometry", crs=FEET)
    empty = known.empty(FEET)
    return frame.astype({name: empty[name].dtype for name in known.names}) if len(frame) else empty


def settings(**changes: Any) -> Settings:
    """Settings of a town in EPSG:2260."""
    return parse_settings({"name": "Testwick", "crs": "EPSG:2260", **changes})


def town(records: list[Record] | None = None, *, with_settings: Settings | None = None, **layers: Rows) -> Town:
    """A town from rows of its layers, every join made."""
    frames = {name: layer(name, rows) for name, rows in layers.items()}
    return make_town(with_settings or settings(), frames, Records.from_iterable(records or []))
