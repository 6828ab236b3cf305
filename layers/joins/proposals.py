"""What may mend a place where lines end and no outfall is: proposals to be looked at, never facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from scipy.spatial import cKDTree

from layers.crs import LONLAT, feet_per_unit, to_crs
from layers.joins.network import Network
from layers.joins.ranking import Bools
from layers.joins.turns import Turns, propose_turns
from layers.schema import schema
from layers.settings import Settings

JOIN_FT = 15.0
"""An end may belong to what lies this near: further than ends are joined, nearer than two structures usually stand."""
EDGE_FT = 100.0
"""A line that ends this near to the edge of the mapped area is taken to lead out of it; about two widths of a road."""


class Joined(Protocol):
    """What is asked of a town here: its layers and its joins."""

    @property
    def settings(self) -> Settings: ...  # noqa: D102
    @property
    def layers(self) -> Mapping[str, gpd.GeoDataFrame]: ...  # noqa: D102
    @property
    def premises_links(self) -> pd.DataFrame: ...  # noqa: D102
    @property
    def water_links(self) -> pd.DataFrame: ...  # noqa: D102
    @property
    def network(self) -> Network: ...  # noqa: D102


@dataclass(frozen=True)
class Proposal:
    """What may mend a dead end: kind (`join`, `turn`, `outfall`, `interconnection`, `look`), text, and to what, how far."""

    kind: str
    text: str
    to: str = ""
    distance_ft: float = float("nan")


class Adviser:
    """Proposes what may mend a dead end, from what lies near it."""

    def __init__(self, town: Joined, served: Bools) -> None:
        self.town, self.network, self.served = town, town.network, served
        self.feet = feet_per_unit(town.settings.crs)
        self.tolerances = town.settings.tolerances
        self.component = self.network.components().to_numpy()
        self.shapes = self.network.nodes.geometry.to_numpy()

    @cached_property
    def lines_to(self) -> Mapping[int, list[int]]:
        """For each node the carrying storm edges that lead to it."""
        ways = self.network.adjacency("up", sewers=False)
        ends = np.flatnonzero(np.diff(ways.start))
        return {int(node): [edge for edge, _ in ways.around(int(node))] for node in ends}

    @cached_property
    def turns(self) -> Turns:
        """For each node the way to an outfall with the fewest turned lines."""
        return propose_turns(self.network)

    def propose(self, nodes: list[int]) -> list[Proposal]:
        """The likeliest mending of each dead end; of several reasons the one that leaves least to guess goes first."""
        joins, edge, waters = self._joins(nodes), self._to_edge(nodes), self._waters(nodes)
        return [
            joins.get(node)
            or (len(self.lines_to[node]) > 1 and self._turn(node))  # lines that meet head on: one is drawn backwards
            or (gap <= EDGE_FT and _leaves(gap))
            or waters.get(node)
            or self._turn(node)
            or Proposal("look", "go there and see where the water goes on")
            for node, gap in zip(nodes, edge, strict=True)
        ]

    def _joins(self, nodes: list[int]) -> dict[int, Proposal]:
        """A join to the nearest place within JOIN_FT that reaches an outfall, else to the nearest of another piece."""
        places = np.flatnonzero(self._joinable())
        if not len(places) or not nodes:
            return {}
        tree = cKDTree(shapely.get_coordinates(self.shapes[places]))
        reach = JOIN_FT / self.feet
        near = tree.query_ball_point(shapely.get_coordinates(self.shapes[nodes]), reach)
        found = {}
        for node, around in zip(nodes, near, strict=True):
            others = [each for each in places[around].tolist() if self._is_elsewhere(each, node)]
            if others:
                gaps = shapely.distance(self.shapes[others], self.shapes[node]) * self.feet
                gap, best = min(zip(gaps.tolist(), others, strict=True), key=lambda at: (not self.served[at[1]], *at))
                layer, asset = self._name(best)
                text = f"join it to {schema(layer).one} {asset}, {gap:.1f} ft away, if they meet on the ground"
                found[node] = Proposal("join", text, f"{layer}:{asset}", round(gap, 1))
        return found

    def _joinable(self) -> Bools:
        """Places with a storm line, or with a structure that no line meets."""
        place = self.network.nodes["place"].to_numpy(np.int64)
        storm, other = self.network.adjacency("up", sewers=False), self.network.adjacency("up", sewers=True)
        out, other_out = self.network.adjacency("down", sewers=False), self.network.adjacency("down", sewers=True)
        lined = (np.diff(storm.start) + np.diff(out.start)) > 0
        sewered = (np.diff(other.start) + np.diff(other_out.start)) > 0
        structure = (self.network.nodes["asset_id"] != "").to_numpy()
        return np.asarray((place == np.arange(len(place))) & (lined | (structure & ~sewered)), bool)

    def _is_elsewhere(self, other: int, node: int) -> bool:
        return bool(self.served[other]) or self.component[other] != self.component[node]

    def _name(self, node: int) -> tuple[str, str]:
        here = self.network.nodes.iloc[node]
        if here["asset_id"]:
            return str(here["layer"]), str(here["asset_id"])
        ways = (self.network.adjacency(way, sewers=False) for way in ("up", "down"))
        edges = [edge for way in ways for edge, _ in way.around(node)]
        table = self.network.edges
        return min((str(table["layer"].iat[edge]), str(table["asset_id"].iat[edge])) for edge in edges)

    def _turn(self, node: int) -> Proposal | None:
        """The way to an outfall with the fewest turned lines, where the piece has one."""
        lines = self.turns.lines(node)
        if not lines:
            return None
        named = [f"{schema(layer).one} {asset}" for layer, asset in lines[:3]]
        more = f" and {len(lines) - 3} more" if len(lines) > 3 else ""
        text = f"turn {', '.join(named)}{more} if the water runs that way: then it reaches an outfall"
        return Proposal("turn", text, ":".join(lines[0]))

    def _to_edge(self, nodes: list[int]) -> list[float]:
        """Feet from each dead end to the edge of the mapped area; 0 outside it."""
        area = mapped_area(self.town)
        if area is None or not nodes:
            return [float("inf")] * len(nodes)
        shapely.prepare(area)
        inside = shapely.intersects(area, self.shapes[nodes])
        gap = shapely.distance(shapely.boundary(area), self.shapes[nodes]) * self.feet
        return [float(each) for each in np.where(inside, gap, 0.0)]

    def _waters(self, nodes: list[int]) -> dict[int, Proposal]:
        """An outfall to look for where a water is within `water_ft`."""
        waters = self.town.layers.get("waters")
        if waters is None or not len(waters) or not nodes:
            return {}
        shapes = waters.geometry.to_numpy()
        reach = self.tolerances.water_ft / self.feet
        which, water = shapely.STRtree(shapes).query(self.shapes[nodes], predicate="dwithin", distance=reach)
        gaps = shapely.distance(self.shapes[nodes][which], shapes[water]) * self.feet
        found: dict[int, Proposal] = {}
        for row in np.lexsort((water, gaps, which)).tolist():
            segment = str(waters.index[water[row]])
            name = str(waters["name"].iat[water[row]]) or segment
            text = f"look for an outfall here: {name} is {gaps[row]:,.0f} ft away"
            best = Proposal("outfall", text, f"waters:{segment}", round(float(gaps[row]), 1))
            found.setdefault(nodes[which[row]], best)
        return found


def _leaves(gap: float) -> Proposal:
    text = "it leaves the mapped area: record the interconnection, and whose system takes the water on"
    return Proposal("interconnection", text, distance_ft=round(gap, 1))


def mapped_area(town: Joined) -> shapely.Geometry | None:
    """The area that the town maps, in its CRS: its boundary, within the bounds of its settings; None where neither is given."""
    parts = list(_areas(town))
    return shapely.intersection_all(parts) if parts else None


def _areas(town: Joined) -> Iterator[shapely.Geometry]:
    boundary = town.layers.get("boundary")
    if boundary is not None and boundary.geometry.notna().any():
        yield shapely.union_all(boundary.geometry.dropna().to_numpy())
    if town.settings.bounds:
        box = shapely.segmentize(shapely.box(*town.settings.bounds), 0.01)
        yield to_crs(gpd.GeoSeries([box], crs=LONLAT), town.settings.crs).iloc[0]
