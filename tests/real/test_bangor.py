"""Bangor, Maine: a regulated MS4 whose pipes are mostly not MS4; how the numbers were counted is in docs/real-towns.md."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from layers.crs import to_lonlat
from layers.records import Record, Records
from mapping import pipeline
from mapping.ms4 import ms4_test
from mapping.outputs.due import due_locations
from mapping.outputs.webmap import write_map
from tests.conftest import ON
from tests.real.conftest import RealTown

CSOS = ("CSO002", "CSO003", "CSO006", "CSO007", "CSO009", "CSO011", "CSO016", "CSO020", "CSO023")

# -- what came in


@pytest.mark.parametrize(
    ("source", "layer", "read", "repaired"),
    [
        ("ms4District2013.geojson", "boundary", 1, {"id_made": 1}),
        ("sanitaryCatchbasin.geojson", "catch_basins", 783, {"id_made": 1}),
        ("sanitaryManhole.geojson", "manholes", 3146, {"id_made": 6, "id_doubled": 5}),
        ("sanitaryCso.geojson", "outfalls", 9, {}),
        ("sanitaryPipe.geojson", "pipes", 5100, {"id_doubled": 9}),
        ("ditch.geojson", "ditches", 3052, {"id_made": 3052}),
        ("streams.geojson", "waters", 108, {"id_made": 108, "made_valid": 2}),
        ("rivers.geojson", "waters", 4, {"id_made": 4}),
        ("ponds.geojson", "waters", 173, {"id_made": 173}),
        ("roads.geojson", "roads", 2099, {"id_made": 2099}),
    ],
)
def test_every_feature_is_kept_and_every_repair_is_said(
    bangor: RealTown, source: str, layer: str, read: int, repaired: dict[str, int]
) -> None:
    report = bangor.report(source, layer)
    assert (report.read, report.kept, report.unlocated, report.notes.rejected) == (read, read, 0, {})
    assert {code: len(ids) for code, ids in report.notes.repaired.items()} == repaired


def test_the_waters_of_three_files_stand_side_by_side(bangor: RealTown) -> None:
    waters = bangor.town.layer("waters")
    assert waters["source"].value_counts().to_dict() == {
        "ponds.geojson": 173,
        "streams.geojson": 108,
        "rivers.geojson": 4,
    }


def test_roads_of_several_parts_are_roads_of_their_own(bangor: RealTown) -> None:
    notes = bangor.report("roads.geojson", "roads").notes
    assert (len(notes.parents), len(notes.children)) == (40, 82)
    assert len(bangor.town.layer("roads")) == 2099 - 40 + 82


def test_the_working_crs_is_the_one_the_city_measured_in(bangor: RealTown) -> None:
    # the files state lengths and areas (Shape_len, SHAPE_area): only feet of NAD83 / Maine East give them back
    assert bangor.town.layer("pipes").geometry.length.sum() == pytest.approx(794_097.239, abs=0.001)
    assert bangor.town.layer("boundary").geometry.area.sum() == pytest.approx(549_800_809.37, abs=0.1)


def test_z_of_the_drawing_is_dropped_from_the_shapes(bangor: RealTown) -> None:
    assert not any(bangor.town.layer(layer).geometry.has_z.any() for layer in ("ditches", "waters", "roads"))


# -- what the values mean


def test_systems_are_as_the_file_counts_them(bangor: RealTown) -> None:
    def systems(layer: str) -> dict[str, int]:
        return dict(bangor.town.layer(layer)["system"].value_counts())

    assert systems("pipes") == {"sanitary": 2905, "combined": 2190, "unknown": 4, "storm": 1}
    assert systems("manholes") == {"sanitary": 2558, "combined": 587, "unknown": 1}
    assert systems("catch_basins") == {"combined": 777, "unknown": 4, "storm": 2}
    assert systems("outfalls") == {"combined": 9}


def test_no_mh_in_any_spelling_is_no_id(bangor: RealTown) -> None:
    pipes = bangor.town.layer("pipes")
    assert int((pipes["from_id"] == "").sum()) == 1107 + 12
    assert int((pipes["to_id"] == "").sum()) == 1619 + 16 + 4
    assert not pipes[["from_id", "to_id"]].isin(["NO MH", "NO  MH", "NOM H", "NO DATA", "<Null>"]).any(axis=None)


def test_elevations_are_the_citys_own_and_nought_is_unknown(bangor: RealTown) -> None:
    def known(layer: str) -> dict[str, int]:
        frame = bangor.town.layer(layer)
        return {name: int(frame[name].notna().sum()) for name in frame if str(name).startswith(("rim", "invert"))}

    assert known("catch_basins") == {"rim_ft": 783 - 683, "invert_ft": 783 - 722}
    assert known("manholes") == {"rim_ft": 3146 - 40, "invert_ft": 3146 - 50}
    assert known("pipes") == {"invert_up_ft": 5100 - 837, "invert_dn_ft": 5100 - 807}


def test_year_nought_is_unknown(bangor: RealTown) -> None:
    year = bangor.town.layer("pipes")["year"]
    assert (int(year.isna().sum()), int((year == 0).sum())) == (766, 0)


def test_values_that_cannot_be_read_are_listed_and_not_guessed(bangor: RealTown) -> None:
    def unknown(source: str, layer: str, field: str) -> dict[str, int]:
        return dict(bangor.report(source, layer).unknown[field])

    assert unknown("sanitaryPipe.geojson", "pipes", "diameter_in") == {"6 (2)": 1, "12 (2)": 1}
    assert unknown("sanitaryPipe.geojson", "pipes", "material") == {}
    assert unknown("ditch.geojson", "ditches", "owner") == {"MeANG": 97}
    assert sum(unknown("sanitaryManhole.geojson", "manholes", "surveyed_on").values()) == 9


def test_who_maintains_a_ditch_operates_it(bangor: RealTown) -> None:
    owners = bangor.town.layer("ditches")["owner"].value_counts().to_dict()
    assert owners == {"Town": 1912 + 13 + 151, "Private": 510 + 6 + 41, "State": 227, "unknown": 95 + 97}


def test_impaired_is_no_statement_about_the_303d_list(bangor: RealTown) -> None:
    waters = bangor.town.layer("waters")
    assert set(waters["ir_category"]) | set(waters["listed_303d"]) == {"unknown"}
    assert "Impaired" in bangor.report("streams.geojson", "waters").unmapped


# -- what is not the MS4's


def test_sanitary_and_combined_pipes_are_no_part_of_the_ms4(bangor: RealTown) -> None:
    answers = ms4_test(bangor.town, "pipes")["is_ms4"].value_counts().to_dict()
    assert answers == {"no": 2905 + 2190, "unknown": 5}


def test_the_nine_overflows_are_no_ms4_outfalls(bangor: RealTown) -> None:
    answers = ms4_test(bangor.town, "outfalls")
    assert tuple(sorted(answers.index)) == CSOS
    assert answers[
        ["owned", "stormwater", "not_combined", "not_potw", "is_ms4"]
    ].drop_duplicates().to_numpy().tolist() == [["unknown", "yes", "no", "no", "no"]]
    assert due_locations(bangor.town, pipeline.open_permit(bangor.town.settings), ON) == []


def test_no_rule_about_outfalls_flags_an_overflow(bangor: RealTown) -> None:
    about = [each for each in bangor.picture.report.findings if not each.rule.startswith("NET")]
    assert not [each for each in about if each.subject[0] == "outfalls" or each.outfalls]


def test_even_on_a_listed_water_an_overflow_is_under_no_special_condition(bangor: RealTown) -> None:
    listed = bangor.town.layer("waters").assign(ir_category="5", listed_303d="yes", tmdl="yes")
    town = replace(bangor.town, layers={**bangor.town.layers, "waters": listed})
    report = pipeline.check_town(town, ON, rules=["WAT-02", "WAT-03"])
    assert (report.looked_at, list(report.findings)) == ({"WAT-02": 9, "WAT-03": 9}, [])


def test_a_running_overflow_is_at_most_possible_and_is_called_no_part_of_the_ms4(bangor: RealTown) -> None:
    seen = {
        "location": "CSO003", "at": "2026-11-20T10:00", "rain_24h_in": 0.0, "rain_48h_in": 0.0, "rain_72h_in": 0.0,
        "flow": "moderate", "odor": {"kind": "sewage", "severity": 3}, "color": None, "turbidity": None, "floatables": None,
        "damage": [], "deposits": [], "vegetation": "normal", "pool": [], "benthic": [], "samples": {},
        "inspector_designation": None,
    }  # fmt: skip
    at = datetime(2026, 11, 20, 15, tzinfo=UTC)
    visit = Record(seq=1, kind="inspection", on=at.date(), by="A. Officer", at=at, subject="outfalls:CSO003", data=seen)
    town = replace(bangor.town, records=Records.from_iterable([visit]))
    for finding in pipeline.check_town(town, ON, rules=["ILL-01"]).findings:
        assert finding.confidence == "possible"
        assert any("no part of the Town's MS4" in each.text for each in finding.facts_against)


def test_missing_outfalls_are_missed_on_storm_drainage_alone(bangor: RealTown) -> None:
    found = [each for each in bangor.picture.report.findings if each.rule == "NET-01"]
    pipes = bangor.town.layer("pipes")
    assert {each.subject[0] for each in found} <= {"ditches", "pipes", "manholes", "catch_basins"}
    assert set(pipes.loc[[each.subject[1] for each in found if each.subject[0] == "pipes"], "system"]) <= {
        "storm",
        "unknown",
    }


def test_every_located_asset_is_on_the_map(bangor: RealTown, tmp_path: Path) -> None:
    picture = bangor.picture
    made = write_map(picture.town, picture.report, picture.cases, tmp_path / "bangor.html", public=True, on=ON)
    assert made["features"] >= 783 + 3146 + 9 + 5100 + 3052 + 285 + 2141 + 1
    west, south, east, north = to_lonlat(picture.town.layer("boundary")).total_bounds
    assert (round(west, 2), round(south, 2), round(east, 2), round(north, 2)) == (-68.85, 44.78, -68.72, 44.86)
