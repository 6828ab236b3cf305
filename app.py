"""The door: `streamlit run app.py` opens the town named in MS4_TOWN, else the sample town, on this machine alone."""

from __future__ import annotations

import streamlit as st

from mapping import server
from mapping.pages.show import tell_unexpected

server.clear_uploads()
app = st.App(
    "mapping/pages/home.py",
    routes=server.routes(),
    middleware=server.middleware(),
    on_script_error=tell_unexpected,
)
