"""The forms that write to the register: record an event of any kind, open a case; each asks for a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from mapping import pipeline, server
from mapping.findings import RULES, Finding
from mapping.outputs.places import layer_of
from mapping.pages import show
from mapping.pages.refusals import ON_FORM
from mapping.register import KINDS, EventKind
from mapping.register.kinds import PayloadField
from mapping.words import say_list

ELSEWHERE = frozenset({"case_opened", "asset_recorded", "trace_frozen", "superseded"})
"""Kinds that have a screen of their own, or that no form can state."""
SEVERITY = {1: "1 faint", 2: "2 clear", 3: "3 strong"}
INDICATORS = ("odor", "color", "turbidity", "floatables")
ALWAYS_ASKED = frozenset({"flow"})
"""Fields that the register can do without, but no visit: a sheet without them is refused."""
FROM_PLACE = frozenset({"location", "at"})
"""Fields that follow from the subject and the day."""


@st.dialog("Record an event", width="medium")
def record_event(*, subject: str, cases: Sequence[str], case: str = "") -> None:
    """Asks for one event about a subject or a case and appends it to the register."""
    desk = server.open_desk()
    chosen = st.selectbox(
        "Case", ["", *cases], index=[*([""]), *cases].index(case), format_func=lambda each: each or "no case"
    )
    kinds = offered(subject=subject, case=chosen)
    name = st.selectbox("What happened", kinds, format_func=lambda each: KINDS[each].title)
    with st.form("event", border=False):
        on = st.date_input("On which day", value=desk.picture.on, max_value=desk.picture.on, format="YYYY-MM-DD")
        has_time = any(each.name == "at" for each in KINDS[name].fields)
        at = st.time_input("At what time (required)", value=None, key=f"at_{name}") if has_time else None
        asked = [each for each in KINDS[name].fields if each.name not in FROM_PLACE | {"attachments"}]
        values = _ask_all(KINDS[name], asked)
        by = show.ask_name("event_by")
        done = st.form_submit_button("Record", type="primary")
    if done and show.is_named(by):
        data = payload(KINDS[name], values, subject=subject, on=on, at=at)
        if _is_complete(KINDS[name], data):
            _append(desk.folder, kind=name, subject=subject, case=chosen, on=on, data=data, by=by)


@st.dialog("Open a case", width="medium")
def open_case(*, subject: str, premises: Sequence[str], findings: Sequence[Finding]) -> None:
    """Asks for a title and opens a case about a subject, at first from those of its findings that suspect something."""
    desk = server.open_desk()
    show.put(
        show.tag("p", "A case says nothing about anyone until an officer records an identification.", cls="ms4-note")
    )
    titles = {each.id: each.title for each in findings}
    suspected = [each.id for each in findings if RULES[each.rule].card.suspects]
    with st.form("case", border=False):
        title = st.text_input("Title (required)", value=next((titles[each] for each in suspected), ""), max_chars=200)
        chosen = st.multiselect(
            "Flags that it starts from", list(titles), default=suspected, format_func=titles.__getitem__
        )
        on = st.date_input("Opened on", value=desk.picture.on, max_value=desk.picture.on, format="YYYY-MM-DD")
        by = show.ask_name("case_by")
        done = st.form_submit_button("Open the case", type="primary")
    if done and _is_titled(title) and show.is_named(by):
        with show.faults():
            pipeline.open_town_case(
                desk.folder, title=title, subject=subject, premises=premises, findings=chosen, on=on, by=by
            )
            st.rerun()


def offered(*, subject: str, case: str) -> list[str]:
    """The kinds of event that can be recorded here, the thread of a case first where there is one."""
    kinds = [each for each in KINDS.values() if each.kind not in ELSEWHERE]
    kinds = [each for each in kinds if _fits(each.case, case) and _fits(each.subject, subject)]
    return (
        [each.kind for each in sorted(kinds, key=lambda each: each.case != "required")]
        if case
        else [each.kind for each in kinds]
    )


def payload(
    kind: EventKind, values: Mapping[str, Any], *, subject: str, on: date, at: time | None = None
) -> dict[str, Any]:
    """What the form holds as the data of the event: empty fields left out, dates as text, place and time of a visit."""
    data = {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in values.items()
        if _is_given(value)
    }
    wanted = {each.name for each in kind.fields}
    if "location" in wanted:
        data["location"] = layer_of(subject)[1]
    if "at" in wanted and at is not None:
        data["at"] = f"{on.isoformat()}T{at:%H:%M}"
    return data


def is_asked(field: PayloadField) -> bool:
    """Whether the form insists on a field."""
    return field.required or field.name in ALWAYS_ASKED


def _is_complete(kind: EventKind, data: Mapping[str, Any]) -> bool:
    """Whether all that the form insists on is filled in; says what is not, by its label."""
    lacking = [ON_FORM.get(each.name, each.title) for each in kind.fields if is_asked(each) and each.name not in data]
    if lacking:
        st.error(f"Fill in {say_list(show.plain(each) for each in lacking)}.")
    return not lacking


def _is_titled(title: str) -> bool:
    """Whether there is a title; says what to do where there is none."""
    if not title.strip():
        st.error("Give the case a title: it stands at its head and in the list of cases.")
    return bool(title.strip())


def _fits(rule: str, value: str) -> bool:
    return bool(value) if rule == "required" else rule != "none" or not value


def _is_given(value: Any) -> bool:
    return value not in (None, "", [], {}) and not (isinstance(value, str) and not value.strip())


def _append(folder: Path, *, kind: str, **event: Any) -> None:
    with show.faults():
        pipeline.record_event(folder, kind, **event)
        st.rerun()


def _ask_all(kind: EventKind, asked: Sequence[PayloadField]) -> dict[str, Any]:
    """The controls of an event one below the other, numbers that follow one another side by side."""
    values: dict[str, Any] = {}
    for is_number, fields in groupby(asked, key=lambda each: each.type == "number"):
        row = list(fields)
        places = st.columns(len(row)) if is_number else [st.container()] * len(row)
        for place, field in zip(places, row, strict=True):
            with place:
                values[field.name] = _ask(kind, field)
    return values


def _ask(kind: EventKind, field: PayloadField) -> Any:
    """The control for one field; what is required says so."""
    label = f"{field.title}{f', {field.unit}' if field.unit else ''}{' (required)' if is_asked(field) else ''}"
    key = f"field_{kind.kind}_{field.name}"
    match field.type:
        case "number":
            return st.number_input(label, value=None, min_value=field.least, key=key)
        case "date":
            return st.date_input(label, value=None, format="YYYY-MM-DD", key=key)
        case "yesno":
            return st.selectbox(label, ["yes", "no", "unknown"], index=None, key=key)
        case "list":
            return _ask_list(label, field, key)
        case "table":
            return _ask_table(label, field, key)
        case _:
            return (
                st.selectbox(label, field.codes, index=None, key=key) if field.codes else st.text_input(label, key=key)
            )


def _ask_list(label: str, field: PayloadField, key: str) -> list[str]:
    if field.codes:
        return list(st.multiselect(label, field.codes, key=key))
    return [
        line.strip() for line in st.text_area(f"{label}, one a line", key=key, height=68).splitlines() if line.strip()
    ]


def _ask_table(label: str, field: PayloadField, key: str) -> dict[str, Any]:
    """An indicator with its severity, or names and values."""
    if field.name not in INDICATORS:
        rows = st.data_editor([{"name": "", "value": None}], num_rows="dynamic", key=key, hide_index=True)
        return {row["name"]: row["value"] for row in rows if row["name"] and row["value"] is not None}
    left, right = st.columns(2) if field.name != "turbidity" else (st.container(), st.container())
    severity = right.selectbox(
        f"{field.name.capitalize()}: severity",
        list(SEVERITY),
        index=None,
        format_func=SEVERITY.__getitem__,
        key=f"{key}_s",
    )
    kind = left.text_input(f"{field.name.capitalize()}: what kind", key=key) if field.name != "turbidity" else ""
    if severity is None:
        return {}
    return {"severity": severity} | ({"kind": kind} if kind else {})
