"""The map: on the left the town with its layers and flags, on the right what is selected."""

from __future__ import annotations

import streamlit as st

from mapping import server
from mapping.outputs.describe import marks
from mapping.pages.component import show_map
from mapping.pages.panel import show_panel

# In the address of the page: the subject of a deep link, such as ?asset=outfalls:OF-014.
ASKED = "asset"


def main() -> None:
    """Shows the map and the panel; the selection is part of the page's address."""
    desk = server.open_desk()
    subject = st.query_params.get(ASKED, "")
    direction = st.session_state.get("trace") or "down"
    with st.container(key="desk"):
        left, right = st.columns([7, 3], gap="small")
        with left:
            show_map(desk, selected=subject, trace=marks(desk.town, subject, direction), on_pick=select)
        with right, st.container(key="panel"):
            show_panel(desk, subject)


def select(subject: str) -> None:
    """Makes a thing the selected one."""
    st.query_params[ASKED] = subject


if __name__ == "__main__":
    main()
