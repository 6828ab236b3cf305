"""Files as they are received: the kinds that are read, their values and their drawings."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyogrio.raw
import pytest
import shapely

from layers.errors import SourceError
from layers.sources import open_source
from layers.sources.parts import KINDS
from tests.received import LAT, LON, X, Y, basins, frame, geojson, line, near, noted, read, refused, text, write, zipped

POINT = {"type": "Point", "coordinates": [LON, LAT]}


# -- kinds of file


@pytest.mark.parametrize("ending", [".gpkg", ".shp", ".geojson", ".fgb", ".gdb"])
def test_every_kind_gives_the_same_features(tmp_path: Path, ending: str) -> None:
    path = basins(tmp_path / f"basins{ending}", RIM=[501.5, None, 499.0])
    features = read(path)
    east = dict(zip(features.frame["CB_ID"], shapely.get_x(features.shapes).round(2), strict=True))
    assert east == {"CB-1": X, "CB-2": X + 50, "CB-3": X + 100}
    assert features.crs is not None
    assert features.crs_basis == "file"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no file" in refused(tmp_path / "lost.shp", "source_missing").text


def test_a_folder_is_no_source(tmp_path: Path) -> None:
    basins(tmp_path / "basins.shp")
    assert "is a folder" in refused(tmp_path, "source_kind").text


def test_a_file_that_calls_itself_a_geodatabase(tmp_path: Path) -> None:
    assert "no folder" in refused(text(tmp_path / "town.gdb", "x"), "source_kind").text


def test_an_empty_folder_that_calls_itself_a_geodatabase(tmp_path: Path) -> None:
    (tmp_path / "town.gdb").mkdir()
    assert "file geodatabase" in refused(tmp_path / "town.gdb", "source_damaged").text


def test_a_kind_that_nothing_here_reads(tmp_path: Path) -> None:
    assert ".gpkg" in refused(text(tmp_path / "plan.dwg", "AC1032"), "source_kind").hint


@pytest.mark.parametrize("ending", [".gpkg", ".geojson", ".json", ".fgb", ".topojson", ".zip", ".xlsx"])
def test_a_text_file_under_another_name(tmp_path: Path, ending: str) -> None:
    error = refused(text(tmp_path / f"basins{ending}", "Dear Town,", "see attached."), "source_damaged")
    assert f"basins{ending}" in error.text
    assert str(tmp_path) not in error.text


def test_a_text_file_renamed_shp_lacks_its_parts(tmp_path: Path) -> None:
    assert ".shx and .dbf" in refused(text(tmp_path / "basins.shp", "Dear Town,"), "source_parts").text


@pytest.mark.parametrize("ending", [ending for ending in KINDS if ending not in (".shp", ".dbf", ".gdb")])
def test_a_file_that_tells_the_reader_to_open_another_is_not_obeyed(tmp_path: Path, ending: str) -> None:
    basins(tmp_path / "secret.gpkg")
    told = '<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource relativeToVRT="1">secret.gpkg</SrcDataSource>'
    path = text(tmp_path / f"basins{ending}", f"{told}</OGRVRTLayer></OGRVRTDataSource>")
    refused(path, "source_damaged")


def test_a_text_file_with_all_parts_of_a_shapefile(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp")
    raw = path.read_bytes()
    path.write_bytes(b"Dear" + raw[4:])
    assert "is no shapefile" in refused(path, "source_damaged").text


def test_json_that_is_no_text(tmp_path: Path) -> None:
    path = geojson(tmp_path / "b.geojson", ({"CB_ID": "Caf"}, POINT))
    path.write_bytes(path.read_bytes().replace(b"Caf", b"Caf\xe9"))
    assert "not in UTF-8" in refused(path, "source_damaged").text


def test_json_that_orders_the_reader_about_is_not_obeyed(tmp_path: Path) -> None:
    order = '{"type": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read secret.gpkg"}'
    refused(text(tmp_path / "basins.json", order), "source_damaged")


def test_an_archive_does_not_hide_a_file_under_another_name(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", text(tmp_path / "basins.gpkg", "<OGRVRTDataSource/>"))
    assert "basins.gpkg is no GeoPackage" in refused(path, "source_damaged").text


def test_a_geopackage_without_layers(tmp_path: Path) -> None:
    basins(tmp_path / "x.gpkg")
    path = tmp_path / "empty.gpkg"
    shutil.copy(tmp_path / "x.gpkg", path)
    with sqlite3.connect(path) as base:
        base.executescript("DELETE FROM gpkg_contents; DELETE FROM gpkg_geometry_columns; DROP TABLE x;")
    base.close()
    with pytest.raises(SourceError, match=r"empty\.gpkg"):
        open_source(path).layer(None)


def test_several_layers_must_be_told_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "town.gpkg", frame([near()], ID=["1"]), layer="basins")
    write(path, frame([line((0, 0), (9, 0))], ID=["2"]), layer="pipes")
    source = open_source(path)
    with pytest.raises(SourceError, match="holds 2 layers: basins, pipes; name one with --source-layer"):
        source.layer(None)
    assert source.layer("pipes").geometry == "LineString"


def test_a_layer_name_that_is_not_there(tmp_path: Path) -> None:
    source = open_source(basins(tmp_path / "basins.gpkg"))
    with pytest.raises(SourceError, match="has no layer 'pipes'; it holds: basins"):
        source.layer("pipes")


def test_a_hostile_layer_name_is_only_a_name(tmp_path: Path) -> None:
    name = 'x"; DROP TABLE gpkg_contents; --'
    write(tmp_path / "t.gpkg", frame([near()], ID=["1"]), layer=name)
    assert list(read(tmp_path / "t.gpkg", name).frame["ID"]) == ["1"]


# -- values (FAULTS 19, 24, 25)


def test_whole_numbers_beside_missing_ones_stay_whole(tmp_path: Path) -> None:
    known = pd.array([12345, None, 2**53 + 1], dtype="Int64")
    path = write(tmp_path / "t.gpkg", frame([near()] * 3, N=known))
    assert list(read(path).frame["N"]) == [12345, None, 2**53 + 1]


def test_text_ids_keep_their_zeros(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp", ids=["055089", "00200001010000000000", "2.10"])
    assert list(read(path).frame["CB_ID"]) == ["055089", "00200001010000000000", "2.10"]


def test_a_stamp_keeps_its_offset(tmp_path: Path) -> None:
    late = pd.to_datetime(["2024-12-31 23:30"]).tz_localize("America/New_York")
    path = write(tmp_path / "t.gpkg", frame([near()], SEEN=late))
    assert read(path).frame["SEEN"][1] in ("2024-12-31T23:30:00-05:00", "2025-01-01T04:30:00Z")


# -- drawings (FAULTS 13, 14, 15)


def drawn(path: Path, *wkb: bytes, kind: str = "Unknown") -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ids = [np.array([str(at) for at in range(len(wkb))], dtype=object)]
        pyogrio.raw.write(path, np.array(wkb, dtype=object), ids, ["ID"], geometry_type=kind, crs="EPSG:2260")
    return path


ARC = struct.pack("<BII", 1, 8, 3) + struct.pack("<6d", X, Y, X + 4, Y + 4, X + 8, Y)
RING = struct.pack("<BII", 1, 8, 5) + struct.pack("<10d", X, Y, X + 4, Y, X + 4, Y + 4, X, Y + 4, X, Y)
CURVES = {
    "arc": ARC,
    "curved lot": struct.pack("<BII", 1, 10, 1) + RING,
    "compound line": struct.pack("<BII", 1, 9, 1) + ARC,
    "curved lines": struct.pack("<BII", 1, 11, 1) + ARC,
    "curved lots": struct.pack("<BII", 1, 12, 1) + struct.pack("<BII", 1, 10, 1) + RING,
}


@pytest.mark.parametrize("what", CURVES)
def test_curves_are_stroked_and_it_is_said(tmp_path: Path, what: str) -> None:
    straight = shapely.to_wkb(line((0, 0), (9, 0)))
    features = read(drawn(tmp_path / "t.gpkg", CURVES[what], straight))
    assert "1 features are drawn with arcs" in noted(features)["curves_stroked"]
    assert shapely.get_num_coordinates(features.shapes).tolist()[0] > 5
    assert shapely.get_num_coordinates(features.shapes).tolist()[1] == 2


def test_curves_in_a_layer_that_is_declared_straight_are_found(tmp_path: Path) -> None:
    features = read(drawn(tmp_path / "t.gpkg", CURVES["curved lot"], kind="Polygon"))
    assert "curves_stroked" in noted(features)


def test_straight_lines_are_no_curves(tmp_path: Path) -> None:
    assert "curves_stroked" not in noted(read(basins(tmp_path / "b.gpkg")))


def test_measures_are_dropped_and_it_is_said(tmp_path: Path) -> None:
    measured = struct.pack("<BII", 1, 3002, 2) + struct.pack("<8d", X, Y, 5, 1, X + 1, Y + 1, 6, 2)
    features = read(drawn(tmp_path / "t.gpkg", measured))
    assert "1 features carry measures" in noted(features)["m_dropped"]
    assert shapely.force_2d(features.shapes[0]).wkt == f"LINESTRING ({X} {Y}, {X + 1} {Y + 1})"


def test_a_z_is_kept_for_the_import(tmp_path: Path) -> None:
    path = write(tmp_path / "t.gpkg", frame([shapely.Point(X, Y, 512.5)], ID=["1"]))
    assert shapely.get_z(read(path).shapes).tolist() == [512.5]


def test_no_drawing_is_not_an_unreadable_one(tmp_path: Path) -> None:
    path = write(tmp_path / "t.gpkg", frame([near(), None, shapely.Point()], ID=["1", "2", "3"]))
    features = read(path)
    assert features.unread == ()
    assert features.shapes[1] is None


def test_an_unreadable_drawing_is_counted(tmp_path: Path) -> None:
    triangle = struct.pack("<BII", 1, 3, 1) + struct.pack("<I", 2) + struct.pack("<4d", X, Y, X + 1, Y)
    features = read(drawn(tmp_path / "t.gpkg", triangle, shapely.to_wkb(near())))
    assert features.unread == (0,)
