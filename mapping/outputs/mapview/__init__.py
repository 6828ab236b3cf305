"""The drawing code of the map for the browser, with Leaflet from XStatic-Leaflet: read as text, nothing is fetched."""

from __future__ import annotations

import base64
import mimetypes
import re
from functools import cache
from pathlib import Path

from xstatic.pkg import leaflet

HERE = Path(__file__).resolve().parent
LEAFLET = Path(leaflet.BASE_DIR)
PARTS = ("signs.js", "paths.js", "marks.js", "controls.js", "view.js")
"""In the order in which they build on one another."""


@cache
def leaflet_js() -> str:
    """Leaflet's own code."""
    return (LEAFLET / "leaflet.js").read_text(encoding="utf-8").replace("//# sourceMappingURL=leaflet.js.map", "")


@cache
def leaflet_css() -> str:
    """Leaflet's style sheet with its pictures inlined, so that nothing more is asked for."""
    text = (LEAFLET / "leaflet.css").read_text(encoding="utf-8")
    return re.sub(r"url\((images/[\w.-]+)\)", lambda found: f"url({data_url(LEAFLET / found[1])})", text)


@cache
def view_js() -> str:
    """The map view: symbols, controls, layers; it expects Leaflet as `L` and leaves `ms4.view.View`."""
    return "\n".join((HERE / part).read_text(encoding="utf-8") for part in PARTS)


@cache
def view_css() -> str:
    """The style sheet of the map's own controls."""
    return (HERE / "view.css").read_text(encoding="utf-8")


@cache
def file_js() -> str:
    """What starts the view in the map file."""
    return (HERE / "file.js").read_text(encoding="utf-8")


def data_url(path: Path) -> str:
    """A file as a `data:` address."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def text_url(text: str, kind: str) -> str:
    """Text as a `data:` address of that kind."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"
