"""Findings: every flag in a table with filters; a row opens its place on the map. What was looked at stands below."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mapping import server
from mapping.findings import Finding
from mapping.outputs import tables
from mapping.pages import parts, show
from mapping.words import say_day

STANDINGS = ("open", "in case", "dismissed")
SEVERITIES = ("error", "warning", "note")


def main() -> None:
    """Shows the flags, those that cannot be judged, and what the rules looked at."""
    desk = server.open_desk()
    report = desk.picture.report
    show.heading("Findings", f"{len(report.findings)} flags as of {say_day(report.on)}")
    if not report.looked_at or not desk.layers:
        show.empty("No rule has anything to look at yet.", "Import the town's files on the page Layers.")
        return
    chosen = _filtered(report.findings)
    if not chosen:
        show.empty("No flag of these kinds.", "Widen the filters above to see more.")
    else:
        _table(desk, chosen)
    _below(desk)


def _filtered(findings: tuple[Finding, ...]) -> list[Finding]:
    kinds = sorted({tables.kind_of(each) for each in findings})
    left, middle, third, right = st.columns([3, 2, 2, 2])
    wanted = left.multiselect("Kinds", kinds, placeholder="every kind")
    standing = middle.multiselect("Standing", STANDINGS, default=["open", "in case"])
    grave = third.multiselect("Severity", SEVERITIES, default=["error", "warning"], placeholder="every severity")
    words = right.text_input("Words in it", placeholder="an id, a road, a water").casefold()
    return [
        each
        for each in findings
        if (not wanted or tables.kind_of(each) in wanted)
        and (not standing or each.status in standing)
        and (not grave or each.severity in grave)
        and words in f"{each.id} {each.title} {' '.join(fact.text for fact in each.facts_for)}".casefold()
    ]


def _table(desk: server.Desk, chosen: list[Finding]) -> None:
    rows = tables.finding_rows(desk.town, chosen)
    st.caption(f"{len(rows)} shown. Choose a row to read it and to see its place.")
    picked: Any = st.dataframe(
        rows, hide_index=True, on_select="rerun", selection_mode="single-row", key="flags", height=360
    )
    for number in picked.selection.rows:
        found = chosen[number]
        if st.button("Show on the map", type="primary", key="to_map"):
            st.switch_page("map.py", query_params={"asset": ":".join(found.subject)})
        show.put(parts.finding(found))


def _below(desk: server.Desk) -> None:
    report = desk.picture.report
    unsure = tables.unsure_rows(desk.town, report)
    show.put(show.tag("h2", f"We cannot say ({len(unsure)})"))
    if unsure:
        st.dataframe(unsure, hide_index=True, key="unsure")
    show.put(show.tag("h2", "What was looked at"))
    st.dataframe(tables.rule_rows(report), hide_index=True, key="rules")


if __name__ == "__main__":
    main()
