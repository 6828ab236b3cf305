"""One table of symbols for the app's map, the map file, the sheets and the legend; all is told by shape and by colour.

A fifth of the sheets are printed in black: two symbols that can lie on the same map never differ by colour alone, but
also by shape, dash, hatch or letter (`tests/test_style.py` holds this).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

AREA, LINE, POINT = "area", "line", "point"


@dataclass(frozen=True)
class Symbol:
    """How one kind of thing is drawn.

    `kind` is `area`, `line` or `point`; `shape` names the drawing; `fill` and `stroke` are `#RRGGBB` or empty (none);
    `width_px` is the width of the line or edge; `dash` is an SVG dash array; `hatch` is `45`, `135`, `dots` or empty;
    `text` is the letter inside; `size_px` the height of a point symbol; `near` the zoom (Web Mercator) from which it
    is worth drawing.
    """

    name: str
    label: str
    kind: str
    shape: str
    fill: str = ""
    stroke: str = ""
    width_px: float = 1.0
    dash: str = ""
    hatch: str = ""
    text: str = ""
    size_px: float = 0.0
    near: int = 0


PIPE, DITCH, GREY, INK = "#2F5D8A", "#2E7D4F", "#8A8A8A", "#444444"
RED, ORANGE, VIOLET, PURPLE, NAVY = "#C1121F", "#C76B00", "#6C5B7B", "#7B5EA7", "#0B3954"
WATER, SHORE, LOT_LINE = "#D6E8F5", "#3B7EA1", "#B9B4A7"
BLUE, GREEN, WHITE, BROWN = "#1F6FB2", "#2E7D4F", "#FFFFFF", "#7A5C3E"

TABLE = (
    # the ground
    Symbol("lot", "Lot", AREA, "area", "", LOT_LINE, 0.7, near=14),
    Symbol("lot_commercial", "Commercial lot", AREA, "area", "#F6E3C5", LOT_LINE, 0.7, text="C"),
    Symbol("lot_industrial", "Industrial lot", AREA, "area", "#E6D9EC", LOT_LINE, 0.7, text="I"),
    Symbol("lot_farm", "Farm", AREA, "area", "#EAF1DD", LOT_LINE, 0.7, text="F"),
    Symbol("lot_municipal", "Municipal or community lot", AREA, "area", "#E1E6EC", LOT_LINE, 0.7, text="M"),
    Symbol("road", "Road", LINE, "cased", WHITE, "#C9C9C9", 4.0),
    Symbol("boundary", "Designated area", AREA, "band", "", INK, 1.6, dash="14 6"),
    Symbol("sewershed", "Preliminary sewershed", AREA, "area", "", PIPE, 1.2, dash="2 3"),
    Symbol(
        "sewershed_terrain", "Preliminary sewershed, from terrain", AREA, "area", "", DITCH, 1.2, dash="9 3 2 3 2 3"
    ),
    Symbol("sewershed_surveyed", "Sewershed, surveyed", AREA, "area", "", PIPE, 2.0),
    Symbol("sewershed_differs", "Premises and terrain differ", AREA, "area", "", VIOLET, 0.7, hatch="135"),
    Symbol("watershed_303d", "303(d) watershed", AREA, "area", "", RED, 1.2, dash="10 4", hatch="45"),
    Symbol("watershed_tmdl", "TMDL watershed", AREA, "area", "", ORANGE, 1.2, dash="10 4", hatch="dots"),
    Symbol("watershed", "Watershed", AREA, "area", "", SHORE, 1.2, dash="10 4"),
    # waters
    Symbol("water", "Water", AREA, "water", WATER, SHORE, 1.4),
    Symbol("water_303d", "303(d) water (IR 5)", AREA, "water", WATER, RED, 2.0, hatch="45"),
    Symbol("water_tmdl", "Water with a TMDL (IR 4a)", AREA, "water", WATER, ORANGE, 2.0, hatch="dots"),
    Symbol("water_other", "Impaired water (IR 4b, 4c)", AREA, "water", WATER, PURPLE, 2.0, hatch="135"),
    # what carries water
    Symbol("ditch", "Ditch", LINE, "line", "", DITCH, 2.0, dash="8 3 2 3"),
    Symbol("culvert", "Culvert", LINE, "ticked", "", PIPE, 2.0),
    Symbol("pipe", "Pipe", LINE, "line", "", PIPE, 2.0),
    Symbol("pipe_other", "Sanitary or combined pipe", LINE, "line", "", GREY, 1.0, text="S"),
    Symbol("drain", "Private drain", LINE, "drain", "", BROWN, 1.5),
    Symbol("drain_point", "Private drain, line not drawn", POINT, "ring", "", BROWN, 1.5, size_px=6, near=15),
    # structures: Town filled, another owner's edge grey, unknown owner's edge dashed
    Symbol("basin", "Catch basin, Town", POINT, "square", PIPE, PIPE, 1.4, size_px=7, near=14),
    Symbol("basin_other", "Catch basin, not the Town's", POINT, "square", WHITE, GREY, 1.4, size_px=7, near=14),
    Symbol("basin_unknown", "Catch basin, owner unknown", POINT, "square", WHITE, PIPE, 1.4, "2 2", size_px=7, near=14),
    Symbol("manhole", "Manhole, Town", POINT, "circle", PIPE, PIPE, 1.4, size_px=7, near=15),
    Symbol("manhole_other", "Manhole, not the Town's", POINT, "circle", WHITE, GREY, 1.4, size_px=7, near=15),
    Symbol("manhole_unknown", "Manhole, owner unknown", POINT, "circle", WHITE, PIPE, 1.4, "2 2", size_px=7, near=15),
    Symbol("facility", "Facility", POINT, "house", "#F2F2F2", INK, 1.4, size_px=12, near=13),
    # monitoring locations
    Symbol("outfall", "Outfall", POINT, "triangle", NAVY, WHITE, 1.0, size_px=11),
    Symbol("outfall_other", "Outfall, not the Town's", POINT, "triangle", WHITE, GREY, 1.6, size_px=11),
    Symbol("outfall_unowned", "Outfall, owner unknown", POINT, "triangle", WHITE, NAVY, 1.6, "3 2", size_px=11),
    Symbol("interconnection", "Interconnection", POINT, "diamond", NAVY, WHITE, 1.0, size_px=12),
    Symbol("intraconnection", "Intraconnection", POINT, "hexagon", NAVY, WHITE, 1.0, size_px=11),
    Symbol("outfall_unknown", "Outlet of unknown kind", POINT, "triangle", WHITE, NAVY, 1.6, text="?", size_px=13),
    # flags
    Symbol("flag_network", "Network or record fault", POINT, "cross", "", VIOLET, 2.0, size_px=9),
    Symbol("flag_condition", "Special condition", POINT, "tag", WHITE, NAVY, 1.2, text="B", size_px=14, near=15),
    Symbol("flag_premises", "Premises or facility", POINT, "pentagon", BROWN, WHITE, 1.2, text="P", size_px=16),
    Symbol("flag_drain", "Undocumented or unapproved drain", POINT, "square", ORANGE, WHITE, 1.2, text="D", size_px=16),
    Symbol("flag_illicit", "Suspected illicit connection", POINT, "circle", RED, WHITE, 1.4, text="!", size_px=18),
    Symbol("flag_unsure", "We cannot say", POINT, "circle", WHITE, "#555555", 1.8, "3 3", text="?", size_px=18),
    # cases
    Symbol("case_late", "Case with a deadline passed", POINT, "flag", RED, RED, 1.6, text="late", size_px=22),
    Symbol("case_soon", "Case due within 7 days", POINT, "flag", ORANGE, ORANGE, 1.6, text="soon", size_px=22),
    Symbol("case_open", "Case open", POINT, "flag", BLUE, BLUE, 1.6, text="open", size_px=22),
    Symbol("case_corrected", "Case corrected", POINT, "flag", GREEN, GREEN, 1.6, text="done", size_px=22),
    # what the reader points at
    Symbol("selected", "Selected", LINE, "halo", WHITE, "#111111", 3.0),
    Symbol("trace", "Trace", LINE, "trace", "", "#B5179E", 4.0),
)
STYLE: Mapping[str, Symbol] = {each.name: each for each in TABLE}

CERTAINTY_DASH: Mapping[str, tuple[str, str]] = {"inferred": ("10 6", "16 5 3 5"), "doubtful": ("1 5", "1 5 1 5 7 5")}
"""Dashes of a line that is not as recorded: for lines that are solid when recorded, and for those that are not (ditches)."""
LOT_BY_CLASS = (
    ("4", "lot_commercial"),
    ("7", "lot_industrial"),
    ("1", "lot_farm"),
    ("6", "lot_municipal"),
    ("8", "lot_municipal"),
)
FLAG_BY_FAMILY: Mapping[str, str] = {
    "ILL": "flag_illicit",
    "DRN": "flag_drain",
    "WAT": "flag_condition",
    "PRM": "flag_premises",
}


def symbol_name(layer: str, fields: Mapping[str, Any]) -> str:
    """The name in STYLE of one row of a layer, from its fields; a layer without a symbol of its own gets a plain lot.

    >>> symbol_name("outfalls", {"kind": "interconnection", "owner": "Town"})
    'interconnection'
    >>> symbol_name("catch_basins", {"owner": "County"})
    'basin_other'
    """
    chooser = _CHOOSERS.get(layer)
    return chooser(fields) if chooser else "lot"


def flag_symbol(rule: str) -> str:
    """The name in STYLE of a finding of that rule; families without a sign of their own are network or record faults.

    >>> flag_symbol("DRN-01")
    'flag_drain'
    """
    return FLAG_BY_FAMILY.get(rule.partition("-")[0], "flag_network")


def dash(symbol: Symbol, certainty: str) -> str:
    """The dash of a line that is `recorded`, `inferred` or `doubtful`; a ditch stays a ditch in all three.

    >>> dash(STYLE["pipe"], "recorded"), dash(STYLE["pipe"], "inferred"), dash(STYLE["ditch"], "doubtful")
    ('', '10 6', '1 5 1 5 7 5')
    """
    if certainty not in CERTAINTY_DASH:
        return symbol.dash
    solid, dashed = CERTAINTY_DASH[certainty]
    return dashed if symbol.dash else solid


def as_json() -> dict[str, dict[str, Any]]:
    """The table as plain values, for the drawing code in the browser."""
    return {name: asdict(symbol) for name, symbol in STYLE.items()}


def _outfall(fields: Mapping[str, Any]) -> str:
    kind = fields.get("kind") or "unknown"
    if kind == "outfall":
        return {"Town": "outfall", "unknown": "outfall_unowned"}.get(_owner(fields), "outfall_other")
    return kind if kind in ("interconnection", "intraconnection") else "outfall_unknown"


def _structure(stem: str, fields: Mapping[str, Any]) -> str:
    owner = _owner(fields)
    if owner == "Town":
        return stem
    return f"{stem}_unknown" if owner == "unknown" else f"{stem}_other"


def _pipe(fields: Mapping[str, Any]) -> str:
    return "pipe_other" if fields.get("system") in ("sanitary", "combined") else "pipe"


def _lot(fields: Mapping[str, Any]) -> str:
    code = str(fields.get("property_class") or "")
    return next((name for prefix, name in LOT_BY_CLASS if code.startswith(prefix)), "lot")


def _water(fields: Mapping[str, Any]) -> str:
    category = fields.get("ir_category")
    if category == "5" or fields.get("listed_303d") == "yes":
        return "water_303d"
    if category == "4a" or fields.get("tmdl") == "yes":
        return "water_tmdl"
    return "water_other" if category in ("4b", "4c") else "water"


def _watershed(fields: Mapping[str, Any]) -> str:
    return {"303(d)": "watershed_303d", "TMDL": "watershed_tmdl"}.get(str(fields.get("kind")), "watershed")


def _sewershed(fields: Mapping[str, Any]) -> str:
    basis = fields.get("basis")
    return f"sewershed_{basis}" if basis in ("terrain", "surveyed") else "sewershed"


def _owner(fields: Mapping[str, Any]) -> str:
    return str(fields.get("owner") or "unknown")


_CHOOSERS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "outfalls": _outfall,
    "catch_basins": lambda fields: _structure("basin", fields),
    "manholes": lambda fields: _structure("manhole", fields),
    "pipes": _pipe,
    "parcels": _lot,
    "waters": _water,
    "watersheds": _watershed,
    "ditches": lambda fields: "ditch",
    "culverts": lambda fields: "culvert",
    "drains": lambda fields: "drain",
    "roads": lambda fields: "road",
    "boundary": lambda fields: "boundary",
    "sewersheds": _sewershed,
    "facilities": lambda fields: "facility",
}
