"""Network: what the records say of structures and lines that does not go together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd
import shapely
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from layers.joins.network import SEWERS
from mapping.findings.facts import DEAD, Facts, name_asset
from mapping.findings.finding import Fact, Fine, Found, Measure, Subject
from mapping.findings.lines import ASSETS, LINES, STRUCTURES
from mapping.findings.rule import Outcome, rule
from mapping.words import say_day, say_list

STACKED_FT = 1.0
"""Two structures nearer than this are probably one that was surveyed twice: a frame and cover is about 2 ft wide."""
FIRST_YEAR, FIRST_SURVEY = 1850, date(1950, 1, 1)
"""No drain in use is older, and no survey of one is: what says otherwise is a filler."""
LEFT_ALONE = Fine("no line in use leads to it, or another leads on")
APART_FROM_SEWERS = Fine("no sanitary or combined line meets it")
BY_ITSELF = Fine("no other structure is in its place")
IN_TIME = Fine("its dates can be")
LOCATED = Fine("it has a place")
KNOWN = Fine("the structures that its record names are known")


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


@dataclass(frozen=True)
class Dated:
    """An asset with a date on record."""

    subject: Subject
    surveyed_on: date | None
    year: int | None


def dated_assets(facts: Facts) -> Iterator[Dated]:
    """Every asset of which the day of survey or the year laid is recorded."""
    for layer in ASSETS:
        frame = facts.town.layer(layer)
        years = frame["year"] if "year" in frame else pd.Series(pd.NA, index=frame.index, dtype="Int64")
        known = frame["surveyed_on"].notna() | years.notna()
        rows = zip(frame.index[known], frame["surveyed_on"][known], years[known], strict=True)
        for key, day, year in rows:
            yield Dated((layer, str(key)), day if isinstance(day, date) else None, None if pd.isna(year) else int(year))


@rule(
    "NET-19",
    "Date that cannot be",
    cites=("ms4",),
    needs=("pipes.year|" + "|".join(f"{layer}.surveyed_on" for layer in ASSETS),),
    subjects=dated_assets,
    severity="note",
    fine=(IN_TIME,),
    bad="A basin surveyed on 1 January 1900, or a pipe laid in 2062.",
    good="A pipe laid in 1962 and surveyed in 2019.",
)
def date_that_cannot_be(facts: Facts, asset: Dated) -> Outcome:
    """A pipe was laid before 1850 or in a year to come, or an asset was surveyed before 1950, on a day to come, or unlaid."""
    wrong = _wrong_date(asset, facts.on)
    if not wrong:
        return IN_TIME
    text, year = wrong
    return Found(
        subject=asset.subject,
        confidence="probable",
        facts_for=(Fact(text, *asset.subject, str(facts.row(*asset.subject)["source"])),),
        clears=("look up the date in the source and correct it, or record it as not known",),
        measure=Measure("year", year, "year"),
    )


def _wrong_date(asset: Dated, on: date) -> tuple[str, int] | None:
    """What is wrong with the dates of an asset, and the year in question."""
    day, year = asset.surveyed_on, asset.year
    if year is not None and not FIRST_YEAR <= year <= on.year:
        return f"recorded as laid in {year}", year
    if day is not None and not FIRST_SURVEY <= day <= on:
        return f"recorded as surveyed on {say_day(day)}", day.year
    if day is not None and year is not None and day.year < year:
        return f"recorded as surveyed on {say_day(day)} and laid in {year}", day.year
    return None


def network_assets(facts: Facts) -> Iterator[tuple[Subject, bool]]:
    """Every structure and line, and whether it has a place; outfalls are OUT-05's matter."""
    for layer in (*STRUCTURES, *LINES):
        frame = facts.town.layer(layer)
        yield from (
            ((layer, str(key)), bool(has)) for key, has in zip(frame.index, frame.geometry.notna(), strict=True)
        )


@rule(
    "NET-20",
    "Asset without a place",
    cites=("ms4",),
    needs=("|".join((*STRUCTURES, *LINES)),),
    subjects=network_assets,
    severity="note",
    fine=(LOCATED,),
    bad="A catch basin of the table whose coordinates are blank.",
    good="The same with coordinates.",
)
def asset_without_place(facts: Facts, asset: tuple[Subject, bool]) -> Outcome:
    """A structure or line is on record and not on the map: it is kept and counted, where it leads cannot be said."""
    subject, located = asset
    if located:
        return LOCATED
    return Found(
        subject=subject,
        confidence="probable",
        facts_for=(Fact("it has no geometry, so it is on no map", *subject, str(facts.row(*subject)["source"])),),
        clears=(f"find {name_asset(*subject)} in the field or on a plan and record its place",),
    )


@dataclass(frozen=True)
class Named:
    """A line that records its ends, and those of them that are no structure's."""

    subject: Subject
    unknown: tuple[str, ...]


def naming_lines(facts: Facts) -> Iterator[Named]:
    """Every line that records the id of at least one of its ends."""
    known = {""}
    for layer in (*STRUCTURES, "outfalls"):
        frame = facts.town.layer(layer)
        known |= set(frame.index.astype(str)) | set(frame["source_id"].astype(str))
    for layer in LINES:
        frame = facts.town.layer(layer)
        for key, up, down in zip(frame.index, frame["from_id"], frame["to_id"], strict=True):
            if up or down:
                yield Named((layer, str(key)), tuple(each for each in dict.fromkeys((up, down)) if each not in known))


@rule(
    "NET-21",
    "Recorded end that is on no layer",
    cites=("ms4",),
    needs=("|".join(f"{layer}.{end}" for layer in LINES for end in ("from_id", "to_id")),),
    subjects=naming_lines,
    severity="note",
    fine=(KNOWN,),
    bad="A ditch is recorded to lead to CB-999, and no structure has that id.",
    good="A ditch recorded to lead to CB-99, which is a catch basin on the map.",
)
def recorded_end_unknown(facts: Facts, line: Named) -> Outcome:
    """A line's record names a structure that is on no layer: it was renamed or left out, or the words say that there is none.

    The line is joined by its place instead, and its direction is then inferred.
    """
    if not line.unknown:
        return KNOWN
    return Found(
        subject=line.subject,
        confidence="probable",
        facts_for=(
            Fact(
                f"no structure has the id {' or '.join(line.unknown)}",
                *line.subject,
                str(facts.row(*line.subject)["source"]),
            ),
        ),
        clears=("find the structure under its new id, or record it",),
        measure=Measure("ends not known", len(line.unknown), "ends"),
    )
