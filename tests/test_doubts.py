"""What a source does not say aloud: a service that stopped, letters misread, text cut short."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from layers.errors import SourceError
from tests.received import LAT, LON, basins, frame, geojson, near, noted, read, refused, write

POINT = {"type": "Point", "coordinates": [LON, LAT]}


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
