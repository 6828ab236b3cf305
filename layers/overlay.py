"""The Town's own assertions laid over the imported facts: assets recorded or retired, owners recorded."""

from __future__ import annotations

from collections.abc import Mapping

import geopandas as gpd
import pandas as pd
import shapely
from pyproj import CRS

from layers.crs import LONLAT, to_crs
from layers.records import Record, Records
from layers.schema import schema

KINDS = ("asset_recorded", "asset_retired", "ownership_recorded")
TOUCHING_JOINS = (*KINDS, "link_confirmed")
"""Records that make the stored joins out of date."""


def lay_over(layers: Mapping[str, gpd.GeoDataFrame], records: Records, crs: CRS) -> dict[str, gpd.GeoDataFrame]:
    """The layers with the records of KINDS in force applied in the order of their entry; the given frames stay as they are."""
    laid = dict(layers)
    for record in records.of(*KINDS):
        layer, asset = _subject(record)
        frame = laid.get(layer, schema(layer).empty(crs))
        laid[layer] = _apply(frame.copy(), layer, asset, record, crs)
    return laid


def _subject(record: Record) -> tuple[str, str]:
    layer, _, asset = record.subject.partition(":")
    return layer or str(record.data["layer"]), asset or str(record.data["id"])


def _apply(frame: gpd.GeoDataFrame, layer: str, asset: str, record: Record, crs: CRS) -> gpd.GeoDataFrame:
    if record.kind == "asset_recorded":
        return _record_asset(frame, layer, asset, record, crs)
    if asset in frame.index:
        column, value = ("status", "abandoned") if record.kind == "asset_retired" else ("owner", record.data["owner"])
        frame.loc[asset, column] = value
    return frame


def _record_asset(frame: gpd.GeoDataFrame, layer: str, asset: str, record: Record, crs: CRS) -> gpd.GeoDataFrame:
    given = {name: value for name, value in (record.data.get("fields") or {}).items() if name in schema(layer).names}
    row = dict(frame.loc[asset]) if asset in frame.index else _blank(layer)
    row |= given
    row["source"] = f"register {record.seq}"
    if record.data.get("geometry"):
        place = gpd.GeoSeries([shapely.geometry.shape(record.data["geometry"])], crs=LONLAT)
        row["geometry"] = to_crs(place, crs).iloc[0]
    added = gpd.GeoDataFrame([row], index=pd.Index([asset], dtype="str", name=frame.index.name), crs=crs)
    rest = frame.drop(index=asset, errors="ignore")
    joined = (
        pd.concat([rest, added.reindex(columns=frame.columns)]) if len(rest) else added.reindex(columns=frame.columns)
    )
    return gpd.GeoDataFrame(joined, geometry="geometry", crs=crs)


def _blank(layer: str) -> dict[str, object]:
    empty: dict[str, object] = {"geometry": None}
    for each in schema(layer).fields:
        codes = "unknown" if "unknown" in each.codes or each.type == "yesno" else ""
        empty[each.name] = {"number": float("nan"), "integer": pd.NA, "date": None}.get(each.type, codes)
    return empty
