"""The annual report: the numbers of a permit year with the rows behind each, and the files that go out."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mapping import pipeline, server
from mapping.outputs import tables
from mapping.outputs.numbers import annual_numbers, permit_year
from mapping.outputs.report import write_report
from mapping.pages import show
from mapping.pages.show import put, tag
from mapping.words import say_day


def main() -> None:
    """Shows the numbers of the year chosen; a row opens what is behind it."""
    desk = server.open_desk()
    picture, permit = desk.picture, pipeline.open_permit(desk.town.settings)
    newest = permit_year(permit, picture.on)
    title, choice = st.columns([5, 1])
    year = choice.selectbox("Permit year that begins in", list(range(newest, permit.since.year - 1, -1)))
    law = pipeline.open_law(desk.town.settings)
    made = annual_numbers(desk.town, law, permit, cases=picture.cases, report=picture.report, year=year, on=picture.on)
    with title:
        show.heading("Annual report", f"{say_day(made.start)} to {say_day(made.end)}, as of {say_day(made.as_of)}")
    numbers = made.to_json()["numbers"]
    picked: Any = st.dataframe(
        tables.number_rows(numbers),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="numbers",
        height=480,
    )
    for number in picked.selection.rows:
        rows = tables.behind_rows(numbers[number])
        put(tag("h2", f"{numbers[number]['label']}: the rows behind it"))
        if rows:
            st.dataframe(rows, hide_index=True, key="behind")
    _package(desk, year)


def _package(desk: server.Desk, year: int) -> None:
    """Writes the numbers, the rows and the map book, and offers them for the year and the readers they were made for."""
    put(tag("h2", "Files"))
    public = st.checkbox("For the public: without personal data and without rows about anyone's premises")
    if st.button("Make the report and the map book", type="primary", key="make"):
        out = desk.folder / "outputs" / f"{'public-report' if public else 'report'}-{year}"
        with st.spinner("Making the sheets"):
            made = write_report(desk.picture, year=year, out=out, public=public)
        st.session_state["report_files"] = ((desk.version, year, public), made["files"])
    made_for, files = st.session_state.get("report_files", (None, []))
    if made_for == (desk.version, year, public):
        put(tag("p", f"{'For the public' if public else 'For the office'}, permit year {year}:", cls="ms4-note"))
        with st.container(horizontal=True):
            show.downloads(files)


if __name__ == "__main__":
    main()
