"""Which outfalls water meets first on its ways down from each place, and which outfalls lie below which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from layers.joins.network import CERTAINTY, Network

Ints = npt.NDArray[np.int64]
Names = frozenset[str]
NOWHERE: Names = frozenset()


@dataclass(frozen=True)
class Reaching:
    """For each place in the storm network the outfalls that its water meets first, at a split all of them.

    Water stops at the first outfall: what lies below that one is told by `below`. So ten thousand outfalls on one chain
    are ten thousand short answers, where the whole list of each would grow with their square.
    """

    network: Network

    def outfalls(self, layer: str, asset_id: str) -> dict[str, int]:
        """Outfall → rank in CERTAINTY of the surest way to it; empty where no outfall is reached as drawn.

        From a structure it is the way of its place; from a line that of its lower ends, as sure at best as the line.
        """
        edges = self.network.edges_of(layer, asset_id)
        head, rank = self._head, self._rank_of_edge
        if edges:
            return self.from_nodes((int(head[edge]), int(rank[edge])) for edge in edges if self._is_storm[edge])
        return self.from_nodes((node, 0) for node in self._places.get((layer, asset_id), ()))

    def from_nodes(self, starts: Iterable[tuple[int, int]]) -> dict[str, int]:
        """Outfall → rank of the surest way from any of the nodes, each given with the rank at which water comes to it."""
        found: dict[str, int] = {}
        for node, rank in starts:
            for level in range(rank, len(CERTAINTY)):
                for outfall in self._first_met[level][node]:
                    found[outfall] = min(level, found.get(outfall, level))
        return found

    @cached_property
    def below(self) -> Mapping[str, Names]:
        """For each outfall out of which water runs on in mapped lines those that it meets next."""
        heads: dict[int, set[int]] = {}
        for tail, head in zip(*self._ends(len(CERTAINTY) - 1), strict=True):
            if tail in self.outfalls_at:
                heads.setdefault(tail, set()).add(head)
        met = self._first_met[-1]
        found = {node: frozenset[str]().union(*(met[head] for head in ahead)) for node, ahead in heads.items()}
        links = {outfall: next_ones for node, next_ones in found.items() for outfall in self.outfalls_at[node]}
        return {outfall: next_ones - {outfall} for outfall, next_ones in links.items() if next_ones - {outfall}}

    @cached_property
    def outfalls_at(self) -> Mapping[int, Names]:
        """The ids of the outfalls in each place where there is one."""
        nodes = self.network.nodes
        mine = nodes[nodes["kind"] == "outfall"]
        found: dict[int, set[str]] = {}
        for place, outfall in zip(mine["place"], mine["asset_id"], strict=True):
            found.setdefault(int(place), set()).add(str(outfall))
        return {place: frozenset(names) for place, names in found.items()}

    @cached_property
    def _first_met(self) -> Sequence[Sequence[Names]]:
        """For each rank the outfalls met first from each node along lines that are at least so sure."""
        size = len(self.network.nodes)
        stops = np.isin(np.arange(size), list(self.outfalls_at))
        made = []
        for rank in range(len(CERTAINTY)):
            tail, head = self._ends(rank)
            onward = ~stops[tail]
            made.append(_first_met(size, tail[onward], head[onward], self.outfalls_at))
        return made

    def _ends(self, rank: int) -> tuple[Ints, Ints]:
        """Tails and heads of the storm lines that carry and are at least as sure as the rank."""
        chosen = self._is_storm & (self._rank_of_edge <= rank)
        tail, head = (self.network.edges[end].to_numpy(np.int64)[chosen] for end in ("tail", "head"))
        return tail, head

    @cached_property
    def _places(self) -> Mapping[tuple[str, str], list[int]]:
        """For each structure the nodes at which its lines meet; made once, for it is asked for every structure."""
        nodes = self.network.nodes
        found: dict[tuple[str, str], list[int]] = {}
        for layer, asset, place in zip(nodes["layer"], nodes["asset_id"], nodes["place"].tolist(), strict=True):
            if asset:
                found.setdefault((layer, asset), []).append(place)
        return found

    @cached_property
    def _head(self) -> Ints:
        head: Ints = self.network.edges["head"].to_numpy(np.int64)
        return head

    @cached_property
    def _is_storm(self) -> npt.NDArray[np.bool_]:
        carries: npt.NDArray[np.bool_] = self.network.edges["carries"].to_numpy(bool)
        return carries & ~self.network.is_sewer

    @cached_property
    def _rank_of_edge(self) -> Ints:
        return np.array([CERTAINTY.index(word) for word in self.network.edges["certainty"]], np.int64)


def _first_met(size: int, tail: Ints, head: Ints, met: Mapping[int, Names]) -> list[Names]:
    """For each node the names met first along tail → head; a loop is one place, and equal sets are one object."""
    if not size:
        return []
    graph = coo_matrix((np.ones(len(tail), np.int8), (tail, head)), shape=(size, size)).tocsr()
    graph.sum_duplicates()  # parallel lines are one entry, or csgraph may not return
    count, piece = connected_components(graph, directed=True, connection="strong")
    above, left = _pieces_above(count, piece[tail].astype(np.int64), piece[head].astype(np.int64))
    names: list[set[Names]] = [set() for _ in range(count)]
    for node, own in met.items():
        names[piece[node]].add(own)
    done: list[Names] = [NOWHERE] * count
    ready = [number for number in range(count) if not left[number]]
    while ready:
        number = ready.pop()
        sets = names[number] - {NOWHERE}
        done[number] = next(iter(sets)) if len(sets) == 1 else NOWHERE.union(*sets)
        for upper in above.get(number, ()):
            names[upper].add(done[number])
            left[upper] -= 1
            if not left[upper]:
                ready.append(upper)
    return [done[number] for number in piece.tolist()]


def _pieces_above(count: int, tail: Ints, head: Ints) -> tuple[dict[int, list[int]], list[int]]:
    """For each piece those right above it, and how many different ones lie right below each."""
    pairs = np.unique(np.stack([tail, head])[:, tail != head], axis=1)
    above: dict[int, list[int]] = {}
    for upper, lower in pairs.T.tolist():
        above.setdefault(lower, []).append(upper)
    return above, np.bincount(pairs[0], minlength=count).tolist()
