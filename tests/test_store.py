"""The town's layers.gpkg: what goes in comes out, it is swapped in whole or not at all, and damage is said."""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from pyproj import CRS

from layers.errors import StoreError
from layers.received import keep_source
from layers.schema import LAYERS, Field, dtype, schema
from layers.settings import load_settings
from layers.store import FILE, Facts, digest, locked, read_facts, write_facts, write_joins
from layers.town import READ_BY_JOINS, make_joins
from tests.received import basins, geojson, hashes, near, parts, settings, text, untimed
from tests.support import layer

FEET = CRS.from_epsg(2260)


def basin(**fields: Any) -> dict[str, gpd.GeoDataFrame]:
    return {"catch_basins": layer("catch_basins", {"CB-1": ("POINT (0 0)", fields)})}


# -- what goes in comes out


def test_a_town_without_imports_has_no_layers(tmp_path: Path) -> None:
    assert read_facts(tmp_path, FEET) == Facts({})
    assert digest(tmp_path) == ""


@pytest.mark.parametrize("name", LAYERS)
def test_an_empty_layer_comes_back_with_its_columns(tmp_path: Path, name: str) -> None:
    empty = schema(name).empty(FEET)
    write_facts(tmp_path, Facts({name: empty}), FEET)
    found = read_facts(tmp_path, FEET).layers[name]
    assert_frame_equal(found, empty)
    assert found.crs == FEET


def values(each: Field) -> st.SearchStrategy[Any]:
    letters = st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])
    words = st.text(letters, max_size=12).map(str.strip)
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "text": st.sampled_from(each.codes) if each.codes else words,
        "yesno": st.sampled_from(["yes", "no", "unknown"]),
        "number": st.floats(allow_infinity=False),
        "integer": st.integers(-(2**53), 2**53) | st.just(pd.NA),
        "date": st.none() | st.dates(date(1900, 1, 2), date(2099, 12, 31)),
    }
    return kinds[each.type]


SHAPES = st.sampled_from([None, near(), near(0.123456789, 9)])


@given(data=st.data())
@hypothesis_settings(untimed, max_examples=40)
def test_every_value_of_every_type_comes_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    known = schema(data.draw(st.sampled_from(["catch_basins", "outfalls", "drains", "facilities"])))
    words = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1, max_size=8)
    ids = data.draw(st.lists(words, min_size=1, max_size=4, unique=True))
    index = pd.Index(ids, dtype="str", name=known.id)
    columns = {
        each.name: pd.Series([data.draw(values(each)) for _ in ids], index=index, dtype=dtype(each.type))
        for each in known.fields
    }
    shapes = gpd.GeoSeries([data.draw(SHAPES) for _ in ids], index=index, crs=FEET)
    frame = gpd.GeoDataFrame(columns, geometry=shapes, crs=FEET)
    folder = tmp_path_factory.mktemp("town")
    write_facts(folder, Facts({known.layer: frame}), FEET)
    found = read_facts(folder, FEET).layers[known.layer]
    assert_frame_equal(found, frame)
    assert list(found.index) == ids
    for name in known.names:
        assert [type(each) for each in found[name]] == [type(each) for each in frame[name]]


def town_layers() -> dict[str, gpd.GeoDataFrame]:
    return {
        "catch_basins": layer("catch_basins", {"A": "POINT (0 0)", "B": "POINT (100 0)", "C": ""}),
        "outfalls": layer("outfalls", {"OF": "POINT (200 0)"}),
        "pipes": layer("pipes", {"P1": "LINESTRING (0 0, 100 0)", "P2": "LINESTRING (100 0, 200 0)"}),
        "parcels": layer("parcels", {"L1": "POLYGON ((0 10, 90 10, 90 90, 0 90, 0 10))"}),
        "waters": layer("waters", {"W1": ("LINESTRING (210 -50, 210 50)", {"name": "Brook"})}),
    }


def assert_same(found: pd.DataFrame, made: pd.DataFrame) -> None:
    """The same rows and numbers; text may have been made as `object`."""
    texts = [name for name in made if made[name].dtype == object and name != "geometry"]
    assert_frame_equal(found, made.astype(dict.fromkeys(texts, "str")), check_index_type=False)


@pytest.mark.parametrize("layers", [{}, town_layers()], ids=["no layers", "a town"])
def test_joins_come_back_as_they_were_made(tmp_path: Path, layers: dict[str, gpd.GeoDataFrame]) -> None:
    made = make_joins(layers, settings())
    write_facts(tmp_path, Facts(layers, made), FEET)
    found = read_facts(tmp_path, FEET).joins
    assert found is not None
    for name in ("premises_links", "water_links", "watershed_links"):
        assert_same(getattr(found, name), getattr(made, name))
    assert_same(found.network.nodes, made.network.nodes)
    assert_same(found.network.edges, made.network.edges)


def test_layers_without_joins_have_none(tmp_path: Path) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    assert read_facts(tmp_path, FEET).joins is None


