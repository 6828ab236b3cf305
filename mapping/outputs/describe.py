"""What is said beside the map of one selected thing: what it is, where it goes, what drains to it, what is flagged."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from layers.joins.network import CERTAINTY
from layers.schema import schema
from layers.town import Town
from layers.trace import IN_NETWORK, Doubt, Trace, premises_key, trace
from mapping.cases.case import Case
from mapping.chain import chain
from mapping.conditions import outfall_conditions
from mapping.findings import Finding, Report
from mapping.law import Law
from mapping.outputs.places import is_known, layer_of, name_of, shown
from mapping.outputs.style import STYLE, dash, symbol_name
from mapping.words import say_day, say_feet, say_list

MILE_FT = 5280.0
LINES = ("pipes", "ditches", "culverts")
TRACED = (*IN_NETWORK, "drains", "parcels")
UNSAID = frozenset({"source", "source_id"})
BASIS = {
    "discharges_to": "discharges to it",
    "tributary_to": "tributary to it",
    "within_watershed": "lies in its watershed",
}


@dataclass(frozen=True)
class Described:
    """One selected thing in words; `trace` is what to mark on the map, each with the dash of its certainty."""

    subject: str
    name: str
    what: str
    facts: tuple[tuple[str, str], ...]
    goes: tuple[str, ...]
    drains: tuple[str, ...]
    doubts: tuple[str, ...]
    findings: tuple[Finding, ...]
    cannot_say: tuple[str, ...]
    cases: tuple[Case, ...]
    premises: tuple[str, ...]


def describe(
    town: Town, law: Law, report: Report, cases: Iterable[Case], subject: str, on: date, *, staff: bool = False
) -> Described | None:
    """What is said of `layer:id`, None where the town does not have it; personal data only for `staff`."""
    if not is_known(town, subject):
        return None
    layer, key = layer_of(subject)
    owned = _premises(town, layer, key)
    findings = tuple(each for each in report.findings if each.subject == (layer, key) or _shares(each.premises, owned))
    flags = {each.id for each in findings}
    asked = f"premises:{owned[0]}" if layer == "parcels" else subject
    return Described(
        subject=subject,
        name=name_of(town, subject),
        what=_what(town, layer, key),
        facts=_facts(town, layer, key, staff=staff),
        **_ways(town, law, layer, asked, on),
        findings=findings,
        cannot_say=tuple(dict.fromkeys(each.text for each in report.cannot_say if each.subject == (layer, key))),
        cases=tuple(
            each
            for each in cases
            if each.subject in (asked, subject) or _shares(each.premises, owned) or flags & set(each.finding_ids)
        ),
        premises=owned,
    )


def _premises(town: Town, layer: str, key: str) -> tuple[str, ...]:
    if layer == "parcels":
        return (premises_key(town, key),)
    recorded = str(town.layer(layer).at[key, "premises_key"]) if layer == "drains" else ""
    return (recorded,) if recorded else ()


def _ways(town: Town, law: Law, layer: str, asked: str, on: date) -> dict[str, tuple[str, ...]]:
    """Where it goes, what drains to it, and what is doubtful about either."""
    if layer == "waters":
        return {"goes": (), "drains": _outfalls_of(town, layer_of(asked)[1]), "doubts": ()}
    if layer not in TRACED:
        return {"goes": (), "drains": (), "doubts": ()}
    down = trace(town, asked, direction="down")
    up = trace(town, asked, direction="up") if layer in IN_NETWORK else None
    doubts = (*down.doubts, *(up.doubts if up else ()))
    return {
        "goes": _goes(town, law, down, on),
        "drains": _drains(up) if up else (),
        "doubts": tuple(dict.fromkeys(_doubt(each) for each in doubts)),
    }


def _outfalls_of(town: Town, segment: str) -> tuple[str, ...]:
    links = town.water_links
    mine = links[(links["segment_id"] == segment) & links["chosen"].astype(bool)]
    return (f"{_plural(len(mine), 'outfall')}: {say_list(mine['outfall_id'], most=12)}",) if len(mine) else ()


def marks(town: Town, subject: str, direction: str) -> list[dict[str, str]]:
    """The assets and lots of a trace to mark on the map: `subject` and the `dash` of its certainty; none for `off`."""
    layer, key = layer_of(subject)
    if direction not in ("up", "down") or not is_known(town, subject) or layer not in TRACED:
        return []
    asked = f"premises:{key}" if layer == "parcels" else subject
    found = trace(town, asked, direction="up" if direction == "up" else "down")
    lots = [{"subject": f"parcels:{each.key}", "dash": ""} for each in found.premises]
    plain = STYLE["trace"]
    return [{"subject": f"{each.layer}:{each.id}", "dash": dash(plain, each.certainty)} for each in found.assets] + lots


def link_rows(town: Town, law: Law, subject: str, on: date) -> list[tuple[str, str, str, str, str, str]]:
    """Every link of the chain from a thing down: from, to, how it is known, how far, how sure, and on whose word."""
    layer, key = layer_of(subject)
    asked = f"premises:{premises_key(town, key)}" if layer == "parcels" else subject
    return [
        (
            place_words(town, each.from_),
            f"{each.kind} {place_words(town, each.to)}",
            each.method,
            say_distance(each.distance_ft),
            each.confidence,
            shown(each.source),
        )
        for each in chain(town, law, asked, on).links
    ]


def place_words(town: Town, subject: str) -> str:
    """`outfalls:OF-014` as it is read: `outfall OF-014`; lots and waters by their names."""
    layer, key = layer_of(subject)
    return f"{schema(layer).one} {name_of(town, subject) if layer in ('parcels', 'waters') else shown(key)}"


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


def _what(town: Town, layer: str, key: str) -> str:
    row = town.layer(layer).loc[key]
    name = symbol_name(layer, row.to_dict())
    if layer == "outfalls":
        kind = STYLE.get(row["kind"], STYLE["outfall_unknown"]).label
    else:
        kind = STYLE[name].label if layer in ("parcels", "waters") else schema(layer).one.capitalize()
    whose = [f"owner {shown(row['owner']) or 'unknown'}"] if schema(layer).asset else []
    unplaced = [] if row.geometry is not None else ["not located: it has no place on the map"]
    return " · ".join([kind, *whose, *unplaced])


def _facts(town: Town, layer: str, key: str, *, staff: bool) -> tuple[tuple[str, str], ...]:
    row = town.layer(layer).loc[key]
    fields = [each for each in schema(layer).fields if each.name not in UNSAID and (staff or not each.staff_only)]
    said = [(each.title, _value(row[each.name], each.unit)) for each in fields if each.name in row.index]
    return (("Id", shown(key)), *((title, value) for title, value in said if value and value != "unknown"))


def _value(value: Any, unit: str) -> str:
    if isinstance(value, date):
        return say_day(value)
    text = f"{value:g}" if isinstance(value, float) and math.isfinite(value) else shown(value)
    return f"{text} {unit}".strip() if text else ""


def _goes(town: Town, law: Law, down: Trace, on: date) -> tuple[str, ...]:
    lines = [each for each in down.assets if each.layer in LINES]
    said = []
    if lines:
        worst = max((each.certainty for each in lines), key=CERTAINTY.index)
        said.append(f"through {_count(lines)}, {say_distance(sum(each.length_ft for each in lines))}, {worst}")
    for outfall in down.outfalls:
        if f"outfalls:{outfall}" != down.subject:
            said.append(f"to {name_of(town, f'outfalls:{outfall}')}")
        said += _waters(town, outfall)
    return (*said, *_conditions(town, law, down.outfalls, on))


def _waters(town: Town, outfall: str) -> list[str]:
    links = town.water_links
    mine = links[(links["outfall_id"] == outfall) & links["chosen"].astype(bool)]
    rows = zip(mine["name"], mine["segment_id"], mine["distance_ft"], mine["method"], mine["confidence"], strict=True)
    return [
        f"into {shown(name) or segment}, {say_distance(gap)}, {method}, {confidence}"
        for name, segment, gap, method, confidence in rows
    ] or [f"no water is mapped near {outfall} and none is on record"]


def _conditions(town: Town, law: Law, outfalls: Iterable[str], on: date) -> list[str]:
    table = outfall_conditions(town, law, on, outfalls=list(outfalls))
    mine = table[table["condition"] != ""]
    mine = mine.assign(rank=mine["basis"].map(list(BASIS).index))
    best = mine.sort_values(["rank", "distance_ft"]).drop_duplicates(["segment_id", "condition", "basis"])
    return [_condition(row) for row in best.to_dict("records")]


def _condition(row: dict[Any, Any]) -> str:
    pollutants = row["pollutants"] if isinstance(row["pollutants"], str) else ", ".join(row["pollutants"])
    gap = f", {say_distance(float(row['distance_ft']))} downstream" if row["basis"] == "tributary_to" else ""
    detail = f"IR {row['ir_category']}{f', {pollutants}' if pollutants else ''}"
    return f"condition {row['condition']}: {shown(row['name'])}{gap} ({detail}); {BASIS[row['basis']]}, {row['confidence']}"


def _drains(up: Trace) -> tuple[str, ...]:
    structures = [
        each for each in up.assets if each.layer in ("catch_basins", "manholes", *LINES) and not _is_itself(each, up)
    ]
    doubtful = [each for each in up.assets if each.certainty == "doubtful"]
    said = [_count(structures)] if structures else []
    if up.premises:
        ways = Counter(each.method for each in up.premises)
        said.append(f"{_plural(len(up.premises), 'lot')} ({say_list(f'{count} {way}' for way, count in ways.items())})")
    return (*said, *([f"{len(doubtful):,} of these only through a doubtful link"] if doubtful else []))


def _is_itself(asset: Any, found: Trace) -> bool:
    return f"{asset.layer}:{asset.id}" == found.subject


def _count(assets: Iterable[Any]) -> str:
    """`31 catch basins, 12 pipes`, in the order of the layers."""
    counts = Counter(each.layer for each in assets)
    return say_list(
        _plural(counts[layer], schema(layer).one) for layer in ("catch_basins", "manholes", *LINES) if counts[layer]
    )


def _plural(count: int, one: str) -> str:
    many = f"{one}es" if one.endswith("ch") else f"{one}s"
    return f"{count:,} {one if count == 1 else many}"


def _doubt(doubt: Doubt) -> str:
    return f"{schema(doubt.layer).one} {shown(doubt.id)}: {doubt.text}" if doubt.id else doubt.text


def _shares(some: Iterable[str], others: Iterable[str]) -> bool:
    return not set(some).isdisjoint(others)
