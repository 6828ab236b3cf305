"""Bad input at the command line: one clear line, exit 2, no traceback, and nothing changed in the town's folder."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from layers.errors import MS4Error
from layers.store import FILE
from mapping.__main__ import main
from tests.received import (
    LAT,
    LON,
    basins,
    frame,
    geojson,
    hashes,
    lot,
    near,
    parts,
    take,
    text,
    untimed,
    workbook,
    write,
    zipped,
)

ON = ["--on", "2026-11-30"]
POINT = {"type": "Point", "coordinates": [LON, LAT]}
Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *words: str | Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    capsys.readouterr()
    code = main([*map(str, words), *ON])
    out, err = capsys.readouterr()
    return code, out, err


def refused(capsys: Capture, code: str, *words: str | Path) -> str:
    """The one line of a command that is refused; the same command with --json says the same as an object."""
    exit_code, out, line = run(capsys, *words)
    assert (exit_code, out) == (2, "")
    assert line.startswith(f"error: {code}: ")
    assert line.count("\n") == 1
    assert "Traceback" not in line
    exit_code, out, again = run(capsys, *words, "--json")
    assert (exit_code, again) == (2, line)
    error = json.loads(out)["error"]
    assert set(error) == {"code", "text", "hint"}
    assert error["code"] == code
    assert error["hint"]
    assert " ".join(f"error: {code}: {error['text']}; {error['hint']}".split()) == line.strip()
    return line


@pytest.fixture
def town(tmp_path: Path, capsys: Capture) -> Path:
    """A town with three basins imported."""
    folder = tmp_path / "town"
    assert run(capsys, "new", folder, "--name", "Testwick", "--bounds=-73.67,41.29,-73.52,41.38")[0] == 0
    code, _, err = run(
        capsys, "import", folder, basins(tmp_path / "first.gpkg"), "--as", "catch_basins", "--by", "Clerk"
    )
    assert code == 0, err
    return folder


def without(ending: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = basins(folder / "b.shp")
        path.with_suffix(ending).unlink()
        return path

    return make


def truncated(folder: Path) -> Path:
    path = basins(folder / "b.shp")
    dbf = path.with_suffix(".dbf")
    dbf.write_bytes(dbf.read_bytes()[:-20])
    return path


def unwritten(folder: Path) -> Path:
    path = basins(folder / "b.gpkg")
    (folder / "b.gpkg-wal").write_bytes(b"pending")
    return path


def in_old_datum(folder: Path) -> Path:
    return write(folder / "b.gpkg", frame([near()], CB_ID=["1"]).to_crs(4326).set_crs(4267, allow_override=True))


def in_another_plane(folder: Path) -> Path:
    return write(folder / "b.gpkg", frame([near()], crs=2263, CB_ID=["1"]))


SOURCES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "a file that is not there": ("source_missing", lambda at: at / "lost.shp"),
    "a folder": ("source_kind", lambda at: basins(at / "b.shp").parent),
    "a kind that is not read": ("source_kind", lambda at: text(at / "b.dwg", "AC1032")),
    "a shapefile without .dbf": ("source_parts", without(".dbf")),
    "a shapefile without .shx": ("source_parts", without(".shx")),
    "a shapefile without .prj": ("crs_missing", without(".prj")),
    "a shapefile whose table is cut off": ("source_truncated", truncated),
    "a text file renamed .shp": ("source_parts", lambda at: text(at / "b.shp", "Dear Town,")),
    "a text file renamed .gpkg": ("source_damaged", lambda at: text(at / "b.gpkg", "Dear Town,")),
    "a text file renamed .geojson": ("source_damaged", lambda at: text(at / "b.geojson", "Dear Town,")),
    "a text file renamed .xlsx": ("source_damaged", lambda at: text(at / "b.xlsx", "Dear Town,")),
    "a text file renamed .zip": ("source_damaged", lambda at: text(at / "b.zip", "Dear Town,")),
    "a file without CRS": ("crs_missing", lambda at: basins(at / "b.gpkg", crs=None)),
    "an empty layer": ("source_empty", lambda at: write(at / "b.gpkg", frame([near()], CB_ID=["1"]).iloc[:0])),
    "an empty text file": ("source_empty", lambda at: text(at / "b.csv", "")),
    "a header alone": ("source_empty", lambda at: text(at / "b.csv", "CB_ID,RIM")),
    "an empty workbook": ("source_empty", lambda at: workbook(at / "b.xlsx")),
    "a column twice": ("source_columns", lambda at: workbook(at / "b.xlsx", ["CB_ID", "CB_ID"], ["1", "2"])),
    "a title above the header": (
        "source_columns",
        lambda at: workbook(at / "b.xlsx", ["Basins"], ["ID", "RIM"], ["1", "2"]),
    ),
    "a row with too many cells": ("source_ragged", lambda at: text(at / "b.csv", "CB_ID,RIM", "1,2,3")),
    "a quote that never closes": ("source_ragged", lambda at: text(at / "b.csv", "CB_ID,RIM", '1,"2')),
    "a GeoPackage that is still open": ("source_unwritten", unwritten),
    "several shapefiles in a zip": (
        "source_layer",
        lambda at: zipped(at / "b.zip", *parts(basins(at / "a.shp")), *parts(basins(at / "c.shp"))),
    ),
    "degrees that are feet": (
        "crs_units",
        lambda at: geojson(at / "b.geojson", ({"CB_ID": "1"}, {"type": "Point", "coordinates": [715000, 980000]})),
    ),
    "latitude and longitude exchanged": (
        "crs_outside",
        lambda at: text(at / "b.csv", "CB_ID,LAT,LON", f"1,{LON},{LAT}"),
    ),
    "another state's plane": ("crs_outside", in_another_plane),
    "NAD27 without its grid": ("crs_accuracy", in_old_datum),
    "an unknown drawing, all of it": (
        "crs_outside",
        lambda at: write(at / "b.gpkg", frame([near(900_000)], CB_ID=["1"])),
    ),
}


@pytest.mark.parametrize("what", SOURCES)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["", "dry run"])
def test_a_source_that_is_refused_changes_nothing(
    tmp_path: Path, capsys: Capture, town: Path, what: str, dry: list[str]
) -> None:
    code, make = SOURCES[what]
    (tmp_path / "received").mkdir()
    path = make(tmp_path / "received")
    before, received = hashes(town), hashes(tmp_path / "received")
    line = refused(capsys, code, "import", town, path, "--as", "catch_basins", *dry)
    assert path.name in line
    assert hashes(town) == before
    assert hashes(tmp_path / "received") == received


def test_a_layer_name_that_is_not_there(tmp_path: Path, capsys: Capture, town: Path) -> None:
    before = hashes(town)
    words = ["import", town, tmp_path / "first.gpkg", "--as", "catch_basins", "--source-layer", "pipes"]
    assert "has no layer 'pipes'; it holds: first" in refused(capsys, "source_layer", *words)
    assert hashes(town) == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--as", "basins"], "layer"),
        (["--as", "../town"], "layer"),
        ([], "call"),
        (["--as", "catch_basins", "--crosswalk", "x.toml"], "call"),
        (["--crosswalk", "lost.toml"], "field"),
        (["--as", "catch_basins", "--crs", "EPSG:2260"], "call"),
        (["--as", "catch_basins", "--crs", "EPSG:1", "--crs-by", "x"], "crs"),
        (["--as", "catch_basins", "--crs", "EPSG:2263", "--crs-by", "x"], "crs_outside"),
        (["--as", "catch_basins", "--encoding", "klingon"], "source_encoding"),
        (["--as", "catch_basins", "--colour", "red"], "call"),
    ],
)
def test_a_call_that_is_refused_changes_nothing(
    tmp_path: Path, capsys: Capture, town: Path, words: list[str], code: str
) -> None:
    before = hashes(town)
    refused(capsys, code, "import", town, tmp_path / "first.gpkg", *words)
    assert hashes(town) == before


def test_every_fault_of_a_crosswalk_is_told_in_one_line(tmp_path: Path, capsys: Capture, town: Path) -> None:
    path = text(
        tmp_path / "x.toml",
        '[[target]]\nlayer = "catch_basins"\nfields = { rim = "R", owner = "O" }\nset = { owner = "V" }',
    )
    before = hashes(town)
    line = refused(capsys, "field", "import", town, tmp_path / "first.gpkg", "--crosswalk", path)
    assert (
        "layer catch_basins has no field 'rim'; [[target]] 1: owner stands in fields and in set; [[target]] 1: set.owner"
        in line
    )
    assert hashes(town) == before


def test_a_column_that_the_file_lacks(tmp_path: Path, capsys: Capture, town: Path) -> None:
    path = text(tmp_path / "x.toml", '[[target]]\nlayer = "catch_basins"\nfields = { rim_ft = "RIM" }')
    before = hashes(town)
    assert "has no field RIM" in refused(capsys, "field", "import", town, tmp_path / "first.gpkg", "--crosswalk", path)
    assert hashes(town) == before


def test_a_dry_run_reports_and_changes_nothing(tmp_path: Path, capsys: Capture, town: Path) -> None:
    before = hashes(town)
    path = basins(tmp_path / "more.gpkg", ids=["CB-1", "CB-9"])
    code, out, _ = run(capsys, "import", town, path, "--as", "catch_basins", "--dry-run", "--json")
    assert code == 0
    assert json.loads(out)["reports"][0]["changes"] == {"added": 1, "changed": 1, "missing": 0}
    assert hashes(town) == before


def test_an_import_changes_the_town_and_the_same_again_does_not_change_its_layers(
    tmp_path: Path, capsys: Capture, town: Path
) -> None:
    code, out, _ = run(capsys, "import", town, tmp_path / "first.gpkg", "--as", "catch_basins", "--json")
    report = json.loads(out)["reports"][0]
    assert code == 0
    assert report["changes"] == {"added": 0, "changed": 0, "missing": 0}
    assert (report["read"], report["kept"], report["rejected"]) == (3, 3, [])
    assert len(list((town / "sources").iterdir())) == 1


# -- a damaged town

READING = [["layers"], ["build"], ["check"], ["trace", "catch_basins:CB-1"], ["chain", "catch_basins:CB-1"]]


@pytest.mark.parametrize(
    "words", [*READING, ["import", "first.gpkg", "--as", "catch_basins"]], ids=lambda words: words[0]
)
@pytest.mark.parametrize("how", ["text", "half"])
def test_damaged_layers_are_one_line(
    tmp_path: Path, capsys: Capture, town: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], how: str
) -> None:
    path = town / FILE
    path.write_bytes(b"not a database" if how == "text" else path.read_bytes()[: path.stat().st_size // 2])
    before = hashes(town)
    monkeypatch.chdir(tmp_path)
    assert "layers.gpkg is damaged" in refused(capsys, "store_damaged", words[0], town, *words[1:])
    assert hashes(town) == before


@pytest.mark.parametrize("words", [["layers"], ["check"], ["verify"]], ids=lambda words: words[0])
@pytest.mark.parametrize(
    "raw", [b"not a database", b"SQLite format 3\0" + bytes(100), b""], ids=["text", "header", "empty"]
)
def test_a_damaged_register_is_one_line(capsys: Capture, town: Path, words: list[str], raw: bytes) -> None:
    (town / "register.sqlite").write_bytes(raw)
    before = hashes(town)
    refused(capsys, "register", words[0], town, *words[1:])
    assert hashes(town) == before


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_a_folder_that_is_no_town(tmp_path: Path, capsys: Capture, words: list[str]) -> None:
    assert "is no town folder" in refused(capsys, "store", words[0], tmp_path, *words[1:])
    assert list(tmp_path.iterdir()) == []


def test_a_town_whose_settings_are_damaged(capsys: Capture, town: Path) -> None:
    (town / "town.toml").write_text("name = ")
    assert "town.toml cannot be read" in refused(capsys, "store", "layers", town)


def test_a_town_whose_settings_are_wrong(capsys: Capture, town: Path) -> None:
    with (town / "town.toml").open("a") as stream:
        stream.write("\n[colours]\nred = 1\n")
    assert "unknown key colours" in refused(capsys, "call", "layers", town)


def test_an_import_that_cannot_be_written_leaves_the_old_layers(
    tmp_path: Path, capsys: Capture, town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    before, path = hashes(town)[FILE], basins(tmp_path / "more.gpkg", ids=["CB-9"])
    monkeypatch.setattr("layers.store.pyogrio.write_dataframe", fail)
    line = refused(capsys, "store", "import", town, path, "--as", "catch_basins")
    assert "layers.gpkg cannot be written: No space left on device" in line
    assert hashes(town)[FILE] == before
    monkeypatch.undo()
    assert run(capsys, "layers", town)[0] == 0


# -- what else may come


def test_a_program_of_its_own_says_one_line_too(tmp_path: Path, town: Path) -> None:
    """In a process of its own, where GDAL, PROJ and logging could write to stderr by themselves."""
    for path in (
        text(tmp_path / "b.gpkg", "x"),
        basins(tmp_path / "c.shp", crs=None),
        text(tmp_path / "d.geojson", '{"type": "F'),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "mapping", "import", str(town), str(path), "--as", "catch_basins"],
            capture_output=True, text=True, check=False, cwd=Path(__file__).resolve().parent.parent,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


def test_hostile_text_comes_through_unharmed(tmp_path: Path, capsys: Capture, town: Path) -> None:
    said = '"><script>alert(1)</script>\\u0000\n=HYPERLINK("x") \'; DROP TABLE catch_basins; --'
    path = geojson(tmp_path / "h.geojson", ({"CB_ID": said, "ROAD": said, "OWNER": said}, POINT))
    code, out, _ = run(capsys, "import", town, path, "--as", "catch_basins", "--json")
    report = json.loads(out)["reports"][0]
    assert code == 0
    assert report["kept"] == 1
    assert report["values"]["unknown"]["owner"] == {said: 1}
    assert run(capsys, "layers", town)[0] == 0


def made(folder: Path) -> list[Path]:
    """One small file of every kind."""
    shapes = [basins(folder / f"b{ending}") for ending in (".gpkg", ".geojson", ".shp", ".fgb")]
    lots = write(folder / "l.geojson", frame([lot((0, 0), (9, 0), (9, 9))], CB_ID=["1"]))
    table = text(folder / "b.csv", "CB_ID,LAT,LON", f"CB-1,{LAT},{LON}", f'"CB-2",{LAT},{LON}')
    archive = zipped(folder / "b.zip", *parts(folder / "b.shp"))
    return [*shapes, lots, table, archive, workbook(folder / "b.xlsx", ["CB_ID", "LAT", "LON"], ["CB-1", LAT, LON])]


@given(which=st.integers(0, 7), seed=st.integers(0, 2**32), how=st.sampled_from(["cut", "zero", "flip", "double"]))
@hypothesis_settings(untimed, max_examples=150)
def test_a_damaged_file_is_read_or_refused_and_never_breaks_the_program(
    tmp_path_factory: pytest.TempPathFactory, which: int, seed: int, how: str
) -> None:
    folder, chance = tmp_path_factory.mktemp("damaged"), random.Random(seed)
    path = made(folder)[which]
    raw = bytearray(path.read_bytes())
    at = chance.randrange(len(raw))
    if how == "flip":
        for _ in range(8):
            raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(
        {"cut": raw[:at], "zero": raw[:at] + bytes(64) + raw[at + 64 :], "flip": raw, "double": raw[:at] + raw}[how]
    )
    with suppress(MS4Error):
        _, report = take(path)
        assert report.read == report.kept + sum(len(ids) for ids in report.notes.rejected.values())
