"""Outfall inventory: outfalls that nothing leads to, far from any water, of nobody's, or nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import shapely

from layers.joins.network import SEWERS
from mapping.findings.facts import DEAD, Facts, name_asset
from mapping.findings.finding import NOT_IN_USE, Fact, Fine, Found, Measure
from mapping.findings.rule import Outcome, rule
from mapping.findings.waters import CONFIRM_WATER, HANDED_OVER, HANDS_OVER, outfalls
from mapping.words import say_feet, say_list

FED = Fine("a line leads to it")
TAKES_IN = Fine("it is a connection where another system leads in")
NOT_LOCATED = Fine("it is not located, which is rule OUT-05's matter")
LOCATED = Fine("it has a place")
NEAR_WATER = Fine("a water is near, and none other is recorded")
ONE_WATER = Fine("one water is plausible, or none, which is rule OUT-02's matter")
OWNED = Fine("its owner is recorded")
OVERFLOW = Fine("it is an outlet of sanitary or combined sewers, no part of the MS4")
KIND_KNOWN = Fine("it is recorded what it is")


def _pass_over(row: Mapping[str, Any]) -> Fine | None:
    """Why nothing is asked of an outfall at all, if so."""
    if row["status"] in DEAD:
        return NOT_IN_USE
    return OVERFLOW if row["system"] in SEWERS else None


@rule(
    "OUT-01",
    "Outfall that nothing leads to",
    cites=("ms4",),
    needs=("outfalls", "pipes|ditches|culverts"),
    subjects=outfalls,
    fine=(FED, TAKES_IN, NOT_LOCATED, NOT_IN_USE, OVERFLOW),
    bad="An outfall beside a brook to which no pipe and no ditch is drawn: perhaps the outlet of a culvert.",
    good="An outfall at the end of a ditch; or a connection from which a pipe leads on.",
)
def outfall_without_upstream(facts: Facts, outfall: str) -> Outcome:
    """No storm line that is mapped leads to an outfall: its type may be wrong, or the line is not mapped.

    A line that is drawn away from an outfall speaks for one drawn the wrong way round.
    """
    row = facts.row("outfalls", outfall)
    passed_over = _pass_over(row)
    if passed_over:
        return passed_over
    if row["geometry"] is None:
        return NOT_LOCATED
    nodes = facts.town.network.nodes_of("outfalls", outfall)
    met = [edge for node in nodes for edge in facts.lines.storm_at.get(node, ())]
    away = {edge for node in nodes for edge in facts.lines.leaving(node)}
    if set(met) - away:
        return FED
    if away and row["kind"] in HANDED_OVER:
        return TAKES_IN
    leading = [Fact("no line that is mapped leads to it", "outfalls", outfall, "drawing")]
    if away:
        lines = say_list(name_asset(*facts.lines.edge_names[edge]) for edge in sorted(away))
        leading.append(Fact(f"{lines} leads away from it", "outfalls", outfall, "drawing"))
    return Found(
        subject=("outfalls", outfall),
        confidence="probable",
        outfalls=(outfall,),
        waters=(),
        facts_for=tuple(leading),
        clears=("go there and see what it is, and map the line that leads to it",),
        measure=Measure("lines that lead to it", 0, "lines"),
    )


@dataclass(frozen=True)
class Watered:
    """An outfall with its links to waters, and the feet to the nearest water of all."""

    id: str
    links: tuple[Mapping[str, Any], ...]
    nearest_ft: float


def watered(facts: Facts) -> Iterator[Watered]:
    """Every outfall with the waters near it or on record for it."""
    links = facts.town.water_links
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in links[links["method"] != "found not connected"].to_dict("records"):
        rows.setdefault(str(row["outfall_id"]), []).append({str(name): value for name, value in row.items()})
    nearest = _nearest_water(facts)
    for outfall in outfalls(facts):
        yield Watered(outfall, tuple(rows.get(outfall, ())), nearest.get(outfall, np.nan))


def _nearest_water(facts: Facts) -> dict[str, float]:
    """For each located outfall the feet to the nearest located water, however far."""
    frame, waters = facts.town.layer("outfalls"), facts.town.layer("waters")
    frame, waters = frame[frame.geometry.notna()], waters[waters.geometry.notna()]
    if not len(frame) or not len(waters):
        return {}
    tree = shapely.STRtree(waters.geometry.to_numpy())
    (which, _), gaps = tree.query_nearest(frame.geometry.to_numpy(), all_matches=False, return_distance=True)
    feet = pd.Series(gaps * facts.lines.feet, index=frame.index[which].astype(str))
    return {str(key): float(gap) for key, gap in feet.items()}


@rule(
    "OUT-02",
    "Outfall far from its water",
    cites=("ms4",),
    needs=("outfalls", "waters"),
    subjects=watered,
    fine=(NEAR_WATER, HANDS_OVER, NOT_LOCATED, NOT_IN_USE, OVERFLOW),
    bad="An outfall on a hillside, 900 ft from the nearest water; or one recorded to discharge to a brook 2,000 ft away.",
    good="An outfall 40 ft from a brook.",
)
def outfall_far_from_water(facts: Facts, outfall: Watered) -> Outcome:
    """No water lies within `water_ft` of an outfall and none is on record, or the one on record lies further away.

    None is guessed: it is either no outfall, or in the wrong place, or a water is not mapped.
    """
    row = facts.row("outfalls", outfall.id)
    passed_over = _pass_over(row)
    if passed_over:
        return passed_over
    if row["kind"] in HANDED_OVER:
        return HANDS_OVER
    if row["geometry"] is None:
        return NOT_LOCATED
    limit = facts.town.settings.tolerances.water_ft
    chosen = [each for each in outfall.links if each["chosen"]]
    far = [each for each in chosen if each["distance_ft"] > limit]
    if chosen and not far:
        return NEAR_WATER
    gap = float(far[0]["distance_ft"]) if far else outfall.nearest_ft
    said = "no water is mapped" if np.isnan(gap) else f"the nearest water is {say_feet(gap)} away"
    if far:
        said = f"{far[0]['name'] or far[0]['segment_id']}, its water by the {far[0]['method']}, is {say_feet(gap)} away"
    return Found(
        subject=("outfalls", outfall.id),
        confidence="probable",
        outfalls=(outfall.id,),
        waters=(),
        facts_for=(Fact(said, "outfalls", outfall.id, "drawing"),),
        clears=("follow the water from it in the field and record where it goes, or correct its place",),
        measure=None if np.isnan(gap) else Measure("distance to the water", round(gap, 1), "ft"),
    )


@rule(
    "OUT-03",
    "Outfall with several plausible waters",
    cites=("ms4",),
    needs=("outfalls", "waters"),
    subjects=watered,
    fine=(ONE_WATER, NOT_IN_USE, OVERFLOW),
    bad="An outfall lies 40 ft from a listed lake and 60 ft from a brook that is not listed.",
    good="The same with the lake confirmed, or with both of the same standing.",
)
def outfall_with_several_waters(facts: Facts, outfall: Watered) -> Outcome:
    """Two or more waters of different standing are about as near: which one it discharges to decides its conditions.

    All are kept and none is chosen silently, until an officer confirms one.
    """
    passed_over = _pass_over(facts.row("outfalls", outfall.id))
    if passed_over:
        return passed_over
    plausible = [each for each in outfall.links if each["chosen"] and each["ambiguous"]]
    if len(plausible) < 2:
        return ONE_WATER
    gaps = [float(each["distance_ft"]) for each in plausible]
    return Found(
        subject=("outfalls", outfall.id),
        confidence="possible",
        outfalls=(outfall.id,),
        facts_for=tuple(
            Fact(
                f"{each['name'] or each['segment_id']} is {say_feet(gap)} away",
                "waters",
                str(each["segment_id"]),
                "drawing",
            )
            for each, gap in zip(plausible, gaps, strict=True)
        ),
        clears=(f"see which it discharges to: {CONFIRM_WATER}",),
        measure=Measure("difference in distance", round(max(gaps) - min(gaps), 1), "ft"),
    )


@rule(
    "OUT-04",
    "Outfall of which no owner is recorded",
    cites=("ms4",),
    needs=("outfalls",),
    subjects=outfalls,
    fine=(OWNED, NOT_IN_USE, OVERFLOW),
    bad="An outfall whose owner is blank in the file.",
    good="An outfall recorded as the State's: it is not the Town's, and that is known.",
)
def outfall_without_owner(facts: Facts, outfall: str) -> Outcome:
    """Who owns or operates an outfall is not recorded, and unknown is not the Town: whether the law reaches it is open."""
    row = facts.row("outfalls", outfall)
    passed_over = _pass_over(row)
    if passed_over:
        return passed_over
    if row["owner"] not in ("", "unknown"):
        return OWNED
    nodes = facts.town.network.nodes_of("outfalls", outfall)
    met = sum(len(facts.lines.storm_at.get(node, ())) for node in nodes)
    return Found(
        subject=("outfalls", outfall),
        confidence="probable",
        outfalls=(outfall,),
        waters=(),
        facts_for=(Fact("its owner is not recorded", "outfalls", outfall, str(row["source"])),),
        clears=("record its owner, and on what basis",),
        measure=Measure("lines that meet it", met, "lines"),
    )


@rule(
    "OUT-05",
    "Outfall without a place",
    cites=("ms4",),
    needs=("outfalls",),
    subjects=outfalls,
    severity="error",
    fine=(LOCATED, NOT_IN_USE, OVERFLOW),
    bad="A row of the outfall table whose latitude and longitude are blank.",
    good="The same with its coordinates.",
)
def outfall_without_place(facts: Facts, outfall: str) -> Outcome:
    """An outfall is on record and not on the map: the Town has to map every monitoring location, and this one is nowhere."""
    row = facts.row("outfalls", outfall)
    passed_over = _pass_over(row)
    if passed_over:
        return passed_over
    if row["geometry"] is not None:
        return LOCATED
    return Found(
        subject=("outfalls", outfall),
        confidence="probable",
        outfalls=(outfall,),
        facts_for=(Fact("it has no coordinates, so it is on no map", "outfalls", outfall, str(row["source"])),),
        clears=("find it in the field and record its place",),
    )


@rule(
    "OUT-06",
    "Monitoring location of unknown kind",
    cites=("ms4",),
    needs=("outfalls",),
    subjects=outfalls,
    fine=(KIND_KNOWN, NOT_IN_USE, OVERFLOW),
    bad="The outlet of a stream culvert, listed among the outfalls.",
    good="An outfall, or an interconnection with the State's system, recorded as what it is.",
)
def location_of_unknown_kind(facts: Facts, outfall: str) -> Outcome:
    """Whether a monitoring location is an outfall, an interconnection or an intraconnection is not recorded."""
    row = facts.row("outfalls", outfall)
    passed_over = _pass_over(row)
    if passed_over:
        return passed_over
    if row["kind"] not in ("", "unknown"):
        return KIND_KNOWN
    return Found(
        subject=("outfalls", outfall),
        confidence="probable",
        outfalls=(outfall,),
        waters=(),
        facts_for=(
            Fact("whether it is an outfall or a connection is not recorded", "outfalls", outfall, str(row["source"])),
        ),
        clears=("see what it is and record its kind",),
    )
