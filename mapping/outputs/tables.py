"""Rows for the tables of the screens: plain cells with titles, ready to be shown, filtered and copied to a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from layers.schema import schema
from layers.town import Town
from mapping.cases.case import Case
from mapping.findings import RULES, Finding, Report
from mapping.law import Law, Permit
from mapping.outputs.files import plain_cell
from mapping.outputs.mapdata import case_sign
from mapping.outputs.places import is_unlocated, layer_of, name_of, shown
from mapping.outputs.plan import Plan
from mapping.outputs.style import STYLE, flag_symbol
from mapping.words import say_day, say_list

Rows = list[dict[str, Any]]
FIELDS = {"unmapped": "fields of the file that are not used", "missing": "fields of ours that it does not have"}


def kind_of(finding: Finding) -> str:
    """The kind of a flag, as the chips of the map call it."""
    return STYLE[flag_symbol(finding.rule)].label


def finding_rows(town: Town, findings: Iterable[Finding]) -> Rows:
    """One row a flag, in the order given."""
    return [
        {
            "Flag": each.title,
            "About": _cell(f"{schema(layer_of(each.subject[0])[0]).one} {each.subject[1]}"),
            "Place": _cell(_places(town, each)),
            "Waters": _cell(say_list(dict.fromkeys(water.name or water.id for water in each.waters))),
            "Conditions": " ".join(each.conditions),
            "Severity": each.severity,
            "Confidence": each.confidence,
            "Standing": each.status,
            "Rule": each.rule,
        }
        for each in findings
    ]


def rule_rows(report: Report) -> Rows:
    """What every rule looked at, found and could not say; a rule that did not run says what it needs."""
    needs = {each.rule: say_list(each.needs) for each in report.not_run}
    return [
        {
            "Rule": code,
            "Title": RULES[code].card.title,
            "Looked at": report.looked_at.get(code, 0),
            "Flagged": len(report.of(code)),
            "Cannot say": sum(each.rule == code for each in report.cannot_say),
            "Not run, needs": needs.get(code, ""),
        }
        for code in report.looked_at
    ]


def unsure_rows(town: Town, report: Report) -> Rows:
    """What no rule could judge, and what is missing for it; what has no place and is flagged for that is not said twice."""
    flagged = {each.subject for each in report.findings}
    return [
        {"About": _cell(name_of(town, ":".join(each.subject))), "What is missing": _cell(each.text), "Rule": each.rule}
        for each in report.cannot_say
        if each.subject not in flagged or not is_unlocated(town, ":".join(each.subject))
    ]


def by_urgency(cases: Iterable[Case], on: date) -> list[Case]:
    """The cases, what is late first, then what is due soon, what is open, what is done."""
    order = ("case_late", "case_soon", "case_open", "case_corrected")
    return sorted(cases, key=lambda each: order.index(case_sign(each, on)[0]))


def case_rows(town: Town, cases: Iterable[Case], on: date) -> Rows:
    """One row a case, with its next day in words."""
    return [
        {
            "Case": each.id,
            "Title": _cell(each.title),
            "State": each.state,
            "Next": case_sign(each, on)[1] or "nothing due",
            "About": _cell(name_of(town, each.subject) if each.subject else ""),
            "Opened": say_day(each.opened_on),
        }
        for each in cases
    ]


def layer_rows(listed: Iterable[Mapping[str, Any]]) -> Rows:
    """One row a loaded layer: how many, how many without a place, from where, since when."""
    return [
        {
            "Layer": schema(each["layer"]).title,
            "Rows": each["count"],
            "Not located": each["unlocated"],
            "From": _cell(say_list(each["source"])),
            "Imported": each["imported"] or "",
        }
        for each in listed
    ]


def field_rows(listed: Mapping[str, Any]) -> Rows:
    """For one layer the share of rows in which each field is known, the least known first."""
    fields = {each.name: each for each in schema(listed["layer"]).fields}
    shares = sorted(listed["complete"].items(), key=lambda each: each[1])
    return [{"Field": fields[name].title, "Known": f"{share:.0%}", "Name": name} for name, share in shares]


def import_rows(reports: Iterable[Mapping[str, Any]]) -> Rows:
    """One row an import report: what was read and kept, and what was rejected or repaired."""
    return [
        {
            "Layer": schema(each["layer"]).title,
            "File": _cell(each["source"].get("name", "")),
            "Read": each["read"],
            "Kept": each["kept"],
            "Rejected": _cell(say_list(f"{one['count']} {one['code']}" for one in each["rejected"])),
            "Repaired": _cell(say_list(f"{one['count']} {one['code']}" for one in each["repaired"])),
            "Not located": each["unlocated"],
            "Changes": say_list(f"{count} {kind}" for kind, count in each["changes"].items() if count) or "none",
            "When": f"{each.get('on', '')} {shown(each.get('by', ''))}".strip(),
        }
        for each in reports
    ]


def says_something(report: Mapping[str, Any]) -> bool:
    """Whether an import would bring anything: a field of the file is known, or something in it has a place."""
    return bool(report["fields"]["mapped"]) or report["kept"] > report["unlocated"]


def is_mostly_rejected(report: Mapping[str, Any]) -> bool:
    """Whether fewer than half of the rows read would be taken."""
    return bool(report["kept"] * 2 < report["read"])


def import_lines(report: Mapping[str, Any]) -> list[str]:
    """What one import report says that a person must read: what is left out, mended, unknown or not mapped."""
    lines = [
        f"{part} {each['count']} ({each['code']}): {say_list(shown(one) for one in each['ids'])}"
        for part in ("rejected", "repaired")
        for each in report[part]
    ]
    lines += [
        f"{name}: {count} × {shown(value)!r} is not known"
        for name, counts in report["values"]["unknown"].items()
        for value, count in counts.items()
    ]
    fields = report["fields"]
    lines += [
        f"{label}: {say_list(map(shown, fields[part]), most=12)}" for part, label in FIELDS.items() if fields[part]
    ]
    return [*lines, *(shown(each["text"], length=400) for each in report["warnings"])]


def parameter_rows(law: Law | Permit) -> Rows:
    """One row a parameter of a pack: what it says, who, from which event, in which section, since when."""
    return [
        {
            "Code": each.code,
            "Title": each.title,
            "Amount": each.amount,
            "Counted from": each.start_event,
            "Who": each.who,
            "Section": each.cite().label if isinstance(law, Law) else each.section,
            "Since": each.since.isoformat(),
            "Until": each.until.isoformat() if each.until else "",
        }
        for each in law.parameters
    ]


def crew_lines(plan: Plan) -> list[str]:
    """One line a crew: stops, miles, minutes and when it is back."""
    return [
        f"Crew {number}: {len(crew.stops)} stops, {crew.length_mi:.1f} mi, {crew.drive_min:.0f} min driving and "
        f"{crew.service_min:.0f} min on site, from {plan.start_at} to {crew.back_at}"
        for number, crew in enumerate(plan.crews, start=1)
    ]


def stop_rows(plan: Plan) -> Rows:
    """One row a stop, crew by crew."""
    return [
        {
            "Crew": number,
            "Stop": stop.seq,
            "Location": _cell(stop.id),
            "At": stop.eta,
            "Drive, min": round(stop.drive_min),
            "On site, min": round(stop.service_min),
            "Why": _cell(say_list(stop.reasons)),
        }
        for number, crew in enumerate(plan.crews, start=1)
        for stop in crew.stops
    ]


def left_rows(plan: Plan) -> Rows:
    """What is due and no stop, with the reason."""
    return [{"Location": _cell(each.id), "Why not": each.why} for each in (*plan.unreachable, *plan.left_out)]


def number_rows(numbers: Sequence[Mapping[str, Any]]) -> Rows:
    """One row a number of the annual report, as its JSON has them."""
    return [
        {
            "Code": each["code"],
            "Number": each["label"],
            "Value": "" if each["value"] is None else f"{each['value']:g}",
            "Rows": len(each["rows"]),
        }
        for each in numbers
    ]


def behind_rows(number: Mapping[str, Any]) -> Rows:
    """The rows behind one number."""
    return [{name.capitalize(): _cell(value) for name, value in row.items()} for row in number["rows"]]


def _places(town: Town, finding: Finding) -> str:
    """The lots that a flag is about, else the road that the asset is on."""
    lots = [name_of(town, f"premises:{key}") for key in finding.premises]
    frame = town.layer(layer_of(finding.subject[0])[0])
    on_road = "road" in frame and finding.subject[1] in frame.index
    return say_list(lots, most=2) if lots else str(frame.at[finding.subject[1], "road"]) if on_road else ""


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet runs, its text safe to show."""
    return plain_cell(shown(value) if isinstance(value, str) else value)
