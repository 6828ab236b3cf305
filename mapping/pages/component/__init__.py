"""The map in the page: a Streamlit component around the map view, which reads its features from our own routes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from mapping import server
from mapping.outputs import style

HERE = Path(__file__).resolve().parent
KEY = "town_map"


def show_map(
    desk: server.Desk, *, selected: str, trace: Sequence[dict[str, str]], on_pick: Callable[[str], None]
) -> None:
    """The map of the town with what is selected and the trace marked; `on_pick` gets the subject of a click or search.

    The view, the layers that are on and the filters live in the browser and stay over reruns; only a click comes back.
    """
    data = {
        "key": server.session_key(),
        "version": desk.version,
        "layers": desk.layers,
        "bounds": desk.bounds,
        "style": style.as_json(),
        "selected": selected,
        "trace": list(trace),
        "store": f"ms4.{desk.town.name}",
    }
    _component()(key=KEY, data=data, on_picked_change=lambda: on_pick(str(st.session_state[KEY].picked)))


@cache
def _component() -> Any:
    return st.components.v2.component(
        "ms4_map",
        html='<div class="ms4-frame"><div class="ms4-root"></div></div>',
        css=_read("component.css"),
        js=_read("component.js"),
    )


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
