"""Special conditions B, C and D: which waters an outfall reaches, on what basis, under which condition."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from mapping.conditions import outfall_conditions
from mapping.law import load_law
from tests.findings_town import town_of

LAW = load_law("north_salem_194")
ON = date(2026, 8, 4)


def stream(**fields: Any) -> dict[str, Any]:
    """A brook that runs east along y = 0 for 1,000 ft, with the fields given laid over."""
    return {"id": "BROOK", "name": "Crook Brook", "at": "LINESTRING (0 0, 1000 0)"} | fields


def lake(**fields: Any) -> dict[str, Any]:
    """A lake of 500 ft by 500 ft at the brook's lower end."""
    return {
        "id": "LAKE",
        "name": "Long Lake",
        "at": "POLYGON ((1000 -250, 1500 -250, 1500 250, 1000 250, 1000 -250))",
    } | fields


def conditions(
    waters: list[dict[str, Any]], *, sheds: tuple[dict[str, Any], ...] = (), x: int = 400, on: date = ON
) -> pd.DataFrame:
    """The conditions of one outfall 20 ft north of the brook."""
    outfall = {"id": "OF-1", "kind": "outfall", "owner": "Town", "at": f"POINT ({x} 20)"}
    town = town_of({"outfalls": [outfall], "waters": waters, "watersheds": list(sheds)})
    return outfall_conditions(town, LAW, on)


def found(table: pd.DataFrame) -> list[tuple[str, str, str]]:
    return list(table[["segment_id", "basis", "condition"]].itertuples(index=False, name=None))


def test_an_unlisted_brook_is_kept_without_a_condition() -> None:
    table = conditions([stream(ir_category="2")])
    assert found(table) == [("BROOK", "discharges_to", "")]
    assert table["text"][0] == "discharges to Crook Brook (20 ft): category 2, under no condition B, C or D"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"ir_category": "5"}, "B"),
        ({"ir_category": "unknown", "listed_303d": "yes"}, "B"),
        ({"ir_category": "4a", "tmdl_approved_on": date(2000, 6, 1)}, "C"),
        ({"ir_category": "4a", "listed_303d": "yes", "tmdl_approved_on": date(2000, 6, 1)}, "C"),
        ({"tmdl": "yes", "tmdl_approved_on": date(2007, 12, 26)}, "C"),
        ({"tmdl": "yes", "tmdl_approved_on": date(2007, 12, 27)}, "D"),
        ({"tmdl": "yes", "tmdl_approved_on": date(2026, 8, 4)}, "D"),
        ({"tmdl": "yes", "tmdl_approved_on": date(2026, 8, 5)}, ""),
        ({"ir_category": "4b"}, ""),
        ({"ir_category": "4c"}, ""),
        ({"ir_category": "3"}, ""),
    ],
)
def test_the_condition_of_a_water_follows_from_its_list_and_the_day_of_its_tmdl(
    fields: dict[str, Any], expected: str
) -> None:
    assert list(conditions([stream(**fields)])["condition"]) == [expected]


def test_a_water_in_category_4a_is_never_called_303d_listed() -> None:
    table = conditions([stream(ir_category="4a", listed_303d="yes", tmdl_approved_on=date(2000, 6, 1))])
    assert "B" not in set(table["condition"])
    assert "which category 4a is not" in table["text"][0]


def test_a_listed_water_with_a_tmdl_for_another_pollutant_is_under_both_conditions() -> None:
    table = conditions([stream(ir_category="5", tmdl="yes", tmdl_approved_on=date(2000, 6, 1))])
    assert list(table["condition"]) == ["B", "C"]


def test_a_tmdl_without_a_day_of_approval_may_be_c_or_d_and_both_are_kept() -> None:
    table = conditions([stream(ir_category="4a")])
    assert list(table["condition"]) == ["C", "D"]
    assert set(table["confidence"]) == {"possible"}


