"""What a trace could not be sure about: doubtful lines, other systems met, ways that end without an outfall."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from layers.joins.network import SEWERS, Direction, Network
from layers.trace.result import Doubt
from layers.trace.walk import Columns, Ints, Walk, edges_leaving


def list_doubts(network: Network, found: Walk, edges: Ints, direction: Direction, *, sewers: bool) -> tuple[Doubt, ...]:
    """Every doubt of a walk and of the lines `edges` on it, each once."""
    columns = found.columns
    said: list[Doubt] = []
    if not len(found.nodes):
        text = "no structure or line is recorded or drawn to which this drains"
        said.append(Doubt("not_connected", "", "", text))
    if sewers:
        text = "these are sanitary or combined lines, no part of the MS4 (§ 194-3)"
        said.append(Doubt("not_ms4", "", "", text))
    said += [
        _about(columns, edge, "doubtful_line", str(columns.edge["doubt"][edge]))
        for edge in edges[columns.edge["doubt"][edges] != ""].tolist()
    ]
    said += _other_system(network, found, direction, sewers=sewers)
    if direction == "down":
        said += _open_ends(found, edges)
    return tuple(dict.fromkeys(said))


def _other_system(network: Network, found: Walk, direction: Direction, *, sewers: bool) -> Iterator[Doubt]:
    """Lines of the other system that go on from a place on the way; they are not followed."""
    for edge in edges_leaving(network.adjacency(direction, sewers=not sewers), found.nodes).tolist():
        system = str(found.columns.edge["system"][edge])
        code = "meets_sewer" if system in SEWERS else "meets_storm"
        yield _about(found.columns, edge, code, f"a {system} line joins here; the trace does not follow it")


def _open_ends(found: Walk, edges: Ints) -> Iterator[Doubt]:
    """Places where the way down stops and no outfall is mapped; a way that only leads round stops nowhere, and is said."""
    columns = found.columns
    onward = columns.tail[edges][columns.tail[edges] != columns.head[edges]]
    stops = np.flatnonzero(~np.isin(found.nodes, onward))
    if len(edges) and len(found.nodes) and not len(stops):
        yield _about(columns, int(edges[0]), "goes_round", "the lines lead round in a circle, no way out is mapped")
    into = dict(zip(columns.head[edges].tolist(), edges.tolist(), strict=True))
    text = "the way down ends here and no outfall is mapped"
    for position in stops.tolist():
        node, here = int(found.nodes[position]), found.structures.get(position, ())
        if any(columns.node["kind"][each] == "outfall" for each in here):
            continue
        if not here and node in into:
            yield _about(columns, into[node], "dead_end", text)
        else:
            yield Doubt("dead_end", str(columns.node["layer"][node]), str(columns.node["asset_id"][node]), text)


def _about(columns: Columns, edge: int, code: str, text: str) -> Doubt:
    return Doubt(code, str(columns.edge["layer"][edge]), str(columns.edge["asset_id"][edge]), text)
