"""One import from source to layers: the gate, ids, fields, the report, and what an import changes."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pyproj import CRS

from layers.crs import to_crs
from layers.errors import CallError, CRSError, FieldError, LayerError, MS4Error
from layers.ingest import Report, Request, ingest
from layers.ingest.identity import alike
from layers.ingest.codes import REFUSED, REJECTED, REPAIRED, WARNINGS
from tests.received import (
    LAT,
    LON,
    Frames,
    X,
    Y,
    basins,
    codes,
    frame,
    geojson,
    line,
    lot,
    near,
    settings,
    take,
    take_by,
    text,
    told,
    workbook,
    write,
)

BOUNDLESS = settings(bounds=[])
POINT = {"type": "Point", "coordinates": [LON, LAT]}


def refused(path: Path, code: str, layer: str = "catch_basins", **asked: Any) -> MS4Error:
    with pytest.raises(MS4Error) as caught:
        take(path, layer, **asked)
    assert caught.value.code == code
    assert caught.value.hint
    return caught.value


def relabelled(path: Path, *, really: int, said: int) -> Path:
    """Basins whose numbers are in one CRS and whose file says another."""
    shapes = (
        gpd.GeoSeries([near(50 * at) for at in range(3)], crs=2260).to_crs(really).set_crs(said, allow_override=True)
    )
    return write(path, gpd.GeoDataFrame({"CB_ID": ["1", "2", "3"]}, geometry=shapes))


# -- the gate: no CRS (FAULTS 1)


@pytest.mark.parametrize("ending", [".shp", ".gpkg"])
def test_a_file_that_does_not_say_its_crs_is_refused_with_candidates(tmp_path: Path, ending: str) -> None:
    error = refused(basins(tmp_path / f"b{ending}", crs=None), "crs_missing")
    assert f"b{ending} does not say its coordinate system" in error.text
    assert "as candidates: EPSG:2260 puts 100% inside the town" in error.hint
    assert "--crs EPSG:… --crs-by NAME" in error.hint


def test_a_deleted_prj_is_refused(tmp_path: Path) -> None:
    path = basins(tmp_path / "b.shp")
    path.with_suffix(".prj").unlink()
    assert "EPSG:2260 puts 100%" in refused(path, "crs_missing").hint


def test_candidates_name_their_share(tmp_path: Path) -> None:
    utm = to_crs(gpd.GeoSeries([near(), near(900_000)], crs=2260), CRS.from_epsg(26918)).set_crs(
        None, allow_override=True
    )
    path = write(tmp_path / "b.shp", gpd.GeoDataFrame({"CB_ID": ["1", "2"]}, geometry=utm))
    assert "EPSG:26918 puts 50% inside the town" in refused(path, "crs_missing").hint


def test_numbers_that_fit_no_system_say_so(tmp_path: Path) -> None:
    path = write(tmp_path / "b.shp", frame([shapely.Point(5, 5)], crs=None, CB_ID=["1"]))
    assert "none of the usual systems puts it inside the town" in refused(path, "crs_missing").hint


def test_a_person_may_say_the_crs_and_is_named_in_the_report(tmp_path: Path) -> None:
    layers, report = take(basins(tmp_path / "b.shp", crs=None), crs="EPSG:2260", crs_by="J. Doe, Highway Dept.")
    assert report.source["crs_read"] == "none"
    assert report.source["crs_used"] == "EPSG:2260"
    assert report.source["crs_basis"] == "given by J. Doe, Highway Dept."
    assert len(layers["catch_basins"]) == 3


@pytest.mark.parametrize("by", ["", "  "])
def test_nobody_may_say_it_without_a_name(tmp_path: Path, by: str) -> None:
    assert "vouches" in refused(basins(tmp_path / "b.shp", crs=None), "call", crs="EPSG:2260", crs_by=by).text


def test_a_crs_that_does_not_exist(tmp_path: Path) -> None:
    assert "the CRS given" in refused(basins(tmp_path / "b.shp", crs=None), "crs", crs="EPSG:1", crs_by="x").text


def test_a_person_may_overrule_the_file_and_it_is_said(tmp_path: Path) -> None:
    path = relabelled(tmp_path / "b.gpkg", really=2260, said=2263)
    _, report = take(path, crs="EPSG:2260", crs_by="J. Doe")
    assert told(report, "crs_overruled") == "the file says EPSG:2263, J. Doe says EPSG:2260"


def test_a_person_cannot_say_a_crs_that_puts_it_elsewhere(tmp_path: Path) -> None:
    assert (
        "EPSG:2260 puts 100%"
        in refused(basins(tmp_path / "b.shp", crs=None), "crs_outside", crs="EPSG:2263", crs_by="x").hint
    )


def test_a_table_without_places_needs_no_crs(tmp_path: Path) -> None:
    layers, report = take(text(tmp_path / "d.csv", "DRAIN_ID,CARRIES", "D1,roof"), "drains")
    assert (report.source["crs_used"], report.source["crs_basis"]) == ("none", "no geometry")
    assert (report.kept, report.unlocated) == (1, 1)
    assert layers["drains"].crs.to_epsg() == 2260


# -- the gate: a wrong CRS (FAULTS 2, 4, 7, 8)


@pytest.mark.parametrize(
    ("really", "said"),
    [
        (2260, 32115),  # feet labelled metres: New Brunswick
        (32115, 2260),  # metres labelled feet
        (2260, 2263),  # New York East labelled Long Island
        (2263, 2260),
        (26918, 32115),
        (26918, 26919),  # the next zone
    ],
)
def test_numbers_under_a_wrong_label_are_refused(tmp_path: Path, really: int, said: int) -> None:
    error = refused(relabelled(tmp_path / "b.gpkg", really=really, said=said), "crs_outside")
    assert f"0% of 3 features lie in the town's envelope (bounds) when read as EPSG:{said}" in error.text
    if really != 2263:
        assert f"EPSG:{really} puts 100%" in error.hint


def test_feet_labelled_metres_are_refused_even_without_bounds(tmp_path: Path) -> None:
    error = refused(relabelled(tmp_path / "b.gpkg", really=2260, said=32115), "crs_outside", town=BOUNDLESS)
    assert "(area of use)" in error.text


def test_projected_numbers_in_a_geojson_are_no_degrees(tmp_path: Path) -> None:
    path = geojson(tmp_path / "b.geojson", ({"CB_ID": "1"}, {"type": "Point", "coordinates": [715000, 980000]}))
    error = refused(path, "crs_units")
    assert "says degrees (EPSG:4326), its numbers reach 980,000: feet or metres" in error.text


def test_projected_numbers_in_columns_called_latitude(tmp_path: Path) -> None:
    error = refused(text(tmp_path / "b.csv", "CB_ID,LAT,LON", f"1,{Y},{X}"), "crs_units")
    assert "EPSG:2260 puts 100%" in error.hint


def test_one_slip_among_degrees_is_set_aside_not_refused(tmp_path: Path) -> None:
    rows = [f"{at},{LAT},{LON}" for at in range(4)]
    layers, report = take(text(tmp_path / "b.csv", "CB_ID,LAT,LON", *rows, "9,4133,-73.6"))
    assert report.notes.repaired == {"outside_envelope": ["9"]}
    assert (report.kept, report.unlocated) == (5, 1)
    assert layers["catch_basins"].geometry["9"] is None


def test_exchanged_latitude_and_longitude_are_refused_and_recognised(tmp_path: Path) -> None:
    error = refused(text(tmp_path / "b.csv", "CB_ID,LAT,LON", f"1,{LON},{LAT}"), "crs_outside")
    assert "longitude and latitude exchanged would put 100% inside" in error.hint


def test_a_longitude_without_its_minus_sign_is_recognised(tmp_path: Path) -> None:
    error = refused(text(tmp_path / "b.csv", "CB_ID,LAT,LON", f"1,{LAT},{-LON}"), "crs_outside")
    assert "a minus sign before the longitude would put 100% inside" in error.hint


@pytest.mark.parametrize("code", [4267, 32015])
def test_nad27_is_refused_without_its_grid(tmp_path: Path, code: int) -> None:
    error = refused(relabelled(tmp_path / "b.gpkg", really=code, said=code), "crs_accuracy")
    assert "grid that shifts its datum" in error.text


@pytest.mark.parametrize("code", [3857, 4326, 4269, 26918, 32115, 2263])
def test_a_known_crs_is_reprojected(tmp_path: Path, code: int) -> None:
    layers, report = take(basins(tmp_path / "b.gpkg", crs=code))
    assert layers["catch_basins"].crs.to_epsg() == 2260
    assert shapely.get_x(layers["catch_basins"].geometry.to_numpy()) == pytest.approx([X, X + 50, X + 100], abs=1e-3)
    assert report.source["crs_operation"].endswith(" m)")


def test_heights_in_the_crs_of_a_file_do_no_harm(tmp_path: Path) -> None:
    shapes = gpd.GeoSeries([shapely.Point(X, Y, 512.5)], crs="EPSG:2260+6360")
    layers, _ = take(write(tmp_path / "b.gpkg", gpd.GeoDataFrame({"CB_ID": ["1"]}, geometry=shapes)))
    assert layers["catch_basins"].geometry["1"].wkt == f"POINT ({X} {Y})"
    assert layers["catch_basins"]["z_drawn"]["1"] == 512.5


# -- the gate: the envelope

MARGIN = 10_560.0


def boundary(half: float = 5_000.0) -> Frames:
    """A boundary that reaches so many feet from the point."""
    empty = {"boundary": frame([near().buffer(half, cap_style="square")])}
    return {**empty}


@pytest.mark.parametrize(("beyond", "there"), [(-1.0, True), (1.0, False)])
def test_an_asset_may_lie_two_miles_outside_the_boundary_and_no_further(
    tmp_path: Path, beyond: float, there: bool
) -> None:
    path = write(tmp_path / "b.gpkg", frame([near(), near(1), near(5_000 + MARGIN + beyond)], CB_ID=["1", "2", "3"]))
    layers, report = take(path, layers=boundary())
    assert (layers["catch_basins"].geometry["3"] is not None) is there
    assert report.notes.repaired == ({} if there else {"outside_envelope": ["3"]})


@pytest.mark.parametrize(("outside", "code"), [(1, ""), (2, "crs_outside")])
def test_a_layer_mostly_outside_is_refused(tmp_path: Path, outside: int, code: str) -> None:
    shapes = [near(), *[near(50_000)] * outside]
    path = write(tmp_path / "b.gpkg", frame(shapes, CB_ID=list(range(len(shapes)))))
    if code:
        assert "33% of 3 features" in refused(path, code, layers=boundary()).text
    else:
        assert take(path, layers=boundary())[1].unlocated == 1


def test_a_line_that_runs_to_the_point_zero_is_not_believed(tmp_path: Path) -> None:
    stray = shapely.LineString([(X, Y), (0, 0)])
    path = write(tmp_path / "p.gpkg", frame([line((0, 0), (9, 0)), stray], PIPE_ID=["P1", "P2"]))
    layers, report = take(path, "pipes")
    assert layers["pipes"].geometry["P2"] is None
    assert report.notes.repaired == {"outside_envelope": ["P2"]}


def test_a_lot_of_the_next_town_stays_where_it_is(tmp_path: Path) -> None:
    far = lot((80_000, 0), (80_100, 0), (80_100, 100))
    path = write(tmp_path / "l.gpkg", frame([lot((0, 0), (9, 0), (9, 9)), far], SWIS_SBL_ID=["1", "2"]))
    layers, report = take(path, "parcels", boundary())
    assert layers["parcels"].geometry["2"] is not None
    assert report.notes.repaired == {}


def test_lots_none_of_which_is_in_the_town_are_refused(tmp_path: Path) -> None:
    far = lot((80_000, 0), (80_100, 0), (80_100, 100))
    refused(write(tmp_path / "l.gpkg", frame([far], SWIS_SBL_ID=["1"])), "crs_outside", "parcels", layers=boundary())


def test_without_boundary_or_bounds_the_layers_there_are_the_envelope(tmp_path: Path) -> None:
    layers, first = take(basins(tmp_path / "b.gpkg"), town=BOUNDLESS)
    assert "envelope_unknown" in codes(first)
    path = write(tmp_path / "m.gpkg", frame([near(300_000)], MH_ID=["1"]))
    assert "(the layers already there)" in refused(path, "crs_outside", "manholes", layers=layers, town=BOUNDLESS).text


def test_with_bounds_the_envelope_is_known(tmp_path: Path) -> None:
    assert "envelope_unknown" not in codes(take(basins(tmp_path / "b.gpkg"))[1])


# -- places that are none (FAULTS 15)


def test_no_place_an_empty_one_no_number_and_zero_are_not_located(tmp_path: Path) -> None:
    path = text(tmp_path / "b.csv", "CB_ID,LAT,LON", f"1,{LAT},{LON}", "2,,", "3,nan,nan", "4,0,0", "5,41°20'N,73°36'W")
    layers, report = take(path)
    assert layers["catch_basins"].geometry.isna().to_dict() == {"1": False, "2": True, "3": True, "4": True, "5": True}
    assert report.notes.repaired == {"geometry_unread": ["3", "5"], "not_finite_or_zero": ["4"]}
    assert (report.read, report.kept, report.unlocated) == (5, 5, 4)


def test_null_empty_and_nan_drawings_are_not_located(tmp_path: Path) -> None:
    shapes = [near(), None, shapely.Point(), shapely.Point(float("nan"), 1), shapely.Point(0, 0)]
    path = write(tmp_path / "b.gpkg", frame(shapes, CB_ID=["1", "2", "3", "4", "5"]))
    layers, report = take(path)
    assert layers["catch_basins"].geometry.notna().to_dict() == {
        "1": True,
        "2": False,
        "3": False,
        "4": False,
        "5": False,
    }
    assert report.notes.repaired["not_finite_or_zero"][-1] == "5"
    assert report.unlocated == 4


def test_heights_of_points_are_kept_and_those_of_lines_are_said(tmp_path: Path) -> None:
    high = shapely.LineString([(X, Y, 500), (X + 9, Y, 499)])
    layers, report = take(write(tmp_path / "p.gpkg", frame([high], PIPE_ID=["P1"])), "pipes")
    assert layers["pipes"].geometry["P1"].wkt == f"LINESTRING ({X} {Y}, {X + 9} {Y})"
    assert "the heights of 1 lines" in told(report, "z_dropped")


# -- ids (FAULTS 16, 24, 25)


def ids(layers: Frames, layer: str = "catch_basins") -> list[str]:
    return list(layers[layer].index)


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


# -- fields


def test_the_report_says_what_became_of_every_column(tmp_path: Path) -> None:
    _, report = take(text(tmp_path / "b.csv", "CB_ID,RIM,OWNER,NOTE,LAT,LON", f"1,500,Town,x,{LAT},{LON}"))
    assert report.mapped == {"asset_id": "CB_ID", "rim_ft": "RIM", "owner": "OWNER"}
    assert report.unmapped == ["NOTE"]
    assert "invert_ft" in report.missing
    assert "source" not in report.missing


def test_columns_cut_to_ten_letters_are_mapped_and_shown(tmp_path: Path) -> None:
    path = write(
        tmp_path / "o.shp", frame([near()], OUTFALL_ID=["1"], receiving_water=["Brook"], receiving_wbid=["1302"])
    )
    _, report = take(path, "outfalls")
    assert report.mapped["recv_name"] == "receiving_"
    assert report.unmapped == ["receivin_1"]


def test_owner_and_owner_in_capitals_are_said(tmp_path: Path) -> None:
    layers, report = take(text(tmp_path / "b.csv", "CB_ID,Owner,OWNER", "1,Town,State"))
    assert list(layers["catch_basins"]["owner"]) == ["Town"]
    assert told(report, "columns_alike") == "the columns Owner, OWNER have one name; Owner is read"


def test_joined_columns_that_nobody_reads_are_not_said(tmp_path: Path) -> None:
    assert "columns_alike" not in codes(take(text(tmp_path / "b.csv", "CB_ID,a.note,b.note", "1,x,y"))[1])


def test_values_that_nobody_knows_are_listed_by_field(tmp_path: Path) -> None:
    _, report = take(text(tmp_path / "b.csv", "CB_ID,OWNER,RIM", "1,UK,500", "2,UK,12 ft", "3,Town,"))
    assert report.to_json()["values"] == {"unknown": {"owner": {"UK": 2}, "rim_ft": {"12 ft": 1}}}


def test_a_column_called_as_ours_within_does_no_harm(tmp_path: Path) -> None:
    path = geojson(
        tmp_path / "b.geojson", ({"CB_ID": "1", "geometry": "x", "z_drawn": "9", "__id": "y", "index": "z"}, POINT)
    )
    layers, report = take(path)
    assert list(layers["catch_basins"]["source_id"]) == ["1"]
    assert pd.isna(layers["catch_basins"]["z_drawn"]["1"])
    assert report.unmapped == ["geometry", "z_drawn", "__id", "index"]


def test_a_column_that_the_crosswalk_names_and_the_file_lacks(tmp_path: Path) -> None:
    path = basins(tmp_path / "b.gpkg")
    with pytest.raises(FieldError, match=r"b\.gpkg, layer b, has no field RIM; it has: CB_ID, fid"):
        take_by(path, {"target": [{"layer": "catch_basins", "fields": {"rim_ft": "RIM"}}]})


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    said = '<img src=x onerror=alert(1)> =cmd|"/c calc"!A1 \\..\\..\\x \'; DROP TABLE x; -- ${7*7}'
    path = geojson(tmp_path / "b.geojson", ({"CB_ID": said, "ROAD": said}, POINT))
    layers, _ = take(path)
    assert ids(layers) == [said]
    assert list(layers["catch_basins"]["road"]) == [said]


# -- one file, several layers

STRUCTURES: list[dict[str, Any]] = [
    {"layer": "catch_basins", "id": "ID", "where": {"TYPE": ["CB", "Inlet"]}},
    {"layer": "manholes", "id": "ID", "where": {"TYPE": "MH"}},
]


def structures(path: Path, *kinds: Any) -> Path:
    return write(
        path,
        frame([near(9 * at) for at in range(len(kinds))], ID=[str(at) for at in range(len(kinds))], TYPE=list(kinds)),
    )


def test_a_mixed_file_is_split_and_what_nobody_takes_is_said(tmp_path: Path) -> None:
    path = structures(tmp_path / "s.gpkg", "CB", "MH", "Inlet", "Drop Shaft", None)
    layers, reports = take_by(path, {"target": STRUCTURES})
    assert (ids(layers), ids(layers, "manholes")) == (["0", "2"], ["1"])
    assert [each.read for each in reports] == [2, 1]
    assert told(reports[0], "taken_by_none") == "2 of 5 features are taken by no target"
    assert "outfalls" not in layers


def test_a_feature_that_two_targets_take_is_said(tmp_path: Path) -> None:
    path = structures(tmp_path / "s.gpkg", "CB", "MH")
    _, reports = take_by(path, {"target": [*STRUCTURES, {"layer": "outfalls", "where": {"TYPE": "CB"}}]})
    assert told(reports[0], "taken_twice") == "1 features are taken by more than one target"


def test_a_target_that_takes_nothing_is_said(tmp_path: Path) -> None:
    _, reports = take_by(structures(tmp_path / "s.gpkg", "CB"), {"target": STRUCTURES})
    assert (reports[1].read, reports[1].kept) == (0, 0)
    assert told(reports[1], "nothing_selected") == "no feature has TYPE = 'MH'"


def test_two_targets_of_one_layer_do_not_miss_each_other(tmp_path: Path) -> None:
    path = structures(tmp_path / "s.gpkg", "CB", "Inlet")
    targets = [
        {"layer": "catch_basins", "id": "ID", "where": {"TYPE": kind}, "set": {"kind": kind}}
        for kind in ("CB", "Inlet")
    ]
    layers, _ = take_by(path, {"target": targets})
    layers, again = take_by(path, {"target": targets}, layers)
    assert list(layers["catch_basins"]["kind"]) == ["CB", "Inlet"]
    assert [each.to_json()["changes"] for each in again] == [{"added": 0, "changed": 0, "missing": 0}] * 2


def test_features_of_several_layers_say_which(tmp_path: Path) -> None:
    path = write(tmp_path / "t.gpkg", frame([near()], CB_ID=["1"]), layer="basins")
    write(path, frame([near()], MH_ID=["1"]), layer="manholes")
    layers, _ = take(path, source_layer="basins")
    assert list(layers["catch_basins"]["source"]) == ["t.gpkg/basins"]


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


# -- lots (FAULTS 26)

BOW_TIE = [(0.0, 0.0), (100.0, 100.0), (100.0, 0.0), (0.0, 100.0)]


@pytest.mark.parametrize(("acres", "said"), [(5000 / 43560, False), (0.23, True), (0.0, False)])
def test_a_mended_lot_is_held_against_the_roll(tmp_path: Path, acres: float, said: bool) -> None:
    path = write(tmp_path / "l.gpkg", frame([lot(*BOW_TIE)], SWIS_SBL_ID=["1"], ACRES=[acres]))
    layers, report = take(path, "parcels")
    assert layers["parcels"].geometry["1"].area == pytest.approx(5000)
    assert ("acreage" in codes(report)) is said


# -- another foot (FAULTS 3)


def offset_town(tmp_path: Path, factor: float, count: int = 25, *, jitter: float = 0.0) -> Any:
    """Pipes from basin to basin, and basins whose coordinates were multiplied by a factor."""
    places = [(200.0 * at, 300.0 * (at % 7)) for at in range(count)]
    pipes = [line(a, b) for a, b in pairwise(places)]
    layers, _ = take(write(tmp_path / "p.gpkg", frame(pipes, PIPE_ID=list(range(len(pipes))))), "pipes")
    off = [
        shapely.Point((X + dx) * factor + jitter * (at % 3 - 1), (Y + dy) * factor)
        for at, (dx, dy) in enumerate(places)
    ]
    return take(write(tmp_path / "b.gpkg", frame(off, CB_ID=list(range(count)))), layers=layers)[1]


def test_international_feet_among_survey_feet_are_one_warning_for_the_layer(tmp_path: Path) -> None:
    """739,289 ft * 2e-6 = 1.48 ft east, 910,705 ft * 2e-6 = 1.82 ft north."""
    said = told(offset_town(tmp_path, 0.3048 / (1200 / 3937)), "offset")
    assert "moved +1.48 ft east and +1.82 ft north, 100% of 25 alike" in said


def test_basins_where_the_pipes_end_are_not_off(tmp_path: Path) -> None:
    assert "offset" not in codes(offset_town(tmp_path, 1.0))


def test_scatter_is_no_offset(tmp_path: Path) -> None:
    assert "offset" not in codes(offset_town(tmp_path, 1.0, jitter=4.0))


def test_a_few_basins_prove_no_offset(tmp_path: Path) -> None:
    assert "offset" not in codes(offset_town(tmp_path, 0.3048 / (1200 / 3937), 19))


# -- other warnings


def test_lines_without_length_are_kept_and_said(tmp_path: Path) -> None:
    path = write(tmp_path / "p.gpkg", frame([line((0, 0), (0, 0)), line((0, 0), (0.11, 0))], PIPE_ID=["P1", "P2"]))
    layers, report = take(path, "pipes")
    assert ids(layers, "pipes") == ["P1", "P2"]
    assert told(report, "zero_length") == "1 lines have no length and convey nothing: P1"


def test_what_the_source_was_noted_for_is_in_every_report(tmp_path: Path) -> None:
    path = write(
        tmp_path / "b.gpkg", frame([near()] * 1000, ID=[str(at) for at in range(1000)], TYPE=["CB", "MH"] * 500)
    )
    _, reports = take_by(path, {"target": STRUCTURES})
    assert all("round_count" in codes(each) for each in reports)


# -- calls


def test_an_empty_layer_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "b.gpkg", frame([near()], CB_ID=["1"]).iloc[:0])
    assert "b.gpkg, layer b, is empty" in refused(path, "source_empty").text


@pytest.mark.parametrize("name", ["b.csv", "b.xlsx"])
def test_a_table_with_a_header_alone_is_refused(tmp_path: Path, name: str) -> None:
    path = workbook(tmp_path / name, ["CB_ID"]) if name.endswith("x") else text(tmp_path / name, "CB_ID")
    refused(path, "source_empty")


@pytest.mark.parametrize("name", ["b.csv", "b.xlsx"])
def test_a_table_without_anything_is_refused(tmp_path: Path, name: str) -> None:
    path = workbook(tmp_path / name) if name.endswith("x") else text(tmp_path / name, "")
    assert "holds no layer" in refused(path, "source_empty").text


def test_a_layer_that_does_not_exist() -> None:
    with pytest.raises(LayerError, match="there is no layer 'basins'; choose one of catch_basins,"):
        take(Path("b.csv"), "basins")


def test_neither_layer_nor_crosswalk() -> None:
    with pytest.raises(CallError, match="an import needs one layer or one crosswalk"):
        ingest(Request(Path("b.csv")), {}, settings())


def test_a_refused_import_leaves_the_layers_as_they_were(tmp_path: Path) -> None:
    layers, _ = take(basins(tmp_path / "b.gpkg"))
    before = layers["catch_basins"].copy()
    with pytest.raises(CRSError):
        take(relabelled(tmp_path / "c.gpkg", really=2260, said=2263), layers=layers)
    take(text(tmp_path / "d.csv", "CB_ID", "CB-9"), layers=layers)
    assert list(layers) == ["catch_basins"]
    assert layers["catch_basins"].equals(before)


# -- properties

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["CB-1", "CB-2", "", "007", "7", "CB-1#2"]),
        st.sampled_from(["CB", "MH", "Inlet", "", "Drop Shaft"]),
        st.sampled_from(["Town", "UK", "<Null>", ""]),
        st.sampled_from([near(), near(5000), near(900_000), None, shapely.Point(0, 0), line((0, 0), (9, 0)), lot(*BOW_TIE),
                         shapely.MultiPoint([near(), near(9)])]),
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@given(first=ROWS, then=ROWS)
@hypothesis_settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_every_row_that_is_read_is_kept_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, first: Any, then: Any
) -> None:
    folder, layers = tmp_path_factory.mktemp("dirty"), {}
    for name, rows in (("a.gpkg", first), ("b.gpkg", then), ("a.gpkg", then)):
        known = dict(zip(("ID", "TYPE", "OWNER", "shape"), zip(*rows, strict=True), strict=True))
        (folder / name).unlink(missing_ok=True)
        path = write(folder / name, frame(known.pop("shape"), **known))
        reports: list[Report] = []
        with suppress(CRSError):  # most of it may lie nowhere
            layers, reports = take_by(path, {"target": STRUCTURES}, layers)
        for report in reports:
            made = report.to_json()
            assert made["read"] == made["kept"] + sum(each["count"] for each in made["rejected"])
            wanted = {"catch_basins": {"CB", "Inlet"}, "manholes": {"MH"}}[report.layer]
            assert made["read"] == sum(row[1] in wanted for row in rows)
            assert made["unlocated"] <= made["kept"] + made["exploded"]["children"]
        for frames in layers.values():
            assert frames.index.is_unique
            assert frames.geometry.isna().sum() + frames.geometry.is_valid.sum() == len(frames)


def test_every_code_of_a_report_is_explained() -> None:
    for name, sentence in (REJECTED | REPAIRED | WARNINGS).items():
        assert name.islower()
        assert sentence.endswith(".")
