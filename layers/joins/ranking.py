"""What lies behind each dead end of a directed graph, and the order in which mending them connects most."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Gain = tuple[int, ...]


@dataclass(frozen=True)
class Ranking:
    """Dead ends in the order in which to mend them.

    `piece`: for each node the number of its piece, the nodes from which water comes back (a loop is one piece, most nodes
    are one alone). `served`: for each node whether an outfall is reached. `ends`: the pieces that nothing leads out of and
    that hold no outfall. `behind`, `new`: for each end and each kind of weight what lies behind it and reaches no outfall,
    and what of that is behind no end before it in the list.
    """

    piece: Ints
    served: Bools
    ends: Ints
    behind: Ints
    new: Ints


def rank_ends(tail: Ints, head: Ints, *, outfalls: Bools, on_line: Bools, weights: Ints) -> Ranking:
    """Ranks the dead ends of the graph with edges `tail` → `head`.

    Shapes: tail, head (edges,); outfalls, on_line (nodes,): where an outfall is, and where a line ends or passes (a node
    without one is no dead end); weights (nodes, kinds), the first kind counts most. Each end chosen is the one that
    connects most of what no end before it connects (greedy; the gain is submodular, so an old gain is an upper bound and
    most need not be worked out again). One pass over the pieces, however the ends nest.
    """
    piece, count = strong_pieces(tail, head, len(outfalls))
    pairs = np.unique(np.stack([piece[tail], piece[head]], axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    served = _reaching(np.unique(piece[outfalls]).tolist(), pairs, count)
    load = np.zeros((count, weights.shape[1]), np.int64)
    np.add.at(load, piece, weights)
    load[served] = 0
    group, below = _gather(pairs[~served[pairs[:, 0]]], np.flatnonzero(~served).tolist())
    members = np.array([*group.items()], np.int64).reshape(-1, 2)
    gathered = np.zeros_like(load)
    np.add.at(gathered, members[:, 1], load[members[:, 0]])
    loads = {each: tuple(gathered[each].tolist()) for each in below}
    lined = set(piece[on_line].tolist())
    ends = [each for each, under in below.items() if not under and each in lined]
    behind = _totals(below, loads)
    order, new = _greedy(ends, below, loads, behind)
    shape = (len(order), weights.shape[1])
    return Ranking(
        piece=piece,
        served=served[piece] if count else outfalls,
        ends=np.array(order, np.int64),
        behind=np.array([behind[each] for each in order], np.int64).reshape(shape),
        new=np.array(new, np.int64).reshape(shape),
    )


def strong_pieces(tail: Ints, head: Ints, size: int) -> tuple[Ints, int]:
    """The strongly connected pieces: for each node the number of its piece, and how many there are."""
    if not size:
        return np.empty(0, np.int64), 0
    matrix = coo_matrix((np.ones(len(tail), np.int8), (tail, head)), shape=(size, size)).tocsr()
    matrix.sum_duplicates()  # two parallel pipes are one entry, or csgraph may not return
    matrix.data[:] = 1
    count, piece = connected_components(matrix, directed=True, connection="strong")
    return np.asarray(piece, np.int64), int(count)


def _reaching(starts: Iterable[int], pairs: Ints, count: int) -> Bools:
    """For each piece whether one of the starts is reached from it."""
    above = _lists(pairs[:, 1], pairs[:, 0])
    seen = np.zeros(count, bool)
    queue = deque(starts)
    seen[list(queue)] = True
    while queue:
        for up in above.get(queue.popleft(), ()):
            if not seen[up]:
                seen[up] = True
                queue.append(up)
    return seen


def _lists(key: Ints, value: Ints) -> Mapping[int, list[int]]:
    lists: dict[int, list[int]] = defaultdict(list)
    for each, other in zip(key.tolist(), value.tolist(), strict=True):
        lists[each].append(other)
    return lists


def _gather(pairs: Ints, pieces: list[int]) -> tuple[dict[int, int], dict[int, frozenset[int]]]:
    """Pieces that lead to the same ends are gathered in one group, named by one of them.

    Returns the group of each piece, and for each group the groups right below it: none for an end, two or more for a
    split. Groups stand after those below them. What is left is as large as the ends and the true splits, not the network.
    """
    downs, ups = _lists(pairs[:, 0], pairs[:, 1]), _lists(pairs[:, 1], pairs[:, 0])
    left = {each: len(downs.get(each, ())) for each in pieces}
    queue = deque(each for each in pieces if not left[each])
    group: dict[int, int] = {}
    named: dict[frozenset[int], int] = {}
    below: dict[int, frozenset[int]] = {}
    while queue:
        piece = queue.popleft()
        under = frozenset(group[each] for each in downs.get(piece, ()))
        group[piece] = next(iter(under)) if len(under) == 1 else named.setdefault(under, piece) if under else piece
        if group[piece] == piece:
            below[piece] = under
        for up in ups.get(piece, ()):
            left[up] -= 1
            if not left[up]:
                queue.append(up)
    return group, below


def _totals(below: Mapping[int, frozenset[int]], loads: Mapping[int, Gain]) -> dict[int, Gain]:
    """For each end all that lies in its group and the groups above it, each group once.

    A set of groups is one long number with a bit for each split. It is added up only where several groups lead in: with
    one above, all that lies behind is that one's and what is behind it. A set is let go when it has been handed down.
    """
    splits = [each for each, under in below.items() if under]
    bit = {each: number for number, each in enumerate(splits)}
    sums = _sums_of_bytes(np.array([loads[each] for each in splits], np.int64)) if splits else np.empty(0, np.int64)
    left = Counter(under for unders in below.values() for under in unders)
    handed: dict[int, list[tuple[int, Gain]]] = defaultdict(list)
    stack = [each for each in below if not left[each]]
    totals: dict[int, Gain] = {}
    while stack:
        each = stack.pop()
        into = handed.pop(each, [])
        bits = into[0][0] if into else 0
        total = _add(loads[each], into[0][1]) if into else loads[each]
        if len(into) > 1:
            bits = reduce(or_, (more for more, _ in into))
            raw = np.frombuffer(bits.to_bytes(len(sums), "little"), np.uint8)
            some = np.flatnonzero(raw)
            total = _add(loads[each], sums[some, raw[some]].sum(axis=0).tolist())
        if not below[each]:
            totals[each] = total
            continue
        bits |= 1 << bit[each]
        for under in below[each]:
            handed[under].append((bits, total))
            left[under] -= 1
            if not left[under]:
                stack.append(under)
    return totals


def _add(one: Iterable[int], other: Iterable[int]) -> Gain:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _sums_of_bytes(load: Ints) -> Ints:
    """For each byte of a set of groups and each of its 256 values the load of the groups in it, shape (bytes, 256, kinds)."""
    size = -(-len(load) // 8)
    padded = np.zeros((size * 8, load.shape[1]), np.int64)
    padded[: len(load)] = load
    held = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)
    return np.asarray(held @ padded.reshape(size, 8, -1), np.int64)


def _greedy(
    ends: list[int], below: Mapping[int, frozenset[int]], loads: Mapping[int, Gain], first: Mapping[int, Gain]
) -> tuple[list[int], list[Gain]]:
    """The ends, each the best of those left, and what each newly connects."""
    above: dict[int, list[int]] = defaultdict(list)
    for each, unders in below.items():
        for under in unders:
            above[under].append(each)
    taken: set[int] = set()
    heap = [(_worse(first[each]), each) for each in ends]
    heapq.heapify(heap)
    order, gains = [], []
    while heap:
        _, end = heapq.heappop(heap)
        fresh = _not_taken(end, above, taken)
        gain: Gain = tuple(map(sum, zip(*(loads[each] for each in fresh), strict=True)))
        if heap and heap[0] < (_worse(gain), end):
            heapq.heappush(heap, (_worse(gain), end))
            continue
        taken |= fresh
        order.append(end)
        gains.append(gain)
    return order, gains


def _worse(gain: Gain) -> Gain:
    return tuple(-each for each in gain)


def _not_taken(end: int, above: Mapping[int, list[int]], taken: set[int]) -> set[int]:
    """The groups behind an end that no end before it connects; what is above a taken group is taken."""
    fresh, stack = {end}, [end]
    while stack:
        for up in above.get(stack.pop(), ()):
            if up not in taken and up not in fresh:
                fresh.add(up)
                stack.append(up)
    return fresh
