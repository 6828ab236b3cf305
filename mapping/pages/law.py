"""The law and the permit: every number and word that the product counts with, and where it stands in the text."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mapping import pipeline, server
from mapping.law import Law
from mapping.outputs import tables
from mapping.pages import parts, show
from mapping.pages.show import bullets, put, tag


def main() -> None:
    """Shows the law with its readings, then the permit."""
    settings = server.open_desk().town.settings
    law, permit = pipeline.open_law(settings), pipeline.open_permit(settings)
    show.heading(law.title, f"{law.municipality}. {law.history}.")
    _law(law)
    put(tag("h2", "Readings that the Town can choose between"))
    put(
        *[_reading(law, key, settings.readings.get(key, "")) for key in law.readings],
        tag("p", parts.LAW_NOTE, cls="ms4-note"),
    )
    show.heading(permit.title)
    st.dataframe(tables.parameter_rows(permit), hide_index=True, key="permit")
    unsure = [each.title for each in permit.parameters if not each.verified]
    if unsure:
        put(tag("h2", "Not confirmed by a public source"), bullets(unsure))


def _law(law: Law) -> None:
    st.caption("Choose a row to read the words of the law.")
    picked: Any = st.dataframe(
        tables.parameter_rows(law),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="law",
        height=420,
    )
    for number in picked.selection.rows:
        row = law.parameters[number]
        put(tag("h2", row.title), tag("p", f"{row.cite().label} {row.quotation}"))
        put(bullets([f"{each.title}: {each.text}" for each in law.readings_of(row.code)]))


def _reading(law: Law, key: str, chosen: str) -> show.Html:
    reading = law.readings[key]
    return tag("p", tag("b", reading.title), f": {chosen or reading.default}. {reading.text}")


if __name__ == "__main__":
    main()
