"""Rutland City, Vermont: combined sewers in three files; how the numbers were counted is in docs/real-towns.md."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import shapely

from layers.trace import trace
from mapping.ms4 import ms4_test
from mapping.outputs.webmap import write_map
from tests.conftest import ON
from tests.real.conftest import RealTown

POINTS, LINES = "RutlandCityPointFeatures.geojson", "RutlandCityLinearFeatures.geojson"


@pytest.mark.parametrize(
    ("source", "layer", "read"),
    [
        ("RutlandCityBorder.geojson", "boundary", 1),
        (POINTS, "manholes", 2847 + 2),
        (POINTS, "catch_basins", 1192),
        (POINTS, "outfalls", 4),
        (LINES, "pipes", 4782),
    ],
)
def test_every_feature_is_kept_under_its_own_number(rutland: RealTown, source: str, layer: str, read: int) -> None:
    report = rutland.report(source, layer)
    assert (report.read, report.kept, report.unlocated) == (read, read, 0)
    assert (report.notes.rejected, report.notes.repaired) == ({}, {})


def test_the_point_file_is_split_without_a_rest(rutland: RealTown) -> None:
    assert sum(len(rutland.town.layer(layer)) for layer in ("manholes", "catch_basins", "outfalls")) == 4045


def test_geojson_that_names_no_system_is_read_as_degrees(rutland: RealTown) -> None:
    report = rutland.report(LINES, "pipes")
    assert (report.source["crs_used"], report.source["crs_basis"]) == ("EPSG:4326", "file")
    # Shape_Length adds up to 412,325 m of web mercator, which stretches 1.381 times here: 979,255 ft on the ground
    feet = rutland.town.layer("pipes").geometry.length.sum()
    assert feet == pytest.approx(979_255, abs=1)


def test_systems_are_as_the_file_counts_them(rutland: RealTown) -> None:
    def systems(layer: str) -> dict[str, int]:
        return dict(rutland.town.layer(layer)["system"].value_counts())

    assert systems("pipes") == {"sanitary": 4139, "combined": 643}
    assert systems("manholes") == {"sanitary": 2847, "combined": 2}
    assert systems("catch_basins") == {"combined": 1192}
    assert systems("outfalls") == {"combined": 4}


def test_the_abandoned_pipe_carries_no_trace(rutland: RealTown) -> None:
    pipes, edges = rutland.town.layer("pipes"), rutland.town.network.edges
    assert list(pipes.index[pipes["status"] == "abandoned"]) == ["7246"]
    assert list(edges.loc[~edges["carries"].astype(bool), "asset_id"]) == ["7246"]


def test_without_ids_and_inverts_every_direction_is_as_drawn(rutland: RealTown) -> None:
    assert set(rutland.town.network.edges["basis"]) == {"drawn"}
    assert "recorded" not in set(rutland.town.network.edges["certainty"])


def test_a_basin_is_followed_to_the_end_that_is_drawn(rutland: RealTown) -> None:
    found = trace(rutland.town, "catch_basins:3267", direction="down")
    assert [each.id for each in found.assets if each.layer == "pipes"] == ["7389", "31779", "7074"]
    assert found.outfalls == ()
    assert [(each.code, each.id) for each in found.doubts] == [("not_ms4", ""), ("dead_end", "7074")]


def test_ends_off_by_feet_are_bridged_doubtfully_or_not_at_all(rutland: RealTown) -> None:
    sure, doubtful = set(), set()
    for outfall in ("9618", "9619"):
        for each in trace(rutland.town, f"outfalls:{outfall}", direction="up").assets:
            if each.layer == "catch_basins":
                (doubtful if each.certainty == "doubtful" else sure).add(each.id)
    assert (len(sure), len(doubtful - sure)) == (548, 34)


def test_what_is_drawn_twice_is_kept_twice_and_is_one_place_for_the_water(rutland: RealTown) -> None:
    # 406 lines and 1,092 points repeat the coordinates of another under a number of their own
    def repeats(*layers: str) -> int:
        shapes = pd.concat([rutland.town.layer(layer).geometry for layer in layers])
        return int(pd.Series(shapely.to_wkb(shapes.to_numpy())).duplicated().sum())

    assert (repeats("pipes"), repeats("manholes", "catch_basins", "outfalls")) == (406, 1092)
    nodes = rutland.town.network.nodes
    assert int((nodes["place"] != nodes.index).sum()) >= 1092


def test_two_overflows_lie_off_every_pipe_and_nothing_is_drawn_to_them(rutland: RealTown) -> None:
    for outfall in ("9620", "9621"):  # 6.8 m and 2.1 m from the nearest pipe
        found = trace(rutland.town, f"outfalls:{outfall}", direction="up")
        assert [each.id for each in found.assets] == [outfall]


def test_no_water_is_invented_where_no_layer_of_waters_came(rutland: RealTown) -> None:
    assert rutland.town.water_links.empty


def test_nothing_in_the_files_is_part_of_an_ms4(rutland: RealTown) -> None:
    for layer in ("pipes", "manholes", "catch_basins", "outfalls"):
        assert set(ms4_test(rutland.town, layer)["is_ms4"]) == {"no"}
    assert not [each for each in rutland.picture.report.findings if not each.rule.startswith("NET")]


def test_every_located_asset_is_on_the_map(rutland: RealTown, tmp_path: Path) -> None:
    picture = rutland.picture
    made = write_map(picture.town, picture.report, picture.cases, tmp_path / "rutland.html", public=True, on=ON)
    assert made["features"] >= 1 + 4045 + 4782
