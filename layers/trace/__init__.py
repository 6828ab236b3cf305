"""Where water goes from an asset, a premises or a place, and what drains to it, link by link with certainty."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from layers.joins.network import CERTAINTY, SEWERS, Direction, Network
from layers.town import Town
from layers.trace.block import list_blocks
from layers.trace.doubts import list_doubts
from layers.trace.result import Block, Doubt, Share, Taken, Trace, TraceAsset, TracePremises
from layers.trace.shares import share_out
from layers.trace.subject import (
    IN_NETWORK,
    POINT,
    PREMISES,
    Start,
    drain_targets,
    drained_to,
    find_subject,
    premises_key,
    start_of,
    take_place,
    targets_of,
)
from layers.trace.walk import Ints, Walk, edges_leaving, walk

__all__ = [
    "IN_NETWORK", "POINT", "PREMISES", "Block", "Doubt", "Share", "Taken", "Trace", "TraceAsset", "TracePremises",
    "drain_targets", "drained_to", "find_subject", "outfall_shares", "premises_key", "take_place", "trace",
]  # fmt: skip


def _idle(layer: str, asset: str) -> Doubt:
    """Said of a line that no trace passes."""
    return Doubt("not_in_use", layer, asset, "it is abandoned, proposed or has no length: it carries nothing")


def trace(town: Town, subject: str, *, direction: Direction) -> Trace:
    """Everything that is reached from `subject`, down with the flow or up against it.

    `subject` is `layer:id`, `premises:KEY` or `point:LON,LAT`; a CallError says what is not there. Storm lines are
    followed from storm assets and sewers from sewers, never from one into the other: where they meet is a doubt.
    `outfalls` and `waters` are those reached downstream; upstream they are the start itself where it is one.
    """
    taken = None
    if subject.startswith(f"{POINT}:"):
        taken, start = take_place(town, subject, direction)
        subject = taken.subject
        layer, _, asset = subject.partition(":")
    else:
        layer, asset = find_subject(town, subject)
        start = start_of(town, targets_of(town, layer, asset), direction)
    network = town.network
    idle = bool(start.own) and not network.edges["carries"].to_numpy(bool)[list(start.own)].any()
    start = Start((), start.own) if idle else start
    sewers = _recorded_system(town, layer, asset) in SEWERS or _in_sewers(network, start)
    found = walk(network, start.nodes, direction, sewers=sewers)
    edges, ranks = _with_own(start, found)
    assets = _assets(found, edges, ranks)
    if layer not in (PREMISES, *IN_NETWORK):
        assets = (TraceAsset(layer, asset, CERTAINTY[0], 0.0), *assets)
    outfalls = _outfalls(found)
    down = direction == "down"
    return Trace(
        subject=subject,
        direction=direction,
        assets=assets,
        premises=() if down else _premises(town, assets),
        outfalls=tuple(outfalls),
        waters=_waters(town, outfalls),
        doubts=(_idle(layer, asset),) if idle else list_doubts(network, found, edges, direction, sewers=sewers),
        block=list_blocks(found, offset_ft=start.offset_ft) if down else (),
        shares=outfall_shares(town, asset) if down and layer == PREMISES else (),
        taken=taken,
    )


def outfall_shares(town: Town, key: str) -> tuple[Share, ...]:
    """The outfalls that a premises drains to, each with its share and on what basis, the largest first; none, not linked."""
    starts = (start_of(town, [each], "down") for each in dict.fromkeys(targets_of(town, PREMISES, key)))
    reached = [
        _outfalls(walk(town.network, each.nodes, "down", sewers=_in_sewers(town.network, each))) for each in starts
    ]
    return share_out(town, premises_key(town, key), reached) if reached else ()


def _recorded_system(town: Town, layer: str, asset: str) -> str:
    """The system that the asset itself is recorded to be of; empty where its layer does not say."""
    frame = town.layer(layer) if layer in IN_NETWORK else None
    return str(frame.at[asset, "system"]) if frame is not None and "system" in frame else ""


def _in_sewers(network: Network, start: Start) -> bool:
    """Whether the start belongs to sewers alone: a sanitary or combined line, or a structure that only such lines meet."""
    nodes = np.array(start.nodes, np.int64)
    ways = (network.adjacency(way, sewers=sewers) for way in ("up", "down") for sewers in (False, True))
    touching = start.own or np.concatenate([edges_leaving(each, nodes) for each in ways])
    return len(touching) > 0 and all(network.is_sewer[edge] for edge in touching)


def _with_own(start: Start, found: Walk) -> tuple[Ints, Ints]:
    """The edges of the trace with their ranks: those of the lines at which it starts first, as sure as they are themselves."""
    own = np.array(start.own, np.int64)
    further = ~np.isin(found.edges, own)
    ranks = np.concatenate([found.columns.rank[own], found.edge_rank[further]])
    return np.concatenate([own, found.edges[further]]), ranks


def _assets(found: Walk, edges: Ints, ranks: Ints) -> tuple[TraceAsset, ...]:
    """Structures in the order of the walk, then lines; a line of several edges once, as sure as the worst of them."""
    columns = found.columns
    words = np.array(CERTAINTY, object)
    assets = [
        TraceAsset(columns.node["layer"][node], columns.node["asset_id"][node], CERTAINTY[rank], 0.0)
        for (position, nodes) in found.structures.items()
        for rank in (found.node_rank[position],)
        for node in nodes
    ]
    _, first, which = np.unique(columns.line[edges], return_index=True, return_inverse=True)
    worst, length = np.zeros(len(first), np.int64), np.bincount(which, columns.length_ft[edges], len(first))
    np.maximum.at(worst, which, ranks)
    order = np.argsort(first)
    firsts = edges[first[order]]
    lines = zip(
        columns.edge["layer"][firsts].tolist(),
        columns.edge["asset_id"][firsts].tolist(),
        words[worst[order]].tolist(),
        np.round(length[order], 1).tolist(),
        strict=True,
    )
    return (*assets, *map(TraceAsset._make, lines))


def _outfalls(found: Walk) -> dict[str, str]:
    """The outfalls reached, in order of their ids, each with its certainty."""
    columns = found.columns
    reached = {
        str(columns.node["asset_id"][node]): CERTAINTY[found.node_rank[position]]
        for position, nodes in found.structures.items()
        for node in nodes
        if columns.node["kind"][node] == "outfall"
    }
    return dict(sorted(reached.items()))


def _premises(town: Town, assets: Iterable[TraceAsset]) -> tuple[TracePremises, ...]:
    """Premises linked to any of the assets, each once, by its nearest link."""
    drains, links = town.layer("drains"), town.premises_links
    reached = {each[:2] for each in assets}
    to_ids = zip(drains.index.tolist(), drains["to_id"].tolist(), strict=True)
    reached |= {("drains", drain) for drain, to in to_ids if any((layer, to) in reached for layer in IN_NETWORK)}
    linked = zip(links["layer"].tolist(), links["asset_id"].tolist(), strict=True)
    mine = links.iloc[[row for row, key in enumerate(linked) if key in reached]]
    best = mine.sort_values("distance_ft").drop_duplicates("premises_key").sort_values("premises_key")
    rows = zip(best["premises_key"], best["method"], best["distance_ft"], strict=True)
    return tuple(TracePremises(str(key), str(method), float(gap)) for key, method, gap in rows)


def _waters(town: Town, outfalls: Iterable[str]) -> tuple[str, ...]:
    links = town.water_links
    mine = links[links["outfall_id"].isin(list(outfalls)) & links["chosen"].astype(bool)]
    return tuple(sorted(set(mine["segment_id"].astype(str))))
