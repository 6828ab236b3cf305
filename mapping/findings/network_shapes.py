"""Network: lines whose drawing cannot be right, duplicates, specks, knots, and crossings without a node."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import shapely

from mapping.findings.facts import Facts, name_asset
from mapping.findings.finding import Fact, Fine, Found, Measure, Subject
from mapping.findings.lines import LINES, Line
from mapping.findings.rule import Outcome, rule
from mapping.words import say_list

ONCE = Fine("it is drawn once")
LONG = Fine("it has a length")
SIMPLE = Fine("it does not cross itself")
APART = Fine("it leads from one place to another")
CLEAR = Fine("it crosses no line without meeting it")
ANY_LINE = ("pipes|ditches|culverts",)


@dataclass(frozen=True)
class Drawn:
    """A line, and the line drawn before it in the same place."""

    subject: Subject
    first: Subject | None = None
    apart_ft: float = 0.0
    reversed: bool = False


def drawn_lines(facts: Facts) -> Iterator[Drawn]:
    """Every carrying line; of those drawn in the same place each after the first names the one before it."""
    table = facts.lines.table
    table = table[table["carries"].astype(bool)].reset_index(drop=True)
    low, high = table[["start", "end"]].min(axis=1), table[["start", "end"]].max(axis=1)
    table = table.assign(low=low, high=high).sort_values(["low", "high", "length_ft", "layer", "asset_id"])
    keys = list(zip(table["layer"], table["asset_id"], strict=True))
    shapes = np.array([facts.lines.shapes[key] for key in keys], dtype=object)
    same = (table[["low", "high"]] == table[["low", "high"]].shift()).all(axis=1).to_numpy()
    apart = np.full(len(table), np.inf)
    rows = np.flatnonzero(same)
    apart[rows] = shapely.hausdorff_distance(shapes[rows], shapes[rows - 1]) * facts.lines.feet
    near = apart <= facts.town.settings.tolerances.snap_ft
    starts = table["start"].to_numpy()
    for row, key in enumerate(keys):
        if near[row]:
            yield Drawn(key, keys[row - 1], float(apart[row]), bool(starts[row] != starts[row - 1]))
        else:
            yield Drawn(key)


@rule(
    "NET-09",
    "Line drawn twice",
    cites=("ms4",),
    needs=ANY_LINE,
    subjects=drawn_lines,
    fine=(ONCE,),
    bad="A pipe is drawn a second time in the same place, the other way round.",
    good="Two barrels of a culvert drawn side by side, 4 ft apart.",
)
def line_drawn_twice(facts: Facts, line: Drawn) -> Outcome:
    """Two lines lead between the same places and nowhere lie further apart than `snap_ft`, drawn either way.

    Lengths are counted twice, and a trace shows both. Nothing is removed. A line that is not in use beside the one that
    replaced it is none.
    """
    if line.first is None:
        return ONCE
    how = "the other way round" if line.reversed else "the same way"
    return Found(
        subject=line.subject,
        other=line.first[1],
        confidence="probable",
        facts_for=(Fact(f"{name_asset(*line.first)} is drawn in the same place, {how}", *line.subject, "drawing"),),
        clears=(f"retire one of the two ({name_asset(*line.first)}), or record that both are there",),
        measure=Measure("distance apart", round(line.apart_ft, 2), "ft"),
    )


def located_lines(facts: Facts) -> Iterator[tuple[Subject, float]]:
    """Every located line with its length in feet."""
    for layer in LINES:
        frame = facts.town.layer(layer)
        frame = frame[frame.geometry.notna()]
        lengths = shapely.length(frame.geometry.to_numpy()) * facts.lines.feet
        yield from (((layer, str(key)), float(length)) for key, length in zip(frame.index, lengths, strict=True))


@rule(
    "NET-10",
    "Line without length",
    cites=("ms4",),
    needs=ANY_LINE,
    subjects=located_lines,
    severity="error",
    fine=(LONG,),
    bad="A ditch whose two vertices are in one place.",
    good="A pipe of 2 ft between two basins.",
)
def line_without_length(facts: Facts, line: tuple[Subject, float]) -> Outcome:
    """A line is shorter than `short_line_ft`: a slip of the hand, it conveys nothing and carries no trace."""
    subject, length = line
    if length >= facts.town.settings.tolerances.short_line_ft:
        return LONG
    return Found(
        subject=subject,
        confidence="probable",
        facts_for=(Fact("it has no length to speak of and carries no trace", *subject, "drawing"),),
        clears=("draw it as it runs, or retire it",),
        measure=Measure("length", round(length, 3), "ft"),
    )


def shapes(facts: Facts) -> Iterator[tuple[Subject, shapely.Geometry | None]]:
    """Every located line; with its shape where that crosses itself."""
    for layer in LINES:
        frame = facts.town.layer(layer)
        frame = frame[frame.geometry.notna()]
        simple = shapely.is_simple(frame.geometry.to_numpy())
        rows = zip(frame.index, frame.geometry, simple, strict=True)
        yield from (((layer, str(key)), None if fine else shape) for key, shape, fine in rows)


@rule(
    "NET-11",
    "Line that crosses itself",
    cites=("ms4",),
    needs=ANY_LINE,
    subjects=shapes,
    fine=(SIMPLE,),
    bad="A ditch digitised with a loop in it: it passes its own middle.",
    good="A ditch with many bends; a line that closes on its own start is rule NET-12's matter.",
)
def line_that_crosses_itself(facts: Facts, line: tuple[Subject, shapely.Geometry | None]) -> Outcome:
    """A line passes one place twice: it was drawn with a knot, or two lines were drawn as one."""
    subject, shape = line
    if shape is None:
        return SIMPLE
    knots = _knots(shape)
    times = "once" if len(knots) < 2 else f"{len(knots)} times"
    return Found(
        subject=subject,
        confidence="probable",
        facts_for=(Fact(f"its drawing crosses itself {times}", *subject, "drawing"),),
        clears=("draw it as it runs",),
        measure=Measure("crossings", len(knots) or 1, "crossings"),
        geometry=shapely.Point(knots[0]) if knots else None,
    )


def _knots(shape: shapely.Geometry) -> list[tuple[float, float]]:
    """The places through which a line passes more than once, in the order of their coordinates."""
    parts = shapely.get_parts(shapely.node(shape))
    ends = [tuple(xy) for part in parts for xy in (part.coords[0], part.coords[-1])]
    return sorted(place for place, count in Counter(ends).items() if count > 2)


def whole_lines(facts: Facts) -> Iterator[tuple[Line, str]]:
    """Every carrying line, and the structure that its record names at both ends (mostly none)."""
    named: dict[Subject, str] = {}
    for layer in LINES:
        frame = facts.town.layer(layer)
        frame = frame[(frame["from_id"] == frame["to_id"]) & (frame["from_id"] != "")]
        named |= {(layer, str(key)): str(name) for key, name in zip(frame.index, frame["from_id"], strict=True)}
    yield from ((line, named.get(line.subject, "")) for line in facts.lines.rows())


@rule(
    "NET-12",
    "Line that ends where it begins",
    cites=("ms4",),
    needs=ANY_LINE,
    subjects=whole_lines,
    fine=(APART,),
    bad="A pipe drawn from a manhole round the block back to it; or one with the same id recorded at both ends.",
    good="A pipe from one manhole to the next.",
)
def line_that_ends_where_it_begins(facts: Facts, drawn: tuple[Line, str]) -> Outcome:
    """Both ends of a line join the same place, or its record names the same structure twice: it leads nowhere."""
    line, named = drawn
    if line.start != line.end and not named:
        return APART
    where = f"the record names {named} at both ends" if named else "both ends join the same place"
    source = str(facts.row(*line.subject)["source"]) if named else "drawing"
    return Found(
        subject=line.subject,
        confidence="probable",
        facts_for=(Fact(where, *line.subject, source),),
        clears=("record the structures at which it begins and ends",),
        measure=Measure("length", round(line.length_ft, 1), "ft"),
    )


@dataclass(frozen=True)
class Crossed:
    """A line and the lines that cross it without a node, with the place of the first crossing."""

    subject: Subject
    others: tuple[Subject, ...] = ()
    at: shapely.Geometry | None = None


def crossed_lines(facts: Facts) -> Iterator[Crossed]:
    """Every carrying storm line; each crossing is told of the line that comes first by id."""
    crossings = _crossings(facts)
    for line in facts.lines.rows(storm=True):
        found = crossings.get(line.subject, {})
        at = found[min(found)] if found else None
        yield Crossed(line.subject, tuple(sorted(found)), at)


def _crossings(facts: Facts) -> dict[Subject, dict[Subject, shapely.Geometry]]:
    """For each line the later ones that cross it and where; of lines side by side between two nodes one is looked at."""
    edges = facts.town.network.edges
    storm = edges[edges["carries"].astype(bool) & ~facts.town.network.is_sewer]
    ends = pd.DataFrame(np.sort(storm[["tail", "head"]].to_numpy(np.int64), axis=1), index=storm.index)
    storm = storm[~ends.duplicated()]
    ends = ends.loc[storm.index].to_numpy()
    shapes = storm.geometry.to_numpy()
    one, other = shapely.STRtree(shapes).query(shapes, predicate="crosses")
    one, other = one[one < other], other[one < other]
    meet = (ends[one][:, :, None] == ends[other][:, None, :]).any(axis=(1, 2))
    found: dict[Subject, dict[Subject, shapely.Geometry]] = defaultdict(dict)
    numbers = storm.index.to_numpy()
    for a, b in zip(one[~meet].tolist(), other[~meet].tolist(), strict=True):
        first, second = sorted(facts.lines.edge_names[numbers[each]] for each in (a, b))
        if first != second:
            at = shapely.intersection(shapes[a], shapes[b])
            found[first].setdefault(second, shapely.get_parts(at)[0])
    return found


@rule(
    "NET-17",
    "Lines that cross without meeting",
    cites=("ms4",),
    needs=ANY_LINE,
    subjects=crossed_lines,
    severity="note",
    fine=(CLEAR,),
    bad="A ditch is drawn straight across a pipe, and nothing is recorded at the place.",
    good="The same with a structure at the place, where both are joined.",
)
def lines_that_cross(facts: Facts, line: Crossed) -> Outcome:
    """Two storm lines cross and join nothing there: a pipe over a pipe, a ditch carried under a road, or a missing structure.

    They are not joined. One crossing of each pair of lines is told, of the line that comes first by id.
    """
    if not line.others:
        return CLEAR
    names = say_list((name_asset(*each) for each in line.others), most=3)
    return Found(
        subject=line.subject,
        confidence="possible",
        facts_for=(Fact(f"it crosses {names} and nothing is recorded there", *line.subject, "drawing"),),
        clears=("see whether the lines meet: then record the structure there",),
        measure=Measure("crossings", len(line.others), "lines"),
        geometry=line.at,
    )
