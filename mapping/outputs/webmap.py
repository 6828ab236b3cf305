"""The map file: one HTML page with all it needs inside, for a machine without a network.

folium makes the page and its Leaflet map; its addresses on the internet are replaced by the assets themselves. folium
would write values of the town's files as markup and as script, and render the page's parts as templates once more, so
no value goes through it: the features stand in the page as JSON and our own code sets them as text.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import folium

from layers.town import Town
from mapping.outputs import mapview, places, style
from mapping.outputs.files import replace_file
from mapping.outputs.mapdata import features, list_layers
from mapping.words import say_day

if TYPE_CHECKING:
    from mapping.cases.case import Case
    from mapping.findings import Report

CENTRE_OF_NEW_YORK = (42.9, -75.5)


def write_map(
    town: Town, report: Report | None, cases: Sequence[Case], out: Path, *, public: bool, on: date
) -> dict[str, Any]:
    """Writes the map file and returns `path`, `features` (how many are drawn) and `bytes`.

    A `public` file has no cases and no flags about a premises; personal data is in neither kind. The file is swapped
    in whole.
    """
    layers = list_layers(town, report, cases, public=public)
    drawn = {each["name"]: features(town, report, cases, each["name"], public=public) for each in layers}
    data = {
        "title": places.shown(town.name),
        "note": f"{'For the public' if public else 'For the office'}, as of {say_day(on)}",
        "layers": layers,
        "bounds": places.bounds(town),
        "style": style.as_json(),
        "features": drawn,
    }
    page = render_page(data)
    path = replace_file(out, lambda beside: _write(beside, page))
    return {
        "path": str(path),
        "features": sum(len(each["features"]) for each in drawn.values()),
        "bytes": path.stat().st_size,
    }


def render_page(data: dict[str, Any]) -> str:
    """The page: folium's frame around our view and the data, which no template ever sees."""
    frame = _frame(data["bounds"])
    title = f"<title>{html.escape(data['title'])} storm drain map</title>"
    style_sheet = f"<style>{mapview.view_css()}</style>"
    head = frame.replace("<html>", '<html lang="en">', 1).replace("</head>", f"{title}{style_sheet}</head>", 1)
    tail = (
        f'<script type="application/json" id="ms4-data">{inert_json(data)}</script>\n'
        f"<script>{mapview.view_js()}</script>\n<script>{mapview.file_js()}</script>\n"
    )
    before, end, after = head.rpartition("</html>")
    return f"{before}{tail}{end}{after}"


def inert_json(data: Any) -> str:
    """JSON that cannot end the script element that it stands in, nor begin a comment there.

    >>> inert_json({"name": "</script><img>"})
    '{"name":"\\\\u003c/script\\\\u003e\\\\u003cimg\\\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _write(path: Path, page: str) -> None:
    path.write_text(page, encoding="utf-8")


def _frame(bounds: tuple[float, float, float, float] | None) -> str:
    west, south, east, north = bounds or (*CENTRE_OF_NEW_YORK[::-1], *CENTRE_OF_NEW_YORK[::-1])
    made = folium.Map(
        location=((south + north) / 2, (west + east) / 2),
        zoom_start=14 if bounds else 7,
        tiles=None,
        zoom_control=False,
        prefer_canvas=True,
        attribution_control=False,
        zoom_snap=0.25,
        max_zoom=20,
    )
    made.default_js = [("leaflet", mapview.text_url(mapview.leaflet_js(), "text/javascript"))]
    made.default_css = [("leaflet_css", mapview.text_url(mapview.leaflet_css(), "text/css"))]
    made._id = "ms4"  # a fixed name: equal data gives an equal file, and our script finds the map
    return str(made.get_root().render())
