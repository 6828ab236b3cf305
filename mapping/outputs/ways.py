"""Where water goes from a thing and what drains to it, in lines for the panel: outfalls, waters under them, conditions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple

from layers.joins.network import CERTAINTY
from layers.schema import schema
from layers.town import Town
from layers.trace import Trace
from mapping.conditions import outfall_conditions
from mapping.law import Law
from mapping.outputs.places import name_of, shown
from mapping.words import say_feet, say_list

MILE_FT = 5280.0
LINES = ("pipes", "ditches", "culverts")
BASIS = {
    "discharges_to": "discharges to it",
    "tributary_to": "tributary to it",
    "within_watershed": "lies in its watershed",
}


class Way(NamedTuple):
    """One line of the way down, the thing it names (`layer:id`), and what is under it: waters, conditions, of an outfall."""

    text: str
    subject: str = ""
    under: tuple[Way, ...] = ()


def say_ways(town: Town, law: Law, down: Trace, on: date) -> tuple[Way, ...]:
    """The lines gone through, then each outfall with its own waters and conditions under it."""
    lines = [each for each in down.assets if each.layer in LINES]
    said = []
    if lines:
        worst = max((each.certainty for each in lines), key=CERTAINTY.index)
        length = say_distance(sum(each.length_ft for each in lines))
        said.append(Way(f"through {_count(lines)}, {length}, {worst}"))
    for outfall in down.outfalls:
        reached = (*_waters(town, outfall), *_conditions(town, law, outfall, on))
        if f"outfalls:{outfall}" == down.subject:
            said += reached
        else:
            said.append(Way(f"to {name_of(town, f'outfalls:{outfall}')}", f"outfalls:{outfall}", reached))
    return tuple(said)


def say_distance(feet: float) -> str:
    """A distance in feet, from half a mile in miles too.

    >>> say_distance(22), say_distance(6864)
    ('22 ft', '6,864 ft (1.3 mi)')
    """
    return (
        say_feet(feet)
        if not math.isfinite(feet) or feet < MILE_FT / 2
        else f"{say_feet(feet)} ({feet / MILE_FT:.1f} mi)"
    )


def _waters(town: Town, outfall: str) -> list[Way]:
    links = town.water_links
    mine = links[(links["outfall_id"] == outfall) & links["chosen"].astype(bool)]
    rows = zip(mine["name"], mine["segment_id"], mine["distance_ft"], mine["method"], mine["confidence"], strict=True)
    return [
        Way(f"into {shown(name) or segment}, {say_distance(gap)}, {method}, {confidence}", f"waters:{segment}")
        for name, segment, gap, method, confidence in rows
    ] or [Way(_handed_over(town, outfall))]


def _handed_over(town: Town, outfall: str) -> str:
    """What is said of a location without a water: an interconnection gives its water to another system."""
    row = town.layer("outfalls").loc[outfall]
    receiver = shown(row["recv_ms4"])
    if row["kind"] == "interconnection":
        return f"hands over to {receiver}" if receiver else "hands over to another MS4; which one is not on record"
    if row["kind"] == "intraconnection":
        return f"goes on into {receiver or 'the MS4'}"
    return f"no water is mapped near {outfall} and none is on record"


def _conditions(town: Town, law: Law, outfall: str, on: date) -> list[Way]:
    table = outfall_conditions(town, law, on, outfalls=[outfall])
    mine = table[table["condition"] != ""]
    mine = mine.assign(rank=mine["basis"].map(list(BASIS).index))
    best = mine.sort_values(["rank", "distance_ft"]).drop_duplicates(["segment_id", "condition", "basis"])
    return [Way(_condition(row), _segment(row)) for row in best.to_dict("records")]


def _segment(row: dict[Any, Any]) -> str:
    return f"waters:{row['segment_id']}" if row["segment_id"] else ""


def _condition(row: dict[Any, Any]) -> str:
    pollutants = row["pollutants"] if isinstance(row["pollutants"], str) else ", ".join(row["pollutants"])
    gap = f", {say_distance(float(row['distance_ft']))} downstream" if row["basis"] == "tributary_to" else ""
    detail = f"IR {row['ir_category']}{f', {pollutants}' if pollutants else ''}"
    return f"condition {row['condition']}: {shown(row['name'])}{gap} ({detail}); {BASIS[row['basis']]}, {row['confidence']}"


def say_drains(up: Trace) -> tuple[str, ...]:
    """What drains here in numbers: assets by their kind, lots by how that is known, and how many of these are doubtful."""
    structures = [
        each for each in up.assets if each.layer in ("catch_basins", "manholes", *LINES) and not _is_itself(each, up)
    ]
    doubtful = [each for each in up.assets if each.certainty == "doubtful"]
    said = [_count(structures)] if structures else []
    if up.premises:
        ways = Counter(each.method for each in up.premises)
        said.append(f"{plural(len(up.premises), 'lot')} ({say_list(f'{count} {way}' for way, count in ways.items())})")
    return (*said, *([f"{len(doubtful):,} of these only through a doubtful link"] if doubtful else []))


def _is_itself(asset: Any, found: Trace) -> bool:
    return f"{asset.layer}:{asset.id}" == found.subject


def _count(assets: Iterable[Any]) -> str:
    """`31 catch basins, 12 pipes`, in the order of the layers."""
    counts = Counter(each.layer for each in assets)
    return say_list(
        plural(counts[layer], schema(layer).one) for layer in ("catch_basins", "manholes", *LINES) if counts[layer]
    )


def plural(count: int, one: str) -> str:
    """A number of things: `3 catch basins`."""
    many = f"{one}es" if one.endswith("ch") else f"{one}s"
    return f"{count:,} {one if count == 1 else many}"
