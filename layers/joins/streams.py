"""The stream network: which water flows into which, as recorded, by common nodes, as drawn, and through lakes."""

from __future__ import annotations

from collections.abc import Mapping

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely
from pyproj import CRS

from layers.crs import feet_per_unit
from layers.tolerances import Tolerances

COLUMNS = ("from_segment", "to_segment", "method", "distance_ft", "confidence", "x", "y")
METHODS = ("recorded", "nodes", "drawn", "lake")
"""How it is known that one water flows into another; what comes first is kept where two say so."""
TOLD = ("recorded", "nodes")
"""Methods that state the flow, whichever way a line is drawn."""
PAIRS = ("from", "to", "method", "x", "y")

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Shapes = npt.NDArray[np.object_]


def link_streams(layers: Mapping[str, gpd.GeoDataFrame], *, crs: CRS, tolerances: Tolerances) -> pd.DataFrame:
    """Links water → water downstream, columns COLUMNS, one row a pair; several at a braid, and loops stay loops.

    `recorded`: `to_segment`; else `nodes`: `to_node` is the other's `from_node` (as in NHDPlus); else `drawn`: the line's
    lower end lies on another line. `lake`: a line that leads into or across a polygon passes on to it, and the polygon to
    the lines that leave it. Lines flow as drawn unless a recorded link leaves at their first end. `distance_ft`: the gap
    between the two as drawn (not a number: one is not located); x, y: where the water leaves the first, in the town's CRS.
    """
    waters = layers.get("waters")
    if waters is None or not len(waters):
        return pd.DataFrame({name: [] for name in COLUMNS})
    return _Waters(waters, feet_per_unit(crs), tolerances).link()


def turned_lines(shapes: Shapes, start: Ints, place: Shapes) -> Bools:
    """Which lines flow against the way they are drawn: told links (from `start`, at `place`) leave at their first end."""
    lines = only(is_line(shapes), shapes)[start]
    leaves_high = shapely.line_locate_point(lines, place) > shapely.length(lines) / 2
    turned = np.zeros(len(shapes), bool)
    turned[start[~leaves_high & ~shapely.is_missing(lines)]] = True
    turned[start[leaves_high]] = False
    return turned


def is_line(shapes: Shapes) -> Bools:
    """Which shapes are lines, rather than lakes or not located."""
    return np.isin(shapely.get_type_id(shapes), (1, 5))


def is_lake(shapes: Shapes) -> Bools:
    """Which shapes are polygons."""
    return np.isin(shapely.get_type_id(shapes), (3, 6))


def only(keep: Bools, shapes: Shapes) -> Shapes:
    """The shapes to keep in their places, None in the others'."""
    kept = np.full(len(shapes), None, object)
    kept[keep] = shapes[keep]
    return kept


def place_of(links: pd.DataFrame) -> Shapes:
    """Where each link leaves its first water, as a point; None where that is not known."""
    known = links["x"].notna().to_numpy()
    place = np.full(len(links), None, object)
    place[known] = shapely.points(links.loc[known, ["x", "y"]].to_numpy(float))
    return place


