"""The gate: no layer enters whose coordinate system is unknown, or whose places are not in the town."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import pytest
import shapely
from pyproj import CRS

from layers.crs import to_crs
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
    relabelled,
    settings,
    take,
    text,
    told,
    write,
)
from tests.received import not_taken as refused

BOUNDLESS = settings(bounds=[])
POINT = {"type": "Point", "coordinates": [LON, LAT]}


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


def test_heights_that_are_all_zero_are_none(tmp_path: Path) -> None:
    flat = shapely.LineString([(X, Y, 0), (X + 9, Y, 0)])
    assert "z_dropped" not in codes(take(write(tmp_path / "p.gpkg", frame([flat], PIPE_ID=["P1"])), "pipes")[1])


def test_heights_of_points_are_kept_and_those_of_lines_are_said(tmp_path: Path) -> None:
    high = shapely.LineString([(X, Y, 500), (X + 9, Y, 499)])
    layers, report = take(write(tmp_path / "p.gpkg", frame([high], PIPE_ID=["P1"])), "pipes")
    assert layers["pipes"].geometry["P1"].wkt == f"LINESTRING ({X} {Y}, {X + 9} {Y})"
    assert "the heights of 1 lines" in told(report, "z_dropped")
