"""The evidence chain: premises → drain → basin → pipe or ditch → outfall → water → listed water, link by link."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from layers.crs import feet_per_unit
from layers.joins.network import Network
from layers.joins.streams import TOLD
from layers.town import Town
from layers.trace import (
    POINT,
    PREMISES,
    Share,
    drain_targets,
    drained_to,
    find_subject,
    outfall_shares,
    premises_key,
    take_place,
)
from mapping.conditions import Condition, letters, list_conditions, make_streams
from mapping.law import Law
from mapping.ms4 import LAYERS as MS4_LAYERS
from mapping.ms4 import ms4_test

CONFIDENCE = {"recorded": "probable", "inferred": "probable", "doubtful": "possible"}
"""How sure a link of the network is, by its certainty; confirmed is only what an officer has recorded."""


@dataclass(frozen=True)
class ChainLink:
    """From one thing to the next: how that is known, how far they lie apart (not a number: not known), how sure, says who."""

    from_: str
    to: str
    kind: str
    method: str
    distance_ft: float
    confidence: str
    source: str

    def to_json(self) -> dict[str, Any]:
        """The link as `chain --json` prints it."""
        return {
            "from": self.from_,
            "to": self.to,
            "kind": self.kind,
            "method": self.method,
            "distance_ft": _plain(self.distance_ft),
            "confidence": self.confidence,
            "source": self.source,
        }


@dataclass(frozen=True)
class Reach:
    """A water that is reached through an outfall: on what basis, under which conditions, how far down."""

    outfall: str
    water: str
    basis: str
    conditions: tuple[str, ...]
    distance_ft: float

    def to_json(self) -> dict[str, Any]:
        """The reach as `chain --json` prints it."""
        return {
            "outfall": self.outfall,
            "water": self.water,
            "basis": self.basis,
            "conditions": list(self.conditions),
            "distance_ft": _plain(self.distance_ft),
        }


@dataclass(frozen=True)
class Holder:
    """Who owns a thing on the chain, and for an asset the four answers of the MS4 test of § 194-3 with their basis."""

    subject: str
    owner: str
    ms4: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The holder as `chain --json` prints it; `ms4` is null for what the test does not reach."""
        return {"subject": self.subject, "owner": self.owner, "ms4": dict(self.ms4) or None}