class _Waters:
    """The waters of a town, ready to be asked which flows into which."""

    def __init__(self, waters: gpd.GeoDataFrame, feet: float, tolerances: Tolerances) -> None:
        self.ids = waters.index.to_numpy(object)
        self.told = {name: waters[name].to_numpy(object) for name in ("to_segment", "from_node", "to_node")}
        self.shapes: Shapes = waters.geometry.to_numpy()
        self.lines, self.lakes = np.flatnonzero(is_line(self.shapes)), np.flatnonzero(is_lake(self.shapes))
        self.sure, self.near = tolerances.snap_ft / feet, tolerances.snap_doubtful_ft / feet
        self.feet = feet

    def link(self) -> pd.DataFrame:
        """Every link, told ones first."""
        told = self._recorded()
        told = pd.concat([told, self._by_nodes(np.unique(told["from"]))], ignore_index=True)
        first, last = self._ends(told[told["x"].notna()])
        is_told = np.isin(np.arange(len(self.ids)), told["from"])
        drawn = self._drawn(first, last, is_told)
        lakes = self._through_lakes(first, last, is_told)
        pairs = pd.concat([told, drawn, lakes], ignore_index=True).drop_duplicates(["from", "to"])
        return self._described(pairs)

    # -- 1. what is told

    def _recorded(self) -> pd.DataFrame:
        to = pd.Index(self.ids).get_indexer(pd.Index(self.told["to_segment"]))
        start = np.flatnonzero((to >= 0) & (to != np.arange(len(to))))
        return self._at_junctions(start, to[start], "recorded")

    def _by_nodes(self, recorded: Ints) -> pd.DataFrame:
        start = pd.DataFrame({"node": self.told["to_node"], "from": np.arange(len(self.ids))})
        end = pd.DataFrame({"node": self.told["from_node"], "to": np.arange(len(self.ids))})
        free = start[(start["node"] != "") & ~start["from"].isin(recorded)]
        met = free.merge(end, on="node").query("`from` != `to`")
        return self._at_junctions(met["from"].to_numpy(np.int64), met["to"].to_numpy(np.int64), "nodes")

    def _at_junctions(self, start: Ints, to: Ints, method: str) -> pd.DataFrame:
        """Pairs with the place where the first meets the second: an end of a line that is near it, else the nearest point."""
        one, other = self.shapes[start], self.shapes[to]
        shortest = shapely.get_point(shapely.shortest_line(one, other), 0)
        both = np.stack([_end(one, 0), _end(one, -1)])
        gaps = shapely.distance(both, other)
        nearer = np.where(gaps[0] < gaps[1], 0, 1)
        at_end = np.fmin(gaps[0], gaps[1]) <= self.near
        place = np.where(at_end, both[nearer, np.arange(len(start))], shortest)
        inside = at_end & is_lake(other)
        place[inside] = self._boundary(one[inside], other[inside], nearer[inside])
        return _pairs(start, to, method, place)

    def _boundary(self, lines: Shapes, lakes: Shapes, end: Ints) -> Shapes:
        """Where lines that end in a lake (0: with their first point) come to its shore; that end itself where they do not."""
        low, high = _crossings(lines, lakes)
        own = np.where(end == 0, 0.0, shapely.length(lines))
        along = np.where(end == 0, high, low)
        return _at(lines, along, shapely.line_interpolate_point(lines, own))

    # -- 2. what the drawing says

    def _ends(self, told: pd.DataFrame) -> tuple[Shapes, Shapes]:
        """The upper and the lower end of every line, in the direction of the flow."""
        turned = turned_lines(self.shapes, told["from"].to_numpy(np.int64), place_of(told))
        first, last = _end(self.shapes, 0), _end(self.shapes, -1)
        return np.where(turned, last, first), np.where(turned, first, last)

    def _drawn(self, first: Shapes, last: Shapes, is_told: Bools) -> pd.DataFrame:
        """Lines whose lower end lies on another line, unless that ends there too; the nearer band of snapping goes first."""
        free = self.lines[~is_told[self.lines]]
        which, other = shapely.STRtree(self.shapes[self.lines]).query(last[free], "dwithin", self.near)
        start, to = free[which], self.lines[other]
        gap = shapely.distance(last[start], self.shapes[to])
        open_ = (start != to) & (shapely.distance(last[start], last[to]) > np.maximum(gap, self.sure))
        surest = pd.Series(np.where(open_, gap, np.inf)).groupby(start).transform("min").to_numpy()
        keep = open_ & ((gap <= self.sure) | (surest > self.sure))
        return _pairs(start[keep], to[keep], "drawn", last[start[keep]])

    def _through_lakes(self, first: Shapes, last: Shapes, is_told: Bools) -> pd.DataFrame:
        """Lines into the lakes that they end in or cross, and out of lakes with nothing told into the lines that leave them."""
        which, other = shapely.STRtree(self.shapes[self.lakes]).query(self.shapes[self.lines], "dwithin", self.near)
        line, lake = self.lines[which], self.lakes[other]
        begins, ends = (shapely.distance(end[line], self.shapes[lake]) <= self.near for end in (first, last))
        crosses = ~begins & ~ends & shapely.crosses(self.shapes[line], self.shapes[lake])
        into, out = ends | crosses, (begins & ~ends) | crosses
        out &= ~is_told[lake]
        enters, leaves = self._shores(line, lake, first, last)
        return pd.concat(
            [
                _pairs(line[into], lake[into], "lake", enters[into]),
                _pairs(lake[out], line[out], "lake", leaves[out]),
            ],
            ignore_index=True,
        )

    def _shores(self, line: Ints, lake: Ints, first: Shapes, last: Shapes) -> tuple[Shapes, Shapes]:
        """Where each line comes to the lake and where it leaves that; where it does not cross the shore, what is nearest."""
        lines, lakes = self.shapes[line], self.shapes[lake]
        low, high = _crossings(lines, lakes)
        as_drawn = shapely.line_locate_point(lines, first[line]) <= shapely.length(lines) / 2
        beside = shapely.get_point(shapely.shortest_line(lakes, first[line]), 0)
        enters = _at(lines, np.where(as_drawn, low, high), last[line])
        return enters, _at(lines, np.where(as_drawn, high, low), beside)

    # -- 3. the table

    def _described(self, pairs: pd.DataFrame) -> pd.DataFrame:
        start, to = pairs["from"].to_numpy(np.int64), pairs["to"].to_numpy(np.int64)
        gap = shapely.distance(place_of(pairs), self.shapes[to])
        guessed = ~pairs["method"].isin(TOLD).to_numpy() & (gap > self.sure)
        columns = {
            "from_segment": self.ids[start],
            "to_segment": self.ids[to],
            "method": pairs["method"].to_numpy(object),
            "distance_ft": np.round(gap * self.feet, 1),
            "confidence": np.where(guessed, "possible", "probable"),
            "x": pairs["x"].to_numpy(float),
            "y": pairs["y"].to_numpy(float),
        }
        return pd.DataFrame({name: columns[name] for name in COLUMNS})


