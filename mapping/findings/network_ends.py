"""Network: where lines end, dead ends and what mending them connects, gaps, and ends without a structure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import shapely

from layers.joins.fixes import dead_ends
from mapping.findings.facts import DEAD, Facts, name_asset
from mapping.findings.finding import NOT_MS4, Fact, Fine, Found, Measure, Subject
from mapping.findings.lines import STRUCTURES, Line
from mapping.findings.network import CROSSING, OUTFALL_MAPPED
from mapping.findings.rule import Outcome, rule
from mapping.words import say_list

JOINED = Fine("it meets what it joins")
NAMED = Fine("the record names what it joins")
HAS_STRUCTURE = Fine("a structure is recorded there")
OPENS = Fine("it opens into a ditch or a culvert")
DEAD_END = Fine("lines end there with no way on, which is rule NET-02's matter")
CONNECTED = Fine("a line or a drain is mapped that meets it")
BASIN_ALONE = Fine("it is a catch basin in use, which is rule NET-01's matter")
UNUSED = Fine("it is not in use")


@dataclass(frozen=True)
class End:
    """A place where storm lines end: the structure or line, the node, and what lies behind; `text` empty: an outfall."""

    subject: Subject
    node: int
    basins: int = 0
    lots: int = 0
    new_basins: int = 0
    new_lots: int = 0
    text: str = ""


def ends(facts: Facts) -> Iterator[End]:
    """Every dead end in the order in which to mend them, then every outfall that a storm line meets."""
    found = dead_ends(facts.town)
    columns = ["node", "basins_behind", "lots_behind", "newly_connected", "newly_connected_lots", "text"]
    names = zip(found["layer"], found["asset_id"], strict=True)
    for name, row in zip(names, found[columns].itertuples(index=False), strict=True):
        yield End(name, *row)
    for node, structure in enumerate(facts.lines.structures):
        if structure and structure[0] == "outfalls" and node in facts.lines.storm_at:
            yield End(structure, node)


@rule(
    "NET-02",
    "Dead end of the drainage network",
    cites=("ms4",),
    needs=("pipes|ditches|culverts",),
    subjects=ends,
    severity="error",
    fine=(OUTFALL_MAPPED, CROSSING, NOT_MS4),
    bad="A trunk drawn to the edge of the map ends there; 520 catch basins drain to it and reach no outfall.",
    good="The same with the interconnection mapped at its end, or a culvert that only carries a brook under a road.",
)
def dead_end(facts: Facts, end: End) -> Outcome:
    """Storm lines end, or lead round, at a place where no outfall or connection to another system is mapped.

    Flags stand in the order in which mending them newly connects most catch basins, then lots: what an earlier one connects
    is not counted again. The measure is all that lies behind it and reaches no outfall as drawn. A place with nothing
    behind it is a note. What may mend it is proposed, never done.
    """
    if not end.text:
        return OUTFALL_MAPPED
    lines = facts.lines.lines_at(end.node)
    behind = end.basins + end.lots
    if not behind and {layer for layer, _ in lines} == {"culverts"}:
        return CROSSING
    if not behind and all(facts.ms4(*line)["is_ms4"] == "no" for line in lines):
        return NOT_MS4
    sewers = facts.systems_at.get(end.node, set()) & {"sanitary", "combined"}
    against = [
        Fact(f"a {each} line meets it here, the water may leave that way", *end.subject) for each in sorted(sewers)
    ]
    accepted = facts.records_about(":".join(end.subject), "proposal_accepted")
    return Found(
        subject=end.subject,
        severity="" if behind else "note",
        confidence="possible" if against else "probable",
        facts_for=tuple(_behind(end)),
        facts_against=tuple(against),
        clears=(_record_accepted(str(accepted[-1].data["proposal"])) if accepted else end.text,),
        measure=Measure("basins_behind", end.basins, "basins"),
        geometry=facts.lines.point(end.node),
    )


def _behind(end: End) -> Iterator[Fact]:
    if not end.basins + end.lots:
        yield Fact(
            "lines end here and no outfall is mapped; nothing is mapped that drains to it", *end.subject, "drawing"
        )
        return
    what = f"{_count(end.basins, 'catch basin')} and {_count(end.lots, 'lot')}"
    yield Fact(f"{what} behind it reach no outfall as drawn", *end.subject, "drawing")
    new = f"{_count(end.new_basins, 'catch basin')} and {_count(end.new_lots, 'lot')}"
    yield Fact(f"to mend it, after those listed before it, newly connects {new}", *end.subject, "drawing")


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def _record_accepted(proposal: str) -> str:
    return f"record what was accepted here ({proposal}) with its place, so that the lines lead to it"


@dataclass(frozen=True)
class LineEnd:
    """An end of a storm line: what it joins, and how far that is where it is joined doubtfully."""

    subject: Subject
    node: int
    to: Subject | None = None
    gap_ft: float = 0.0


def line_ends(facts: Facts) -> Iterator[LineEnd]:
    """Both ends of every carrying storm line; two ends that join each other doubtfully are one."""
    seen: set[tuple[int, frozenset[Subject]]] = set()
    for line in facts.lines.rows(storm=True):
        shape = facts.place(*line.subject) if line.certainty == "doubtful" else None
        for node, which in ((line.start, 0), (line.end, -1)):
            end = LineEnd(line.subject, node)
            if shape is not None:
                end = _measured(facts, line, node, shapely.get_point(shape, which))
            pair = (node, frozenset(each for each in (end.subject, end.to) if each))
            if end.to and pair in seen:
                continue
            seen.add(pair)
            yield end


def _measured(facts: Facts, line: Line, node: int, at: shapely.Point) -> LineEnd:
    """How far an end of a doubtful line is from the structure or the line that it joins."""
    structure = facts.lines.structures[node]
    if structure:
        gap = shapely.distance(at, facts.lines.point(node)) * facts.lines.feet
        return LineEnd(line.subject, node, structure, float(gap))
    others = [edge for edge in facts.lines.storm_at.get(node, ()) if facts.lines.edge_names[edge] != line.subject]
    if not others:
        return LineEnd(line.subject, node)
    gaps = shapely.distance(facts.town.network.edges.geometry.array[others], at) * facts.lines.feet
    gap, other = min(zip(gaps.tolist(), others, strict=True))
    return LineEnd(line.subject, node, facts.lines.edge_names[other], gap)


@rule(
    "NET-03",
    "Ends that nearly meet",
    cites=("ms4",),
    needs=("pipes|ditches|culverts",),
    subjects=line_ends,
    fine=(JOINED, NAMED),
    bad="A ditch ends 3 ft from the catch basin that it seems to lead to, and no record says that it does.",
    good="The same 0.4 ft away, or with the basin's id recorded as the ditch's end.",
)
def ends_that_nearly_meet(facts: Facts, end: LineEnd) -> Outcome:
    """An end of a line lies further than 0.5 ft and no further than 5 ft from what it seems to join.

    (Tolerances `snap_ft` and `snap_doubtful_ft`.) The join is used as doubtful and never made silently; what lies further
    off is left open. Where the record names the structure, or the Town has accepted the join and so drawn the line on to
    it, nothing is to ask.
    """
    if end.to is None or end.gap_ft <= facts.town.settings.tolerances.snap_ft:
        return JOINED
    row = facts.row(*end.subject)
    if end.to[1] in (row.get("from_id"), row.get("to_id")):
        return NAMED
    return Found(
        subject=end.subject,
        other=end.to[1],
        confidence="possible",
        facts_for=(
            Fact(
                f"an end lies {end.gap_ft:.1f} ft from {name_asset(*end.to)} and is joined to it",
                *end.subject,
                "drawing",
            ),
        ),
        clears=(f"see whether it meets {name_asset(*end.to)}: then accept the join, or record what it meets",),
        measure=Measure("gap", round(end.gap_ft, 2), "ft"),
        geometry=facts.lines.point(end.node),
    )


@dataclass(frozen=True)
class PipeEnd:
    """A place where storm pipes end, and which ones."""

    node: int
    pipes: tuple[Subject, ...]


def pipe_ends(facts: Facts) -> Iterator[PipeEnd]:
    """Every place where at least one carrying storm pipe ends."""
    met: dict[int, list[Subject]] = {}
    for line in facts.lines.rows(storm=True):
        if line.layer == "pipes":
            for node in dict.fromkeys((line.start, line.end)):
                met.setdefault(node, []).append(line.subject)
    yield from (PipeEnd(node, tuple(sorted(pipes))) for node, pipes in met.items())


@rule(
    "NET-04",
    "Pipe that ends without a structure",
    cites=("ms4", "illicit_connection_B"),
    needs=("pipes",),
    subjects=pipe_ends,
    severity="note",
    fine=(HAS_STRUCTURE, OPENS, DEAD_END),
    bad="A side pipe joins the middle of a main, and no basin or manhole is recorded there.",
    good="The same with a manhole at the place; or a pipe that ends at an outfall, or opens into a ditch.",
)
def pipe_without_structure(facts: Facts, end: PipeEnd) -> Outcome:
    """A pipe begins, ends or joins another where no structure is recorded.

    Where pipes meet end to end, or a pipe begins in nothing, it is a note: a structure was not mapped. A side pipe that
    meets the middle of a main is a warning: a connection made without a structure is one that may be on no plan, the clue to
    definition B of illicit connections. Whose it is is not said.
    """
    lines = facts.lines
    if lines.structures[end.node]:
        return HAS_STRUCTURE
    met = lines.lines_at(end.node)
    if any(layer != "pipes" for layer, _ in met):
        return OPENS
    mains = [each for each in met if each not in end.pipes]
    if not mains and not lines.leaving(end.node):
        return DEAD_END
    pipe = end.pipes[0]
    clears = f"go to the place and record the structure where {name_asset(*pipe)} ends"
    if mains:
        clears = f"find out where {name_asset(*pipe)} comes from (camera, dye, plans) and record the structure there"
    return Found(
        subject=pipe,
        other=mains[0][1] if mains else end.pipes[1][1] if len(end.pipes) > 1 else "",
        severity="warning" if mains else "",
        confidence="probable",
        cites=("illicit_connection_B",) if mains else (),
        facts_for=(Fact(_met(end, mains), *pipe, "drawing"),),
        clears=(clears,),
        measure=Measure("lines meeting", len(met), "lines"),
        geometry=lines.point(end.node),
    )


def _met(end: PipeEnd, mains: list[Subject]) -> str:
    if mains:
        return f"it joins the middle of {name_asset(*mains[0])} where no structure is recorded"
    if len(end.pipes) > 1:
        return f"{say_list(name_asset(*each) for each in end.pipes)} meet where no structure is recorded"
    return "it begins where no structure is recorded"


def structures(facts: Facts) -> Iterator[tuple[Subject, int]]:
    """Every located catch basin and manhole, and the node where its lines meet."""
    for each, place in zip(facts.lines.structures, facts.town.network.nodes["place"], strict=True):
        if each and each[0] in STRUCTURES:
            yield each, int(place)


@rule(
    "NET-16",
    "Structure with no mapped connection",
    cites=("ms4",),
    needs=("catch_basins|manholes", "pipes|ditches|culverts"),
    subjects=structures,
    severity="note",
    fine=(CONNECTED, BASIN_ALONE, UNUSED),
    bad="A manhole stands in the road and no pipe is drawn to or from it.",
    good="The same with a pipe that meets it, whatever its system.",
)
def structure_without_connection(facts: Facts, at: tuple[Subject, int]) -> Outcome:
    """No line or drain that is mapped meets a structure: a gap in the map, not a fault of the structure."""
    structure, node = at
    if node in facts.lines.storm_at or node in facts.lines.sewers_at or structure[1] in facts.drained:
        return CONNECTED
    if facts.row(*structure)["status"] in DEAD:
        return UNUSED
    if structure[0] == "catch_basins":
        return BASIN_ALONE
    return Found(
        subject=structure,
        confidence="probable",
        facts_for=(Fact("no line that is mapped meets it", *structure, "drawing"),),
        clears=("open it and record the lines that lead in and out",),
        measure=Measure("lines meeting", 0, "lines"),
    )