def test_import_reports_come_back(tmp_path: Path) -> None:
    reports = [{"layer": "pipes", "by": "Zoë", "values": {"unknown": {"owner": {"<b>": 2}}}}]
    write_facts(tmp_path, Facts({}, imports=reports), FEET)
    assert read_facts(tmp_path, FEET).imports == reports


def test_a_file_older_than_a_field_is_read_with_the_field_blank(tmp_path: Path) -> None:
    write_facts(tmp_path, Facts(basin(rim_ft=500.0)), FEET)
    raw = pyogrio.read_dataframe(tmp_path / FILE, layer="catch_basins").drop(columns=["rim_ft", "owner", "surveyed_on"])
    pyogrio.write_dataframe(raw, tmp_path / FILE, layer="catch_basins", append=False)
    found = read_facts(tmp_path, FEET).layers["catch_basins"].loc["CB-1"]
    assert np.isnan(found["rim_ft"])
    assert (found["owner"], found["surveyed_on"]) == ("unknown", None)


def test_the_file_opens_elsewhere(tmp_path: Path) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    elsewhere = gpd.read_file(tmp_path / FILE, layer="catch_basins")
    assert elsewhere.crs.to_epsg() == 2260
    assert list(elsewhere["asset_id"]) == ["CB-1"]


# -- whole or not at all


def test_a_second_writing_replaces_the_first(tmp_path: Path) -> None:
    write_facts(tmp_path, Facts(basin(rim_ft=500.0)), FEET)
    first = digest(tmp_path)
    write_facts(tmp_path, Facts(basin(rim_ft=501.0)), FEET)
    assert digest(tmp_path) != first
    assert read_facts(tmp_path, FEET).layers["catch_basins"]["rim_ft"].tolist() == [501.0]
    assert [each.name for each in tmp_path.iterdir()] == [FILE]


