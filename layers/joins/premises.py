"""Premises and what they drain to: which lots a structure lies in or fronts, and which drains are on record."""

from __future__ import annotations

from collections.abc import Mapping

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely
from pyproj import CRS

from layers.crs import feet_per_unit
from layers.joins.outlines import Outlines
from layers.tolerances import Tolerances

COLUMNS = ("premises_key", "layer", "asset_id", "method", "distance_ft", "confidence", "source")
DRAINED = ("catch_basins", "manholes", "outfalls", "ditches")
"""The layers that take in water from the lots beside them."""


def premises_of_lots(parcels: gpd.GeoDataFrame) -> pd.Series[str]:
    """For each lot the key of its premises: its own, or for a stack of identical lots (condominium) the first key.

    Index = lot key. Identical means the same polygon to 0.01 of the CRS unit.
    """
    key = pd.Series(parcels.index.astype("str"), index=parcels.index, name="premises_key", dtype="str")
    box = pd.DataFrame(np.round(shapely.bounds(parcels.geometry.to_numpy()), 2), index=parcels.index)
    alike = box.notna().all(axis=1) & box.duplicated(
        keep=False
    )  # most lots have a box of their own: ask no more of them
    shape = shapely.normalize(shapely.set_precision(parcels.geometry[alike].to_numpy(), 0.01))
    key[alike] = key[alike].groupby(shapely.to_wkb(shape)).transform("min")
    return key


def link_premises(layers: Mapping[str, gpd.GeoDataFrame], *, crs: CRS, tolerances: Tolerances) -> pd.DataFrame:
    """Links premises → asset, columns COLUMNS, one row a candidate: ties and lot lines are several rows.

    Premises are a lot (or a stack of identical lots) with its frontage (§ 194-3): a structure within a lot is linked
    `within`; on a lot line to all lots there (`lot line`); otherwise to the lots that it fronts on its side of the road
    within `frontage_ft` (`frontage`). A ditch is linked to every lot that it fronts. Drains on record are `recorded`.
    """
    parcels = layers.get("parcels")
    premises = None if parcels is None else premises_of_lots(parcels)
    found = [_recorded(layers, premises)]
    if parcels is not None and premises is not None and len(parcels):
        single = parcels[(premises == parcels.index) & parcels.geometry.notna()]
        lots = _Lots(single, layers.get("roads"), feet_per_unit(crs), tolerances)
        for layer in DRAINED:
            frame = layers.get(layer)
            if frame is not None and len(frame):
                found.append(lots.link(frame, layer))
    return pd.concat(found, ignore_index=True)[list(COLUMNS)]


def _recorded(layers: Mapping[str, gpd.GeoDataFrame], premises: pd.Series[str] | None) -> pd.DataFrame:
    drains = layers.get("drains")
    if drains is None or not len(drains):
        return pd.DataFrame({name: [] for name in COLUMNS})
    named = drains[drains["premises_key"] != ""]
    key = named["premises_key"]
    if premises is not None:
        key = key.map(premises).fillna(key)
    return pd.DataFrame(
        {
            "premises_key": key.to_numpy(object),
            "layer": "drains",
            "asset_id": named.index.to_numpy(object),
            "method": "recorded",
            "distance_ft": 0.0,
            "confidence": "probable",
            "source": named["source"].to_numpy(object),
        }
    )


