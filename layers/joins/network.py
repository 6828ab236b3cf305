"""The drainage network as nodes and directed edges, each with the basis and the certainty of what it says."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

Direction = Literal["up", "down"]
CERTAINTY = ("recorded", "inferred", "doubtful")
"""From sure to unsure; a path is as sure as its worst link."""
SEWERS = frozenset({"sanitary", "combined"})
"""Systems that are kept apart from the storm system (§ 194-3, MS4 C and D)."""
NO_STRUCTURE = "no structure recorded"

NODE_COLUMNS = ("kind", "layer", "asset_id", "note", "place")
EDGE_COLUMNS = (
    "layer", "asset_id", "part", "tail", "head", "length_ft", "gap_ft", "basis", "certainty", "doubt", "system", "carries",
)  # fmt: skip


@dataclass(frozen=True)
class Adjacency:
    """For each node the edges that leave it one way: `edges[start[n]:start[n + 1]]`, leading to `far` of the same slice."""

    start: npt.NDArray[np.int64]
    edges: npt.NDArray[np.int64]
    far: npt.NDArray[np.int64]

    def around(self, node: int) -> zip[tuple[int, int]]:
        """Pairs (edge, node at its far end)."""
        here = slice(self.start[node], self.start[node + 1])
        return zip(self.edges[here].tolist(), self.far[here].tolist(), strict=True)


@dataclass(frozen=True)
class Network:
    """Nodes and edges of one town.

    `nodes`: index = node number; kind (`structure`, `outfall`, `line end`, `touch`), layer and asset_id of the structure
    (empty where none is recorded), note, place (the node where its lines meet: its own, or that of another structure in
    the same place), geometry. `edges`: index = edge number; layer, asset_id and part of the line,
    tail and head (water flows from tail to head), length_ft, gap_ft (how far its ends were from what they join), basis of
    the direction (`recorded`, `inverts`, `drawn`), certainty, doubt, system, carries (False: abandoned, proposed, a speck).
    """

    nodes: gpd.GeoDataFrame
    edges: gpd.GeoDataFrame

    def nodes_of(self, layer: str, asset_id: str) -> list[int]:
        """The node where a structure's lines meet, or all nodes on a line; empty where the asset is not in the network."""
        places = (int(self.nodes["place"].iat[node]) for node in self._structures.get((layer, asset_id), ()))
        ends = [int(node) for edge in self.edges_of(layer, asset_id) for node in self.edges.loc[edge, ["tail", "head"]]]
        return list(dict.fromkeys([*places, *ends]))

    def structures_at(self, nodes: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Pairs (node, structure): each node itself, and the nodes of other structures in its place."""
        for node in nodes:
            yield node, node
            yield from ((node, other) for other in self._beside.get(node, ()))

    @cached_property
    def _beside(self) -> Mapping[int, list[int]]:
        place = self.nodes["place"].to_numpy(np.int64)
        beside: dict[int, list[int]] = {}
        for node in np.flatnonzero(place != np.arange(len(place))).tolist():
            beside.setdefault(int(place[node]), []).append(node)
        return beside

    def edges_of(self, layer: str, asset_id: str) -> list[int]:
        """The edges that a line consists of, in the order in which they are drawn."""
        return list(self._lines.get((layer, asset_id), ()))

    @cached_property
    def _structures(self) -> Mapping[tuple[str, str], list[int]]:
        return _numbers(self.nodes[self.nodes["asset_id"] != ""])

    @cached_property
    def _lines(self) -> Mapping[tuple[str, str], list[int]]:
        return _numbers(self.edges)

    @cached_property
    def is_sewer(self) -> npt.NDArray[np.bool_]:
        """For each edge whether it is sanitary or combined."""
        return np.asarray(self.edges["system"].isin(SEWERS), dtype=bool)

    def adjacency(self, direction: Direction, *, sewers: bool) -> Adjacency:
        """The carrying edges of the storm system (or of the sewers), by the node from which a trace leaves."""
        return self._adjacencies[direction, sewers]

    @cached_property
    def _adjacencies(self) -> Mapping[tuple[str, bool], Adjacency]:
        made: dict[tuple[str, bool], Adjacency] = {}
        tail, head = self.edges["tail"].to_numpy(np.int64), self.edges["head"].to_numpy(np.int64)
        carries = self.edges["carries"].to_numpy(bool)
        for sewers in (False, True):
            chosen = np.flatnonzero(carries & (self.is_sewer == sewers))
            made["down", sewers] = _adjacency(chosen, tail[chosen], head[chosen], len(self.nodes))
            made["up", sewers] = _adjacency(chosen, head[chosen], tail[chosen], len(self.nodes))
        return made

    def reach(
        self, starts: Iterable[int], direction: Direction, *, sewers: bool = False
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Nodes and edges reached, each with the rank in CERTAINTY of the surest way to it.

        Loops and splits are normal: everything that can be reached is reached, once.
        """
        ways = self.adjacency(direction, sewers=sewers)
        rank_of_edge = self._ranks
        nodes: dict[int, int] = dict.fromkeys(starts, 0)
        edges: dict[int, int] = {}
        for rank in range(len(CERTAINTY)):
            queue = deque(nodes)
            while queue:
                for edge, far in ways.around(queue.popleft()):
                    if rank_of_edge[edge] > rank:
                        continue
                    edges.setdefault(edge, rank)
                    if far not in nodes:
                        nodes[far] = rank
                        queue.append(far)
        return nodes, edges

    @cached_property
    def _ranks(self) -> list[int]:
        return [CERTAINTY.index(word) for word in self.edges["certainty"]]

    def components(self, *, sewers: bool = False) -> pd.Series[int]:
        """For each node the number of the connected piece it belongs to, direction aside; index = node number."""
        carries = self.edges["carries"].to_numpy(bool) & (self.is_sewer == sewers)
        tail, head = (self.edges[end].to_numpy(np.int64)[carries] for end in ("tail", "head"))
        size = len(self.nodes)
        matrix = coo_matrix((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(size, size)).tocsr()
        matrix.sum_duplicates()  # two parallel pipes are one entry, or csgraph may not return
        _, labels = connected_components(matrix, directed=False) if size else (0, np.array([], dtype=np.int32))
        return pd.Series(labels[self.nodes["place"].to_numpy(np.int64)], index=self.nodes.index, name="component")


def _numbers(table: gpd.GeoDataFrame) -> dict[tuple[str, str], list[int]]:
    numbers: dict[tuple[str, str], list[int]] = {}
    names = (table[name].to_numpy(object) for name in ("layer", "asset_id"))
    for number, layer, asset in zip(table.index, *names, strict=True):
        numbers.setdefault((layer, asset), []).append(int(number))
    return numbers


def _adjacency(
    chosen: npt.NDArray[np.int64], near: npt.NDArray[np.int64], far: npt.NDArray[np.int64], size: int
) -> Adjacency:
    order = np.argsort(near, kind="stable")
    start = np.searchsorted(near[order], np.arange(size + 1))
    return Adjacency(start, chosen[order], far[order])


def empty_network(crs: object) -> Network:
    """A network without nodes."""
    return Network(_frame({name: [] for name in NODE_COLUMNS}, [], crs), _frame({n: [] for n in EDGE_COLUMNS}, [], crs))


def _frame(columns: Mapping[str, Sequence[object]], geometry: object, crs: object) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame(dict(columns), geometry=gpd.GeoSeries(geometry, crs=crs), crs=crs)
