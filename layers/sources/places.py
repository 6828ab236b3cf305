"""The places in a table: which columns hold them, and the point or shape of every row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import shapely
from pyproj import CRS

from layers.crs import LONLAT
from layers.errors import FieldError

LONGITUDES = ("longitude", "lon", "long", "lng", "faclong", "lon_dd", "long_dd", "dec_long")
LATITUDES = ("latitude", "lat", "faclat", "lat_dd", "dec_lat")
PAIRS = (("x", "y"), ("easting", "northing"), ("x_coord", "y_coord"), ("xcoord", "ycoord"), ("point_x", "point_y"))
SHAPES = ("wkt", "wkt_geom")


@dataclass(frozen=True)
class Places:
    """The shape of every row (None = not located), the CRS if the columns' names tell it, and rows that could not be read.

    `columns` are those that hold the places.
    """

    shapes: np.ndarray[Any, Any]
    columns: tuple[str, ...] = ()
    crs: CRS | None = None
    basis: str = ""
    unread: list[int] = field(default_factory=list)


def find_places(frame: pd.DataFrame, *, name: str, x: str = "", y: str = "", wkt: str = "") -> Places:
    """The places in a table, from the columns named or, without names, from columns called as such columns are.

    Columns called longitude and latitude are degrees (EPSG:4326); of no other columns the CRS is known. A row of which
    the place cannot be read is unread, a row without one is not located.
    """
    absent = [each for each in (x, y, wkt) if each and each not in frame]
    if absent or bool(x) != bool(y):
        what = f"has no column {', '.join(absent)}" if absent else "needs both x and y"
        raise FieldError(f"{name} {what}", hint=f"it has {', '.join(map(str, frame.columns))}")
    if not (wkt or x):
        x, y, wkt = _likely_columns(frame)
    if wkt:
        return _from_wkt(frame[wkt])
    return _from_numbers(frame[x], frame[y]) if x else Places(np.full(len(frame), None, dtype=object))


def _likely_columns(frame: pd.DataFrame) -> tuple[str, str, str]:
    """The columns x, y and WKT by their names; empty where there are none."""
    folded = {str(column).strip().casefold(): str(column) for column in reversed(frame.columns)}
    lon, lat = _first(folded, LONGITUDES), _first(folded, LATITUDES)
    if lon and lat:
        return lon, lat, ""
    pair = next(((folded[a], folded[b]) for a, b in PAIRS if a in folded and b in folded), ("", ""))
    return *pair, "" if pair[0] else _first(folded, SHAPES)


def _first(folded: dict[str, str], names: Iterable[str]) -> str:
    return next((folded[each] for each in names if each in folded), "")


def _from_numbers(x: pd.Series, y: pd.Series) -> Places:
    at = np.stack([pd.to_numeric(each.astype(str).str.strip(), errors="coerce") for each in (x, y)], axis=1).astype(
        float
    )
    sound = np.isfinite(at).all(axis=1)
    said = np.array([any(str(cell).strip() for cell in pair) for pair in zip(x, y, strict=True)], dtype=bool)
    shapes = np.full(len(at), None, dtype=object)
    shapes[sound] = shapely.points(at[sound])
    degrees = str(x.name).casefold() in LONGITUDES and str(y.name).casefold() in LATITUDES
    basis = f"columns {x.name}, {y.name}" if degrees else ""
    unread = [int(row) for row in np.flatnonzero(said & ~sound)]
    return Places(shapes, (str(x.name), str(y.name)), LONLAT if degrees else None, basis, unread)


def _from_wkt(column: pd.Series) -> Places:
    texts = column.astype(str).str.strip()
    shapes = np.array([shapely.from_wkt(text or None, on_invalid="ignore") for text in texts], dtype=object)
    unread = (texts != "").to_numpy() & shapely.is_missing(shapes)
    return Places(shapes, (str(column.name),), unread=[int(row) for row in np.flatnonzero(unread)])
