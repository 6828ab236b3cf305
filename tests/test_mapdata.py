"""What the map shows, and nothing more: display properties, six decimals, no personal data, hostile text as text."""

from __future__ import annotations

import json
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from shapely.geometry import Point, Polygon

from layers.errors import CallError
from layers.schema import LAYERS, schema
from layers.town import Town, make_town
from mapping.outputs import mapdata, places, style
from tests.map_town import HOSTILE, ON, SETTINGS, area, layer, small_cases, small_layers, small_report, small_town


@pytest.fixture(scope="module")
def town() -> Town:
    return small_town()


def drawn(town: Town, name: str, *, public: bool = False) -> list[dict[str, Any]]:
    found = mapdata.features(town, small_report(), small_cases(), name, public=public)
    return list(found["features"])


def properties(town: Town, name: str, *, public: bool = False) -> dict[str, dict[str, Any]]:
    return {each["properties"]["subject"]: each["properties"] for each in drawn(town, name, public=public)}


def test_a_feature_lies_where_it_is_in_degrees_with_six_decimals(town: Town) -> None:
    outfall = next(each for each in drawn(town, "outfalls") if each["properties"]["subject"] == "outfalls:OF-1")
    lon, lat = outfall["geometry"]["coordinates"]
    # 100 ft west and 340 ft south of 73.6 W, 41.33 N: a degree is 364,500 ft of latitude, 274,400 ft of longitude here
    assert lon == pytest.approx(-73.6 - 100 / 274_400, abs=2e-5)
    assert lat == pytest.approx(41.33 - 340 / 364_500, abs=2e-5)
    assert (round(lon, 6), round(lat, 6)) == (lon, lat)


@pytest.mark.parametrize("name", [each.name for each in mapdata.DRAWN])
def test_every_layer_of_the_map_has_known_symbols_and_is_plain_json(town: Town, name: str) -> None:
    found = mapdata.features(town, small_report(), small_cases(), name, public=False)
    json.dumps(found, allow_nan=False)
    assert {each["properties"]["symbol"] for each in found["features"]} <= set(style.STYLE)


@pytest.mark.parametrize("public", [True, False])
def test_owners_and_mail_addresses_are_in_no_layer(town: Town, public: bool) -> None:
    text = json.dumps([drawn(town, each.name, public=public) for each in mapdata.DRAWN])
    assert "Invented" not in text


def test_the_fields_said_of_a_thing_hold_no_personal_data() -> None:
    for name, fields in places.DETAIL.items():
        assert not set(fields) & schema(name).staff_only, name


def test_every_layer_of_the_town_is_on_the_map() -> None:
    assert {each.name for each in mapdata.DRAWN} == {*LAYERS, "flags", "unsure", "cases"}


def test_a_public_map_has_no_case_and_no_flag_about_a_premises(town: Town) -> None:
    rules = {each["properties"]["finding"] for each in drawn(town, "flags", public=True)}
    assert rules == {"ILL-01:outfalls:OF-1", "WAT-02:outfalls:OF-1", "NET-01:pipes:P-9"}
    assert drawn(town, "cases", public=True) == []
    assert len(drawn(town, "cases")) == 1


def test_a_dismissed_flag_is_not_drawn(town: Town) -> None:
    assert "NET-01:pipes:P-1" not in {each["properties"]["finding"] for each in drawn(town, "flags")}


def test_a_note_is_not_drawn(town: Town) -> None:
    assert not [each for each in drawn(town, "flags") if each["properties"]["finding"].startswith("NET-08")]


def test_a_flag_through_a_doubtful_link_is_drawn_hollow(town: Town) -> None:
    faint = {each["properties"]["subject"]: each["properties"]["faint"] for each in drawn(town, "flags")}
    assert faint["drains:DR-2"]
    assert not faint["drains:DR-1"]


def test_the_conditions_of_an_outfall_are_one_tag(town: Town) -> None:
    report = small_report()
    again = SimpleNamespace(**vars(report.findings[3]) | {"rule": "WAT-03", "id": "WAT-03:x", "conditions": ("D", "C")})
    report.findings = (*report.findings, again)
    found = mapdata.features(town, report, [], "flags", public=False)["features"]
    assert [each["properties"]["tag"] for each in found if "tag" in each["properties"]] == ["B C D"]


def test_what_cannot_be_judged_is_one_sign_with_all_reasons(town: Town) -> None:
    assert properties(town, "unsure") == {
        "outfalls:OF-3": {
            "subject": "outfalls:OF-3",
            "symbol": "flag_unsure",
            "name": f"We cannot say · OF-3 · {HOSTILE[0]}",
            "why": "No water is mapped near it.; Its owner is not known.",
            "slot": 0,
        }
    }


def test_what_is_not_located_is_left_out_and_not_counted(town: Town) -> None:
    counts = {each["name"]: each["count"] for each in mapdata.list_layers(town, small_report(), [], public=False)}
    assert counts["catch_basins"] == 3
    assert "catch_basins:CB-4" not in properties(town, "catch_basins")


