"""From lines and structures as drawn to a network: which ends meet what, where lines are split, which way water runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely
from pyproj import CRS
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from layers.crs import feet_per_unit
from layers.joins.ends import Bools, Ends, Floats, Ints, cut_lines, lines_meet
from layers.joins.network import EDGE_COLUMNS, NO_STRUCTURE, Network, empty_network
from layers.tolerances import Tolerances

STRUCTURES = ("outfalls", "catch_basins", "manholes")
LINES = ("pipes", "ditches", "culverts")
DEAD = frozenset({"abandoned", "proposed", "not_found"})
"""A line of this standing never carries a trace."""


def make_network(
    layers: Mapping[str, gpd.GeoDataFrame],
    *,
    crs: CRS,
    tolerances: Tolerances,
    turned: Collection[tuple[str, str]] = (),
) -> Network:
    """The network of the located structures and lines in `layers`, all in the projected `crs`.

    Ends join a structure, another end or the middle of a line: surely within `snap_ft`, doubtfully within
    `snap_doubtful_ft`, beyond that not at all. A line is split where something joins its middle; where that is no
    structure the node says so. Nothing is invented: an end that meets nothing stays a `line end`. The lines in `turned`
    (layer, id) run the other way than record and drawing say, which the Town has decided.
    """
    feet = feet_per_unit(crs)
    points = _structures(layers)
    lines = _lines(layers, tolerances.short_line_ft / feet)
    if not len(points) and not len(lines):
        return empty_network(crs)
    noder = _Noder(points, lines, feet, tolerances)
    ends, flipped, basis, doubt = noder.recorded_ends()
    for row in noder.rows_of(turned):
        flipped[row], basis[row], doubt[row] = not flipped[row], "recorded", ""
    ends = noder.join_structures(ends)
    ends, touches = noder.join_lines(ends)
    ends = noder.join_recorded(ends, doubt)
    ends, touches = noder.join_doubtful(ends, touches)
    return noder.network(noder.close(ends), touches, flipped, basis, doubt, crs)


def _structures(layers: Mapping[str, gpd.GeoDataFrame]) -> gpd.GeoDataFrame:
    frames = [_plain(layers[name], name, ("source_id",)) for name in STRUCTURES if name in layers]
    nothing = pd.DataFrame({"layer": [], "asset_id": [], "source_id": [], "geometry": []})
    return pd.concat(frames, ignore_index=True) if frames else nothing


def _lines(layers: Mapping[str, gpd.GeoDataFrame], shortest: float) -> gpd.GeoDataFrame:
    wanted = ("from_id", "to_id", "invert_up_ft", "invert_dn_ft", "system", "status")
    frames = [_plain(layers[name], name, wanted) for name in LINES if name in layers]
    if not frames:
        return pd.DataFrame({"layer": [], "asset_id": [], "geometry": []})
    lines = pd.concat(frames, ignore_index=True)
    blanks = {"from_id": "", "to_id": "", "status": "", "system": "storm"}  # what has no `system` is open drainage
    for column, nothing in blanks.items():
        lines[column] = lines[column].astype(object).where(lines[column].notna(), nothing)
    lines["carries"] = ~lines["status"].isin(DEAD) & (shapely.length(lines["geometry"].to_numpy()) >= shortest)
    return lines


def _plain(frame: gpd.GeoDataFrame, layer: str, columns: tuple[str, ...]) -> pd.DataFrame:
    located = frame[frame.geometry.notna()]
    plain = pd.DataFrame(located.reindex(columns=[*columns, "geometry"]))
    return plain.assign(layer=layer, asset_id=located.index.astype(str)).reset_index(drop=True)


class _Noder:
    """Carries the arrays that every step needs; each step takes ends and returns ends."""

    def __init__(self, points: pd.DataFrame, lines: pd.DataFrame, feet: float, tolerances: Tolerances) -> None:
        self.points, self.lines, self.feet, self.tolerances = points, lines, feet, tolerances
        self.at = shapely.get_coordinates(points["geometry"].to_numpy())
        self.shapes = shapes = lines["geometry"].to_numpy()
        self.lengths = shapely.length(shapes)
        self.line_tree = shapely.STRtree(shapes)
        first = shapely.get_coordinates(shapely.get_point(shapes, 0))
        last = shapely.get_coordinates(shapely.get_point(shapes, -1))
        self.ends_at = np.stack([first, last], axis=1) if len(lines) else np.empty((0, 2, 2))
        self.carries = lines["carries"].to_numpy(bool) if len(lines) else np.empty(0, bool)
        self.tree = cKDTree(self.at) if len(self.at) else None
        self.place = self._places()
        self.made: list[tuple[float, float]] = []
        self.made_kind: list[str] = []
        self.named: list[tuple[Ints, Ints, Ints, Floats]] = []

    def rows_of(self, assets: Collection[tuple[str, str]]) -> list[int]:
        """The rows of lines, by layer and id."""
        names = zip(self.lines["layer"], self.lines["asset_id"], strict=True) if assets else ()
        return [row for row, name in enumerate(names) if name in assets]

    def _places(self) -> Ints:
        """For each structure the first of those that are in its place, within `snap_ft`: there their lines meet."""
        size = len(self.at)
        if self.tree is None:
            return np.arange(size)
        spots, spot = np.unique(self.at, axis=0, return_inverse=True)
        pairs = cKDTree(spots).query_pairs(self.tolerances.snap_ft / self.feet * (1 + 1e-9), output_type="ndarray")
        label = _together(pairs, len(spots))[spot]
        _, first, place = np.unique(label, return_index=True, return_inverse=True)
        return np.asarray(first[place], np.int64)

    # -- 1. what the records say

    def recorded_ends(self) -> tuple[Ends, Bools, list[str], list[str]]:
        """Ends joined by recorded ids, which lines are drawn against the flow, on what basis, and what contradicts it.

        Both ids decide where each lies within `recorded_id_ft` of its end, one alone where it lies within
        `snap_doubtful_ft`: a slip in one id would else turn a line and tear it from the next one.
        """
        count = len(self.lines)
        ends = Ends(np.full((count, 2), -1, np.int64), np.zeros((count, 2)), np.zeros((count, 2), bool))
        flipped, basis, doubt = np.zeros(count, bool), ["drawn"] * count, [""] * count
        if not count:
            return ends, flipped, basis, doubt
        up, down = self._known("from_id"), self._known("to_id")
        apart = up != down
        gap = self._gaps(up, down)
        limit, close = self.tolerances.recorded_id_ft, gap.min(axis=2) <= self.tolerances.snap_doubtful_ft
        fits = np.minimum(np.maximum(gap[:, 0, 0], gap[:, 1, 1]), np.maximum(gap[:, 0, 1], gap[:, 1, 0])) <= limit
        by_both = gap[:, 0, 0] + gap[:, 1, 1] > gap[:, 0, 1] + gap[:, 1, 0]
        by_one = np.where(close[:, 0], gap[:, 0, 0] > gap[:, 0, 1], gap[:, 1, 1] > gap[:, 1, 0])
        has_ids = (fits | close.any(axis=1)) & apart
        flipped[has_ids] = np.where(fits, by_both, by_one)[has_ids]
        for row in np.flatnonzero(has_ids):
            basis[row] = "recorded"
        self._inverts(has_ids, flipped, basis, doubt)
        for which, node in enumerate((up, down)):
            named = np.where(apart, node, -1)
            side = np.where(flipped, 1 - which, which)
            ends = self._join_named(ends, named, side, gap[np.arange(count), which, side], doubt)
        return ends, flipped, basis, doubt

    def _join_named(self, ends: Ends, node: Ints, side: Ints, gap: Floats, doubt: list[str]) -> Ends:
        """Ends joined to the structures that the record names for them: at once where near, later where further off."""
        limit = self.tolerances.recorded_id_ft
        for row in np.flatnonzero((node >= 0) & (gap > limit)):
            doubt[row] = _add(doubt[row], f"a recorded id lies more than {limit:g} ft from the end that it names")
        close = gap <= self.tolerances.snap_doubtful_ft
        near, off = (np.flatnonzero((node >= 0) & each) for each in (close, ~close & (gap <= limit)))
        self.named.append((off, side[off], node[off], gap[off]))
        return ends.joined((near, side[near]), node[near], gap[near])

    def _gaps(self, up: Ints, down: Ints) -> Floats:
        """Feet from the structures that are recorded up and down to the first and the last end, shape (lines, 2, 2)."""
        gap = np.full((len(up), 2, 2), np.inf)
        for which, node in enumerate((up, down)):
            known = node >= 0
            gap[known, which] = np.linalg.norm(self.ends_at[known] - self.at[node[known]][:, None], axis=2) * self.feet
        return gap

    def _inverts(self, has_ids: Bools, flipped: Bools, basis: list[str], doubt: list[str]) -> None:
        first, last = (self.lines[name].to_numpy(float) for name in ("invert_up_ft", "invert_dn_ft"))
        uphill = np.flatnonzero(first < last)
        for row in np.flatnonzero(first != last)[np.isfinite((first - last)[first != last])]:
            if not has_ids[row]:
                basis[row] = "inverts"
        for row in uphill:
            if has_ids[row]:
                doubt[row] = _add(doubt[row], "recorded ids and inverts disagree on the direction")
            else:
                flipped[row] = True

    def _known(self, column: str) -> Ints:
        """For each line the structure with that id; of several that bear it in their source the nearest is meant."""
        wanted = self.lines[column].to_numpy(object)
        found = np.full(len(wanted), -1, np.int64)
        for row in np.flatnonzero(wanted != ""):
            nodes = self._by_id.get(wanted[row], ())
            if len(nodes) == 1:
                found[row] = nodes[0]
            elif nodes:
                gaps = np.linalg.norm(self.ends_at[row][:, None] - self.at[list(nodes)][None], axis=2).min(axis=0)
                found[row] = nodes[int(gaps.argmin())]
        return np.where(found >= 0, self.place[found], -1) if len(self.place) else found

    @cached_property
    def _by_id(self) -> Mapping[str, list[int]]:
        """The structures that bear an id, here or in their source."""
        by_id: dict[str, list[int]] = {}
        for node, names in enumerate(zip(self.points["asset_id"], self.points["source_id"], strict=True)):
            for name in dict.fromkeys(names):
                by_id.setdefault(name, []).append(node)
        return by_id

    # -- 2. what the drawing says, surely

    def join_structures(self, ends: Ends) -> Ends:
        """Free ends joined to the nearest structure within `snap_ft`."""
        return self._nearest_structure(ends, self.tolerances.snap_ft)

    def _free(self, ends: Ends) -> Bools:
        return np.asarray((ends.node < 0) & self.carries[:, None])

    def _nearest_structure(self, ends: Ends, limit_ft: float, touches: pd.DataFrame | None = None) -> Ends:
        """Free ends joined to the nearest structure; doubtfully, and to none on the line already, where touches are given."""
        free = self._free(ends)
        if self.tree is None or not free.any():
            return ends
        gap, node = self.tree.query(self.ends_at[free], distance_upper_bound=limit_ft / self.feet * (1 + 1e-9))
        rows, sides = np.nonzero(free)
        hit = np.isfinite(gap)
        node[hit] = self.place[node[hit]]
        if touches is not None:
            on_line = {
                *zip(touches["line"], touches["node"], strict=True),
                *zip(rows, ends.node[rows, 1 - sides], strict=True),
            }
            hit &= np.array([pair not in on_line for pair in zip(rows, node, strict=True)], bool)
        at = rows[hit], sides[hit]
        return ends.joined(at, node[hit], gap[hit] * self.feet, doubtful=touches is not None)

    def join_lines(self, ends: Ends) -> tuple[Ends, pd.DataFrame]:
        """Free ends joined to ends beside them within `snap_ft`, and every place where something joins a line's middle."""
        ends = self._cluster_ends(ends, self.tolerances.snap_ft)
        none = pd.DataFrame({"line": np.empty(0, np.int64), "along": np.empty(0), "node": np.empty(0, np.int64)})
        ends, touches = self._ends_on_lines(ends, none, self.tolerances.snap_ft)
        return ends, self._nodes_on_lines(ends, touches)

    def _cluster_ends(self, ends: Ends, limit_ft: float, *, doubtful: bool = False) -> Ends:
        """Free ends that lie together become one node in their middle."""
        rows, sides = np.nonzero(self._free(ends))
        if not len(rows):
            return ends
        at = self.ends_at[rows, sides]
        spots, spot = np.unique(at, axis=0, return_inverse=True)  # many ends in one spot would be a pair each with each
        pairs = cKDTree(spots).query_pairs(limit_ft / self.feet * (1 + 1e-9), output_type="ndarray")
        only = np.where(
            np.bincount(spot) == 1, rows[np.argsort(spot, kind="stable")[np.cumsum(np.bincount(spot)) - 1]], -1
        )
        one_line = (only[pairs[:, 0]] >= 0) & (only[pairs[:, 0]] == only[pairs[:, 1]])
        label = _together(pairs[~(doubtful & one_line)], len(spots))[spot]
        together = np.flatnonzero(np.bincount(label)[label] > 1)
        label, at = label[together], at[together]
        groups, place = np.unique(label, return_inverse=True)
        middle = np.stack([np.bincount(place, at[:, axis]) / np.bincount(place) for axis in (0, 1)], axis=1)
        node = np.array([self._make(xy, "line end") for xy in middle], np.int64)[place] if len(groups) else place
        gap = np.linalg.norm(at - middle[place], axis=1) * self.feet
        return ends.joined((rows[together], sides[together]), node, gap, doubtful=doubtful)

    def _make(self, at: Floats, kind: str) -> int:
        self.made.append((float(at[0]), float(at[1])))
        self.made_kind.append(kind)
        return len(self.at) + len(self.made) - 1

    def _nodes_on_lines(self, ends: Ends, touches: pd.DataFrame) -> pd.DataFrame:
        """The touches, with every structure and joined end that lies on the middle of a line."""
        places = shapely.points(np.concatenate([self.at.reshape(-1, 2), np.asarray(self.made, float).reshape(-1, 2)]))
        node, line = self._lines_near(places, self.tolerances.snap_ft)
        along, middle = self._along(line, places[node])
        structure = node < len(self.at)
        node[structure] = self.place[node[structure]]
        keep = middle & (ends.node[line] != node[:, None]).all(axis=1)
        found = pd.DataFrame({"line": line[keep], "along": along[keep], "node": node[keep]})
        return pd.concat([touches, found], ignore_index=True).drop_duplicates(["line", "node"], ignore_index=True)

    def _ends_on_lines(
        self, ends: Ends, touches: pd.DataFrame, limit_ft: float, *, doubtful: bool = False
    ) -> tuple[Ends, pd.DataFrame]:
        """Free ends joined to the nearest other line within the limit: to its end where that is nearest, else to be split.

        Lines that meet already do not doubtfully meet again.
        """
        rows, sides = np.nonzero(self._free(ends))
        places = shapely.points(self.ends_at[rows, sides])
        which, line = self._lines_near(places, limit_ft)
        keep = rows[which] != line
        if doubtful:
            keep &= ~lines_meet(ends, touches, rows[which], line)
        which, line = which[keep], line[keep]
        gap = shapely.distance(places[which], self.shapes[line]) * self.feet
        order = np.lexsort((line, gap, which))
        _, first = np.unique(which[order], return_index=True)
        which, line, gap = which[order][first], line[order][first], gap[order][first]
        along, middle = self._along(line, places[which])
        side = (along > self.lengths[line] / 2).astype(np.int64)
        beside_end = ~middle & (ends.node[line, side] >= 0)
        node = np.where(beside_end, ends.node[line, side], -1)
        node[~beside_end] = [self._make(self.ends_at[rows[w], sides[w]], "touch") for w in which[~beside_end]]
        split = pd.DataFrame({"line": line, "along": along, "node": node})[~beside_end]
        ends = ends.joined((rows[which], sides[which]), node, gap, doubtful=doubtful)
        return ends, pd.concat([touches, split], ignore_index=True)

    def _lines_near(self, places: npt.NDArray[np.object_], limit_ft: float) -> tuple[Ints, Ints]:
        """Pairs (place, line) of places and carrying lines within the distance."""
        place, line = self.line_tree.query(places, predicate="dwithin", distance=limit_ft / self.feet)
        keep = self.carries[line]
        return place[keep], line[keep]

    def _along(self, line: Ints, places: npt.NDArray[np.object_]) -> tuple[Floats, Bools]:
        """How far along its line each place lies (CRS units), and whether that is the middle rather than an end."""
        along = np.asarray(shapely.line_locate_point(self.shapes[line], places), float)
        margin = self.tolerances.snap_ft / self.feet
        return along, (along > margin) & (along < self.lengths[line] - margin)

    # -- 3. what the records and the drawing may mean

    def join_recorded(self, ends: Ends, doubt: list[str]) -> Ends:
        """Ends that the drawing leaves free joined to the structure that the record names, up to `recorded_id_ft` away.

        Where the drawing joins the end to something else the drawing is followed, and that is a doubt.
        """
        for rows, sides, node, gap in self.named:
            free = self._free(ends)[rows, sides]
            for row, size in zip(rows[~free], gap[~free], strict=True):
                doubt[row] = _add(doubt[row], f"the structure that the record names lies {size:.1f} ft from the end")
            ends = ends.joined((rows[free], sides[free]), node[free], gap[free])
        return ends

    def join_doubtful(self, ends: Ends, touches: pd.DataFrame) -> tuple[Ends, pd.DataFrame]:
        """Ends still free joined to a structure, another free end or a line within `snap_doubtful_ft`."""
        limit = self.tolerances.snap_doubtful_ft
        ends = self._nearest_structure(ends, limit, touches)
        ends = self._cluster_ends(ends, limit, doubtful=True)
        return self._ends_on_lines(ends, touches, limit, doubtful=True)

    def close(self, ends: Ends) -> Ends:
        """Every end that meets nothing gets a node of its own."""
        rows, sides = np.nonzero(ends.node < 0)
        node = np.array([self._make(at, "line end") for at in self.ends_at[rows, sides]], np.int64)
        return ends.joined((rows, sides), node, np.zeros(len(rows)))

    # -- 4. the tables

    def network(
        self,
        ends: Ends,
        touches: pd.DataFrame,
        flipped: Bools,
        basis: list[str],
        doubt: list[str],
        crs: CRS,
    ) -> Network:
        """The tables of nodes and edges, lines split where something joins their middle."""
        nodes = self._nodes(crs)
        if not len(self.lines):
            return Network(nodes, empty_network(crs).edges)
        pieces = cut_lines(self.shapes, ends, touches)
        line = pieces["line"].to_numpy(np.int64)
        turned = flipped[line]
        start, end = pieces["start"].to_numpy(np.int64), pieces["end"].to_numpy(np.int64)
        gap = np.round(ends.gap_ft.max(axis=1)[line], 2)
        base = np.asarray(basis, dtype=object)[line]
        unsure: Bools = np.asarray(ends.doubtful.any(axis=1))
        doubts = [
            _add(doubt[row], f"an end lies {size:g} ft from what it joins") if unsure[row] else doubt[row]
            for row, size in zip(line, gap, strict=True)
        ]
        columns = {
            "layer": self.lines["layer"].to_numpy(object)[line],
            "asset_id": self.lines["asset_id"].to_numpy(object)[line],
            "part": pieces["part"].to_numpy(np.int64),
            "tail": np.where(turned, end, start),
            "head": np.where(turned, start, end),
            "length_ft": np.round(shapely.length(pieces["geometry"].to_numpy()) * self.feet, 2),
            "gap_ft": gap,
            "basis": base,
            "certainty": [
                "doubtful" if why else "recorded" if way == "recorded" else "inferred"
                for why, way in zip(doubts, base, strict=True)
            ],
            "doubt": doubts,
            "system": self.lines["system"].to_numpy(object)[line],
            "carries": self.carries[line],
        }
        edges = gpd.GeoDataFrame(
            {name: columns[name] for name in EDGE_COLUMNS}, geometry=list(pieces["geometry"]), crs=crs
        )
        return Network(nodes, edges)

    def _nodes(self, crs: CRS) -> gpd.GeoDataFrame:
        count = len(self.made)
        kinds = ["outfall" if layer == "outfalls" else "structure" for layer in self.points["layer"]]
        at = np.concatenate([self.at.reshape(-1, 2), np.asarray(self.made, float).reshape(-1, 2)])
        place = np.concatenate([self.place, np.arange(len(kinds), len(kinds) + count)])
        return gpd.GeoDataFrame(
            {
                "kind": [*kinds, *self.made_kind],
                "layer": [*self.points["layer"], *[""] * count],
                "asset_id": [*self.points["asset_id"], *[""] * count],
                "note": [""] * len(kinds) + [NO_STRUCTURE] * count,
                "place": place,
            },
            geometry=shapely.points(at),
            crs=crs,
        )


def _together(pairs: Ints, size: int) -> Ints:
    """For each of `size` things the number of the group that the pairs make of it."""
    graph = coo_matrix((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def _add(text: str, more: str) -> str:
    return more if text in ("", more) else f"{text}; {more}"
