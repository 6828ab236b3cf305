"""Where water goes from an asset or a premises, and what drains to it, link by link with certainty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from layers.errors import CallError
from layers.joins.network import CERTAINTY, SEWERS, Direction, Network
from layers.joins.premises import premises_of_lots
from layers.schema import LAYERS
from layers.town import Town

PREMISES = "premises"
IN_NETWORK = ("outfalls", "catch_basins", "manholes", "pipes", "ditches", "culverts")


@dataclass(frozen=True)
class TraceAsset:
    """An asset on the way, as sure as the worst link on the surest way to it; length of the part that was followed."""

    layer: str
    id: str
    certainty: str
    length_ft: float


@dataclass(frozen=True)
class TracePremises:
    """A premises that drains to an asset on the way."""

    key: str
    method: str
    distance_ft: float


@dataclass(frozen=True)
class Doubt:
    """Something on the way that the trace could not be sure about, and where."""

    code: str
    layer: str
    id: str
    text: str


@dataclass(frozen=True)
class Trace:
    """What a trace found: every asset once, all outfalls and waters at splits, and the doubts."""

    subject: str
    direction: Direction
    assets: tuple[TraceAsset, ...]
    premises: tuple[TracePremises, ...]
    outfalls: tuple[str, ...]
    waters: tuple[str, ...]
    doubts: tuple[Doubt, ...]

    def to_json(self) -> dict[str, Any]:
        """The object that `trace --json` prints."""
        return {
            "subject": self.subject,
            "direction": self.direction,
            "assets": [asdict(each) for each in self.assets],
            "premises": [asdict(each) for each in self.premises],
            "outfalls": list(self.outfalls),
            "waters": list(self.waters),
            "doubts": [asdict(each) for each in self.doubts],
        }


def find_subject(town: Town, subject: str) -> tuple[str, str]:
    """Layer and id of `layer:id` (or `premises:KEY`), or a CallError that says what is not there."""
    layer, colon, asset = subject.partition(":")
    if not colon or not asset:
        raise CallError(f"{subject!r} names no asset", hint="write LAYER:ID, such as outfalls:OF-014 or premises:KEY")
    if layer == PREMISES:
        if asset in premises_index(town):
            return layer, asset
        raise CallError(f"no lot has the key {asset!r}", hint="keys are SWIS + SBL as in the parcels layer")
    if layer not in LAYERS:
        raise CallError(f"there is no layer {layer!r}", hint=f"choose premises or one of {', '.join(LAYERS)}")
    if asset not in town.layer(layer).index:
        raise CallError(f"layer {layer} has no {asset!r}", hint="ids are text and must match letter for letter")
    return layer, asset


def premises_index(town: Town) -> pd.Index[str]:
    """Every key by which a premises can be asked for: each lot, also those of a stack, and those that drains name."""
    keys: pd.Index[str] = town.layer("parcels").index
    return pd.Index(keys.union(pd.Index(town.premises_links["premises_key"].astype("str"))), dtype="str")


def premises_key(town: Town, lot: str) -> str:
    """The premises that a lot belongs to (§ 194-3): the lot itself, or the first of its stack."""
    parcels = town.layer("parcels")
    return str(premises_of_lots(parcels).get(lot, lot))


def trace(town: Town, subject: str, *, direction: Direction) -> Trace:
    """Everything that is reached from `subject`, down with the flow or up against it.

    Storm lines are followed from storm assets and sewers from sewers, never from one into the other: where they meet is
    a doubt. `outfalls` and `waters` are those reached downstream; upstream they are the start itself where it is one.
    """
    layer, asset = find_subject(town, subject)
    network = town.network
    starts, own = _starts(town, layer, asset, direction)
    sewers = _recorded_system(town, layer, asset) in SEWERS or _in_sewers(network, starts, own)
    nodes, edges = network.reach(starts, direction, sewers=sewers)
    edges = {edge: CERTAINTY.index(network.edges["certainty"].iat[edge]) for edge in own} | edges
    outfalls = _outfalls(network, nodes)
    assets = _assets(network, nodes, edges)
    if layer not in (PREMISES, *IN_NETWORK):
        assets = (TraceAsset(layer, asset, CERTAINTY[0], 0.0), *assets)
    return Trace(
        subject=subject,
        direction=direction,
        assets=assets,
        premises=_premises(town, assets) if direction == "up" else (),
        outfalls=outfalls,
        waters=_waters(town, outfalls),
        doubts=tuple(dict.fromkeys(_doubts(town, starts, nodes, edges, direction, sewers=sewers))),
    )


def drained_to(town: Town, premises: str) -> pd.DataFrame:
    """The premises links of one premises that lead on into the network: layer, asset_id, method, distance_ft, confidence."""
    links = town.premises_links
    return links[links["premises_key"] == premises_key(town, premises)]


def drain_targets(town: Town, drain: str) -> list[tuple[str, str]]:
    """Layer and id of the assets that a private drain's record says it is connected to; several where an id is used twice."""
    to_id = str(town.layer("drains").at[drain, "to_id"])
    return [(layer, to_id) for layer in IN_NETWORK if to_id and to_id in town.layer(layer).index]