@contextmanager
def disk_full(limit: int) -> Iterator[None]:
    """No file may grow beyond so many bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("limit", [0, 4096, 60_000, 100_000])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, limit: int) -> None:
    write_facts(tmp_path, Facts(basin(rim_ft=500.0)), FEET)
    before = hashes(tmp_path)
    with disk_full(limit), pytest.raises(StoreError, match=r"layers\.gpkg cannot be written") as caught:
        write_facts(tmp_path, Facts(town_layers()), FEET)
    assert "untouched" in caught.value.hint
    assert hashes(tmp_path) == before


@pytest.mark.parametrize(
    "fault", [OSError("disk error"), pyogrio.errors.DataSourceError("disk I/O error"), ValueError("x")]
)
def test_a_fault_while_writing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    before = hashes(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("layers.store.pyogrio.write_dataframe", fail)
    with pytest.raises(StoreError, match="cannot be written"):
        write_facts(tmp_path, Facts(basin(rim_ft=501.0)), FEET)
    assert hashes(tmp_path) == before


def test_rows_that_do_not_arrive_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    before, real = hashes(tmp_path), pyogrio.write_dataframe
    monkeypatch.setattr("layers.store.pyogrio.write_dataframe", lambda frame, *a, **k: real(frame.iloc[:1], *a, **k))
    with pytest.raises(StoreError, match="catch_basins reads back with 1 of 3 rows"):
        write_facts(tmp_path, Facts(town_layers()), FEET)
    assert hashes(tmp_path) == before


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_a_file_that_another_program_is_changing_is_not_replaced(tmp_path: Path, ending: str) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    beside = tmp_path / f"{FILE}{ending}"
    beside.write_bytes(b"")
    write_facts(tmp_path, Facts(basin()), FEET)
    beside.write_bytes(b"changes")
    before = hashes(tmp_path)
    with pytest.raises(StoreError, match="is open in another program") as caught:
        write_facts(tmp_path, Facts(basin()), FEET)
    assert caught.value.code == "store_open"
    assert hashes(tmp_path) == before


def test_a_folder_that_is_no_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "town").write_text("a file")
    with pytest.raises(StoreError, match="cannot be written"):
        write_facts(tmp_path / "town", Facts(basin()), FEET)
    assert (tmp_path / "town").read_text() == "a file"


# -- damage


def damage(folder: Path, how: str) -> None:
    path = folder / FILE
    raw = bytearray(path.read_bytes())
    at = raw.rfind(b"CB-1")
    changed = {
        "text": b"not a database",
        "empty": b"",
        "half": bytes(raw[: len(raw) // 2]),
        "last page": bytes(raw[:-4096]),
        "zeros": bytes(raw[: at - 100]) + bytes(4096) + bytes(raw[at + 3996 :]),
        "header": b"SQLite format 4\0" + bytes(raw[16:]),
    }
    path.write_bytes(changed[how])


@pytest.mark.parametrize("how", ["text", "empty", "half", "last page", "zeros", "header"])
def test_a_damaged_file_is_one_clear_error(tmp_path: Path, how: str) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    damage(tmp_path, how)
    before = hashes(tmp_path)
    with pytest.raises(StoreError, match=r"layers\.gpkg is damaged: ") as caught:
        read_facts(tmp_path, FEET)
    assert caught.value.code == "store_damaged"
    assert "restore it" in caught.value.hint
    assert "\n" not in str(caught.value)
    assert hashes(tmp_path) == before


def test_a_layer_without_its_ids_is_damage(tmp_path: Path) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    raw = pyogrio.read_dataframe(tmp_path / FILE, layer="catch_basins").drop(columns="asset_id")
    pyogrio.write_dataframe(raw, tmp_path / FILE, layer="catch_basins", append=False)
    with pytest.raises(StoreError, match="is damaged"):
        read_facts(tmp_path, FEET)


# -- one writer


def test_a_second_writer_waits_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("layers.store.WAIT_S", 0.05)
    with locked(tmp_path), pytest.raises(StoreError, match="is being written by another program"), locked(tmp_path):
        pass


def test_the_lock_is_open_again_after_a_fault(tmp_path: Path) -> None:
    with pytest.raises(KeyError), locked(tmp_path):
        raise KeyError
    with locked(tmp_path):
        assert list(tmp_path.iterdir()) == []


def test_a_fault_of_the_work_is_no_fault_of_the_lock(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="of the work"), locked(tmp_path):
        raise OSError("of the work")


def test_a_lock_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("layers.store.tempfile.gettempdir", lambda: str(text(tmp_path / "no_folder", "")))
    with pytest.raises(StoreError, match="cannot be locked"), locked(tmp_path):
        pass


# -- the files as received

BROUGHT = {"by": "J. Doe", "on": "2026-11-30"}


def test_a_file_is_kept_under_its_hash_with_who_brought_it(tmp_path: Path) -> None:
    path = text(tmp_path / "b.csv", "CB_ID", "CB-1")
    kept = keep_source(tmp_path / "town", path, BROUGHT)
    assert {each.name for each in kept.iterdir()} == {"b.csv", "provenance.json"}
    assert (kept / "b.csv").read_bytes() == path.read_bytes()
    assert json.loads((kept / "provenance.json").read_text()) == BROUGHT


def test_the_same_file_is_kept_once_by_whoever_brought_it_first(tmp_path: Path) -> None:
    path = text(tmp_path / "b.csv", "CB_ID", "CB-1")
    first = keep_source(tmp_path / "town", path, BROUGHT)
    assert keep_source(tmp_path / "town", path, {"by": "R. Roe"}) == first
    assert json.loads((first / "provenance.json").read_text()) == BROUGHT


def test_all_parts_of_a_shapefile_are_kept_and_an_edited_table_is_another_file(tmp_path: Path) -> None:
    path = basins(tmp_path / "b.shp")
    first = keep_source(tmp_path / "town", path, BROUGHT)
    assert {each.name for each in parts(path)} == {each.name for each in first.iterdir()} - {"provenance.json"}
    shapes = path.read_bytes()
    basins(path, ids=["CB-1", "CB-2", "CB-X"])
    assert path.read_bytes() == shapes
    assert keep_source(tmp_path / "town", path, BROUGHT) != first


def test_a_geodatabase_is_kept_as_its_folder(tmp_path: Path) -> None:
    path = basins(tmp_path / "t.gdb")
    kept = keep_source(tmp_path / "town", path, BROUGHT)
    assert hashes(kept / "t.gdb") == hashes(path)


def test_a_file_that_cannot_be_kept_leaves_nothing_behind(tmp_path: Path) -> None:
    path = geojson(tmp_path / "b.geojson", ({"x": "y" * 9000}, None))
    with disk_full(4096), pytest.raises(StoreError, match=r"b\.geojson cannot be kept"):
        keep_source(tmp_path / "town", path, BROUGHT)
    assert hashes(tmp_path / "town") == {}


def test_the_hash_of_the_layers_follows_their_bytes(tmp_path: Path) -> None:
    write_facts(tmp_path, Facts(basin()), FEET)
    shutil.copytree(tmp_path, tmp_path / "copy")
    assert digest(tmp_path) == digest(tmp_path / "copy")


def test_joins_look_at_no_other_fields_than_those_that_are_read_for_them(sample: Path) -> None:
    crs = load_settings(sample).crs
    whole, part = read_facts(sample, crs), read_facts(sample, crs, fields=READ_BY_JOINS)
    made, again = (make_joins(each.layers, load_settings(sample)) for each in (whole, part))
    for name in ("premises_links", "water_links", "watershed_links"):
        assert_frame_equal(getattr(made, name), getattr(again, name))
    assert_frame_equal(pd.DataFrame(made.network.edges), pd.DataFrame(again.network.edges))


def test_writing_the_joins_leaves_the_layers_as_they_are(own_sample: Path) -> None:
    settings = load_settings(own_sample)
    before = read_facts(own_sample, settings.crs)
    write_joins(own_sample, make_joins(before.layers, settings), settings.crs)
    after = read_facts(own_sample, settings.crs)
    assert after.imports == before.imports
    for name, frame in before.layers.items():
        assert_frame_equal(pd.DataFrame(frame), pd.DataFrame(after.layers[name]))
