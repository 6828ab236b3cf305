"""Files as they are received: what is read, what is refused, and what is said of it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyogrio.raw
import pytest
import shapely

from layers.errors import SourceError
from layers.sources import Features, companions, open_source, read_features, sha256_of
from layers.sources.parts import KINDS
from tests.received import LAT, LON, X, Y, basins, frame, geojson, hashes, line, near, parts, text, write, zipped

POINT = {"type": "Point", "coordinates": [LON, LAT]}


def read(path: Path, layer: str | None = None, **asked: str) -> Features:
    source = open_source(path)
    return read_features(source, source.layer(layer), **asked)


def noted(features: Features) -> dict[str, str]:
    return dict(features.notes)


def refused(path: Path, code: str, **asked: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        open_source(path, **asked)
    assert caught.value.code == code
    assert caught.value.hint
    return caught.value


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


# -- parts of a shapefile (FAULTS 9, 12)


@pytest.mark.parametrize("ending", [".shx", ".dbf"])
def test_a_shapefile_without_a_part(tmp_path: Path, ending: str) -> None:
    path = basins(tmp_path / "basins.shp")
    path.with_suffix(ending).unlink()
    assert f"came without its {ending}" in refused(path, "source_parts").text


def test_a_shapefile_in_capital_letters_is_whole(tmp_path: Path) -> None:
    for each in parts(basins(tmp_path / "basins.shp")):
        each.rename(tmp_path / each.name.upper())
    assert list(read(tmp_path / "BASINS.SHP").frame["CB_ID"]) == ["CB-1", "CB-2", "CB-3"]


def test_a_part_whose_ending_the_reader_does_not_find_is_missing(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp")
    path.with_suffix(".dbf").rename(tmp_path / "basins.Dbf")
    refused(path, "source_parts")


def change_bytes(path: Path, at: int, new: bytes) -> None:
    raw = bytearray(path.read_bytes())
    raw[at : at + len(new)] = new
    path.write_bytes(raw)


def test_a_table_whose_header_says_more_than_the_file_holds(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp")
    change_bytes(path.with_suffix(".dbf"), 4, struct.pack("<I", 4))
    assert "says that it has 4 records" in refused(path, "source_truncated").text


def test_a_table_whose_header_says_less_than_there_are_shapes(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp")
    change_bytes(path.with_suffix(".dbf"), 4, struct.pack("<I", 2))
    assert "3 shapes and 2 records" in refused(path, "source_truncated").text


def test_a_table_cut_off_in_its_last_record(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp").with_suffix(".dbf")
    path.write_bytes(path.read_bytes()[:-10])
    refused(path.with_suffix(".shp"), "source_truncated")


def test_a_table_cut_off_in_its_header(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp").with_suffix(".dbf")
    path.write_bytes(path.read_bytes()[:20])
    assert "ends in its header" in refused(path.with_suffix(".shp"), "source_truncated").text


def test_shapes_cut_off(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp")
    path.write_bytes(path.read_bytes()[:-8])
    assert "ends before its last shape" in refused(path, "source_truncated").text


def test_a_dbf_alone_is_a_table(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp").with_suffix(".dbf")
    shutil.copy(path, tmp_path / "alone.dbf")
    features = read(tmp_path / "alone.dbf")
    assert list(features.frame["CB_ID"]) == ["CB-1", "CB-2", "CB-3"]
    assert not any(features.shapes)


def test_a_dbf_alone_that_is_cut_off(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp").with_suffix(".dbf")
    (tmp_path / "alone.dbf").write_bytes(path.read_bytes()[:-10])
    refused(tmp_path / "alone.dbf", "source_truncated")


def test_all_parts_of_a_shapefile_are_kept_and_hashed(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.shp")
    basins(tmp_path / "basins_old.shp")
    assert {each.suffix for each in companions(path)} == {".shp", ".shx", ".dbf", ".prj", ".cpg"}
    assert {each.stem for each in companions(path)} == {"basins"}
    before = sha256_of(path)
    change_bytes(path.with_suffix(".dbf"), -4, b"X")
    assert sha256_of(path) != before


def test_the_hash_of_one_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"abc")
    assert sha256_of(tmp_path / "a.csv") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


# -- archives


def test_a_zip_with_one_shapefile(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", *parts(basins(tmp_path / "basins.shp")))
    assert list(read(path).frame["CB_ID"]) == ["CB-1", "CB-2", "CB-3"]


def test_a_zip_with_a_shapefile_in_a_folder(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", *parts(basins(tmp_path / "basins.shp")), into="Straßen 2024/gis/")
    assert len(read(path).frame) == 3


def test_a_zip_with_several_shapefiles_must_be_told_which(tmp_path: Path) -> None:
    basins(tmp_path / "a.shp"), basins(tmp_path / "b.shp", ids=["CB-9"])
    path = zipped(tmp_path / "in.zip", *parts(tmp_path / "a.shp"), *parts(tmp_path / "b.shp"))
    with pytest.raises(SourceError, match="holds 2 layers: a, b"):
        open_source(path).layer(None)
    assert list(read(path, "b").frame["CB_ID"]) == ["CB-9"]


def test_a_zip_with_two_layers_of_one_name(tmp_path: Path) -> None:
    basins(tmp_path / "a.shp"), basins(tmp_path / "a.gpkg")
    path = zipped(tmp_path / "in.zip", *parts(tmp_path / "a.shp"))
    with pytest.raises(SourceError, match="several layers 'a'"):
        open_source(path).layer("a")


def test_a_zipped_geodatabase(tmp_path: Path) -> None:
    folder = basins(tmp_path / "town.gdb")
    path = zipped(tmp_path / "in.zip", *folder.iterdir(), into="sent/town.gdb/")
    assert list(read(path).frame["CB_ID"]) == ["CB-1", "CB-2", "CB-3"]


def test_a_zip_without_the_dbf(tmp_path: Path) -> None:
    members = [each for each in parts(basins(tmp_path / "basins.shp")) if each.suffix != ".dbf"]
    assert "without its .dbf" in refused(zipped(tmp_path / "in.zip", *members), "source_parts").text


def test_a_zip_made_on_a_mac(tmp_path: Path) -> None:
    made = parts(basins(tmp_path / "basins.shp"))
    path = zipped(tmp_path / "in.zip", *made)
    junk = text(tmp_path / "._basins.shp", "resource fork")
    with zipfile.ZipFile(path, "a") as archive:
        archive.write(junk, "__MACOSX/._basins.shp")
    assert len(read(path).frame) == 3


def test_a_zip_with_nothing_to_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", text(tmp_path / "readme.txt", "hello"))
    assert "unpack it" in refused(path, "source_kind").hint


@pytest.mark.parametrize("name", ["../../etc/x.shp", "/etc/x.shp", "..\\x.shp", "a/../../x.shp"])
def test_a_zip_whose_names_lead_out_of_it(tmp_path: Path, name: str) -> None:
    path = tmp_path / "in.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, b"x")
    assert "leads out of the archive" in refused(path, "source_hostile").text
    assert list(hashes(tmp_path)) == ["in.zip"]


def test_a_locked_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", *parts(basins(tmp_path / "basins.shp")))
    raw = path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    path.write_bytes(raw)
    assert "password" in refused(path, "source_locked").text


def test_a_zip_cut_off(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", *parts(basins(tmp_path / "basins.shp")))
    path.write_bytes(path.read_bytes()[:-30])
    refused(path, "source_damaged")


# -- GeoPackage (FAULTS 16, 17)


def test_a_geopackage_with_changes_beside_it(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.gpkg")
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode=wal"), base.execute("PRAGMA wal_autocheckpoint=0")
    base.execute("DELETE FROM gpkg_ogr_contents")
    base.commit()
    assert "not yet written into it (basins.gpkg-wal)" in refused(path, "source_unwritten").text
    base.close()
    open_source(path)


def test_a_geopackage_is_read_without_leaving_anything_beside_it(tmp_path: Path) -> None:
    path = basins(tmp_path / "basins.gpkg")
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode=wal"), base.close()
    before = hashes(tmp_path)
    read(path)
    assert hashes(tmp_path) == before


def test_a_fid_column_of_a_geopackage_can_be_used(tmp_path: Path) -> None:
    path = write(tmp_path / "t.gpkg", frame([near(), near(9)], fid=[7, 9], NAME=["a", "b"]))
    assert list(read(path).frame["fid"]) == [7, 9]


def test_the_object_id_of_a_geodatabase_can_be_used(tmp_path: Path) -> None:
    path = basins(tmp_path / "town.gdb")
    assert "OBJECTID" in open_source(path).layers[0].fields
    assert list(read(path).frame["OBJECTID"]) == [1, 2, 3]


def test_fid_twice_in_a_shapefile_is_a_column_like_any_other(tmp_path: Path) -> None:
    path = write(tmp_path / "t.shp", frame([near(), near(9)], fid=[1, 1]))
    assert list(read(path).frame["fid"]) == [1, 1]


@pytest.mark.parametrize("name", ["geometry", "geom", "wkb_geometry", "OGC_FID", "z_drawn", "__id", "index"])
def test_a_column_with_a_name_of_ours_survives(tmp_path: Path, name: str) -> None:
    point = {"type": "Point", "coordinates": [LON, LAT]}
    features = read(geojson(tmp_path / "t.geojson", ({name: "mine", "ID": "1"}, point)))
    assert list(features.frame[name]) == ["mine"]
    assert features.shapes[0].wkt == "POINT (-73.6 41.33)"


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


# -- a service that stopped (FAULTS 18)


@pytest.mark.parametrize(("count", "said"), [(999, False), (1000, True), (1001, False), (2000, True), (3000, True)])
def test_a_round_count_is_doubted(tmp_path: Path, count: int, said: bool) -> None:
    path = write(tmp_path / "t.gpkg", frame([near()] * count, ID=list(range(count))))
    assert ("round_count" in noted(read(path))) is said


def test_the_flag_of_a_map_service_is_seen(tmp_path: Path) -> None:
    path = geojson(tmp_path / "t.geojson", ({"ID": 1}, POINT), exceededTransferLimit=True)
    assert "transfer_limit" in noted(read(path))


def test_the_flag_of_a_newer_map_service_is_seen(tmp_path: Path) -> None:
    path = geojson(tmp_path / "t.geojson", ({"ID": 1}, POINT), properties={"exceededTransferLimit": True})
    assert "transfer_limit" in noted(read(path))


def test_a_flag_that_says_no_is_no_flag(tmp_path: Path) -> None:
    path = geojson(tmp_path / "t.geojson", ({"ID": 1}, POINT), exceededTransferLimit=False)
    assert "transfer_limit" not in noted(read(path))


def test_a_remark_about_the_flag_is_no_flag(tmp_path: Path) -> None:
    path = geojson(tmp_path / "t.geojson", ({"ID": 1, "R": 'says "exceededTransferLimit": true'}, POINT))
    assert "transfer_limit" not in noted(read(path))


def test_a_saved_esri_answer(tmp_path: Path) -> None:
    answer = {
        "geometryType": "esriGeometryPoint",
        "spatialReference": {"wkid": 102100, "latestWkid": 3857},
        "fields": [
            {"name": "OBJECTID", "type": "esriFieldTypeOID"},
            {"name": "SEEN", "type": "esriFieldTypeDate"},
        ],
        "features": [
            {"attributes": {"OBJECTID": at, "SEEN": 1719876600000}, "geometry": {"x": -8193114.0, "y": 5061480.0}}
            for at in range(2000)
        ],
        "exceededTransferLimit": True,
    }
    (tmp_path / "t.json").write_text(json.dumps(answer))
    features = read(tmp_path / "t.json")
    assert {"round_count", "transfer_limit"} <= set(noted(features))
    assert features.crs is not None
    assert features.crs.to_epsg() == 3857


# -- letters (FAULTS 11)


def dbf_in(path: Path, encoding: str, cpg: str | None) -> Path:
    """A shapefile with one name in an encoding, and a .cpg that says which, or none."""
    with warnings.catch_warnings(action="ignore"):
        frame([near()], NAME=["Café Niño"]).to_file(path, engine="pyogrio", encoding=encoding)
    path.with_suffix(".cpg").unlink(missing_ok=True)
    raw = bytearray(path.with_suffix(".dbf").read_bytes())
    raw[29] = 0
    path.with_suffix(".dbf").write_bytes(raw)
    if cpg:
        path.with_suffix(".cpg").write_text(cpg)
    return path


def test_the_encoding_that_a_cpg_tells_is_used(tmp_path: Path) -> None:
    features = read(dbf_in(tmp_path / "t.shp", "cp1252", "1252"))
    assert list(features.frame["NAME"]) == ["Café Niño"]
    assert not noted(features)


def test_without_a_cpg_the_reading_is_said(tmp_path: Path) -> None:
    features = read(dbf_in(tmp_path / "t.shp", "cp1252", None))
    assert list(features.frame["NAME"]) == ["Café Niño"]
    assert "Café Niño" in noted(features)["encoding_assumed"]


def test_utf8_without_a_cpg_is_read_as_what_it_is(tmp_path: Path) -> None:
    features = read(dbf_in(tmp_path / "t.shp", "UTF-8", None))
    assert list(features.frame["NAME"]) == ["Café Niño"]
    assert "UTF-8" in noted(features)["encoding_assumed"]


def test_a_cpg_that_says_western_of_utf8_looks_misread(tmp_path: Path) -> None:
    path = dbf_in(tmp_path / "t.shp", "UTF-8", "1252")
    assert "'CafÃ© NiÃ±o' looks misread" in noted(read(path))["text_misread"]
    assert list(read(path, encoding="UTF-8").frame["NAME"]) == ["Café Niño"]


def test_a_cpg_that_lies_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = dbf_in(tmp_path / "t.shp", "cp1252", "UTF-8")
    with pytest.raises(SourceError, match="try --encoding"):
        read(path)
    assert list(read(path, encoding="cp1252").frame["NAME"]) == ["Café Niño"]


def test_an_encoding_that_does_not_exist(tmp_path: Path) -> None:
    assert (
        "'klingon' is no text encoding"
        in refused(basins(tmp_path / "b.shp"), "source_encoding", encoding="klingon").text
    )


@pytest.mark.parametrize(("length", "said"), [(253, False), (254, True), (400, True)])
def test_text_that_fills_the_widest_field_may_be_cut(tmp_path: Path, length: int, said: bool) -> None:
    path = write(tmp_path / "t.shp", frame([near()], NOTE=["x" * length]))
    assert ("text_cut" in noted(read(path))) is said


def test_accented_text_is_measured_in_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "t.shp", frame([near()], NOTE=["é" * 300]))
    features = read(path)
    assert len(features.frame["NOTE"].iloc[0]) < 254
    assert "text_cut" in noted(features)


def test_a_short_code_that_fills_its_field_is_not_doubted(tmp_path: Path) -> None:
    assert "text_cut" not in noted(read(basins(tmp_path / "b.shp", OWNER=["TOWN", "TOWN", "TOWN"])))
