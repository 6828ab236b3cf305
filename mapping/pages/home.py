"""The frame of all screens: the bar at the top, the style sheet, and the sample town on the first start."""

from __future__ import annotations

from html import escape

import streamlit as st

from mapping import server
from mapping.pages import show

PAGES = (
    ("map.py", "Map", "map"),
    ("findings.py", "Findings", "findings"),
    ("cases.py", "Cases", "cases"),
    ("routes.py", "Routes", "routes"),
    ("report.py", "Report", "report"),
    ("layers.py", "Layers", "layers"),
    ("law.py", "Law", "law"),
)


def main() -> None:
    """Shows the page asked for; a fault is told in its place."""
    st.set_page_config(page_title="Storm drains", layout="wide")
    st.html(show.STYLE_SHEET)
    _show_name()
    pages = [st.Page(path, title=title, url_path=url, default=url == "map") for path, title, url in PAGES]
    chosen = st.navigation(pages, position="top")
    with show.faults():
        if not server.is_ready():
            with st.spinner("Making the sample town. This happens once and takes a minute."):
                server.make_sample()
            st.rerun()
        chosen.run()


def _show_name() -> None:
    """The town's name at the left of the bar, drawn as a picture so that no text of a file is markup."""
    name = server.town_name()
    if not name:
        return
    width = 24 + 9 * len(name)
    st.logo(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="32">'
        f'<text x="0" y="22" font-family="sans-serif" font-size="16" font-weight="600" fill="#222">{escape(name)}</text></svg>',
        size="medium",
    )


if __name__ == "__main__":
    main()
