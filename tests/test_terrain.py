"""Sewersheds from terrain, on grounds made by formula: 400 ft square in cells of 10 ft, so that cells can be counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pytest
from pyproj import CRS

from layers.errors import CallError, CRSError, SourceError
from layers.joins.sewersheds import Sewersheds
from layers.schema import schema
from layers.sources.elevation import read_heights
from layers.terrain import around_drains, make_terrain_sewersheds
from layers.town import Town
from tests.support import CORNER, FEET, Rows, town

WHY = "terrain needs requirements-terrain.txt"
rasterio = pytest.importorskip("rasterio", reason=WHY)
pytest.importorskip("pyflwdir", reason=WHY)

Numbers = npt.NDArray[np.float64]
Ground = Callable[[Numbers, Numbers], Numbers]
"""Height in feet from feet east and north of the corner."""


def southward(x: Numbers, y: Numbers) -> Numbers:
    """A plain slope of one in twenty."""
    return 0.05 * y + 0 * x


def ridge(x: Numbers, y: Numbers) -> Numbers:
    """A ridge from south to north in the middle, of one in twenty to both sides."""
    return -0.05 * np.abs(x - 200) + 0 * y


def pass_over(x: Numbers, y: Numbers) -> Numbers:
    """The ridge with a valley from west to east across it."""
    return 0.2 * np.abs(y - 205) - 0.05 * np.abs(x - 200)


def crater(x: Numbers, y: Numbers) -> Numbers:
    """A square rim 200 ft wide around the middle, from which ground falls to both sides."""
    return -0.05 * np.abs(np.maximum(np.abs(x - 200), np.abs(y - 200)) - 100)


def write(path: Path, ground: Ground, *, holes: tuple[tuple[int, int], ...] = (), **profile: Any) -> Path:
    """The ground as a GeoTIFF in EPSG:2260 and feet; holes are (row, column) without height."""
    middle = np.arange(5, 400, 10.0)
    x, y = np.meshgrid(middle, middle[::-1])
    values = ground(x, y)
    for hole in holes:
        values[hole] = -9999
    return save(path, values, rasterio.Affine(10, 0, CORNER[0], 0, -10, CORNER[1] + 400), **profile)


def save(
    path: Path,
    values: Numbers,
    transform: Any,
    *,
    crs: str | None = "EPSG:2260",
    unit: str = "US survey foot",
    bands: int = 1,
    nodata: float | None = -9999,
) -> Path:
    rows, columns = values.shape
    known = {"driver": "GTiff", "dtype": "float32", "nodata": nodata, "crs": crs, "transform": transform}
    with rasterio.open(path, "w", width=columns, height=rows, count=bands, **known) as file:
        for band in range(1, bands + 1):
            file.write(values.astype("float32"), band)
            file.set_band_unit(band, unit)
    return path


def sewersheds(there: Town, path: Path, **options: Any) -> Sewersheds:
    return make_terrain_sewersheds(there, read_heights(path, around_drains(there)), **options)


def areas(made: Sewersheds) -> dict[str, int]:
    """Square feet of each sewershed."""
    return {str(key): round(shape.area) for key, shape in made.layer.geometry.items()}


DITCH: dict[str, Rows] = {
    "ditches": {"D1": "LINESTRING (5 105, 395 105)"},
    "outfalls": {"OF1": "POINT (395 105)"},
}
IN_CRATER: dict[str, Rows] = {
    "catch_basins": {"CB1": "POINT (195 195)"},
    "outfalls": {"OF1": "POINT (195 215)"},
    "pipes": {"P1": ("LINESTRING (195 195, 195 215)", {"system": "storm"})},
}


def test_a_ditch_takes_the_slope_above_it_and_the_cells_beside_it(tmp_path: Path) -> None:
    made = sewersheds(town(**DITCH), write(tmp_path / "dem.tif", southward))
    assert areas(made) == {
        "ST-OF1": 31 * 40 * 100
    }  # 29 rows above, its own, and the one below that falls into the trench
    row = made.layer.loc["ST-OF1"]
    assert (row["outfall_id"], row["basis"], row["preliminary"]) == ("OF1", "terrain", "yes")
    assert row["acres"] == 2.85
    assert row["source"] == "made from terrain dem.tif"


def test_it_conforms_to_the_schema(tmp_path: Path) -> None:
    made = sewersheds(town(**DITCH), write(tmp_path / "dem.tif", southward)).layer
    known = schema("sewersheds")
    assert tuple(made.columns) == (*known.names, "geometry")
    assert (made.dtypes == known.empty(FEET).dtypes).all()
    assert (made.index.name, made.crs, set(made.geom_type)) == ("asset_id", FEET, {"MultiPolygon"})


def test_a_ridge_parts_the_ground_between_two_outfalls(tmp_path: Path) -> None:
    there = town(
        ditches={"D1": "LINESTRING (105 395, 105 5)", "D2": "LINESTRING (295 395, 295 5)"},
        outfalls={"OF1": "POINT (105 5)", "OF2": "POINT (295 5)"},
    )
    made = sewersheds(there, write(tmp_path / "dem.tif", ridge))
    assert areas(made) == {"ST-OF1": 11 * 40 * 100, "ST-OF2": 11 * 40 * 100}
    assert made.layer.geometry["ST-OF1"].bounds[2] == made.layer.geometry["ST-OF2"].bounds[0] == CORNER[0] + 200


@pytest.mark.parametrize(("burn_ft", "columns"), [(10, 21), (0, 19)])
def test_a_burned_ditch_takes_water_across_the_ridge(tmp_path: Path, burn_ft: float, columns: int) -> None:
    there = town(ditches={"D1": "LINESTRING (105 205, 295 205)"}, outfalls={"OF1": "POINT (295 205)"})
    made = sewersheds(there, write(tmp_path / "dem.tif", pass_over), burn_ft=burn_ft)
    assert areas(made) == {"ST-OF1": columns * 40 * 100}


def test_a_line_leads_as_recorded_whatever_the_heights_along_its_bed_say(tmp_path: Path) -> None:
    uphill = town(ditches={"D1": "LINESTRING (205 5, 205 395)"}, outfalls={"OF1": "POINT (205 395)"})
    made = sewersheds(uphill, write(tmp_path / "dem.tif", southward))
    assert areas(made) == {"ST-OF1": 3 * 40 * 100}  # its own cells and those on both sides


def test_an_inlet_in_a_sag_takes_it_up_to_its_rim_and_is_not_cut(tmp_path: Path) -> None:
    made = sewersheds(town(**IN_CRATER), write(tmp_path / "dem.tif", crater))
    assert areas(made) == {"ST-OF1": 20 * 20 * 100}
    assert made.layer["cut"].to_dict() == {"ST-OF1": "no"}
    assert made.doubts == ()


def test_a_sewershed_at_the_end_of_the_heights_is_said_to_be_cut(tmp_path: Path) -> None:
    made = sewersheds(town(**DITCH), write(tmp_path / "dem.tif", southward))
    assert made.layer["cut"].to_dict() == {"ST-OF1": "yes"}
    assert made.doubts == ("1 of 1 sewersheds touch the edge of the known heights and may be larger",)


def test_a_hole_in_the_heights_cuts_the_sewershed_around_it(tmp_path: Path) -> None:
    made = sewersheds(town(**IN_CRATER), write(tmp_path / "dem.tif", crater, holes=((20, 14),)))
    assert made.layer["cut"].to_dict() == {"ST-OF1": "yes"}
    assert areas(made)["ST-OF1"] < 20 * 20 * 100


@pytest.mark.parametrize("nodata", [-9999, None])
def test_a_filler_is_no_height_even_where_the_file_does_not_say_so(tmp_path: Path, nodata: float | None) -> None:
    path = write(tmp_path / "dem.tif", crater, holes=((0, 0), (20, 14)), nodata=nodata)
    heights = read_heights(path, around_drains(town(**IN_CRATER)))
    assert np.argwhere(np.isnan(heights.values)).tolist() == [[0, 0], [20, 14]]


def test_heights_that_reach_no_drain_give_no_sewershed(tmp_path: Path) -> None:
    there = town(ditches={"D1": "LINESTRING (2000 0, 2400 0)"}, outfalls={"OF1": "POINT (2400 0)"})
    made = sewersheds(there, write(tmp_path / "dem.tif", southward))
    assert (len(made.layer), len(made.shares), made.doubts) == (0, 0, ())


def test_an_inlet_where_no_height_is_known_is_told(tmp_path: Path) -> None:
    rows = IN_CRATER | {
        "catch_basins": {**IN_CRATER["catch_basins"], "CB2": "POINT (55 355)", "CB3": "POINT (395 900)"}
    }
    made = sewersheds(town(**rows), write(tmp_path / "dem.tif", crater, holes=((4, 5),)))
    assert "2 of 3 catch basins lie where no height is known" in made.doubts


@pytest.mark.parametrize(("status", "count"), [("active", 0), ("unknown", 0), ("proposed", 1), ("abandoned", 1)])
def test_a_basin_that_is_not_there_takes_no_water(tmp_path: Path, status: str, count: int) -> None:
    rows = DITCH | {"catch_basins": {"CB1": ("POINT (205 205)", {"status": status})}}
    made = sewersheds(town(**rows), write(tmp_path / "dem.tif", southward))
    assert areas(made)["ST-OF1"] == (31 * 40 - (1 - count) * 20) * 100  # the column above it, 205 to 395 ft north


def test_ground_that_reaches_no_outfall_is_told_in_acres(tmp_path: Path) -> None:
    made = sewersheds(town(catch_basins=IN_CRATER["catch_basins"]), write(tmp_path / "dem.tif", crater))
    assert len(made.layer) == 0
    assert made.doubts == ("0.9 acres drain to lines or inlets that reach no outfall as drawn",)  # 40,000 square feet


def test_a_mapped_brook_takes_its_ground_to_no_outfall(tmp_path: Path) -> None:
    brook: Rows = {"B1": "LINESTRING (0 205, 400 205)"}
    made = sewersheds(town(**DITCH, waters=brook), write(tmp_path / "dem.tif", southward))
    assert areas(made) == {"ST-OF1": 11 * 40 * 100}


@pytest.mark.parametrize("change", [{"system": "combined"}, {"status": "abandoned", "system": "storm"}])
def test_a_sewer_or_an_abandoned_line_is_not_burned_in(tmp_path: Path, change: dict[str, str]) -> None:
    there = town(
        pipes={"P1": ("LINESTRING (5 105, 395 105)", change)},
        outfalls=DITCH["outfalls"],
        catch_basins={"CB": "POINT (5 395)"},
    )
    assert areas(sewersheds(there, write(tmp_path / "dem.tif", southward))) == {}


def test_at_a_split_the_ground_is_in_both_sewersheds_and_its_lots_are_shared(tmp_path: Path) -> None:
    rows = IN_CRATER | {
        "outfalls": {"OF1": "POINT (195 215)", "OF2": "POINT (215 195)"},
        "pipes": {**IN_CRATER["pipes"], "P2": ("LINESTRING (195 195, 215 195)", {"system": "storm"})},
        "parcels": {"L1": ("POLYGON ((100 100, 200 100, 200 300, 100 300, 100 100))", {"property_class": "210"})},
    }
    made = sewersheds(town(**rows), write(tmp_path / "dem.tif", crater))
    shared = made.shares.set_index("outfall_id")["share"]
    assert areas(made)["ST-OF1"] + areas(made)["ST-OF2"] > 20 * 20 * 100
    assert shared.sum() == pytest.approx(1)
    assert set(shared.index) == {"OF1", "OF2"}


def test_a_lot_is_shared_by_area_and_what_drains_elsewhere_has_no_outfall(tmp_path: Path) -> None:
    lots: Rows = {
        "L1": ("POLYGON ((0 100, 400 100, 400 200, 0 200, 0 100))", {"property_class": "432"}),
        "L2": ("POLYGON ((0 0, 400 0, 400 120, 0 120, 0 0))", {"property_class": "210"}),
    }
    made = sewersheds(town(**DITCH, parcels=lots), write(tmp_path / "dem.tif", southward))
    found = {(row.premises_key, row.outfall_id): round(row.share, 6) for row in made.shares.itertuples()}
    assert found == {
        ("L1", "OF1"): 1,
        ("L2", "OF1"): 0.25,
        ("L2", ""): 0.75,
    }  # 90 to 120 ft of the 120 drain to the ditch
    assert set(made.shares["basis"]) == {"area"}
    assert made.layer.at["ST-OF1", "land_use"] == "commercial"


@pytest.mark.parametrize(("crs", "cell"), [("EPSG:26918", 3.0), ("EPSG:4326", 0.00003)])
def test_heights_in_metres_or_degrees_give_the_same_ground(tmp_path: Path, crs: str, cell: float) -> None:
    corners = gpd.GeoSeries.from_xy([CORNER[0], CORNER[0] + 400], [CORNER[1], CORNER[1] + 400], crs=FEET).to_crs(crs)
    west, south, east, north = corners.total_bounds
    x, y = np.meshgrid(np.arange(west, east, cell), np.arange(north, south, -cell))
    feet = gpd.GeoSeries.from_xy(x.ravel() + cell / 2, y.ravel() - cell / 2, crs=crs).to_crs(FEET)
    values = crater(feet.x.to_numpy() - CORNER[0], feet.y.to_numpy() - CORNER[1]).reshape(x.shape) * 0.3048
    path = save(tmp_path / "dem.tif", values, rasterio.Affine(cell, 0, west, 0, -cell, north), crs=crs, unit="metre")
    made = sewersheds(town(**IN_CRATER), path)
    assert made.layer.crs == FEET
    assert made.layer.geometry["ST-OF1"].area == pytest.approx(40_000, rel=0.04)  # the rim lies within half a cell
    assert made.layer["cut"].to_dict() == {"ST-OF1": "no"}


def test_a_large_grid_is_averaged_and_it_is_said(tmp_path: Path) -> None:
    there = town(**IN_CRATER)
    heights = read_heights(write(tmp_path / "dem.tif", crater), around_drains(there), most_cells=400)
    assert (heights.values.shape, heights.averaged, heights.cell) == ((20, 20), 2, (20.0, 20.0))
    made = make_terrain_sewersheds(there, heights)
    assert made.doubts[0] == "the grid is large: 2 by 2 cells were taken as one, with their mean height"
    assert areas(made) == {"ST-OF1": 40_000}


def test_the_grid_is_read_around_the_drains_only(tmp_path: Path) -> None:
    there = town(**IN_CRATER)
    near = around_drains(there).buffer(-2600)  # 40 ft about the pipe: 155 to 235 ft east, 155 to 255 ft north
    assert read_heights(write(tmp_path / "dem.tif", crater), near).values.shape == (11, 9)


@pytest.mark.parametrize(("said", "given", "foot"), [("metre", "", 0.3048006), ("ft", "metre", 1.0), ("", "foot", 1.0)])
def test_the_unit_of_heights_is_that_of_the_file_else_as_told(
    tmp_path: Path, said: str, given: str, foot: float
) -> None:
    path = write(tmp_path / "dem.tif", crater, unit=said)
    assert read_heights(path, around_drains(town(**IN_CRATER)), height_unit=given).foot == pytest.approx(foot)


def test_the_unit_of_heights_may_stand_in_the_coordinate_system(tmp_path: Path) -> None:
    path = write(tmp_path / "dem.tif", crater, unit="", crs="EPSG:2260+6360")
    heights = read_heights(path, around_drains(town(**IN_CRATER)))
    assert heights.foot == 1.0
    assert heights.crs == CRS.from_epsg(2260)


@pytest.mark.parametrize(
    ("profile", "fault", "text"),
    [
        ({"unit": ""}, SourceError, "does not say in which unit"),
        ({"crs": None}, CRSError, "does not say its coordinate system"),
        ({"crs": "EPSG:32115"}, SourceError, "does not cover any of the town's drains"),
        ({"bands": 3}, SourceError, "is no grid of heights with one band"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused(
    tmp_path: Path, profile: Any, fault: type[Exception], text: str
) -> None:
    path = write(tmp_path / "dem.tif", crater, **profile)
    with pytest.raises(fault, match=text):
        read_heights(path, around_drains(town(**IN_CRATER)))


def test_a_file_that_is_no_geotiff_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dem.tif"
    path.write_text("no heights", encoding="utf-8")
    with pytest.raises(SourceError, match=r"dem\.tif cannot be read as a GeoTIFF"):
        read_heights(path, around_drains(town(**IN_CRATER)))


def test_a_town_without_drains_has_nothing_to_drain_to() -> None:
    with pytest.raises(CallError, match="no lines or inlets"):
        around_drains(town())


def test_without_the_packages_it_is_said_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "dem.tif", crater)
    there = town(**IN_CRATER)
    heights = read_heights(path, around_drains(there))
    monkeypatch.setitem(sys.modules, "pyflwdir", None)
    with pytest.raises(SourceError, match=r"requirements-terrain\.txt"):
        make_terrain_sewersheds(there, heights)
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(SourceError, match=r"requirements-terrain\.txt"):
        read_heights(path, around_drains(there))
