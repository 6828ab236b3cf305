"""Whether a file has come whole: parts of a shapefile, archives, GeoPackages that are still open."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import zipfile
from pathlib import Path

import pytest

from layers.errors import SourceError
from layers.sources import companions, open_source, sha256_of
from tests.received import (
    LAT,
    LON,
    basins,
    frame,
    geojson,
    hashes,
    near,
    parts,
    read,
    refused,
    text,
    write,
    zipped,
)

POINT = {"type": "Point", "coordinates": [LON, LAT]}


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