def _starts(town: Town, layer: str, asset: str, direction: Direction) -> tuple[list[int], list[int]]:
    """The nodes at which the trace begins, and the edges of the lines that are themselves its start."""
    if layer == "drains":
        targets = drain_targets(town, asset)
    elif layer == PREMISES:
        links = drained_to(town, asset)
        pairs = list(zip(links["layer"], links["asset_id"], strict=True))
        targets = [each for each in pairs if each[0] != "drains"]
        targets += [target for name, drain in pairs if name == "drains" for target in drain_targets(town, drain)]
    else:
        targets = [(layer, asset)]
    network = town.network
    nodes: dict[int, None] = {}
    own: dict[int, None] = {}
    end = network.edges["head" if direction == "down" else "tail"]
    for target in targets:
        lines = network.edges_of(*target)
        own |= dict.fromkeys(lines)
        nodes |= (
            dict.fromkeys(int(end.iat[edge]) for edge in lines) if lines else dict.fromkeys(network.nodes_of(*target))
        )
    return list(nodes), list(own)


def _recorded_system(town: Town, layer: str, asset: str) -> str:
    """The system that the asset itself is recorded to be of; empty where its layer does not say."""
    frame = town.layer(layer) if layer in IN_NETWORK else None
    return str(frame.at[asset, "system"]) if frame is not None and "system" in frame else ""


def _in_sewers(network: Network, starts: list[int], own: list[int]) -> bool:
    """Whether the start belongs to sewers alone: a sanitary or combined line, or a structure that only such lines meet."""
    touching = own or _touching(network, starts)
    return bool(touching) and all(network.is_sewer[edge] for edge in touching)


def _touching(network: Network, nodes: Iterable[int]) -> list[int]:
    ways = [network.adjacency(way, sewers=sewers) for way in ("up", "down") for sewers in (False, True)]
    return [edge for node in nodes for way in ways for edge, _ in way.around(node)]


def _outfalls(network: Network, nodes: Iterable[int]) -> tuple[str, ...]:
    kinds, ids = network.nodes["kind"], network.nodes["asset_id"]
    found = (node for _, node in network.structures_at(nodes) if kinds.iat[node] == "outfall")
    return tuple(sorted(str(ids.iat[node]) for node in found))


def _assets(network: Network, nodes: dict[int, int], edges: dict[int, int]) -> tuple[TraceAsset, ...]:
    found: dict[tuple[str, str], tuple[int, float]] = {}
    layers, ids = network.nodes["layer"], network.nodes["asset_id"]
    for place, node in network.structures_at(nodes):
        if ids.iat[node]:
            found[layers.iat[node], ids.iat[node]] = (nodes[place], 0.0)
    for edge, rank in edges.items():
        key = network.edges["layer"].iat[edge], network.edges["asset_id"].iat[edge]
        worst, length = found.get(key, (rank, 0.0))
        found[key] = (max(worst, rank), length + float(network.edges["length_ft"].iat[edge]))
    return tuple(
        TraceAsset(layer, asset, CERTAINTY[rank], round(length, 1)) for (layer, asset), (rank, length) in found.items()
    )


