"""Cases: the list, and one case with its state, what the law asks next, its deadlines and its thread."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mapping import server
from mapping.cases.case import Case
from mapping.outputs import tables
from mapping.pages import parts, show
from mapping.pages.event_form import record_event
from mapping.pages.show import bullets, put, tag

# In the address of the page: the number of the case.
ASKED = "case"


def main() -> None:
    """Shows every case, and the one that is chosen."""
    desk = server.open_desk()
    cases = tables.by_urgency(desk.picture.cases, desk.picture.on)
    show.heading("Cases", f"{len(cases)} on record")
    if not cases:
        show.empty("No case is open.", "Choose a flagged thing on the map and press Open case.")
        return
    rows = tables.case_rows(desk.town, cases, desk.picture.on)
    picked: Any = st.dataframe(rows, hide_index=True, on_select="rerun", selection_mode="single-row", key="list")
    for number in picked.selection.rows:
        st.query_params[ASKED] = cases[number].id
    asked = st.query_params.get(ASKED, cases[0].id)
    chosen = next((each for each in cases if each.id == asked), None)
    if chosen is None:
        show.empty(f"There is no case {asked}.", "Choose one in the list above.")
    else:
        _show_case(desk, chosen)


def _show_case(desk: server.Desk, case: Case) -> None:
    left, right = st.columns([3, 2], gap="medium")
    with right:
        put(tag("h1", f"Case {case.id}"), tag("p", case.title), tag("p", tag("b", case.state)))
        one, other = st.columns(2)
        if one.button("Record event", type="primary", width="stretch", key="case_event"):
            record_event(subject=case.subject, cases=[case.id], case=case.id)
        if other.button("Show on the map", width="stretch", key="case_map", disabled=not case.subject):
            st.switch_page("map.py", query_params={"asset": case.subject})
        put(tag("h2", "What the law asks next"), bullets(case.next) or tag("p", "Nothing.", cls="ms4-note"))
        put(tag("h2", "Deadlines"), parts.deadlines(case.deadlines), tag("p", parts.LAW_NOTE, cls="ms4-note"))
    with left:
        put(tag("h1", "Thread"), parts.thread(case.events))
        if case.superseded:
            put(tag("h2", "Superseded"), parts.thread(case.superseded))


if __name__ == "__main__":
    main()