class _Lots:
    """The located lots of a town, one a premises, ready to be asked what lies in or beside them."""

    def __init__(
        self, single: gpd.GeoDataFrame, roads: gpd.GeoDataFrame | None, feet: float, tolerances: Tolerances
    ) -> None:
        self.keys = single.index.to_numpy(object)
        self.shapes = single.geometry.to_numpy()
        self.tree = shapely.STRtree(self.shapes)
        self.outlines = Outlines.of(self.shapes)
        lines = roads.geometry.dropna().to_numpy() if roads is not None else np.array([], object)
        self.roads = shapely.STRtree(lines)
        self.feet, self.tolerances = feet, tolerances

    def link(self, frame: gpd.GeoDataFrame, layer: str) -> pd.DataFrame:
        """The links of one layer's located rows."""
        located = frame[frame.geometry.notna()]
        shapes = located.geometry.to_numpy()
        pairs = self._pairs_of_lines(shapes) if layer == "ditches" else self._pairs_of_points(shapes)
        pairs = pairs[~self._across_road(shapes, pairs)]
        chosen = self._fronted(pairs) if layer == "ditches" else self._chosen(pairs)
        return pd.DataFrame(
            {
                "premises_key": self.keys[chosen["lot"]],
                "layer": layer,
                "asset_id": located.index.to_numpy(object)[chosen["asset"]],
                "method": chosen["method"].to_numpy(object),
                "distance_ft": chosen["distance_ft"].round(1).to_numpy(float),
                "confidence": chosen["confidence"].to_numpy(object),
                "source": "drawing",
            }
        ).reset_index(drop=True)

    def _pairs_of_lines(self, shapes: npt.NDArray[np.object_]) -> pd.DataFrame:
        """Line and lot of every pair within `frontage_ft`, with the distance."""
        line, lot = self.tree.query(shapes, predicate="dwithin", distance=self.tolerances.frontage_ft / self.feet)
        gap = shapely.distance(shapes[line], self.shapes[lot]) * self.feet
        return pd.DataFrame({"asset": line, "lot": lot, "distance_ft": gap})

    def _pairs_of_points(self, shapes: npt.NDArray[np.object_]) -> pd.DataFrame:
        """Point and lot of every pair within `frontage_ft`, with the distance to the lot and to its line."""
        at, near = shapely.get_coordinates(shapes), self.tolerances.frontage_ft / self.feet
        point, lot = self.tree.query(shapely.box(*(at - near).T, *(at + near).T))
        edge, inside = self.outlines.measure(at[point], lot)
        pairs = pd.DataFrame({"asset": point, "lot": lot, "edge_ft": edge * self.feet})
        pairs["distance_ft"] = np.where(inside, 0.0, pairs["edge_ft"])
        return pairs[inside | (edge <= near * (1 + 1e-9))].reset_index(drop=True)

    def _across_road(self, shapes: npt.NDArray[np.object_], pairs: pd.DataFrame) -> npt.NDArray[np.bool_]:
        """Pairs whose shortest way crosses a road's centre line: the lot fronts the other side."""
        across = np.zeros(len(pairs), bool)
        apart = np.flatnonzero(pairs["distance_ft"].to_numpy() > self.tolerances.lot_line_ft)
        if not len(self.roads.geometries) or not len(apart):
            return across
        rows = pairs.iloc[apart]
        way = shapely.shortest_line(shapes[rows["asset"]], self.shapes[rows["lot"]])
        crossing, _ = self.roads.query(way, predicate="crosses")
        across[apart[np.unique(crossing)]] = True
        return across

    def _chosen(self, pairs: pd.DataFrame) -> pd.DataFrame:
        """For each point the lots on whose common line it lies, else the lot around it, else the lots that it fronts."""
        pairs = pairs.copy()
        near_line = pairs["distance_ft"] <= self.tolerances.lot_line_ft
        shared = near_line.groupby(pairs["asset"]).transform("sum") > 1
        nearest = pairs.groupby("asset")["distance_ft"].transform("min")
        tied = pairs["distance_ft"] <= nearest + self.tolerances.frontage_tie_ft
        pairs = pairs[np.where(shared, near_line, np.where(nearest == 0, pairs["distance_ft"] == 0, tied))]
        several = (pairs.groupby("asset")["lot"].transform("size") > 1).to_numpy()
        on_line = several & (pairs["edge_ft"] <= self.tolerances.lot_line_ft)
        pairs["method"] = np.where(on_line, "lot line", np.where(pairs["distance_ft"] == 0, "within", "frontage"))
        pairs["confidence"] = np.where(several, "possible", "probable")
        return pairs

    def _fronted(self, pairs: pd.DataFrame) -> pd.DataFrame:
        """For a line every lot that it crosses or fronts."""
        method = np.where(pairs["distance_ft"] == 0, "within", "frontage")
        return pairs.assign(method=method, confidence="possible")
