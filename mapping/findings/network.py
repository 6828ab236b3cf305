"""Faults of the drainage network as it is mapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import geopandas as gpd

from layers.crs import feet_per_unit
from layers.joins.network import SEWERS
from mapping.findings.facts import DEAD, Facts, count_assets, name_asset
from mapping.findings.finding import NOT_MS4, Fact, Fine, Found, Measure, Subject
from mapping.findings.rule import Outcome, rule
from mapping.words import say_feet, say_list

OUTFALL_MAPPED = Fine("an outfall is mapped")
CROSSING = Fine("it is a culvert that carries a water under a road")
OUT_OF_QUESTION = Fine("the catch basin is not in use, or drains to a sewer")


@dataclass(frozen=True)
class Piece:
    """A connected piece of the storm network: its rows of the network's nodes and edges."""

    nodes: gpd.GeoDataFrame
    edges: gpd.GeoDataFrame

    @property
    def lines(self) -> list[Subject]:
        """Layer and id of every line, each once."""
        return list(dict.fromkeys(zip(self.edges["layer"], self.edges["asset_id"], strict=True)))

    @property
    def basins(self) -> list[Subject]:
        """Layer and id of every catch basin."""
        own = self.nodes[self.nodes["layer"] == "catch_basins"]
        return list(zip(own["layer"], own["asset_id"], strict=True))

    def asset_at(self, node: int) -> Subject:
        """The structure at a node, or the first of the lines that meet there."""
        structure = self.nodes.loc[node, ["layer", "asset_id"]]
        if structure["asset_id"]:
            return str(structure["layer"]), str(structure["asset_id"])
        meeting = self.edges[(self.edges["tail"] == node) | (self.edges["head"] == node)]
        return min(zip(meeting["layer"], meeting["asset_id"], strict=True))


def pieces(facts: Facts) -> Iterator[Piece]:
    """Every connected piece of carrying storm lines, then every catch basin that no such line meets."""
    network = facts.town.network
    label = network.components()
    carrying = network.edges[network.edges["carries"].astype(bool) & ~network.is_sewer]
    nodes_of = label.groupby(label).groups
    for piece, edges in carrying.groupby(label.loc[carrying["tail"]].to_numpy()):
        yield Piece(network.nodes.loc[nodes_of[piece]], edges)
    met = {*carrying["tail"], *carrying["head"]}
    for basin in network.nodes.index[network.nodes["layer"] == "catch_basins"]:
        if basin not in met:
            yield Piece(network.nodes.loc[[basin]], carrying.iloc[:0])


@rule(
    "NET-01",
    "Drainage with no mapped outfall",
    cites=("ms4",),
    needs=("pipes|ditches|culverts",),
    subjects=pieces,
    fine=(OUTFALL_MAPPED, CROSSING, NOT_MS4, OUT_OF_QUESTION),
    bad="Three basins and two pipes are connected, the lower pipe ends beside a brook, and no outfall is mapped there.",
    good="The same with an outfall mapped at the lower end, or a single culvert that only carries a brook under a road.",
)
def drainage_without_outfall(facts: Facts, piece: Piece) -> Outcome:
    """Connected storm lines, or a single catch basin, to which no mapped outfall or connection to another system belongs.

    The water leaves somewhere: either an outfall is not mapped, or a line that leads to one. Nothing is invented; the
    flag stands at the lowest end, where somebody has to look, and counts the catch basins behind it.
    """
    if (piece.nodes["kind"] == "outfall").any():
        return OUTFALL_MAPPED
    basins = piece.basins
    if not basins and set(piece.edges["layer"]) == {"culverts"}:
        return CROSSING
    if all(facts.ms4(*asset)["is_ms4"] == "no" for asset in piece.lines or basins):
        return NOT_MS4
    if not piece.lines and _is_out_of_question(facts, piece):
        return OUT_OF_QUESTION
    end = _lowest_end(facts, piece)
    subject = piece.asset_at(end)
    against = tuple(_ways_out(facts, piece))
    return Found(
        subject=subject,
        confidence="possible" if against else "probable",
        facts_for=(Fact(_what_is_there(piece), *subject, "drawing"),),
        facts_against=against,
        clears=(_next_action(facts, piece, end),),
        measure=Measure("basins behind", len(basins), "basins"),
        geometry=facts.town.network.nodes.geometry[end],
    )


def _is_out_of_question(facts: Facts, basin: Piece) -> bool:
    """Whether a catch basin that no storm line meets is not in use, or has a sewer to drain to."""
    node = basin.nodes.index[0]
    return facts.row(*basin.basins[0])["status"] in DEAD or bool(facts.systems_at.get(node, frozenset()) & SEWERS)


def _what_is_there(piece: Piece) -> str:
    if not piece.lines:
        return "no storm line meets this catch basin"
    counted = count_assets([layer for layer, _ in [*piece.lines, *piece.basins]])
    return f"{counted} hang together, with no outfall mapped"


def _lowest_end(facts: Facts, piece: Piece) -> int:
    """The node at the end to which most lines lead; any node, the same each time, where the water only goes round."""
    heads = {int(node) for node in piece.edges["head"]} or {int(node) for node in piece.nodes.index}
    ends = sorted(heads - set(piece.edges["tail"])) or [max(heads)]
    return max(ends, key=lambda node: (len(facts.town.network.reach([node], "up")[1]), -node))


def _ways_out(facts: Facts, piece: Piece) -> Iterator[Fact]:
    """What speaks against an outfall missing here: a sewer that takes the water, or lines that may not belong together."""
    for node in piece.nodes.index:
        sewers = facts.systems_at.get(node, frozenset()) & SEWERS
        if sewers:
            system = " and ".join(sorted(sewers))
            yield Fact(f"a {system} line meets it here, the water may leave that way", *piece.asset_at(node), "drawing")
            break
    doubtful = piece.edges[piece.edges["certainty"] == "doubtful"]
    if len(doubtful):
        names = say_list(
            dict.fromkeys(name_asset(*line) for line in zip(doubtful["layer"], doubtful["asset_id"], strict=True))
        )
        yield Fact(f"doubtful lines hold it together: {names}")


def _next_action(facts: Facts, piece: Piece, end: int) -> str:
    """The one thing to do next: go there, and see whether it reaches an outfall that is mapped nearby."""
    outfalls = facts.town.layer("outfalls").geometry.dropna()
    gaps = outfalls.distance(facts.town.network.nodes.geometry[end]) * feet_per_unit(facts.town.crs)
    near = gaps[gaps <= facts.town.settings.tolerances.water_ft]
    if not piece.lines:
        return f"open {name_asset(*piece.basins[0])} and record the line that leads out of it"
    where = f"go to the lower end at {name_asset(*piece.asset_at(end))}"
    if near.empty:
        return f"{where} and map the outfall there, or the line that leads on"
    return f"{where} and see whether it reaches outfall {near.idxmin()}, {say_feet(float(near.min()))} away"
