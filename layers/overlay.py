"""The Town's own assertions laid over the imported facts: assets recorded or retired, owners recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from pyproj import CRS

from layers.clean import Notes, clean_shapes, is_finite
from layers.conform import blank, conform
from layers.crosswalk import Target
from layers.crs import LONLAT, to_crs
from layers.errors import FieldError, RegisterError
from layers.records import Record, Records
from layers.schema import Schema, schema
from layers.tolerances import Tolerances

KINDS = ("asset_recorded", "asset_retired", "ownership_recorded", "proposal_accepted")
TOUCHING_JOINS = (*KINDS, "link_confirmed")
"""Records that make the stored joins out of date."""


def lay_over(layers: Mapping[str, gpd.GeoDataFrame], records: Records, crs: CRS) -> dict[str, gpd.GeoDataFrame]:
    """The layers with the records of KINDS in force applied in the order of their entry; the given frames stay as they are."""
    laid = dict(layers)
    for record in records.of(*KINDS):
        layer, asset = _subject(record)
        frame = laid.get(layer, schema(layer).empty(crs))
        laid[layer] = _apply(frame.copy(), layer, asset, record, crs, laid)
    return laid


def turned_lines(records: Records) -> set[tuple[str, str]]:
    """Layer and id of the lines of which it was accepted that water runs the other way than record and drawing say."""
    turned: set[tuple[str, str]] = set()
    for record in records.of("proposal_accepted"):
        if record.data["proposal"] == "turn":
            turned ^= {_subject(record)}
    return turned


def _join(
    frame: gpd.GeoDataFrame, asset: str, record: Record, laid: Mapping[str, gpd.GeoDataFrame]
) -> gpd.GeoDataFrame:
    """A line drawn on, by its nearer end, to what it was accepted to join; other proposals change no asset."""
    layer, _, other = str(record.data.get("to") or "").partition(":")
    if (
        record.data["proposal"] != "join"
        or layer not in laid
        or other not in laid[layer].index
        or asset not in frame.index
    ):
        return frame
    line, target = frame.geometry[asset], laid[layer].geometry[other]
    if line is None or target is None or line.geom_type != "LineString":
        return frame
    at = shapely.get_coordinates(line)
    first, last = (shapely.shortest_line(shapely.Point(end), target) for end in (at[0], at[-1]))
    reached = [shapely.get_coordinates(way)[-1] for way in (first, last)]
    drawn = [reached[0], *at] if first.length < last.length else [*at, reached[1]]
    frame.loc[asset, "geometry"] = shapely.LineString(drawn)
    return frame


def _subject(record: Record) -> tuple[str, str]:
    layer, _, asset = record.subject.partition(":")
    return layer or str(record.data["layer"]), asset or str(record.data["id"])


def _apply(
    frame: gpd.GeoDataFrame,
    layer: str,
    asset: str,
    record: Record,
    crs: CRS,
    laid: Mapping[str, gpd.GeoDataFrame],
) -> gpd.GeoDataFrame:
    if record.kind == "asset_recorded":
        return _record_asset(frame, layer, asset, record, crs)
    if record.kind == "proposal_accepted":
        return _join(frame, asset, record, laid)
    if asset in frame.index:
        column, value = ("status", "abandoned") if record.kind == "asset_retired" else ("owner", record.data["owner"])
        frame.loc[asset, column] = value
    return frame


def _record_asset(frame: gpd.GeoDataFrame, layer: str, asset: str, record: Record, crs: CRS) -> gpd.GeoDataFrame:
    known = schema(layer)
    before = dict(frame.loc[asset]) if asset in frame.index else {each.name: blank(each) for each in known.fields}
    try:
        given = read_asset(layer, record.data, crs)
    except FieldError as fault:
        raise RegisterError(f"event {record.seq}: {fault.text}", hint="supersede that event") from fault
    row = {"geometry": None} | before | given | {"source": f"register {record.seq}"}
    added = gpd.GeoDataFrame([row], index=pd.Index([asset], dtype="str", name=known.id), geometry="geometry", crs=crs)
    added = added.reindex(columns=frame.columns)
    rest = frame.drop(index=asset, errors="ignore")
    return gpd.GeoDataFrame(pd.concat([rest, added]) if len(rest) else added, geometry="geometry", crs=crs)


def read_asset(layer: str, data: Mapping[str, Any], crs: CRS) -> dict[str, Any]:
    """The fields and the geometry (in `crs`) that an `asset_recorded` event gives, or a FieldError with every fault.

    Values are read as an import reads them; the geometry is GeoJSON in EPSG:4326 and must fit the layer.
    """
    known, faults, row = schema(layer), [], {}
    for name, value in (data.get("fields") or {}).items():
        if name not in known.names:
            faults.append(f"{layer} has no field {name!r}")
            continue
        unread: Counter[str] = Counter()
        row[name] = conform(pd.Series([value], dtype=object), known.field(name), Target(layer), unread).iloc[0]
        faults += [f"{name} cannot be {text!r}" for text in unread]
    if data.get("geometry"):
        try:
            row["geometry"] = _read_geometry(data["geometry"], known, crs)
        except (ValueError, TypeError, KeyError, AttributeError, shapely.errors.ShapelyError) as fault:
            faults.append(f"its geometry is no sound GeoJSON in EPSG:4326 for this layer: {fault}")
    if faults:
        raise FieldError(
            f"asset_recorded, {layer}: {'; '.join(faults)}", hint="see docs/layers.md for the fields and codes"
        )
    return row


def _read_geometry(given: Any, known: Schema, crs: CRS) -> shapely.Geometry:
    shape = shapely.force_2d(shapely.geometry.shape(given))
    if not is_finite(np.array([shape], dtype=object)).all():
        raise ValueError("a coordinate is no number")
    placed, notes = to_crs(gpd.GeoSeries([shape], index=["asset"], crs=LONLAT), crs), Notes()
    shapes = clean_shapes(placed, known, Tolerances(), notes).shapes.dropna()
    if notes.rejected or notes.repaired or len(shapes) != 1:
        raise ValueError(f"a {shape.geom_type} where {' or '.join(known.geometry)} is wanted, valid and in one part")
    return shapes.iloc[0]
