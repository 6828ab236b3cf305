"""Beside the map: what is selected, where it goes, what drains to it, its flags, its case, and what can be done."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mapping import pipeline, server
from mapping.outputs.describe import Described, describe
from mapping.outputs.evidence import Evidence, above_rows, link_rows
from mapping.outputs.ways import Way
from mapping.pages import parts, show
from mapping.pages.event_form import open_case, record_event
from mapping.pages.show import Html, bullets, put, tag

FEW = 5
WAYS = {"down": "where it goes", "up": "what drains here", "off": "no trace"}


def show_panel(desk: server.Desk, subject: str) -> None:
    """The record of what is selected, or what to do where nothing is."""
    picture = desk.picture
    law = pipeline.open_law(desk.town.settings)
    found = describe(desk.town, law, picture.report, picture.cases, subject, picture.on) if subject else None
    if found is None:
        _nothing(desk, subject)
        return
    put(tag("h1", found.name), tag("p", found.what, cls="ms4-note"))
    _actions(desk, found)
    if found.goes or found.drains:
        st.segmented_control("Trace on the map", list(WAYS), format_func=WAYS.__getitem__, default="down", key="trace")
    put(_section("Where it goes", parts.ways(found.goes)), _section("What drains here", bullets(found.drains)))
    _doubts(found.doubts)
    if (found.goes or found.drains) and st.toggle("Every link, with how it is known", key="links"):
        _evidence(desk, subject)
    flags = [parts.finding(each) for each in found.findings if each.status != "dismissed"]
    if flags or found.cannot_say:
        put(tag("h2", f"Flags ({len(flags)})"), *flags, parts.cannot_say(found.cannot_say))
    for case in found.cases:
        put(parts.case_summary(case, picture.on))
    put(
        tag("h2", "On record"),
        parts.fields(found.facts),
        tag("p", parts.LAW_NOTE, cls="ms4-note") if flags else Html(""),
    )


def _nothing(desk: server.Desk, subject: str) -> None:
    """Nothing is selected, or something that the town does not have."""
    if subject:
        put(
            tag("h1", subject),
            tag("p", "The town has nothing of that name. It may have been imported under another id."),
        )
        return
    if not desk.layers:
        show.empty(
            "No layer is loaded yet.", "Import the town's files on the page Layers; the map fills as they come in."
        )
        return
    put(
        tag("h1", desk.town.name),
        tag("p", "Click on a thing on the map, or search for its id, address or section-block-lot."),
    )
    for case in desk.picture.cases:
        if not case.state.startswith(("corrected", "closed")):
            put(parts.case_summary(case, desk.picture.on))


def _actions(desk: server.Desk, found: Described) -> None:
    """Open a case, record an event."""
    left, right = st.columns(2)
    flagged = [each for each in found.findings if each.status == "open"]
    premises = found.premises or tuple(dict.fromkeys(key for each in flagged for key in each.premises))
    if left.button("Open case", width="stretch", key="open_case"):
        open_case(subject=found.subject, premises=premises, findings=flagged)
    if right.button("Record event", width="stretch", key="record_event"):
        cases = [each.id for each in found.cases]
        record_event(subject=found.subject, cases=cases, case=cases[0] if cases else "")


def _evidence(desk: server.Desk, subject: str) -> None:
    """Every link behind the numbers above; a row opens its thing."""
    law = pipeline.open_law(desk.town.settings)
    st.caption("Choose a row to open its thing.")
    _table("Links on the way down", link_rows(desk.town, law, subject, desk.picture.on), key=f"down_{subject}")
    assets, lots = above_rows(desk.town, subject)
    _table("Assets that drain here", assets, key=f"assets_{subject}")
    _table("Lots that drain here", lots, key=f"lots_{subject}")


def _table(title: str, rows: list[Evidence], *, key: str) -> None:
    if not rows:
        return
    put(tag("h2", f"{title} ({len(rows):,})"))
    cells = [each.cells for each in rows]
    picked: Any = st.dataframe(cells, hide_index=True, on_select="rerun", selection_mode="single-row", key=key)
    for number in picked.selection.rows:
        st.query_params["asset"] = rows[number].subject
        st.rerun()


def _section(title: str, lines: Html) -> Html:
    return show.join([tag("h2", title), lines]) if lines else Html("")


def _doubts(lines: tuple[Way, ...]) -> None:
    """What the traces could not be sure about: the first few, the rest on request."""
    first, rest = lines[:FEW], lines[FEW:]
    if first:
        put(tag("div", tag("b", "Doubtful"), parts.ways(first), cls="ms4-flag flag_unsure"))
    if rest:
        with st.expander(f"{len(rest):,} more doubts"):
            put(parts.ways(rest))