def _premises(town: Town, assets: Iterable[TraceAsset]) -> tuple[TracePremises, ...]:
    """Premises linked to any of the assets, each once, by its nearest link."""
    drains = town.layer("drains")
    keys = {(each.layer, each.id) for each in assets}
    ids = {asset for _, asset in keys}
    keys |= {("drains", str(drain)) for drain in drains.index[drains["to_id"].isin(ids)]}
    links = town.premises_links
    linked = [key in keys for key in zip(links["layer"], links["asset_id"], strict=True)]
    mine = links[pd.Series(linked, index=links.index, dtype=bool)]
    best = mine.sort_values("distance_ft").drop_duplicates("premises_key").sort_values("premises_key")
    rows = zip(best["premises_key"], best["method"], best["distance_ft"], strict=True)
    return tuple(TracePremises(str(key), str(method), float(gap)) for key, method, gap in rows)


def _waters(town: Town, outfalls: Iterable[str]) -> tuple[str, ...]:
    links = town.water_links
    mine = links[links["outfall_id"].isin(list(outfalls)) & links["chosen"].astype(bool)]
    return tuple(sorted(set(mine["segment_id"].astype(str))))


def _doubts(
    town: Town, starts: list[int], nodes: dict[int, int], edges: dict[int, int], direction: Direction, *, sewers: bool
) -> Iterable[Doubt]:
    network = town.network
    table = network.edges
    if not starts:
        yield Doubt("not_connected", "", "", "no structure or line is recorded or drawn to which this drains")
    if sewers:
        yield Doubt("not_ms4", "", "", "these are sanitary or combined lines, no part of the MS4 (§ 194-3)")
    for edge in edges:
        if table["doubt"].iat[edge]:
            yield Doubt(
                "doubtful_line", table["layer"].iat[edge], table["asset_id"].iat[edge], table["doubt"].iat[edge]
            )
    other = network.adjacency(direction, sewers=not sewers)
    met = {edge: node for node in nodes for edge, _ in other.around(node)}
    for edge in met:
        system = str(table["system"].iat[edge])
        text = f"a {system} line joins here; the trace does not follow it"
        code = "meets_sewer" if system in SEWERS else "meets_storm"
        yield Doubt(code, table["layer"].iat[edge], table["asset_id"].iat[edge], text)
    if direction == "down":
        yield from _open_ends(network, nodes, edges)


def _open_ends(network: Network, nodes: dict[int, int], edges: dict[int, int]) -> Iterable[Doubt]:
    """Places where the way down stops and no outfall is mapped; a way that only leads round stops nowhere, and is said."""
    tail, head = (network.edges[end].iloc[list(edges)] for end in ("tail", "head"))
    leaving = set(tail[tail != head])
    into = {int(network.edges["head"].iat[edge]): edge for edge in edges}
    if edges and leaving.issuperset(nodes):
        row = network.edges.loc[next(iter(edges))]
        yield Doubt(
            "goes_round", row["layer"], row["asset_id"], "the lines lead round in a circle, no way out is mapped"
        )
    for node in nodes:
        if node in leaving or network.nodes["kind"].iat[node] == "outfall":
            continue
        edge = into.get(node)
        layer, asset = network.nodes["layer"].iat[node], network.nodes["asset_id"].iat[node]
        if not asset and edge is not None:
            layer, asset = network.edges["layer"].iat[edge], network.edges["asset_id"].iat[edge]
        yield Doubt("dead_end", layer, asset, "the way down ends here and no outfall is mapped")