def _pairs(start: Ints, to: Ints, method: str, place: Shapes) -> pd.DataFrame:
    """Rows PAIRS; a place that is not known is not a number."""
    known = np.flatnonzero(~shapely.is_missing(place))
    xy = np.full((len(start), 2), np.nan)
    xy[known] = shapely.get_coordinates(place[known])
    return pd.DataFrame({"from": start, "to": to, "method": method, "x": xy[:, 0], "y": xy[:, 1]})


def _end(shapes: Shapes, which: int) -> Shapes:
    """The first (0) or last (-1) point of lines of one or more parts; None for what is no line."""
    part = shapely.get_geometry(shapes, which)
    return only(is_line(shapes), shapely.get_point(part, which))


def _at(lines: Shapes, along: Floats, otherwise: Shapes) -> Shapes:
    """The point so far along each line, or the other one where that is not a number."""
    return np.where(np.isnan(along), otherwise, shapely.line_interpolate_point(lines, np.nan_to_num(along)))


def _crossings(lines: Shapes, lakes: Shapes) -> tuple[Floats, Floats]:
    """How far along each line it first and last meets the lake's shore; not a number where it does not."""
    low, high = np.full(len(lines), np.inf), np.full(len(lines), -np.inf)
    met = shapely.intersection(lines, shapely.boundary(lakes))
    points, pair = shapely.get_coordinates(met, return_index=True)
    along = shapely.line_locate_point(lines[pair], shapely.points(points))
    np.minimum.at(low, pair, along)
    np.maximum.at(high, pair, along)
    none = ~np.isfinite(low)
    return np.where(none, np.nan, low), np.where(none, np.nan, high)
