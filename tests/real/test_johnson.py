"""Johnson, Vermont: small coded shapefiles, from the command line; how the numbers were counted is in docs/real-towns.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from layers.trace import trace
from mapping.__main__ import main
from mapping.ms4 import ms4_test
from tests.real.conftest import JOHNSON, RealTown, files_of

POINTS, LINES = "storm_pts.shp", "storm_lines.shp"


@pytest.mark.parametrize(
    ("source", "layer", "read", "repaired"),
    [
        (POINTS, "catch_basins", 8, {}),
        (POINTS, "manholes", 2 + 6 + 8 + 2, {}),
        (POINTS, "outfalls", 3, {"id_made": 1}),
        (LINES, "culverts", 7, {}),
        (LINES, "pipes", 13, {}),
        (LINES, "ditches", 11, {}),
        (LINES, "waters", 4, {}),
        ("initial_catchment.shp", "sewersheds", 1, {}),
    ],
)
def test_every_feature_is_kept_and_every_repair_is_said(
    johnson: RealTown, source: str, layer: str, read: int, repaired: dict[str, int]
) -> None:
    report = johnson.report(source, layer)
    assert (report.read, report.kept, report.unlocated, report.notes.rejected) == (read, read, 0, {})
    assert {code: len(ids) for code, ids in report.notes.repaired.items()} == repaired


def test_both_mixed_files_are_split_without_a_rest(johnson: RealTown) -> None:
    def rows(*layers: str) -> int:
        return sum(len(johnson.town.layer(layer)) for layer in layers)

    assert rows("catch_basins", "manholes", "outfalls") == 29
    assert rows("culverts", "pipes", "ditches", "waters") == 35


def test_culvert_ends_and_unknown_kinds_are_structures_and_no_outfalls(johnson: RealTown) -> None:
    kinds = johnson.town.layer("manholes")["kind"].value_counts().to_dict()
    assert kinds == {"culvert outlet": 8, "culvert inlet": 6, "manhole": 2, "unknown": 2}
    assert list(johnson.town.layer("outfalls").index) == ["O1297", "O1304", "storm_pts-9"]


def test_a_catchment_in_another_realization_of_the_datum_is_brought_over_and_the_shift_is_said(
    johnson: RealTown,
) -> None:
    source = johnson.report("initial_catchment.shp", "sewersheds").source
    assert (source["crs_read"], source["crs_used"]) == ("EPSG:6589", "EPSG:6589")
    assert "NAD83(2011)" in source["crs_operation"]
    # EPSG:6589 is in metres, so its numbers stay the same and the catchment lies around its basins
    bounds = johnson.town.layer("sewersheds").total_bounds
    assert [round(each, 1) for each in bounds] == [484592.5, 237160.0, 484663.2, 237323.1]


def test_lengths_are_feet_in_a_town_that_works_in_metres(johnson: RealTown) -> None:
    (edge,) = johnson.town.network.edges_of("pipes", "260753")
    assert johnson.town.network.edges.at[edge, "length_ft"] == pytest.approx(27.168777 * 3937 / 1200, abs=0.01)


@pytest.mark.parametrize(
    ("basin", "pipes", "outfall"),
    [
        ("20847", ["262435", "260753"], "O1297"),
        ("21136", ["261585"], "O1304"),
        ("244651", ["430460"], "storm_pts-9"),
    ],
)
def test_a_basin_is_followed_to_its_outfall(johnson: RealTown, basin: str, pipes: list[str], outfall: str) -> None:
    found = trace(johnson.town, f"catch_basins:{basin}", direction="down")
    assert [each.id for each in found.assets if each.layer == "pipes"] == pipes
    assert (found.outfalls, found.doubts) == ((outfall,), ())


def test_a_pipe_that_ends_at_a_culvert_outlet_is_a_dead_end_until_somebody_has_looked(johnson: RealTown) -> None:
    found = trace(johnson.town, "catch_basins:244253", direction="down")
    assert found.outfalls == ()
    assert [(each.code, each.layer, each.id) for each in found.doubts] == [("dead_end", "manholes", "244385")]


def test_an_outfall_gathers_basins_pipes_culverts_and_ditches(johnson: RealTown) -> None:
    found = trace(johnson.town, "outfalls:O1297", direction="up")
    assert {(each.layer, each.id) for each in found.assets} == {
        ("outfalls", "O1297"),
        ("catch_basins", "20845"), ("catch_basins", "20846"), ("catch_basins", "20847"),
        ("manholes", "21135"),
        ("pipes", "260753"), ("pipes", "262435"),
        ("culverts", "261394"), ("culverts", "260886"),
        ("ditches", "261042"), ("ditches", "261592"), ("ditches", "260772"),
    }  # fmt: skip


def test_storm_drainage_of_no_recorded_owner_may_be_the_towns(johnson: RealTown) -> None:
    assert ms4_test(johnson.town, "outfalls")["is_ms4"].tolist() == ["unknown"] * 3


# -- the same from the command line


def _ask(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    code = main([*map(str, words), "--json", "--on", "2026-11-30"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def test_the_town_goes_through_from_new_to_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, town = files_of("johnson_vt", JOHNSON), tmp_path / "johnson"
    _ask(capsys, "new", town, "--name", "Johnson", "--crs", "EPSG:32145")
    reports = [_ask(capsys, "import", town, source, "--crosswalk", kept)["reports"] for source, kept in files]
    assert sum(each["kept"] for made in reports for each in made) == 29 + 35 + 1
    counts = {each["layer"]: each["count"] for each in _ask(capsys, "layers", town)["layers"]}
    assert (counts["catch_basins"], counts["pipes"], counts["waters"]) == (8, 13, 4)
    down = _ask(capsys, "trace", town, "catch_basins:20847", "--direction", "down")
    assert down["outfalls"] == ["O1297"]
    found = _ask(capsys, "check", town)
    assert {each["rule"].split("-")[0] for each in found["findings"]} == {"NET", "OUT"}
    assert {"ILL-01", "DRN-01", "WAT-02"} <= {each["rule"] for each in found["not_run"]}
    page = tmp_path / "johnson.html"
    made = _ask(capsys, "map", town, "--out", page)
    assert made["features"] >= 65
    assert page.stat().st_size == made["bytes"]
