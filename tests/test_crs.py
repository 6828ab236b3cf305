"""Where on earth coordinates are: units, datums, candidates, and the one way of reprojecting."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pytest
import shapely
from pyproj import CRS

from layers.crs import (
    area_of_use,
    box_to,
    candidates,
    convert,
    feet_per_unit,
    lonlat_to,
    name_crs,
    parse_crs,
    parse_file_crs,
    parse_working_crs,
    share_inside,
    to_crs,
    to_lonlat,
)
from layers.errors import CRSError
from tests.received import LAT, LON, X, Y, near

FEET = CRS.from_epsg(2260)


def series(*shapes: object, crs: object) -> gpd.GeoSeries:
    return gpd.GeoSeries(list(shapes), crs=crs)


# -- units


@pytest.mark.parametrize(
    ("code", "feet"),
    [
        (2260, 1.0),  # US survey foot
        (2263, 1.0),
        (26918, 3937 / 1200),  # metre, in US survey feet
        (32115, 3937 / 1200),
        (2222, 0.999998),  # Arizona, international foot
    ],
)
def test_feet_in_one_unit(code: int, feet: float) -> None:
    assert feet_per_unit(CRS.from_epsg(code)) == pytest.approx(feet, abs=1e-9)


def test_degrees_have_no_feet() -> None:
    with pytest.raises(CRSError, match=r"EPSG:4326 is in degrees.*EPSG:2260"):
        feet_per_unit(CRS.from_epsg(4326))


@pytest.mark.parametrize("code", ["EPSG:2260", "EPSG:26918", 2260, "EPSG:32115"])
def test_a_working_crs_in_which_distances_can_be_measured(code: object) -> None:
    assert parse_working_crs(code).is_projected


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("EPSG:4326", "is in degrees"),
        ("EPSG:3857", "stretches distances"),
        ("ESRI:102100", "stretches distances"),
        ("EPSG:2260+5703", "has heights"),
        ("EPSG:99999", "is no coordinate system"),
        ("feet", "is no coordinate system"),
        ("", "is no coordinate system"),
        (None, "is no coordinate system"),
    ],
)
def test_a_working_crs_that_is_refused(code: object, told: str) -> None:
    with pytest.raises(CRSError, match=told) as caught:
        parse_working_crs(code)
    assert caught.value.hint


def test_a_crs_that_cannot_be_read_says_where_it_stood() -> None:
    with pytest.raises(CRSError, match=r"the CRS given: 'EPSG:x' is no coordinate system; write it as EPSG:2260"):
        parse_crs("EPSG:x", where="the CRS given")


# -- what a file says


def test_a_file_that_says_heights_too_is_read_flat() -> None:
    flat = parse_file_crs(CRS.from_user_input("EPSG:2260+5703").to_wkt())
    assert flat is not None
    assert flat.to_epsg() == 2260


def test_a_file_in_three_dimensions_is_read_flat() -> None:
    flat = parse_file_crs(CRS.from_epsg(4979).to_wkt())
    assert flat is not None
    assert len(flat.axis_info) == 2


@pytest.mark.parametrize("wkt", ["", "nonsense", 'LOCAL_CS["site grid",UNIT["foot",0.3048]]'])
def test_a_file_that_says_no_place_on_earth_says_no_crs(wkt: str) -> None:
    assert parse_file_crs(wkt) is None


def test_a_crs_that_a_geopackage_calls_undefined_is_none() -> None:
    datum = 'DATUM["unknown",SPHEROID["unknown",6378137,298.25]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925]'
    undefined = f'GEOGCS["Undefined geographic SRS",{datum}]'
    assert parse_file_crs(undefined) is None


@pytest.mark.parametrize(("crs", "name"), [(FEET, "EPSG:2260"), (None, "none")])
def test_a_crs_by_its_code(crs: CRS | None, name: str) -> None:
    assert name_crs(crs) == name


def test_a_crs_without_a_code_by_its_name() -> None:
    custom = CRS.from_proj4("+proj=tmerc +lat_0=41 +lon_0=-73 +datum=NAD83 +units=us-ft")
    assert name_crs(custom) == custom.name


# -- one way of reprojecting


def test_longitude_stands_first() -> None:
    assert lonlat_to(FEET, LON, LAT) == pytest.approx((X, Y), abs=0.01)
    there = to_lonlat(series(near(), crs=FEET))[0]
    assert (there.x, there.y) == pytest.approx((LON, LAT), abs=1e-7)


def test_there_and_back_is_the_same_place() -> None:
    start = series(near(), near(1000, -2000), crs=FEET)
    back = to_crs(to_lonlat(start), FEET)
    assert np.allclose(shapely.get_coordinates(start), shapely.get_coordinates(back), atol=1e-6)


def test_a_frame_that_does_not_say_its_crs_is_not_reprojected() -> None:
    with pytest.raises(CRSError, match="does not say its coordinate system; import it with --crs"):
        to_lonlat(series(near(), crs=None))


def test_a_box_in_degrees_becomes_a_box_in_feet_that_holds_it() -> None:
    box = box_to(FEET, (-73.67, 41.29, -73.52, 41.38))
    assert all(
        box.covers(shapely.Point(lonlat_to(FEET, lon, lat))) for lon in (-73.67, -73.52) for lat in (41.29, 41.38)
    )


def test_the_area_of_use_holds_the_town() -> None:
    assert area_of_use(FEET).contains(near())


def test_a_crs_without_an_area_of_use_is_refused() -> None:
    custom = CRS.from_proj4("+proj=tmerc +lat_0=41 +lon_0=-73 +datum=NAD83 +units=us-ft")
    with pytest.raises(CRSError, match="does not say where it may be used"):
        area_of_use(custom)


# -- how coordinates came here


def test_the_same_crs_needs_nothing() -> None:
    placed, conversion = convert(series(near(), crs=FEET), FEET, what="x")
    assert placed[0] == near()
    assert str(conversion) == "none needed (accuracy 0 m)"


def test_the_operation_and_its_accuracy_are_told() -> None:
    _, conversion = convert(series(shapely.Point(LON, LAT), crs=4326), FEET, what="x")
    assert "New York East" in conversion.operation
    assert str(conversion).endswith("(accuracy 4 m)")


def test_utm_metres_become_feet() -> None:
    metres = to_crs(series(near(), crs=FEET), CRS.from_epsg(26918))
    placed, conversion = convert(metres, FEET, what="x")
    assert (placed[0].x, placed[0].y) == pytest.approx((X, Y), abs=1e-4)
    assert conversion.accuracy_m == 0


@pytest.mark.parametrize("code", [4267, 32015])
def test_nad27_without_its_grid_is_refused(code: int) -> None:
    """FAULTS 4: without the grid PROJ shifts by a guess, 37.5 m at this town."""
    with pytest.raises(CRSError, match="grid that shifts its datum") as caught:
        convert(series(shapely.Point(LON, LAT), crs=code), FEET, what="basins.shp")
    assert caught.value.code == "crs_accuracy"


def test_a_crs_from_which_no_way_leads_here_is_refused() -> None:
    elsewhere = CRS.from_wkt(
        'ENGCRS["site",EDATUM["site"],CS[Cartesian,2],AXIS["x",east],AXIS["y",north],LENGTHUNIT["m",1]]'
    )
    with pytest.raises(CRSError, match=r"b\.shp: no way is known from site to EPSG:2260"):
        convert(series(shapely.Point(1, 2), crs=elsewhere), FEET, what="b.shp")


def test_no_place_stays_no_place() -> None:
    placed, _ = convert(series(None, shapely.Point(LON, LAT), crs=4326), FEET, what="x")
    assert placed[0] is None


# -- candidates


def shares(*points: tuple[float, float]) -> dict[str, float]:
    envelope = near().buffer(20_000)
    return {each["crs"]: each["share"] for each in candidates(points, envelope, FEET)}


def test_bare_feet_are_recognised() -> None:
    found = shares((X, Y), (X + 50, Y))
    assert found["EPSG:2260"] == 1.0
    assert all(share == 0 for code, share in found.items() if code != "EPSG:2260")


def test_bare_degrees_are_recognised() -> None:
    assert shares((LON, LAT))["EPSG:4326"] == 1.0


def test_bare_metres_are_told_apart() -> None:
    utm = to_crs(series(near(), crs=FEET), CRS.from_epsg(26918))[0]
    found = shares((utm.x, utm.y), (0, 0))
    assert next(iter(found)) == "EPSG:26918"
    assert found["EPSG:26918"] == 0.5


def test_degrees_read_as_feet_are_no_candidate_even_where_the_envelope_is_wide() -> None:
    """(-79, 43) ft is 38.8° N, in the use of UTM 18N and not in that of New York East."""
    wide = area_of_use(CRS.from_epsg(26918))
    found = {each["crs"]: each["share"] for each in candidates([(-79.0, 43.0)], wide, CRS.from_epsg(26918))}
    assert found["EPSG:2260"] == 0


def test_without_points_there_are_no_candidates() -> None:
    assert shares() == {}


def test_points_that_no_projection_takes_lie_nowhere() -> None:
    assert share_inside(np.array([[1e30, 1e30]]), CRS.from_epsg(26918), near().buffer(1), FEET) == 0.0
