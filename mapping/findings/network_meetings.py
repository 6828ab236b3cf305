"""Network: lines not in use that are used, storm lines that meet sewers, structures in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import shapely
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from layers.joins.network import SEWERS
from mapping.findings.facts import DEAD, Facts, name_asset
from mapping.findings.finding import Fact, Fine, Found, Measure, Subject
from mapping.findings.lines import LINES
from mapping.findings.rule import Outcome, rule
from mapping.words import say_list

STACKED_FT = 1.0
"""Two structures nearer than this are probably one that was surveyed twice: a frame and cover is about 2 ft wide."""
LEFT_ALONE = Fine("no line in use leads to it, or another leads on")
APART_FROM_SEWERS = Fine("no sanitary or combined line meets it")
BY_ITSELF = Fine("no other structure is in its place")


@dataclass(frozen=True)
class Unused:
    """A line that is not in use, the node of live lines that end at it (-1: none), and how many these are."""

    subject: Subject
    node: int = -1
    arriving: int = 0


def unused_lines(facts: Facts) -> Iterator[Unused]:
    """Every located line that is abandoned, proposed or not found."""
    nodes = np.array(sorted(node for node in facts.lines.storm_at if not facts.lines.leaving(node)), np.int64)
    at = shapely.get_coordinates(facts.town.network.nodes.geometry.array[nodes])
    tree = cKDTree(at) if len(nodes) else None
    snap = facts.town.settings.tolerances.snap_ft / facts.lines.feet
    for layer in LINES:
        frame = facts.town.layer(layer)
        frame = frame[frame["status"].isin(DEAD) & frame.geometry.notna()]
        for key, shape in zip(frame.index, frame.geometry, strict=True):
            ends = shapely.get_coordinates(shapely.get_point(shape, [0, -1]))
            gaps, found = tree.query(ends, distance_upper_bound=snap * (1 + 1e-9)) if tree else (np.full(2, np.inf), [])
            met = [int(nodes[each]) for gap, each in zip(gaps, found, strict=False) if np.isfinite(gap)]
            node = next((each for each in met if not _is_outfall(facts, each)), -1)
            yield Unused((layer, str(key)), node, len(facts.lines.storm_at.get(node, ())))


def _is_outfall(facts: Facts, node: int) -> bool:
    structure = facts.lines.structures[node]
    return structure is not None and structure[0] == "outfalls"


@rule(
    "NET-13",
    "Line not in use that live lines lead to",
    cites=("ms4",),
    needs=("pipes.status|ditches.status|culverts.status",),
    subjects=unused_lines,
    fine=(LEFT_ALONE,),
    bad="Two pipes in use lead to a manhole, and the only line out of it is recorded as abandoned.",
    good="The same with the pipe that replaced it.",
)
def unused_line_in_use(facts: Facts, line: Unused) -> Outcome:
    """A line that is abandoned, proposed or not found is the only one at a place where lines in use end.

    The water goes somewhere: the line is in use after all, or its replacement is not mapped. No trace passes it.
    """
    if line.node < 0:
        return LEFT_ALONE
    status = str(facts.row(*line.subject)["status"]).replace("_", " ")
    lines = say_list(name_asset(*each) for each in facts.lines.lines_at(line.node))
    return Found(
        subject=line.subject,
        confidence="probable",
        facts_for=(
            Fact(f"recorded as {status}", *line.subject, str(facts.row(*line.subject)["source"])),
            Fact(f"{lines} lead to it and no other line leads on", *line.subject, "drawing"),
        ),
        clears=("see whether it carries water: then correct its standing, else map the line that replaced it",),
        measure=Measure("lines that lead to it", line.arriving, "lines"),
        geometry=facts.lines.point(line.node),
    )


def storm_places(facts: Facts) -> Iterator[int]:
    """Every place where carrying storm lines meet."""
    return iter(facts.lines.storm_at)


@rule(
    "NET-14",
    "Storm line that meets a sanitary or combined sewer",
    cites=("ms4", "sewage_line"),
    needs=("pipes.system",),
    subjects=storm_places,
    fine=(APART_FROM_SEWERS,),
    bad="A storm pipe and a combined sewer are joined at one manhole.",
    good="A sanitary sewer that crosses under a storm pipe and joins nothing there.",
)
def storm_meets_sewer(facts: Facts, node: int) -> Outcome:
    """Lines of the storm system and sanitary or combined lines are joined at one place.

    The two are kept apart and no trace passes from one to the other. Where a sewer leads to the place and a storm line
    leads on, it is an error: sewage could reach the MS4. Lines whose system is not recorded leave it no more than possible.
    """
    sewers = facts.lines.sewers_at.get(node)
    if not sewers:
        return APART_FROM_SEWERS
    edges = facts.town.network.edges
    subject, storm = facts.lines.name_at(node), facts.lines.storm_at[node]
    arrives = any(int(edges["head"].iat[each]) == node for each in sewers)
    unknown = all(edges["system"].iat[each] == "unknown" for each in storm)
    names = [
        say_list(name_asset(*each) for each in sorted({facts.lines.edge_names[e] for e in some}))
        for some in (sewers, storm)
    ]
    systems = " and ".join(sorted({str(edges["system"].iat[each]) for each in sewers} & SEWERS))
    grave = arrives and bool(facts.lines.leaving(node))
    return Found(
        subject=subject,
        severity="error" if grave else "",
        confidence="possible" if unknown else "probable",
        cites=("sewage_line",) if grave else (),
        facts_for=(Fact(f"{systems}: {names[0]} meets {names[1]}", *subject, "drawing"),),
        facts_against=(Fact("the system of the other lines is not recorded", *subject),) if unknown else (),
        clears=("see whether they are joined (camera, dye), and record the system of each line",),
        measure=Measure("sewers that meet it", len(sewers), "lines"),
        geometry=facts.lines.point(node),
    )


@dataclass(frozen=True)
class Stack:
    """A structure, the others in its place, and how far the furthest is."""

    subject: Subject
    others: tuple[Subject, ...] = ()
    apart_ft: float = 0.0


def stacks(facts: Facts) -> Iterator[Stack]:
    """Every located structure and outfall; those in one place are one, told of the first by id."""
    names = [(node, each) for node, each in enumerate(facts.lines.structures) if each]
    at = shapely.get_coordinates(facts.town.network.nodes.geometry.to_numpy()[[node for node, _ in names]])
    if not len(at):
        return
    places, which = np.unique(
        at, axis=0, return_inverse=True
    )  # a thousand in one point are one place, not a million pairs
    pairs = cKDTree(places).query_pairs(STACKED_FT / facts.lines.feet, output_type="ndarray")
    size = len(places)
    graph = coo_matrix((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    groups = pd.Series(range(len(names))).groupby(label[which.ravel()]).agg(list)
    for members in groups:
        first, *others = sorted(names[each][1] for each in members)
        spread = at[members] - at[members[0]]
        yield Stack(first, tuple(others), float(np.linalg.norm(spread, axis=1).max()) * facts.lines.feet)


@rule(
    "NET-15",
    "Structures in one place",
    cites=("ms4",),
    needs=("catch_basins|manholes|outfalls",),
    subjects=stacks,
    fine=(BY_ITSELF,),
    bad="Two catch basins 0.7 ft apart, one from each of two surveys.",
    good="Two catch basins 3 ft apart.",
)
def structures_in_one_place(facts: Facts, stack: Stack) -> Outcome:
    """Two or more structures lie within 1 ft of each other: probably one, surveyed twice.

    Their ids are never merged silently; both are counted, and lines join the place.
    """
    if not stack.others:
        return BY_ITSELF
    names = say_list(name_asset(*each) for each in stack.others)
    return Found(
        subject=stack.subject,
        other=stack.others[0][1],
        confidence="possible",
        facts_for=(Fact(f"{names} in the same place", *stack.subject, "drawing"),),
        clears=("see how many there are and retire the other records",),
        measure=Measure("distance apart", round(stack.apart_ft, 2), "ft"),
    )
