"""The table of symbols: nothing on the map is told by colour alone."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from layers.schema import LAYERS
from mapping.outputs import style


def drawn_in_black(symbol: style.Symbol) -> tuple[object, ...]:
    filled = bool(symbol.fill) and symbol.fill != style.WHITE
    return symbol.kind, symbol.shape, filled, symbol.dash, symbol.hatch, symbol.text, round(symbol.width_px)


@pytest.mark.parametrize("kind", [style.AREA, style.LINE, style.POINT])
def test_two_symbols_never_differ_by_colour_alone(kind: str) -> None:
    symbols = [each for each in style.TABLE if each.kind == kind]
    same = [
        (one.name, other.name)
        for one, other in combinations(symbols, 2)
        if drawn_in_black(one) == drawn_in_black(other) and one.size_px == other.size_px
    ]
    assert same == []


def test_every_symbol_has_a_name_of_its_own_and_a_label() -> None:
    assert len(style.STYLE) == len(style.TABLE)
    assert len({each.label for each in style.TABLE}) == len(style.TABLE)


def test_colours_are_six_digits_or_none() -> None:
    wrong = [s.name for s in style.TABLE for c in (s.fill, s.stroke) if not re.fullmatch(r"(#[0-9A-F]{6})?", c.upper())]
    assert wrong == []


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_has_a_symbol_even_without_fields(layer: str) -> None:
    assert style.symbol_name(layer, {}) in style.STYLE


@pytest.mark.parametrize(
    ("layer", "fields", "name"),
    [
        ("outfalls", {"kind": "outfall", "owner": "Town"}, "outfall"),
        ("outfalls", {"kind": "outfall", "owner": "State"}, "outfall_other"),
        ("outfalls", {"kind": "outfall", "owner": "unknown"}, "outfall_unowned"),
        ("outfalls", {"kind": "unknown"}, "outfall_unknown"),
        ("catch_basins", {"owner": "unknown"}, "basin_unknown"),
        ("manholes", {"owner": "Town"}, "manhole"),
        ("pipes", {"system": "combined"}, "pipe_other"),
        ("parcels", {"property_class": "432"}, "lot_commercial"),
        ("parcels", {"property_class": "210"}, "lot"),
        ("sewersheds", {"basis": "parcels"}, "sewershed"),
        ("sewersheds", {"basis": "terrain"}, "sewershed_terrain"),
        ("sewersheds", {"basis": "surveyed"}, "sewershed_surveyed"),
        ("waters", {"ir_category": "5"}, "water_303d"),
        ("waters", {"ir_category": "4a"}, "water_tmdl"),
        ("waters", {"ir_category": "4c"}, "water_other"),
        ("waters", {"ir_category": "unknown"}, "water"),
    ],
)
def test_a_row_is_drawn_as_what_it_is(layer: str, fields: dict[str, str], name: str) -> None:
    assert style.symbol_name(layer, fields) == name


def test_a_water_with_a_tmdl_is_not_drawn_as_listed_until_it_is() -> None:
    assert style.symbol_name("waters", {"ir_category": "4a", "listed_303d": "no"}) == "water_tmdl"
    assert style.symbol_name("waters", {"ir_category": "4a", "listed_303d": "yes"}) == "water_303d"


@pytest.mark.parametrize(
    ("rule", "name"),
    [("ILL-01", "flag_illicit"), ("DRN-02", "flag_drain"), ("WAT-03", "flag_condition"), ("NET-01", "flag_network")],
)
def test_a_flag_is_drawn_by_its_family(rule: str, name: str) -> None:
    assert style.flag_symbol(rule) == name
