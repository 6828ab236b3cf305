"""Every row under one text id, and what becomes of an id that comes again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import shapely

from layers.ingest.identity import alike
from tests.received import (
    LAT,
    LON,
    Frames,
    codes,
    frame,
    ids,
    line,
    near,
    settings,
    take,
    take_by,
    text,
    told,
    write,
)

BOUNDLESS = settings(bounds=[])
POINT = {"type": "Point", "coordinates": [LON, LAT]}


# -- ids (FAULTS 16, 24, 25)


def test_ids_are_text_with_every_zero(tmp_path: Path) -> None:
    layers, _ = take(text(tmp_path / "b.csv", "CB_ID", "007", "7", "12345.0", "2.10", "2.1", "0246 SW"))
    assert ids(layers) == ["007", "7", "12345.0", "2.10", "2.1", "0246 SW"]


def test_numbers_as_ids_have_no_point(tmp_path: Path) -> None:
    layers, _ = take(write(tmp_path / "b.gpkg", frame([near(), near(9)], CB_ID=[12345.0, None])))
    assert ids(layers) == ["12345", "b-2"]


def test_ids_too_long_for_a_number_are_said(tmp_path: Path) -> None:
    _, report = take(write(tmp_path / "b.gpkg", frame([near(), near(9)], CB_ID=[1.0, 2.0**60])))
    assert told(report, "id_inexact").startswith("CB_ID came as numbers too long to be exact")


def test_ids_that_differ_only_in_zeros_are_kept_apart_and_said(tmp_path: Path) -> None:
    layers, report = take(text(tmp_path / "l.csv", "SWIS,SBL,PRINT_KEY", "055089,1,2.1", "055089,2,2.10"), "parcels")
    assert list(layers["parcels"]["print_key"]) == ["2.1", "2.10"]
    assert "print_key differs only in zeros, capitals or marks: 2.1/2.10" in told(report, "ids_alike")


@pytest.mark.parametrize(
    ("ids", "groups"),
    [
        (["2.1", "2.10", "2.100"], [("2.1", "2.10", "2.100")]),
        (["007", "7", "70"], [("007", "7")]),
        (["CB-1", "cb 01"], [("CB-1", "cb 01")]),
        (["12.-1-3", "12-1-3"], [("12.-1-3", "12-1-3")]),
        (["2.0", "2"], [("2.0", "2")]),
        (["10", "1", "100"], []),
        (["2.01", "2.1"], []),
        (["1-11", "11-1", "111"], []),
        (["a", "a"], []),
    ],
)
def test_ids_that_a_spreadsheet_would_confuse(ids: list[str], groups: list[tuple[str, ...]]) -> None:
    assert alike(ids) == groups


@pytest.mark.parametrize(
    ("given", "said"), [(["12345.0", "7.0", ""], True), (["12345.0", "7"], False), (["12345", "7"], False)]
)
def test_numbers_that_became_text_keep_their_point_and_it_is_said(tmp_path: Path, given: list[str], said: bool) -> None:
    rows = [f"P{at},{each}" for at, each in enumerate(given)]
    layers, report = take(text(tmp_path / "p.csv", "PIPE_ID,FROM_ID", *rows), "pipes")
    assert list(layers["pipes"]["from_id"]) == given
    assert ("ids_pointed" in codes(report)) is said


def test_a_row_without_an_id_gets_one_from_its_file(tmp_path: Path) -> None:
    layers, report = take(text(tmp_path / "basins.csv", "CB_ID,RIM", "CB-1,500", ",501"))
    assert ids(layers) == ["CB-1", "basins-3"]
    assert report.notes.repaired["id_made"] == ["basins-3"]
    assert list(layers["catch_basins"]["source_id"]) == ["CB-1", "basins-3"]


def test_two_things_with_one_id_are_both_kept(tmp_path: Path) -> None:
    layers, report = take(text(tmp_path / "b.csv", "CB_ID,RIM", "CB-1,500", "CB-1,501", "CB-1,502"))
    assert ids(layers) == ["CB-1", "CB-1#2", "CB-1#3"]
    assert report.notes.repaired["id_doubled"] == ["CB-1", "CB-1"]
    assert list(layers["catch_basins"]["source_id"]) == ["CB-1"] * 3


def test_a_made_id_never_takes_that_of_another(tmp_path: Path) -> None:
    layers, _ = take(text(tmp_path / "b.csv", "CB_ID,RIM", "A,1", "A,2", "A#2,3", ",4", "b-5,5"))
    assert ids(layers) == ["A", "A#2#2", "A#2", "b-5", "b-5#2"]


def test_a_row_that_says_it_all_again_is_kept_once(tmp_path: Path) -> None:
    layers, report = take(text(tmp_path / "b.csv", "CB_ID,RIM", "CB-1,500", "CB-1,500", "CB-1, 500 "))
    assert ids(layers) == ["CB-1"]
    assert (report.read, report.kept, report.notes.rejected) == (3, 1, {"duplicate": ["CB-1", "CB-1"]})


def test_the_number_of_a_feature_does_not_hide_that_it_is_there_twice(tmp_path: Path) -> None:
    _, report = take(write(tmp_path / "b.gpkg", frame([near(), near()], CB_ID=["CB-1", "CB-1"])))
    assert report.notes.rejected == {"duplicate": ["CB-1"]}


def test_rows_without_ids_are_never_taken_for_one(tmp_path: Path) -> None:
    layers, _ = take(text(tmp_path / "b.csv", "RIM", "500", "500"))
    assert ids(layers) == ["b-2", "b-3"]


def test_the_number_of_a_feature_can_be_its_id(tmp_path: Path) -> None:
    path = write(tmp_path / "b.gpkg", frame([near(), near(9)], fid=[7, 9]))
    layers, _ = take_by(path, {"target": [{"layer": "catch_basins", "id": "CB-{fid}"}]})
    assert ids(layers) == ["CB-7", "CB-9"]


def test_the_object_id_of_a_geodatabase_is_known_by_its_name(tmp_path: Path) -> None:
    layers, report = take(write(tmp_path / "town.gdb", frame([near(), near(9)], NAME=["a", "b"])))
    assert ids(layers) == ["1", "2"]
    assert report.mapped == {"asset_id": "OBJECTID"}


# -- the same file again


def again(tmp_path: Path, *rows: str) -> tuple[Frames, dict[str, int]]:
    """The basins A (rim 500), B and C, and then a file of the same name with other rows."""
    header = "CB_ID,RIM,LAT,LON"
    layers, _ = take(text(tmp_path / "b.csv", header, *[f"{each},500,{LAT},{LON}" for each in "ABC"]))
    layers, report = take(text(tmp_path / "b.csv", header, *rows), layers=layers)
    return layers, report.to_json()["changes"]


def test_the_same_file_again_changes_nothing(tmp_path: Path) -> None:
    layers, changes = again(tmp_path, *[f"{each},500.0,{LAT},{LON}" for each in "ABC"])
    assert changes == {"added": 0, "changed": 0, "missing": 0}
    assert ids(layers) == ["A", "B", "C"]


def test_an_edited_file_adds_changes_and_misses_and_nothing_is_deleted(tmp_path: Path) -> None:
    layers, changes = again(tmp_path, f"A,501,{LAT},{LON}", f"B,500,{LAT + 1e-5},{LON}", f"D,500,{LAT},{LON}")
    assert changes == {"added": 1, "changed": 2, "missing": 1}
    assert layers["catch_basins"]["rim_ft"].to_dict() == {"C": 500, "A": 501, "B": 500, "D": 500}


def test_a_row_that_loses_its_place_is_changed(tmp_path: Path) -> None:
    assert again(tmp_path, "A,500,,", *[f"{each},500,{LAT},{LON}" for each in "BC"])[1] == {
        "added": 0,
        "changed": 1,
        "missing": 0,
    }


def test_other_sources_are_not_missed(tmp_path: Path) -> None:
    layers, _ = take(text(tmp_path / "a.csv", "CB_ID", "A"))
    _, report = take(text(tmp_path / "b.csv", "CB_ID", "B"), layers=layers)
    assert report.to_json()["changes"] == {"added": 1, "changed": 0, "missing": 0}


# -- the same id from another source


def second(tmp_path: Path, dx: float, *, place: bool = True) -> tuple[Frames, Any]:
    layers, _ = take(write(tmp_path / "a.gpkg", frame([near()], CB_ID=["CB-1"], RIM=[500.0])))
    return take(
        write(tmp_path / "b.gpkg", frame([near(dx) if place else None], CB_ID=["CB-1"], RIM=[501.0])), layers=layers
    )


def test_within_a_hundred_feet_it_is_the_same_asset_surveyed_anew(tmp_path: Path) -> None:
    layers, report = second(tmp_path, 99.9)
    assert layers["catch_basins"]["rim_ft"].to_dict() == {"CB-1": 501.0}
    assert told(report, "id_shared") == "1 rows of another source with the same id and place were replaced: CB-1"
    assert report.to_json()["changes"] == {"added": 0, "changed": 1, "missing": 0}


def test_further_away_the_id_is_taken_and_the_row_stays_out(tmp_path: Path) -> None:
    layers, report = second(tmp_path, 100.1)
    assert layers["catch_basins"]["rim_ft"].to_dict() == {"CB-1": 500.0}
    assert (report.read, report.kept, report.notes.rejected) == (1, 0, {"id_taken": ["CB-1"]})


def test_a_row_without_a_place_does_not_take_the_place_away(tmp_path: Path) -> None:
    layers, report = second(tmp_path, 0, place=False)
    assert layers["catch_basins"].geometry["CB-1"] is not None
    assert report.notes.rejected == {"id_taken": ["CB-1"]}


def test_a_line_one_part_of_which_is_taken_stays_out_whole(tmp_path: Path) -> None:
    layers, _ = take(write(tmp_path / "a.gpkg", frame([line((5_000, 0), (5_009, 0))], PIPE_ID=["P1.2"])), "pipes")
    two = shapely.MultiLineString([line((0, 0), (9, 0)), line((20, 0), (29, 0))])
    layers, report = take(write(tmp_path / "b.gpkg", frame([two], PIPE_ID=["P1"])), "pipes", layers)
    assert ids(layers, "pipes") == ["P1.2"]
    assert (report.read, report.kept, report.notes.rejected) == (1, 0, {"id_taken": ["P1"]})