def test_the_listed_lake_below_is_reached_with_the_feet_of_stream_to_it() -> None:
    # along the brook from x = 400 to its end at x = 1000: 600 ft
    table = conditions([stream(ir_category="2", to_segment="LAKE"), lake(ir_category="5", pollutants="phosphorus")])
    assert found(table) == [("BROOK", "discharges_to", ""), ("LAKE", "tributary_to", "B")]
    assert table["distance_ft"].tolist() == [20.0, 600.0]
    assert (
        table["text"][1]
        == "reaches Long Lake through Crook Brook (600 ft down): 303(d) listed (category 5) for phosphorus"
    )


def test_a_water_below_under_no_condition_is_no_row() -> None:
    table = conditions([stream(ir_category="2", to_segment="LAKE"), lake(ir_category="2")])
    assert found(table) == [("BROOK", "discharges_to", "")]


def test_a_loop_in_the_stream_network_ends_where_it_closes() -> None:
    table = conditions([stream(ir_category="5", to_segment="LAKE"), lake(ir_category="5", to_segment="BROOK")])
    assert found(table) == [("BROOK", "discharges_to", "B"), ("LAKE", "tributary_to", "B")]


def test_a_water_below_that_is_not_located_is_reached_at_an_unknown_distance() -> None:
    far = {"id": "LAKE", "name": "Long Lake", "ir_category": "5"}
    table = conditions([stream(ir_category="2", to_segment="LAKE"), far])
    assert pd.isna(table["distance_ft"][1])
    assert "distance not known" in table["text"][1]


SHED = {"id": "WS", "name": "Long Lake", "at": "POLYGON ((0 -900, 2000 -900, 2000 900, 0 900, 0 -900))"}


def test_lying_in_a_tmdl_watershed_is_kept_apart_from_discharging_to_its_water() -> None:
    shed = SHED | {
        "kind": "TMDL",
        "pollutant": "phosphorus",
        "approved_on": date(2000, 6, 1),
        "stormwater_requirements": "yes",
    }
    table = conditions([stream(ir_category="2")], sheds=(shed,))
    assert found(table) == [("BROOK", "discharges_to", ""), ("", "within_watershed", "C")]
    assert (
        table["text"][1]
        == "lies within the watershed on record as Long Lake: TMDL for phosphorus, approved Thu 1 Jun 2000"
    )


def test_an_outfall_outside_the_watershed_is_not_in_it() -> None:
    east = "POLYGON ((401 -900, 2000 -900, 2000 900, 401 900, 401 -900))"
    shed = SHED | {"kind": "TMDL", "approved_on": date(2000, 6, 1), "at": east}
    assert found(conditions([stream(ir_category="2")], sheds=(shed,))) == [("BROOK", "discharges_to", "")]


def test_lying_in_a_303d_watershed_alone_is_a_fact_but_no_condition_b() -> None:
    shed = SHED | {"kind": "303(d)", "pollutant": "pathogens"}
    assert found(conditions([stream(ir_category="2")], sheds=(shed,)))[1] == ("", "within_watershed", "")


def test_a_tmdl_recorded_as_without_stormwater_requirements_brings_no_condition() -> None:
    shed = SHED | {
        "kind": "TMDL",
        "segment_id": "BROOK",
        "approved_on": date(2000, 6, 1),
        "stormwater_requirements": "no",
    }
    table = conditions([stream(ir_category="4a", tmdl_approved_on=date(2000, 6, 1))], sheds=(shed,))
    assert set(table["condition"]) == {""}
    assert "without stormwater requirements" in table["text"][0]


def test_two_plausible_waters_of_different_standing_are_both_kept_and_only_possible() -> None:
    pond = {
        "id": "POND",
        "name": "Mill Pond",
        "ir_category": "5",
        "at": "POLYGON ((300 40, 500 40, 500 90, 300 90, 300 40))",
    }
    table = conditions([stream(ir_category="2"), pond])
    assert found(table) == [("BROOK", "discharges_to", ""), ("POND", "discharges_to", "B")]
    assert set(table["confidence"]) == {"possible"}


