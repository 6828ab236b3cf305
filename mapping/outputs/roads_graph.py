"""From the town's roads to driving times: which ends meet, how fast one drives, what lies between two places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree
from shapely.ops import substring

from layers.crs import feet_per_unit

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Shapes = npt.NDArray[np.object_]

FEET_PER_MILE = 5280.0
JOIN_FT = 3.0
"""Road ends closer than this meet: less than a third of a lane, and centre lines are rarely drawn better."""
STRAIGHT_MPH = 25.0
"""Speed where the town has no roads: that of an unknown road."""
STRAIGHT_DETOUR = 1.4
"""Miles driven for each mile in a straight line: what hilly country roads come to."""


class SpeedClass(NamedTuple):
    """What is driven on a class of road where the file does not say: words of the class, miles an hour, why."""

    name: str
    words: tuple[str, ...]
    mph: float
    reason: str


MAIN = ("hwy", "highway", "state", "county", "major", "primary", "secondary", "trunk", "arterial", "collector", "s1200")
SPEEDS = (
    SpeedClass("limited access", ("interstate", "motorway", "freeway", "parkway", "s1100"), 55, "posted 55 to 65"),
    SpeedClass("ramp", ("ramp", "motorway_link", "s1630"), 30, "advisory speeds on ramps are 25 to 35"),
    SpeedClass("drive", ("private", "drive", "driveway", "service", "alley", "track", "s1740"), 12, "gravel, gates"),
    SpeedClass("main", MAIN, 40, "posted 45 to 55, with curves and stops"),
    SpeedClass("local", ("minor", "local", "town", "street", "residential", "tertiary", "s1400"), 28, "posted 30"),
)
UNKNOWN_SPEED = SpeedClass("unknown", (), 25, "a class that nobody has described: slower than a local road")


def speed_class(text: str) -> SpeedClass:
    """The class of road that a file's own word for it means.

    >>> speed_class("STATE HWY").name, speed_class("Private Drive").mph, speed_class("7").name
    ('main', 12, 'unknown')
    """
    padded = f" {text.lower().strip()} "
    return next((each for each in SPEEDS if any(f" {word} " in padded for word in each.words)), UNKNOWN_SPEED)


@dataclass(frozen=True)
class Travel:
    """Driving between places: `minutes[i, j]` from place i to place j, infinite where no road leads there.

    `snap_ft` is how far each place lies from the point of the road where the crew gets out; `basis` says what the
    times rest on. `leg(i, j)` gives the length in feet and the line driven, in the CRS of the roads.
    """

    minutes: Floats
    snap_ft: Floats
    basis: str
    access: Floats
    feet: float
    _road: _Driven | None = None

    def leg(self, start: int, end: int) -> tuple[float, shapely.LineString]:
        """Length in feet and line of the fastest way between two places that a road joins."""
        if self._road is None:
            line = shapely.LineString(self.access[[start, end]])
            return float(line.length * self.feet * STRAIGHT_DETOUR), line
        line = self._road.path(start, end)
        return float(line.length * self.feet), line


@dataclass(frozen=True)
class _Driven:
    """The fastest ways from every place over the pieces of road."""

    places: Ints
    before: npt.NDArray[np.int32]
    pieces: pd.DataFrame
    nodes: Floats

    def path(self, start: int, end: int) -> shapely.LineString:
        here, first = int(self.places[end]), int(self.places[start])
        lines = [shapely.LineString(self.nodes[[here, here]])]
        while here != first:
            back = int(self.before[start, here])
            lines.append(self.pieces.at[(back, here), "geometry"])
            here = back
        return shapely.LineString(np.concatenate([shapely.get_coordinates(line) for line in reversed(lines)]))


def travel_between(places: Floats, roads: gpd.GeoDataFrame, *, private: bool) -> Travel:
    """Driving times between `places` (x, y in the projected CRS of `roads`) over the roads, or in straight lines.

    Each place is taken to the nearest point of a road, which is split there. Roads join where their ends meet another
    road within JOIN_FT or where they cross; a limited-access road crosses on a bridge, so it joins only at an end.
    Streets that are one way are driven as drawn. Private roads are left out unless `private`.
    """
    feet = feet_per_unit(roads.crs)
    lines = drivable(roads, private=private)
    if lines.empty:
        return _straight(places, feet)
    shapes = lines["geometry"].to_numpy()
    on, along, gap = _nearest_road(places, shapes, lines["limited"].to_numpy(bool))
    crossings = _crossings(shapes, lines["limited"].to_numpy(bool))
    cuts = pd.concat([_ends(shapes), _touches(shapes, JOIN_FT / feet), crossings, _cut(on, along)], ignore_index=True)
    cuts["node"], nodes = _nodes(shapes, cuts, JOIN_FT / feet)
    pieces = _pieces(lines, cuts, feet)
    at = cuts["node"].to_numpy(np.int64)[len(cuts) - len(places) :]
    minutes, before = _fastest(pieces, len(nodes), at)
    return Travel(minutes, gap * feet, "roads", nodes[at], feet, _Driven(at, before, pieces, nodes))


def _straight(places: Floats, feet: float) -> Travel:
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) * feet
    minutes = apart * STRAIGHT_DETOUR / FEET_PER_MILE / STRAIGHT_MPH * 60
    return Travel(minutes, np.zeros(len(places)), "straight lines", places, feet)


def drivable(roads: gpd.GeoDataFrame, *, private: bool) -> pd.DataFrame:
    """The roads that may be driven, one row a line: mph, oneway, limited (access), geometry."""
    located = roads[roads.geometry.notna() & ~roads.geometry.is_empty].explode()
    kinds = [speed_class(str(text)) for text in located["class"]]
    posted = located["speed_mph"].to_numpy(float)
    table = pd.DataFrame(
        {
            "mph": np.where(np.isfinite(posted) & (posted > 0), posted, [kind.mph for kind in kinds]),
            "oneway": (located["oneway"] == "yes").to_numpy(),
            "limited": [kind.name == "limited access" for kind in kinds],
            "geometry": located.geometry.to_numpy(),
        }
    )
    called_private = located["class"].astype(str).str.lower().str.startswith("private") & (located["private"] != "no")
    closed = (called_private | (located["private"] == "yes")).to_numpy(bool)
    return pd.DataFrame(table[private | ~closed]).reset_index(drop=True)


# -- where roads are cut


def _cut(line: Ints, along: Floats) -> pd.DataFrame:
    return pd.DataFrame({"line": np.asarray(line, np.int64), "along": np.asarray(along, float)})


def _nearest_road(places: Floats, shapes: Shapes, limited: npt.NDArray[np.bool_]) -> tuple[Ints, Floats, Floats]:
    """The road, the way along it and the distance for each place; nobody gets out on a limited-access road."""
    points = shapely.points(places)
    usable = np.flatnonzero(~limited) if not limited.all() else np.arange(len(shapes))
    on = usable[shapely.STRtree(shapes[usable]).nearest(points)]
    return on, shapely.line_locate_point(shapes[on], points), shapely.distance(shapes[on], points)


def _ends(shapes: Shapes) -> pd.DataFrame:
    every = np.arange(len(shapes))
    return _cut(np.repeat(every, 2), np.stack([np.zeros(len(shapes)), shapely.length(shapes)], axis=1).ravel())


def _touches(shapes: Shapes, join: float) -> pd.DataFrame:
    """Where the end of one road meets the middle of another."""
    ends = np.concatenate([shapely.get_point(shapes, 0), shapely.get_point(shapes, -1)])
    end, line = shapely.STRtree(shapes).query(ends, predicate="dwithin", distance=join)
    return _cut(line, shapely.line_locate_point(shapes[line], ends[end]))


def _crossings(shapes: Shapes, limited: npt.NDArray[np.bool_]) -> pd.DataFrame:
    """Where two roads cross or run together; a limited-access road crosses the others on a bridge."""
    one, other = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    keep = (one < other) & (limited[one] == limited[other])
    one, other = one[keep], other[keep]
    at, pair = shapely.get_coordinates(shapely.intersection(shapes[one], shapes[other]), return_index=True)
    points = shapely.points(at)
    line = np.concatenate([one[pair], other[pair]])
    return _cut(line, shapely.line_locate_point(shapes[line], np.concatenate([points, points])))


def _nodes(shapes: Shapes, cuts: pd.DataFrame, join: float) -> tuple[Ints, Floats]:
    """The number of the node at each cut, cuts within `join` of each other being one place; and the nodes' coordinates."""
    line, along = cuts["line"].to_numpy(np.int64), cuts["along"].to_numpy(float)
    at = shapely.get_coordinates(shapely.line_interpolate_point(shapes[line], along))
    pairs = cKDTree(at).query_pairs(join, output_type="ndarray")
    size = len(at)
    near = coo_matrix((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    count, label = connected_components(near, directed=False)
    nodes = np.empty((count, 2))
    nodes[label[::-1]] = at[::-1]  # the first cut of a place gives its coordinates
    return label.astype(np.int64), nodes


# -- what is driven between the cuts


def _pieces(lines: pd.DataFrame, cuts: pd.DataFrame, feet: float) -> pd.DataFrame:
    """Pieces of road by (tail, head), the fastest of parallel ones, both ways unless one way: minutes and geometry."""
    ordered = cuts.sort_values(["line", "along"], kind="stable", ignore_index=True)
    after = ordered.shift(-1)
    inside = (ordered["line"] == after["line"]) & (ordered["node"] != after["node"])
    first, last = ordered[inside], after[inside]
    line = first["line"].to_numpy(np.int64)
    shapes = [
        substring(shape, start, end)
        for shape, start, end in zip(lines["geometry"].to_numpy()[line], first["along"], last["along"], strict=True)
    ]
    speed = lines["mph"].to_numpy(float)[line]
    ahead = pd.DataFrame(
        {
            "tail": first["node"].to_numpy(np.int64),
            "head": last["node"].to_numpy(np.int64),
            "minutes": shapely.length(shapes) * feet / FEET_PER_MILE / speed * 60,
            "geometry": shapes,
        }
    )
    back = ahead[~lines["oneway"].to_numpy(bool)[line]].rename(columns={"tail": "head", "head": "tail"})
    back = back.assign(geometry=[shapely.reverse(shape) for shape in back["geometry"]])
    both = pd.concat([ahead, back], ignore_index=True).sort_values("minutes", kind="stable")
    fastest: pd.DataFrame = both.drop_duplicates(["tail", "head"]).set_index(["tail", "head"]).sort_index()
    return fastest


def _fastest(pieces: pd.DataFrame, size: int, at: Ints) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Minutes between the nodes `at`, and for each of them the node before every node on the fastest way there."""
    tail, head = pieces.index.get_level_values("tail"), pieces.index.get_level_values("head")
    # a piece of no length would be no edge to csgraph: a thousandth of a second keeps it
    cost = np.maximum(pieces["minutes"].to_numpy(float), 1e-5)
    graph = csr_matrix((cost, (tail.to_numpy(), head.to_numpy())), shape=(size, size))
    minutes, before = dijkstra(graph, indices=at, return_predecessors=True)
    return minutes[:, at], before
