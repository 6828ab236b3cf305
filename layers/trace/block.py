"""Where to block: the structures down a trace in the order in which water comes to them, with the way from one to the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from layers.trace.result import Block
from layers.trace.walk import Columns, Floats, Ints, Walk


class _Way(NamedTuple):
    """How water comes to a node: the structure before, the lines since then, and the number of the branch."""

    after: str = ""
    via: tuple[str, ...] = ()
    branch: int = 0


def list_blocks(found: Walk, *, offset_ft: float = 0.0) -> tuple[Block, ...]:
    """Every structure that the walk down reaches, nearest first by the shortest way; the start itself at 0 ft.

    `offset_ft` is added to every distance: the way from a place in the middle of a line to its end. Where ways part, the
    one whose next place is nearest keeps its branch number and the others get new ones.
    """
    if not len(found.nodes):
        return ()
    columns = found.columns
    feet, last = found.distances()
    ways: dict[int, _Way] = {}
    left: set[int] = set()
    blocks: list[Block] = []
    branches = 0
    for node in _outward(feet, last, found):
        way = _Way()
        if last[node] >= 0:
            before = int(found.near[last[node]])
            way = _follow(ways[before], columns, int(found.edges[last[node]]), same_branch=before not in left)
            left.add(before)
        if not way.branch:
            branches += 1
            way = way._replace(branch=branches)
        here = [
            Block(
                layer=str(columns.node["layer"][each]),
                id=str(columns.node["asset_id"][each]),
                distance_ft=round(float(feet[node]) + offset_ft, 1),
                via=way.via,
                after=way.after,
                branch=way.branch,
            )
            for each in found.structures.get(node, ())
        ]
        blocks += here
        ways[node] = _Way(f"{here[-1].layer}:{here[-1].id}", (), way.branch) if here else way
    return tuple(blocks)


def _follow(way: _Way, columns: Columns, edge: int, *, same_branch: bool) -> _Way:
    """The way along one edge more; a line of several edges is named once."""
    line = f"{columns.edge['layer'][edge]}:{columns.edge['asset_id'][edge]}"
    via = way.via if way.via[-1:] == (line,) else (*way.via, line)
    return _Way(way.after, via, way.branch if same_branch else 0)


def _outward(feet: Floats, last: Ints, found: Walk) -> list[int]:
    """The nodes, nearest first, each after the one that it is reached from even where a line has no length."""
    order: dict[int, None] = {}
    for node in np.argsort(feet, kind="stable").tolist():
        waiting = [node]
        while waiting[-1] not in order and last[waiting[-1]] >= 0:
            waiting.append(int(found.near[last[waiting[-1]]]))
        order |= dict.fromkeys(reversed(waiting))
    return list(order)
