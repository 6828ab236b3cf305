"""Faults of the drainage network as it is mapped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import shapely

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
class Line:
    """An edge of the network: its line, the nodes that it leads from and to, and how certain that is."""

    subject: Subject
    tail: int
    head: int
    certainty: str


@dataclass(frozen=True)
class Piece:
    """A connected piece of the storm network: the structure at each of its nodes (None: none recorded) and its lines."""

    nodes: Mapping[int, Subject | None]
    edges: tuple[Line, ...]

    @property
    def lines(self) -> list[Subject]:
        """Every line once."""
        return list(dict.fromkeys(edge.subject for edge in self.edges))

    @property
    def basins(self) -> list[Subject]:
        """Every catch basin."""
        return [each for each in self.nodes.values() if each and each[0] == "catch_basins"]

    @property
    def has_outfall(self) -> bool:
        """Whether an outfall, or a connection to another system, is among its structures."""
        return any(each and each[0] == "outfalls" for each in self.nodes.values())

    def asset_at(self, node: int) -> Subject:
        """The structure at a node, or the first of the lines that meet there."""
        return self.nodes[node] or min(edge.subject for edge in self.edges if node in (edge.tail, edge.head))


def pieces(facts: Facts) -> Iterator[Piece]:
    """Every connected piece of carrying storm lines, then every catch basin that no such line meets."""
    network = facts.town.network
    structures = [
        (str(layer), str(asset)) if asset else None
        for layer, asset in zip(network.nodes["layer"], network.nodes["asset_id"], strict=True)
    ]
    carrying = network.edges[network.edges["carries"].astype(bool) & ~network.is_sewer]
    columns = (carrying[name] for name in ("layer", "asset_id", "tail", "head", "certainty"))
    label = network.components().to_numpy()
    edges: dict[int, list[Line]] = defaultdict(list)
    nodes: dict[int, dict[int, Subject | None]] = defaultdict(dict)
    for layer, asset, tail, head, certainty in zip(*columns, strict=True):
        edges[label[tail]].append(Line((layer, asset), int(tail), int(head), certainty))
    for node, structure in enumerate(structures):
        nodes[label[node]][node] = structure
    yield from (Piece(nodes[piece], tuple(lines)) for piece, lines in edges.items())
    for piece, own in nodes.items():
        alone = Piece(own, ())
        if piece not in edges and alone.basins:
            yield alone


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
    if piece.has_outfall:
        return OUTFALL_MAPPED
    basins = piece.basins
    if not basins and {layer for layer, _ in piece.lines} == {"culverts"}:
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
        geometry=facts.town.network.nodes.geometry.array[end],
    )


def _is_out_of_question(facts: Facts, basin: Piece) -> bool:
    """Whether a catch basin that no storm line meets is not in use, or has a sewer to drain to."""
    return facts.row(*basin.basins[0])["status"] in DEAD or any(_sewers_at(facts, node) for node in basin.nodes)


def _sewers_at(facts: Facts, node: int) -> str:
    return " and ".join(sorted(facts.systems_at.get(node, set()) & SEWERS))


def _what_is_there(piece: Piece) -> str:
    if not piece.lines:
        return "no storm line meets this catch basin"
    return f"no outfall is mapped for {count_assets(layer for layer, _ in [*piece.lines, *piece.basins])}"


def _lowest_end(facts: Facts, piece: Piece) -> int:
    """The node at the end to which most lines lead; any node, the same each time, where the water only goes round."""
    heads = {edge.head for edge in piece.edges}
    ends = sorted(heads - {edge.tail for edge in piece.edges}) or [max(heads or piece.nodes)]
    if len(ends) == 1:
        return ends[0]
    return max(ends, key=lambda node: (len(facts.town.network.reach([node], "up")[1]), -node))


def _ways_out(facts: Facts, piece: Piece) -> Iterator[Fact]:
    """What speaks against an outfall missing here: a sewer that takes the water, or lines that may not belong together."""
    met = next((node for node in piece.nodes if _sewers_at(facts, node)), None)
    if met is not None:
        system = _sewers_at(facts, met)
        yield Fact(f"a {system} line meets it here, the water may leave that way", *piece.asset_at(met), "drawing")
    doubtful = dict.fromkeys(edge.subject for edge in piece.edges if edge.certainty == "doubtful")
    if doubtful:
        yield Fact(f"doubtful lines hold it together: {say_list(name_asset(*line) for line in doubtful)}")


def _next_action(facts: Facts, piece: Piece, end: int) -> str:
    """The one thing to do next: go there, and see whether it reaches an outfall that is mapped nearby."""
    if not piece.lines:
        return f"open {name_asset(*piece.basins[0])} and record the line that leads out of it"
    where = f"go to the lower end at {name_asset(*piece.asset_at(end))}"
    near = _nearest_outfall(facts, end)
    if near is None:
        return f"{where} and map the outfall there, or the line that leads on"
    return f"{where} and see whether it reaches outfall {near[0]}, {say_feet(near[1])} away"


def _nearest_outfall(facts: Facts, node: int) -> tuple[str, float] | None:
    """The nearest mapped outfall and how far it is, no further than a receiving water is looked for."""
    outfalls = facts.town.layer("outfalls")
    if outfalls.empty:
        return None
    gaps = shapely.distance(outfalls.geometry.to_numpy(), facts.town.network.nodes.geometry.array[node])
    if np.isnan(gaps).all():
        return None
    nearest = int(np.nanargmin(gaps))
    feet = float(gaps[nearest]) * feet_per_unit(facts.town.crs)
    return (str(outfalls.index[nearest]), feet) if feet <= facts.town.settings.tolerances.water_ft else None