def test_sewersheds_of_both_bases_are_drawn_together_with_where_they_differ() -> None:
    made = {
        "SS-OF-1": {"outfall_id": "OF-1", "basis": "parcels", "geometry": area(0, 0, 300, 300)},
        "ST-OF-1": {"outfall_id": "OF-1", "basis": "terrain", "geometry": area(0, 0, 300, 600)},
    }
    there = make_town(SETTINGS, small_layers() | {"sewersheds": layer("sewersheds", made)})
    found = [each["properties"] for each in drawn(there, "sewersheds")]
    assert [each["symbol"] for each in found] == ["sewershed", "sewershed_terrain", "sewershed_differs"]
    assert (found[2]["subject"], found[2]["name"]) == ("sewersheds:ST-OF-1", "OF-1 · 2.1 acres by terrain alone")


def test_empty_layers_have_no_switch(town: Town) -> None:
    names = [each["name"] for each in mapdata.list_layers(town, None, [], public=False)]
    assert "sewersheds" not in names
    assert "flags" not in names
    assert names.index("parcels") < names.index("outfalls")


@pytest.mark.parametrize("geometry", [None, Point(), Point(float("nan"), 1)])
def test_a_geometry_that_cannot_be_drawn_never_reaches_the_map(geometry: Any) -> None:
    rows = {"CB-9": {"geometry": geometry, "owner": "Town"}}
    town = Town(**vars(small_town()) | {"layers": small_layers() | {"catch_basins": layer("catch_basins", rows)}})
    assert drawn(town, "catch_basins") == []
    assert places.locate(town, "catch_basins:CB-9") is None


def test_an_unknown_layer_is_refused_with_those_there_are(town: Town) -> None:
    with pytest.raises(CallError, match=r"no layer 'secrets'.*outfalls"):
        mapdata.features(town, None, [], "secrets", public=False)


def test_direction_and_certainty_are_told_by_the_line(town: Town) -> None:
    pipes = properties(town, "pipes")
    assert "dash" not in pipes["pipes:P-1"]
    assert pipes["pipes:P-3"]["dash"] == style.CERTAINTY_DASH["inferred"][0]
    assert pipes["pipes:P-3"]["why"] == mapdata.CERTAIN["inferred"]
    # P-2 was drawn from the manhole to the basin, but its record says basin to manhole
    assert pipes["pipes:P-2"]["turned"] is True
    assert "turned" not in pipes["pipes:P-1"]


def test_direction_marks_cannot_turn_a_name_round(town: Town) -> None:
    names = [each["name"] for each in properties(town, "parcels").values()]
    assert "safe\ufffdgpj.exe · 2.-1-4" in names


def test_half_a_character_does_not_break_a_file() -> None:
    assert places.shown("a\ud800b").encode() == "a\ufffdb".encode()


def test_a_very_long_name_is_cut() -> None:
    assert len(places.shown("x" * 10_000)) == places.LABEL_LENGTH


def deadlines(state: str, due: date | None) -> Any:
    return SimpleNamespace(state=state, due=due)


@pytest.mark.parametrize(
    ("state", "limits", "sign"),
    [
        ("identified", [("open", date(2026, 12, 8))], ("case_soon", "due Tue 8 Dec 2026")),
        ("identified", [("open", date(2026, 12, 9))], ("case_open", "due Wed 9 Dec 2026")),
        (
            "identified",
            [("open", date(2026, 12, 9)), ("overdue", date(2026, 11, 30))],
            ("case_late", "late since Mon 30 Nov 2026"),
        ),
        ("opened", [("pending", None)], ("case_open", "")),
        ("corrected", [("late", date(2026, 11, 30))], ("case_corrected", "")),
    ],
)
def test_a_case_says_its_next_day(state: str, limits: list[Any], sign: tuple[str, str]) -> None:
    case = SimpleNamespace(state=state, deadlines=[deadlines(*each) for each in limits])
    assert mapdata.case_sign(case, ON) == sign  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("of-1", "outfalls:OF-1"),
        ("CB", "catch_basins:CB-1"),
        ("6 main st", "parcels:055089 2.-1-6"),
        ("2.-1-9", "parcels:055089 2.-1-9"),
        ("2 1 9", "parcels:055089 2.-1-9"),
        ("titicus", "waters:1302-0044"),
        ("garage", "facilities:F-1"),
    ],
)
def test_things_are_found_by_id_address_name_and_lot(town: Town, text: str, first: str) -> None:
    assert places.search(places.index_places(town), text)[0].subject == first


@pytest.mark.parametrize("text", ["", "  ", ".-/", "invented owner"])
def test_nothing_is_found_by_nothing_nor_by_an_owners_name(town: Town, text: str) -> None:
    assert places.search(places.index_places(town), text) == []


def test_the_first_view_is_the_designated_area(town: Town) -> None:
    west, south, east, north = places.bounds(town) or (0, 0, 0, 0)
    assert west < -73.6 < east
    assert south < 41.33 < north
    assert east - west == pytest.approx(1800 / 274_400, rel=0.05)


def test_without_a_boundary_the_assets_are_the_first_view() -> None:
    town = Town(**vars(small_town()) | {"layers": {k: v for k, v in small_layers().items() if k == "catch_basins"}})
    west, _, east, _ = places.bounds(town) or (0, 0, 0, 0)
    assert east - west == pytest.approx(500 / 274_400, rel=0.05)


def test_a_polygon_keeps_its_holes(town: Town) -> None:
    ring = area(0, 0, 100, 100).geoms[0]
    hole = Polygon(ring.exterior, [area(40, 40, 20, 20).geoms[0].exterior])
    made = Town(**vars(town) | {"layers": {"waters": layer("waters", {"W": {"geometry": hole}})}})
    assert len(drawn(made, "waters")[0]["geometry"]["coordinates"]) == 2