def test_before_the_law_there_are_no_conditions() -> None:
    assert set(conditions([stream(ir_category="5")], on=date(2007, 12, 25))["condition"]) == {""}
    assert set(conditions([stream(ir_category="5")], on=date(2007, 12, 26))["condition"]) == {"B"}


def test_a_town_without_waters_has_an_empty_table() -> None:
    outfall = {"id": "OF-1", "at": "POINT (0 0)"}
    assert outfall_conditions(town_of({"outfalls": [outfall]}), LAW, ON).empty


# -- what the register says


def said(*events: dict[str, Any], at: str = "POINT (400 20)", **fields: Any) -> pd.DataFrame:
    outfall = {"id": "OF-1", "kind": "outfall", "owner": "Town", "at": at}
    town = town_of({"outfalls": [outfall], "waters": [stream(ir_category="2", **fields)]}, records=events)
    return outfall_conditions(town, LAW, ON)


def notice(on: str = "2026-08-04", subject: str = "", **data: Any) -> dict[str, Any]:
    return {"kind": "condition_noticed", "on": on, "subject": subject, "data": {"condition": "A", **data}}


@pytest.mark.parametrize("about", [{"water": "crook bk"}, {"water": "BROOK"}, {"subject": "waters:BROOK"}])
def test_a_notice_about_a_water_puts_its_outfalls_under_condition_a(about: dict[str, str]) -> None:
    table = said(notice(pollutant="pathogens", notified_by="NYSDEC", **about))
    assert found(table) == [("BROOK", "discharges_to", "A")]
    assert "was notified by NYSDEC on Tue 4 Aug 2026" in table["text"][0]


def test_a_notice_of_tomorrow_or_of_another_water_changes_nothing() -> None:
    assert found(said(notice(on="2026-08-05", water="BROOK"))) == [("BROOK", "discharges_to", "")]
    assert found(said(notice(water="Other Brook"))) == [("BROOK", "discharges_to", "")]


def test_a_notice_about_an_outfall_is_about_that_outfall_at_the_water_it_discharges_to() -> None:
    table = said(notice(subject="outfalls:OF-1"))
    assert found(table) == [("BROOK", "discharges_to", ""), ("BROOK", "discharges_to", "A")]
    assert found(said(notice(subject="outfalls:OF-1"), at="POINT (400 900)")) == [("", "discharges_to", "A")]


def test_a_tmdl_that_the_register_alone_knows_is_condition_d_from_its_day() -> None:
    event = {"kind": "tmdl_approved", "on": "2026-08-04", "data": {"water": "Crook Brook", "pollutant": "phosphorus"}}
    table = said(event)
    assert list(table["condition"]) == ["D"]
    assert "TMDL for phosphorus, approved Tue 4 Aug 2026" in table["text"][0]
    assert list(said(event | {"on": "2026-08-05"})["condition"]) == [""]


def test_the_day_that_the_register_gives_settles_whether_it_is_c_or_d() -> None:
    event = {"kind": "tmdl_approved", "on": "2000-06-01", "data": {"water": "BROOK"}}
    assert list(said(event, tmdl="yes")["condition"]) == ["C"]


def test_a_lake_on_the_way_is_crossed_straight_and_that_is_said() -> None:
    # 600 ft of brook to the shore at x = 1000, straight over 500 ft of lake to (1500, 0), into the river
    river = {"id": "RIVER", "name": "Titicus River", "ir_category": "5", "at": "LINESTRING (1500 0, 2000 0)"}
    table = conditions([stream(ir_category="2"), lake(ir_category="2"), river])
    assert found(table)[1:] == [("RIVER", "tributary_to", "B")]
    assert table["distance_ft"][1] == 1100.0
    assert "through Long Lake (1,100 ft down, 500 ft of it straight over a lake or a gap)" in table["text"][1]
