"""Network: which way water runs, against what was drawn, uphill, in rings, and by several ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from layers.joins.ranking import strong_pieces
from mapping.findings.facts import DEAD, Facts, count_assets, name_asset
from mapping.findings.finding import NOT_IN_USE, CannotSay, Fact, Fine, Found, Measure, Subject
from mapping.findings.lines import Line
from mapping.findings.rule import Outcome, rule
from mapping.words import say_list

RISE_FT = 0.01
"""Two inverts that differ by less are level: the last digit in which inverts are written down."""
AS_RECORDED = Fine("it is drawn the way that its recorded ids say")
DOWNHILL = Fine("it falls, or is level")
AGREES = Fine("its recorded ids and its inverts agree")
ACCEPTED = Fine("the Town has accepted which way its water runs")
ONWARD = Fine("water that leaves it does not come back")
ONE_WAY = Fine("one way leads on")
SIDE_BY_SIDE = Fine("its lines lead side by side to the same place")


def lines_with_ids(facts: Facts) -> Iterator[Line]:
    """Every carrying line whose direction rests on recorded ids."""
    return (line for line in facts.lines.rows() if line.basis == "recorded")


@rule(
    "NET-05",
    "Line drawn against its recorded ids",
    cites=("ms4",),
    needs=("pipes.from_id|pipes.to_id|ditches.from_id|ditches.to_id|culverts.from_id|culverts.to_id",),
    subjects=lines_with_ids,
    fine=(AS_RECORDED, ACCEPTED),
    bad="A pipe recorded from CB-1 to CB-2 and drawn from CB-2 to CB-1.",
    good="The same drawn from CB-1 to CB-2.",
)
def line_drawn_against_ids(facts: Facts, line: Line) -> Outcome:
    """The structures recorded up and down lie at the other ends than the drawing begins and ends.

    The network follows the record. Either the drawing or the record is the wrong way round. Where only one of the two ends
    is a structure that the record names, it is no more than possible.
    """
    if line.subject in facts.turned:
        return ACCEPTED
    if not line.turned:
        return AS_RECORDED
    row = facts.row(*line.subject)
    named = " to ".join(part for part in (str(row["from_id"]), str(row["to_id"])) if part)
    met = [facts.lines.structures[end] for end in (line.start, line.end)]
    both = all(each and each[1] in (row["from_id"], row["to_id"]) for each in met)
    return Found(
        subject=line.subject,
        confidence="probable" if both else "possible",
        facts_for=(
            Fact(f"recorded: {named}", *line.subject, str(row["source"])),
            Fact("drawn the other way", *line.subject, "drawing"),
        ),
        clears=("see which way the water runs and correct the drawing or the record",),
        measure=Measure("length", round(line.length_ft, 1), "ft"),
    )


@dataclass(frozen=True)
class Slope:
    """A pipe with both inverts: how far it rises the way that its water runs by record or drawing, and over what length."""

    subject: Subject
    rise_ft: float
    length_ft: float
    basis: str


def slopes(facts: Facts) -> Iterator[Slope]:
    """Every pipe of which both inverts are known."""
    pipes = facts.town.layer("pipes")
    up, down = (pipes[name].to_numpy(float) for name in ("invert_up_ft", "invert_dn_ft"))
    table = facts.lines.table
    mine = table[table["layer"] == "pipes"].set_index("asset_id")
    lengths, basis = mine["length_ft"].to_dict(), mine["basis"].to_dict()
    known = np.flatnonzero(np.isfinite(up) & np.isfinite(down))
    for row in known.tolist():
        pipe = str(pipes.index[row])
        rise = round(float(down[row] - up[row]), 4) * (-1 if ("pipes", pipe) in facts.turned else 1)
        yield Slope(("pipes", pipe), rise, float(lengths.get(pipe, np.nan)), str(basis.get(pipe, "")))


def slopes_with_ids(facts: Facts) -> Iterator[Slope]:
    """Every pipe of which both inverts and recorded ids say which way water runs."""
    return (each for each in slopes(facts) if each.basis == "recorded")


@rule(
    "NET-06",
    "Pipe that runs uphill",
    cites=("ms4",),
    needs=("pipes.invert_up_ft", "pipes.invert_dn_ft"),
    subjects=slopes,
    fine=(DOWNHILL, NOT_IN_USE),
    bad="The upstream invert is 402.10 ft, the downstream one 402.60 ft.",
    good="Both are 402.10 ft, or one of them is not known.",
)
def pipe_uphill(facts: Facts, pipe: Slope) -> Outcome:
    """The downstream invert lies more than 0.01 ft above the upstream one.

    Asked only where both are known. A rise that is larger than the pipe is long is no slope: the two are in different
    datums, or one is a slip, and nothing can be said. A siphon is a known exception: dismiss the finding with the plan. Where
    the Town has accepted that the water runs the other way, the two are asked the other way round.
    """
    if pipe.rise_ft <= RISE_FT:
        return DOWNHILL
    if facts.row(*pipe.subject)["status"] in DEAD:
        return NOT_IN_USE
    if pipe.rise_ft > pipe.length_ft:
        return CannotSay(pipe.subject, f"its inverts differ by {pipe.rise_ft:,.2f} ft, more than its length")
    return Found(
        subject=pipe.subject,
        confidence="probable",
        facts_for=(_inverts(facts, pipe),),
        facts_against=(
            *(
                [Fact("the network takes it as running the other way", *pipe.subject)]
                if pipe.basis == "inverts"
                else []
            ),
        ),
        clears=("level both inverts again, or turn the pipe if its ends were mixed up",),
        measure=Measure("rise", round(pipe.rise_ft, 2), "ft"),
    )


def _inverts(facts: Facts, pipe: Slope) -> Fact:
    row = facts.row(*pipe.subject)
    text = f"invert upstream {row['invert_up_ft']:.2f} ft, downstream {row['invert_dn_ft']:.2f} ft"
    return Fact(text, *pipe.subject, str(row["source"]))


@rule(
    "NET-18",
    "Recorded ids against inverts",
    cites=("ms4",),
    needs=("pipes.invert_up_ft", "pipes.invert_dn_ft", "pipes.from_id|pipes.to_id"),
    subjects=slopes_with_ids,
    severity="error",
    fine=(AGREES, ACCEPTED),
    bad="A pipe recorded from CB-1 to CB-2 whose invert at CB-2 is 0.5 ft higher than at CB-1.",
    good="The same with the invert at CB-2 lower; or without recorded ids.",
)
def ids_against_inverts(facts: Facts, pipe: Slope) -> Outcome:
    """Recorded ids say that water runs one way, the inverts that it runs the other: the direction is doubtful.

    The network follows the ids and marks the line doubtful, so that every trace through it is no more than that.
    """
    if pipe.subject in facts.turned:
        return ACCEPTED
    if pipe.rise_ft <= RISE_FT:
        return AGREES
    row = facts.row(*pipe.subject)
    named = " to ".join(part for part in (str(row["from_id"]), str(row["to_id"])) if part)
    return Found(
        subject=pipe.subject,
        confidence="possible",
        facts_for=(Fact(f"recorded: {named}", *pipe.subject, str(row["source"])), _inverts(facts, pipe)),
        clears=("see which way the water runs, then correct the ids or the inverts",),
        measure=Measure("rise", round(pipe.rise_ft, 2), "ft"),
    )


@dataclass(frozen=True)
class Circle:
    """A place, or the places of a ring, with the edges between them."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...] = ()


