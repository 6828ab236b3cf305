"""Geometry as it must be, with a record of every repair, rejection and explosion; nothing is dropped unsaid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely

from layers.schema import Schema
from layers.tolerances import Tolerances

Shapes = npt.NDArray[np.object_]
PARTS = {"MultiPoint": "Point", "MultiLineString": "LineString", "MultiPolygon": "Polygon"}


@dataclass
class Notes:
    """What was done to which ids, by code; `order` of the codes is the order in which they came up."""

    repaired: dict[str, list[str]] = field(default_factory=dict)
    rejected: dict[str, list[str]] = field(default_factory=dict)
    parents: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)

    def repair(self, code: str, ids: Iterable[str]) -> None:
        """Records that rows were mended."""
        _note(self.repaired, code, ids)

    def reject(self, code: str, ids: Iterable[str]) -> None:
        """Records that rows were not kept."""
        _note(self.rejected, code, ids)


def _note(table: dict[str, list[str]], code: str, ids: Iterable[str]) -> None:
    ids = list(ids)
    if ids:
        table.setdefault(code, []).extend(ids)


def clean_geometry(frame: gpd.GeoDataFrame, target: Schema, tolerances: Tolerances, notes: Notes) -> gpd.GeoDataFrame:
    """The rows with 2-D, finite, valid geometry of a type that the layer takes; index (ids) kept, multi-part lines exploded.

    Null and empty geometry is kept as None: the asset is there, its place is not known.
    """
    frame = frame.copy()
    shapes = frame.geometry.to_numpy()
    missing = shapely.is_missing(shapes) | shapely.is_empty(shapes)
    frame["z_drawn"], shapes = _flatten(shapes)
    shapes[missing] = None
    broken = ~missing & ~_finite(shapes)
    notes.repair("not_finite", frame.index[broken])
    shapes[broken] = None
    shapes = _make_valid(shapes, frame.index, tolerances, notes)
    shapes = _drop_repeats(shapes, frame.index, notes)
    frame = frame.set_geometry(
        gpd.GeoSeries([_fit(shape, target) for shape in shapes], index=frame.index, crs=frame.crs)
    )
    wrong = frame.geometry.isna().to_numpy() & ~shapely.is_missing(shapes)
    notes.reject("geometry_type", frame.index[wrong])
    return _explode(frame[~wrong], target, notes)


def _flatten(shapes: Shapes) -> tuple[npt.NDArray[np.float64], Shapes]:
    """The Z of points (NaN elsewhere), and every shape in two dimensions."""
    z = shapely.get_z(shapes)
    return np.asarray(z, float), np.array(shapely.force_2d(shapes), dtype=object)


def _finite(shapes: Shapes) -> npt.NDArray[np.bool_]:
    bounds = shapely.bounds(shapes)
    coordinates, owner = shapely.get_coordinates(shapes, return_index=True)
    fine = np.isfinite(bounds).all(axis=1)
    fine[owner[~np.isfinite(coordinates).all(axis=1)]] = False
    return np.asarray(fine, bool)


def _make_valid(shapes: Shapes, ids: pd.Index, tolerances: Tolerances, notes: Notes) -> Shapes:
    bad = ~shapely.is_missing(shapes) & ~shapely.is_valid(shapes) & (shapely.get_dimensions(shapes) == 2)
    if not bad.any():
        return shapes
    before = np.abs(shapely.area(shapes[bad]))
    mended = shapely.make_valid(shapes[bad], method="structure", keep_collapsed=False)
    after = shapely.area(mended)
    changed = np.abs(after - before) > tolerances.area_change_share * np.maximum(before, after)
    where = np.flatnonzero(bad)
    notes.repair("made_valid", ids[where[~changed]])
    notes.repair("made_valid_area_changed", ids[where[changed]])
    shapes = shapes.copy()
    shapes[bad] = mended
    return shapes


def _drop_repeats(shapes: Shapes, ids: pd.Index, notes: Notes) -> Shapes:
    """Shapes without vertices that stand twice in a row; a line that is nothing else is left as it is."""
    lines = shapely.get_dimensions(shapes) == 1
    slim = shapely.remove_repeated_points(shapes, 0.0)
    fewer = (
        lines & (shapely.get_num_coordinates(slim) < shapely.get_num_coordinates(shapes)) & (shapely.length(shapes) > 0)
    )
    notes.repair("repeated_vertices", ids[fewer])
    return np.where(fewer, slim, shapes)


def _fit(shape: Any, target: Schema) -> Any:
    """The shape in a type that the layer takes (multi-part still whole), or None."""
    if shape is None:
        return None
    kind = shape.geom_type
    single = {each.removeprefix("Multi") for each in target.geometry}
    if kind == "LinearRing":
        shape, kind = shapely.LineString(shape), "LineString"
    if kind == "GeometryCollection":
        parts = [part for part in shape.geoms if part.geom_type.removeprefix("Multi") in single]
        shape = shapely.union_all(parts) if parts else None
        kind = shape.geom_type if shape is not None else ""
    if kind.removeprefix("Multi") not in single:
        return None
    if kind == "Polygon":
        return shapely.MultiPolygon([shape])
    if kind in PARTS and kind != "MultiPolygon" and len(shape.geoms) == 1:
        return shape.geoms[0]
    return shape


def _explode(frame: gpd.GeoDataFrame, target: Schema, notes: Notes) -> gpd.GeoDataFrame:
    """Multi-part rows as one row a part, with ids `parent.1`, `parent.2` …, where the layer takes single parts only."""
    kinds = frame.geom_type
    many = kinds.isin(["MultiPoint", "MultiLineString"]) & ~kinds.isin(target.geometry)
    if not many.any():
        return frame
    parts = frame[many].explode()
    number = parts.groupby(level=0).cumcount() + 1
    children = parts.index.astype("str") + "." + number.astype("str").to_numpy()
    notes.parents.extend(map(str, frame.index[many]))
    notes.children.extend(map(str, children))
    parts.index = pd.Index(children, dtype="str", name=frame.index.name)
    return gpd.GeoDataFrame(pd.concat([frame[~many], parts]), crs=frame.crs)