@dataclass(frozen=True)
class Chain:
    """Every link on every way down, each once, in the order in which water meets them; and the waters that are reached.

    `shares`: for a premises the part of it that drains to each outfall. `holders`: who owns the things on the way.
    """

    subject: str
    links: tuple[ChainLink, ...]
    reaches: tuple[Reach, ...]
    shares: tuple[Share, ...] = ()
    holders: tuple[Holder, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The object that `chain --json` prints."""
        return {
            "subject": self.subject,
            "links": [each.to_json() for each in self.links],
            "reaches": [each.to_json() for each in self.reaches],
            "shares": [each._asdict() for each in self.shares],
            "holders": [each.to_json() for each in self.holders],
        }


def chain(town: Town, law: Law, subject: str, on: date) -> Chain:
    """The chain from `premises:KEY`, `layer:id` or what `point:LON,LAT` is taken for, down to the waters, on the day.

    An asset's chain begins with the premises that are linked to it directly. At a split all ways are followed, and a
    loop ends where it closes. Only storm lines are followed. Raises CallError for a subject that is not there.
    """
    if subject.startswith(f"{POINT}:"):
        subject = take_place(town, subject, "down")[0].subject
    layer, asset = find_subject(town, subject)
    links = list(_premises_links(town, layer, asset))
    links += _drain_links(
        town, sorted(each for each in {subject, *(link.to for link in links)} if each.startswith("drains:"))
    )
    network_links, outfalls = _network_links(town, sorted({subject, *(link.to for link in links)}))
    reaches = tuple(_reaches(list_conditions(town, law, on, outfalls=outfalls)))
    links += [*network_links, *_water_links(town, outfalls, {each.water for each in reaches if each.conditions})]
    passed = dict.fromkeys([subject, *(end for link in links for end in (link.from_, link.to))])
    shares = outfall_shares(town, asset) if layer == PREMISES else ()
    return Chain(subject, tuple(dict.fromkeys(links)), reaches, shares, tuple(_holders(town, passed)))


def _holders(town: Town, passed: Collection[str]) -> Iterator[Holder]:
    """Who owns each premises and asset that is passed; waters belong to nobody here."""
    ids: dict[str, list[str]] = {}
    for layer, _, asset in (each.partition(":") for each in passed):
        ids.setdefault(layer, []).append(asset)
    answers = {
        layer: ms4_test(town, layer, some).to_dict("index") for layer, some in ids.items() if layer in MS4_LAYERS
    }
    lots = town.layer("parcels")["owner_type"]
    for subject in passed:
        layer, _, asset = subject.partition(":")
        if layer == PREMISES:
            yield Holder(subject, str(lots.get(asset, "")), {})
        elif layer in answers:
            said = {str(name): str(answer) for name, answer in answers[layer][asset].items()}
            yield Holder(subject, str(town.layer(layer).at[asset, "owner"]), said)


def _premises_links(town: Town, layer: str, asset: str) -> Iterator[ChainLink]:
    """The links that lead out of a premises, or from premises into the asset."""
    every = town.premises_links
    if layer == PREMISES:
        chosen = drained_to(town, premises_key(town, asset))
    else:
        chosen = every[(every["layer"] == layer) & (every["asset_id"] == asset)]
    for link in chosen.to_dict("records"):
        yield ChainLink(
            from_=f"{PREMISES}:{link['premises_key']}",
            to=f"{link['layer']}:{link['asset_id']}",
            kind="drains to",
            method=link["method"],
            distance_ft=float(link["distance_ft"]),
            confidence=link["confidence"],
            source=link["source"],
        )


def _drain_links(town: Town, drains: Iterable[str]) -> Iterator[ChainLink]:
    """From each drain to what its record says it is connected to; confirmed where an officer has recorded that."""
    for drain in drains:
        said = town.records.of("link_confirmed", subject=drain)
        confirmed = {str(each.data["to"]) for each in said if each.data.get("connected") != "no"}
        for target in (":".join(each) for each in drain_targets(town, drain.partition(":")[2])):
            sure = "confirmed" if target in confirmed else "probable"
            yield ChainLink(
                drain, target, "connected to", "recorded", _gap_ft(town, drain, target), sure, _source(town, drain)
            )


def _network_links(town: Town, begin: Iterable[str]) -> tuple[list[ChainLink], list[str]]:
    """Links of the storm network from the assets down, and the outfalls that they lead to."""
    network = town.network
    starts: list[int] = []
    own: list[int] = []
    for layer, _, asset in (each.partition(":") for each in begin):
        edges = network.edges_of(layer, asset)
        storm = [edge for edge in edges if network.edges.at[edge, "carries"] and not network.is_sewer[edge]]
        own += storm
        starts += [int(network.edges.at[edge, "head"]) for edge in storm] if edges else network.nodes_of(layer, asset)
    nodes, reached = network.reach(dict.fromkeys(starts), "down")
    found = [link for edge in dict.fromkeys([*own, *reached]) for link in _edge_links(town, edge)]
    kinds, ids = network.nodes["kind"], network.nodes["asset_id"]
    return found, sorted({str(ids[node]) for node in nodes if kinds[node] == "outfall"})


def _edge_links(town: Town, edge: int) -> Iterator[ChainLink]:
    """Into a line from the structure at its upper end, and out of it to what is at its lower end."""
    network = town.network
    row = network.edges.loc[edge]
    line = _line(network, edge)
    way = (row["basis"], float(row["gap_ft"]), CONFIDENCE[row["certainty"]], _source(town, line))
    above, below = _structure(network, row["tail"]), _structure(network, row["head"])
    if above:
        yield ChainLink(above, line, "flows to", *way)
    leaving = network.adjacency("down", sewers=False).around(row["head"])
    for each in [below] if below else [_line(network, further) for further, _ in leaving]:
        if each != line:
            yield ChainLink(line, each, "flows to", *way)


def _structure(network: Network, node: int) -> str:
    """The structure at a node, or nothing."""
    asset = network.nodes.at[node, "asset_id"]
    return f"{network.nodes.at[node, 'layer']}:{asset}" if asset else ""


def _line(network: Network, edge: int) -> str:
    return f"{network.edges.at[edge, 'layer']}:{network.edges.at[edge, 'asset_id']}"


def _water_links(town: Town, outfalls: list[str], listed: set[str]) -> Iterator[ChainLink]:
    """From each outfall to its waters, and from water to water on the way to every one under a condition."""
    links, places = town.water_links, town.layer("outfalls").geometry
    known = listed & set(town.layer("waters").index)
    streams = make_streams(town, known)
    for link in links[links["outfall_id"].isin(outfalls) & links["chosen"].astype(bool)].to_dict("records"):
        first = str(link["segment_id"])
        yield ChainLink(
            f"outfalls:{link['outfall_id']}", f"waters:{first}", "discharges to", link["method"],
            float(link["distance_ft"]), link["confidence"], link["source"],
        )  # fmt: skip
        for reached in streams.below(first, places.get(link["outfall_id"])):
            for step in streams.links.iloc[streams.way(reached)].to_dict("records"):
                one, other = f"waters:{step['from_segment']}", f"waters:{step['to_segment']}"
                source = _source(town, one) if step["method"] in TOLD else "drawing"
                gap = float(step["distance_ft"])
                yield ChainLink(one, other, "flows into", step["method"], gap, step["confidence"], source)


def _reaches(rows: Iterable[Condition]) -> Iterator[Reach]:
    """One for each outfall, water and basis, with the letters of all conditions on it."""
    found: dict[tuple[str, str, str], list[Condition]] = {}
    for row in rows:
        found.setdefault((row.outfall_id, row.segment_id or row.name, row.basis), []).append(row)
    for (outfall, water, basis), same in found.items():
        yield Reach(outfall, water, basis, letters(row.condition for row in same), same[0].distance_ft)


def _gap_ft(town: Town, one: str, other: str) -> float:
    """How far two things lie apart; not a number where one is not located."""
    places = [
        town.layer(layer).geometry.get(asset) for layer, _, asset in (each.partition(":") for each in (one, other))
    ]
    if places[0] is None or places[1] is None:
        return math.nan
    return round(float(places[0].distance(places[1])) * feet_per_unit(town.crs), 1)


def _source(town: Town, subject: str) -> str:
    layer, _, asset = subject.partition(":")
    return str(town.layer(layer).at[asset, "source"])


def _plain(feet: float) -> float | None:
    """A number for JSON, which knows no other word for not known than null."""
    return None if math.isnan(feet) else feet