def circles(facts: Facts) -> Iterator[Circle]:
    """Every place where storm lines meet, those of a ring together."""
    network, met = facts.town.network, facts.lines.storm_at
    storm = np.array(sorted({edge for edges in met.values() for edge in edges}), np.int64)
    tail, head = (network.edges[end].to_numpy(np.int64)[storm] for end in ("tail", "head"))
    piece, count = strong_pieces(tail, head, len(network.nodes))
    size = np.bincount(piece, minlength=count)
    yield from (Circle((node,)) for node in met if size[piece[node]] == 1)
    inside = (piece[tail] == piece[head]) & (size[piece[tail]] > 1)
    edges: dict[int, list[int]] = {}
    nodes: dict[int, set[int]] = {}
    numbers = (each[inside].tolist() for each in (storm, tail, head, piece[tail]))
    for edge, up, down, ring in zip(*numbers, strict=True):
        edges.setdefault(ring, []).append(edge)
        nodes.setdefault(ring, set()).update((up, down))
    yield from (Circle(tuple(sorted(nodes[ring])), tuple(edges[ring])) for ring in edges)


@rule(
    "NET-07",
    "Lines that lead round in a ring",
    cites=("ms4",),
    needs=("pipes|ditches|culverts",),
    subjects=circles,
    fine=(ONWARD,),
    bad="Three pipes lead from CB-1 by CB-2 and CB-3 back to CB-1.",
    good="Two pipes that lead from CB-1 to CB-3 by two ways.",
)
def lines_in_a_ring(facts: Facts, circle: Circle) -> Outcome:
    """Following the flow one comes back to where one was: at least one of the lines is drawn the wrong way round.

    Where nothing leads out of the ring it is an error: no water would ever leave it.
    """
    if not circle.edges:
        return ONWARD
    lines = list(dict.fromkeys(facts.lines.edge_names[edge] for edge in circle.edges))
    inside = set(circle.edges)
    open_ = any(edge not in inside for node in circle.nodes for edge in facts.lines.leaving(node))
    named = [node for node in circle.nodes if facts.lines.structures[node]]
    node = (named or circle.nodes)[0]
    feet = float(facts.town.network.edges["length_ft"].iloc[list(circle.edges)].sum())
    way_out = "" if open_ else ", and nothing leads out of it"
    return Found(
        subject=facts.lines.name_at(node),
        severity="" if open_ else "error",
        confidence="probable",
        facts_for=(
            Fact(
                f"{count_assets(layer for layer, _ in lines)} in a ring{way_out}",
                *facts.lines.name_at(node),
                "drawing",
            ),
        ),
        clears=(f"see which of these runs the other way: {say_list(name_asset(*line) for line in lines)}",),
        measure=Measure("length round", round(feet, 1), "ft"),
        geometry=facts.lines.point(node),
    )


