"""A walk over the network with the flow or against it: every node and edge reached, how surely, and how far along the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from layers.joins.network import CERTAINTY, Adjacency, Direction, Network

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Texts = npt.NDArray[np.object_]


class Columns:
    """The columns of a network that traces read, as arrays; made once for each network and kept with it."""

    def __init__(self, network: Network) -> None:
        nodes, edges = network.nodes, network.edges
        self.node = {name: nodes[name].to_numpy(object) for name in ("kind", "layer", "asset_id")}
        self.edge = {name: edges[name].to_numpy(object) for name in ("layer", "asset_id", "doubt", "system")}
        self.tail, self.head = (edges[end].to_numpy(np.int64) for end in ("tail", "head"))
        self.length_ft = edges["length_ft"].to_numpy(float)
        self.rank: Ints = pd.Index(CERTAINTY).get_indexer(pd.Index(edges["certainty"].to_numpy(object)))
        self.place = nodes["place"].to_numpy(np.int64)
        self.stacked = np.flatnonzero(self.place != np.arange(len(self.place)))
        self.line = _number_lines(self.edge["layer"], self.edge["asset_id"])

    @classmethod
    def of(cls, network: Network) -> Columns:
        """The columns of this network, kept beside what it has itself worked out."""
        kept = vars(network)
        if "trace_columns" not in kept:
            kept["trace_columns"] = cls(network)
        columns: Columns = kept["trace_columns"]
        return columns


@dataclass(frozen=True)
class Walk:
    """What is reached from some nodes, once each: nodes in the order of the walk, edges in the order of their near nodes.

    Ranks are those in CERTAINTY of the worst link on the surest way. `near` and `far` are the ends of each edge as
    positions in `nodes`; `first` says how many nodes the walk started from.
    """

    columns: Columns
    nodes: Ints
    edges: Ints
    near: Ints
    far: Ints
    node_rank: Ints
    edge_rank: Ints
    first: int

    @cached_property
    def structures(self) -> dict[int, tuple[int, ...]]:
        """For each position at which structures are recorded, these as node numbers; several where they are stacked."""
        columns = self.columns
        own = np.flatnonzero(columns.node["asset_id"][self.nodes] != "")
        at: dict[int, tuple[int, ...]] = {
            position: (node,) for position, node in zip(own.tolist(), self.nodes[own].tolist(), strict=True)
        }
        beside = np.flatnonzero(np.isin(columns.place[columns.stacked], self.nodes))
        position = {node: place for place, node in enumerate(self.nodes.tolist())} if len(beside) else {}
        for other in columns.stacked[beside].tolist():
            place = position[int(columns.place[other])]
            at[place] = (*at.get(place, ()), other)
        return at

    def distances(self) -> tuple[Floats, Ints]:
        """For each node the feet of the shortest way to it, and the position in `edges` of the last edge on it, or -1."""
        size, lengths = len(self.nodes), self.columns.length_ft[self.edges]
        feet, before, _ = dijkstra(
            csr_matrix((lengths, self.far, _slots(self.near, size)), shape=(size, size)),
            indices=np.arange(self.first),
            min_only=True,
            return_predecessors=True,
        )
        last = np.full(size, -1, np.int64)
        taken = (before[self.far] == self.near) & (feet[self.near] + lengths <= feet[self.far])
        last[self.far[taken]] = np.flatnonzero(taken)
        return feet, last


def walk(network: Network, starts: Iterable[int], direction: Direction, *, sewers: bool = False) -> Walk:
    """Everything that can be reached over the carrying edges of the storm system, or of the sewers; loops end."""
    begin = np.array(list(dict.fromkeys(starts)), np.int64)
    ways, size = network.adjacency(direction, sewers=sewers), len(network.nodes)
    nodes = _breadth_first(ways.start, ways.far, begin, size)
    slots, near = _leaving(ways, nodes)
    position = np.empty(size, np.int64)
    position[nodes] = np.arange(len(nodes))
    edges, far = ways.edges[slots], position[ways.far[slots]]
    columns = Columns.of(network)
    rank = columns.rank[edges]
    node_rank = np.full(len(nodes), len(CERTAINTY) - 1)
    for worst in range(len(CERTAINTY) - 2, -1, -1):
        keep = rank <= worst
        surely = _breadth_first(_slots(near[keep], len(nodes)), far[keep], position[begin], len(nodes))
        node_rank[surely] = worst
    return Walk(columns, nodes, edges, near, far, node_rank, np.maximum(node_rank[near], rank), len(begin))


def _breadth_first(start: Ints, far: Ints, begin: Ints, size: int) -> Ints:
    """The nodes reached from several at once, those first, by way of one node more that leads to them all."""
    indptr = np.append(start, start[-1] + len(begin))
    indices = np.concatenate([far, begin])
    graph = csr_matrix((np.ones(len(indices)), indices, indptr), shape=(size + 1, size + 1))
    order = breadth_first_order(graph, size, return_predecessors=False)
    return np.asarray(order[1:], np.int64)


def _leaving(ways: Adjacency, nodes: Ints) -> tuple[Ints, Ints]:
    """The slots of the adjacency that leave the nodes, and for each the position of its node."""
    count = ways.start[nodes + 1] - ways.start[nodes]
    before = np.cumsum(count) - count
    near = np.repeat(np.arange(len(nodes)), count)
    return np.arange(len(near)) - before[near] + ways.start[nodes][near], near


def _slots(near: Ints, size: int) -> Ints:
    """Where the edges of each node begin in a table sorted by node."""
    return np.searchsorted(near, np.arange(size + 1))


def _number_lines(layer: Texts, asset: Texts) -> Ints:
    """A number for each line, the same for all edges that it consists of."""
    (layers, _), (assets, known) = pd.factorize(layer), pd.factorize(asset)
    return np.asarray(layers * (len(known) + 1) + assets, np.int64)


def edges_leaving(ways: Adjacency, nodes: Ints) -> Ints:
    """The edges that leave the nodes, in the order of these."""
    slots, _ = _leaving(ways, nodes)
    return ways.edges[slots]
