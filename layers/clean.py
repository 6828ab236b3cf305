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
MULTI = {"Point": shapely.MultiPoint, "LineString": shapely.MultiLineString, "Polygon": shapely.MultiPolygon}


@dataclass
class Notes:
    """What was done to which ids, by code; the codes stand in the order in which they came up."""

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
    ids = list(map(str, ids))
    if ids:
        table.setdefault(code, []).extend(ids)


@dataclass(frozen=True)
class Cleaned:
    """Shapes under unique ids (None = not located) and, on the same index, the id of the row that each comes from."""

    shapes: gpd.GeoSeries
    parents: pd.Series


def flatten(shapes: Shapes) -> tuple[npt.NDArray[np.float64], Shapes]:
    """The Z of points (NaN elsewhere), and every shape in two dimensions; empty shapes become None."""
    full = shapes.copy()
    full[shapely.is_empty(full)] = None
    return np.asarray(shapely.get_z(full), float), np.array(shapely.force_2d(full), dtype=object)


def is_finite(shapes: Shapes) -> npt.NDArray[np.bool_]:
    """Whether every coordinate of a shape is a number; False for None and for empty shapes."""
    fine = np.asarray(shapely.get_num_coordinates(shapes) > 0)
    coordinates, owner = shapely.get_coordinates(shapes, return_index=True)
    fine[owner[~np.isfinite(coordinates).all(axis=1)]] = False
    return fine


def clean_shapes(drawn: gpd.GeoSeries, target: Schema, tolerances: Tolerances, notes: Notes) -> Cleaned:
    """Finite 2-D shapes (index = unique ids, in the working CRS) as the layer takes them: valid, of its types, single.

    None stays None: the asset is there, its place is not known. Areas that cross themselves are mended by structure, so
    that a bow tie keeps both its wings; a shape of a type that the layer does not take is rejected; a line of several
    parts becomes one row a part, with ids `parent.1`, `parent.2` ….
    """
    shapes = _make_valid(drawn.to_numpy().copy(), drawn.index, tolerances, notes)
    shapes = _drop_repeats(shapes, drawn.index, notes)
    fitted, dropped = _fit(shapes, target)
    notes.repair("parts_dropped", drawn.index[dropped])
    wrong = shapely.is_missing(fitted) & ~shapely.is_missing(shapes)
    notes.reject("geometry_type", drawn.index[wrong])
    return _explode(gpd.GeoSeries(fitted[~wrong], index=drawn.index[~wrong], crs=drawn.crs), target, notes)


def _make_valid(shapes: Shapes, ids: pd.Index, tolerances: Tolerances, notes: Notes) -> Shapes:
    bad = np.flatnonzero(
        ~shapely.is_missing(shapes) & ~shapely.is_valid(shapes) & (shapely.get_dimensions(shapes) == 2)
    )
    if not len(bad):
        return shapes
    before = np.abs(shapely.area(shapes[bad]))
    shapes[bad] = [_mend(shape) for shape in shapes[bad]]
    after = shapely.area(shapes[bad])
    collapsed = after == 0
    changed = ~collapsed & (np.abs(after - before) > tolerances.area_change_share * np.maximum(before, after))
    notes.repair("made_valid", ids[bad[~changed & ~collapsed]])
    notes.repair("made_valid_area_changed", ids[bad[changed]])
    notes.repair("made_valid_collapsed", ids[bad[collapsed]])
    shapes[bad[collapsed]] = None
    return shapes


def _mend(shape: Any) -> Any:
    """The area by its structure; parts that GEOS leaves side by side along an edge, which is not valid, become one."""
    mended = shapely.make_valid(shape, method="structure", keep_collapsed=False)
    return mended if mended.is_valid else shapely.union_all(shapely.get_parts(mended))


def _drop_repeats(shapes: Shapes, ids: pd.Index, notes: Notes) -> Shapes:
    """Shapes without vertices that stand twice in a row; a line that is nothing else is left as it is."""
    lines = (shapely.get_dimensions(shapes) == 1) & (shapely.length(shapes) > 0)
    slim = shapely.remove_repeated_points(shapes, 0.0)
    fewer = lines & (shapely.get_num_coordinates(slim) < shapely.get_num_coordinates(shapes))
    notes.repair("repeated_vertices", ids[fewer])
    return np.where(fewer, slim, shapes)


def _fit(shapes: Shapes, target: Schema) -> tuple[Shapes, npt.NDArray[np.bool_]]:
    """Every shape in a type that the layer takes (lines and points of several parts still whole), or None.

    And which of them lost parts of another kind, as a collection of areas and lines does in a layer of areas.
    """
    single = {each.removeprefix("Multi") for each in target.geometry}
    fitted, dropped = np.full(len(shapes), None, dtype=object), np.zeros(len(shapes), dtype=bool)
    for at, shape in enumerate(shapes):
        if shape is None:
            continue
        parts = [part for part in _parts(shape) if part.geom_type in single]
        kinds = {part.geom_type for part in parts}
        if len(kinds) == 1:
            fitted[at] = parts[0] if len(parts) == 1 and kinds != {"Polygon"} else MULTI[kinds.pop()](parts)
            dropped[at] = len(parts) < len(_parts(shape))
    return fitted, dropped


def _parts(shape: Any) -> list[Any]:
    if shape.geom_type == "LinearRing":
        return [shapely.LineString(shape)]
    if not hasattr(shape, "geoms"):
        return [shape]
    return [part for each in shape.geoms for part in _parts(each) if not part.is_empty]


def _explode(shapes: gpd.GeoSeries, target: Schema, notes: Notes) -> Cleaned:
    """Several parts as one row a part, where the layer takes single parts only."""
    kinds = shapes.geom_type
    many = (kinds.isin(["MultiPoint", "MultiLineString"]) & ~kinds.isin(target.geometry)).to_numpy()
    parents = pd.Series(shapes.index, index=shapes.index, dtype="str")
    if not many.any():
        return Cleaned(shapes, parents)
    parts = shapes[many].explode()
    number, taken = parts.groupby(level=0).cumcount() + 1, set(shapes.index)
    children = [free_id(f"{parent}.{count}", taken) for parent, count in zip(parts.index, number, strict=True)]
    notes.parents.extend(map(str, shapes.index[many]))
    notes.children.extend(children)
    parents = pd.concat([parents[~many], pd.Series(parts.index, index=pd.Index(children, dtype="str"), dtype="str")])
    parts.index = pd.Index(children, dtype="str")
    return Cleaned(gpd.GeoSeries(pd.concat([shapes[~many], parts]), crs=shapes.crs), parents)


def free_id(wanted: str, taken: set[str]) -> str:
    """The id wanted, or with the first `#2`, `#3` … that nobody has; it is taken from then on.

    >>> free_id("CB-1#2", {"CB-1", "CB-1#2"})
    'CB-1#2#2'
    """
    made, number = wanted, 1
    while made in taken:
        number += 1
        made = f"{wanted}#{number}"
    taken.add(made)
    return made