def branchings(facts: Facts) -> Iterator[int]:
    """Every place where at least one storm line leads on."""
    return (node for node in facts.lines.storm_at if facts.lines.leaving(node))


@rule(
    "NET-08",
    "More than one way on",
    cites=("ms4",),
    needs=("pipes|ditches|culverts",),
    subjects=branchings,
    severity="note",
    fine=(ONE_WAY, SIDE_BY_SIDE),
    bad="Two pipes lead out of a manhole, one to a pond and one to a brook.",
    good="Two barrels side by side from one manhole to the next.",
)
def more_than_one_way(facts: Facts, node: int) -> Outcome:
    """Water can leave a place by lines to different places. True splits exist: a trace follows all of them.

    It is told so that somebody sees whether one of the lines is drawn the wrong way round.
    """
    edges = facts.lines.leaving(node)
    if len(edges) == 1:
        return ONE_WAY
    heads = set(facts.town.network.edges["head"].iloc[edges])
    if len(heads) == 1:
        return SIDE_BY_SIDE
    lines = list(dict.fromkeys(facts.lines.edge_names[edge] for edge in edges))
    subject = facts.lines.name_at(node)
    return Found(
        subject=subject,
        confidence="possible",
        facts_for=(Fact(f"{say_list(name_asset(*line) for line in lines)} lead out of it", *subject, "drawing"),),
        clears=("see whether water leaves by all of them, or one runs the other way",),
        measure=Measure("ways on", len(heads), "ways"),
        geometry=facts.lines.point(node),
    )
