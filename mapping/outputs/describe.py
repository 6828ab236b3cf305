"""What is said beside the map of one selected thing: what it is, where it goes, what drains to it, what is flagged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from layers.schema import schema
from layers.town import Town
from layers.trace import IN_NETWORK, Doubt, premises_key, trace
from mapping.cases.case import Case
from mapping.findings import Finding, Report
from mapping.law import Law
from mapping.outputs.places import is_known, is_unlocated, layer_of, name_of, shown
from mapping.outputs.style import STYLE, dash, symbol_name
from mapping.outputs.ways import LINES, Way, plural, say_drains, say_ways
from mapping.words import say_day, say_list

NOT_IN_USE = {
    "abandoned": "abandoned, carries nothing",
    "proposed": "proposed, carries nothing yet",
    "not_found": "not found, taken to carry nothing",
}
"""What the heading says of a line by its status; such a line has no way down and nothing drains to it."""
NO_PLACE = "it has no place on the map, so where its water goes cannot be said"
TRACED = (*IN_NETWORK, "drains", "parcels")
UNSAID = frozenset({"source", "source_id"})


@dataclass(frozen=True)
class Described:
    """One selected thing in words; `trace` is what to mark on the map, each with the dash of its certainty."""

    subject: str
    name: str
    what: str
    facts: tuple[tuple[str, str], ...]
    goes: tuple[Way, ...]
    drains: tuple[str, ...]
    doubts: tuple[Way, ...]
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
        name=_title(town, layer, key),
        what=_what(town, layer, key),
        facts=_facts(town, layer, key, staff=staff),
        **_ways(town, law, layer, asked, on),
        findings=findings,
        cannot_say=_unsure(town, report, subject),
        cases=tuple(
            each
            for each in cases
            if each.subject in (asked, subject) or _shares(each.premises, owned) or flags & set(each.finding_ids)
        ),
        premises=owned,
    )


def _title(town: Town, layer: str, key: str) -> str:
    """What the thing is called, without the kind that the line under the title says."""
    kind = _kind(town, layer, key).casefold()
    return " · ".join(each for each in name_of(town, f"{layer}:{key}").split(" · ") if each.casefold() != kind)


def _unsure(town: Town, report: Report, subject: str) -> tuple[str, ...]:
    """What no rule could judge, each once; of what has no place on the map only that, which its heading says."""
    if is_unlocated(town, subject):
        return ()
    return tuple(dict.fromkeys(each.text for each in report.cannot_say if ":".join(each.subject) == subject))


def _premises(town: Town, layer: str, key: str) -> tuple[str, ...]:
    if layer == "parcels":
        return (premises_key(town, key),)
    recorded = str(town.layer(layer).at[key, "premises_key"]) if layer == "drains" else ""
    return (recorded,) if recorded else ()


def _ways(town: Town, law: Law, layer: str, asked: str, on: date) -> dict[str, Any]:
    """Where it goes, what drains here, and what is doubtful about either."""
    if layer == "waters":
        return {"goes": (), "drains": _outfalls_of(town, layer_of(asked)[1]), "doubts": ()}
    if not is_traced(town, asked):
        return {"goes": (), "drains": (), "doubts": ()}
    down = trace(town, asked, direction="down")
    up = trace(town, asked, direction="up") if layer in IN_NETWORK else None
    doubts = [*down.doubts, *(up.doubts if up else ())]
    said = [
        Way(NO_PLACE) if each.code == "not_connected" and is_unlocated(town, asked) else _doubt(each) for each in doubts
    ]
    goes = say_ways(town, law, down, on)
    return {"goes": goes, "drains": say_drains(up) if up else (), "doubts": tuple(dict.fromkeys(said))}


def is_traced(town: Town, subject: str) -> bool:
    """Whether water can be followed from a thing: its layer carries it, and a line is in use."""
    layer, key = layer_of(subject)
    return layer in TRACED and not _idle(town, layer, key)


def _idle(town: Town, layer: str, key: str) -> str:
    """Why a line carries nothing, empty where it is in use."""
    return NOT_IN_USE.get(str(town.layer(layer).at[key, "status"]), "") if layer in LINES else ""


def _outfalls_of(town: Town, segment: str) -> tuple[str, ...]:
    links = town.water_links
    mine = links[(links["segment_id"] == segment) & links["chosen"].astype(bool)]
    return (f"{plural(len(mine), 'outfall')}: {say_list(mine['outfall_id'], most=12)}",) if len(mine) else ()


def marks(town: Town, subject: str, direction: str) -> list[dict[str, str]]:
    """The assets and lots of a trace to mark on the map: `subject` and the `dash` of its certainty; none for `off`."""
    layer, key = layer_of(subject)
    if direction not in ("up", "down") or not is_known(town, subject) or not is_traced(town, subject):
        return []
    asked = f"premises:{key}" if layer == "parcels" else subject
    found = trace(town, asked, direction="up" if direction == "up" else "down")
    lots = [{"subject": f"parcels:{each.key}", "dash": ""} for each in found.premises]
    plain = STYLE["trace"]
    return [{"subject": f"{each.layer}:{each.id}", "dash": dash(plain, each.certainty)} for each in found.assets] + lots


def _what(town: Town, layer: str, key: str) -> str:
    row = town.layer(layer).loc[key]
    whose = [f"owner {shown(row['owner']) or 'unknown'}"] if schema(layer).asset else []
    unplaced = ["it has no place on the map"] if is_unlocated(town, f"{layer}:{key}") else []
    idle = _idle(town, layer, key)
    return " · ".join([_kind(town, layer, key), *whose, *([idle] if idle else []), *unplaced])


def _kind(town: Town, layer: str, key: str) -> str:
    """What kind of thing it is, as the legend calls it."""
    row = town.layer(layer).loc[key]
    if layer == "outfalls":
        return STYLE.get(row["kind"], STYLE["outfall_unknown"]).label
    if layer in ("parcels", "waters"):
        return STYLE[symbol_name(layer, row.to_dict())].label
    return schema(layer).one.capitalize()


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


def _doubt(doubt: Doubt) -> Way:
    if not doubt.id:
        return Way(doubt.text)
    return Way(f"{schema(doubt.layer).one} {shown(doubt.id)}: {doubt.text}", f"{doubt.layer}:{doubt.id}")


def _shares(some: Iterable[str], others: Iterable[str]) -> bool:
    return not set(some).isdisjoint(others)
