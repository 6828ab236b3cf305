"""Which lots a structure lies in or fronts; distances in feet."""

from __future__ import annotations

import pandas as pd
import pytest

from layers.joins.premises import premises_of_lots
from tests.support import Rows, layer, town

TWO_LOTS: Rows = {
    "A": "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))",
    "B": "POLYGON ((100 0, 200 0, 200 100, 100 100, 100 0))",
}


def links(**layers: Rows) -> pd.DataFrame:
    return town(**layers).premises_links.set_index("premises_key").sort_index()


def test_a_basin_inside_a_lot_is_within_it() -> None:
    found = links(parcels=TWO_LOTS, catch_basins={"CB": "POINT (50 50)"})
    assert list(found.index) == ["A"]
    assert tuple(found.loc["A", ["method", "distance_ft", "confidence"]]) == ("within", 0.0, "probable")


def test_a_basin_on_the_common_lot_line_gets_both_lots_as_possible() -> None:
    found = links(parcels=TWO_LOTS, catch_basins={"CB": "POINT (100 50)"})
    assert list(found["method"]) == ["lot line", "lot line"]
    assert list(found["confidence"]) == ["possible", "possible"]


@pytest.mark.parametrize(("inside", "lots"), [(0.5, ["A", "B"]), (0.6, ["A"])])
def test_a_lot_line_is_half_a_foot_wide(inside: float, lots: list[str]) -> None:
    found = links(parcels=TWO_LOTS, catch_basins={"CB": f"POINT ({100 - inside} 50)"})
    assert list(found.index) == lots


@pytest.mark.parametrize(("off", "lots"), [(60.0, ["A"]), (60.2, [])])
def test_frontage_reaches_sixty_feet_from_the_lot_line(off: float, lots: list[str]) -> None:
    found = links(parcels=TWO_LOTS, catch_basins={"CB": f"POINT (50 {-off})"})
    assert list(found.index) == lots


def test_a_basin_before_the_line_between_two_lots_fronts_both() -> None:
    found = links(parcels=TWO_LOTS, catch_basins={"CB": "POINT (100 -20)"})
    assert list(found.index) == ["A", "B"]
    assert set(found["method"]) == {"frontage"}
    assert set(found["confidence"]) == {"possible"}


def test_a_lot_across_the_road_is_not_fronted() -> None:
    lots: Rows = {
        "NEAR": "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))",
        "ACROSS": "POLYGON ((0 -50, 100 -50, 100 -150, 0 -150, 0 -50))",
    }
    road: Rows = {"R": "LINESTRING (-100 -25, 300 -25)"}
    assert list(links(parcels=lots, roads=road, catch_basins={"CB": "POINT (50 -24.6)"}).index) == ["NEAR"]
    assert list(links(parcels=lots, catch_basins={"CB": "POINT (50 -24.6)"}).index) == ["ACROSS", "NEAR"]


def test_a_ditch_is_linked_to_every_lot_that_it_fronts() -> None:
    found = links(parcels=TWO_LOTS, ditches={"D": "LINESTRING (10 -20, 190 -20)"})
    assert list(found.index) == ["A", "B"]
    assert list(found["distance_ft"]) == [20.0, 20.0]


def test_a_stack_of_identical_lots_is_one_premises() -> None:
    lots = {**TWO_LOTS, "A2": TWO_LOTS["A"]}
    assert premises_of_lots(layer("parcels", lots)).to_dict() == {"A": "A", "B": "B", "A2": "A"}
    assert list(links(parcels=lots, catch_basins={"CB": "POINT (50 50)"}).index) == ["A"]


def test_a_lot_without_a_place_is_a_premises_of_its_own_and_fronts_nothing() -> None:
    lots: Rows = {**TWO_LOTS, "C": "", "D": ""}
    assert premises_of_lots(layer("parcels", lots))[["C", "D"]].tolist() == ["C", "D"]
    assert list(links(parcels=lots, catch_basins={"CB": "POINT (50 50)"}).index) == ["A"]


def test_a_recorded_drain_links_its_premises_without_a_place() -> None:
    found = links(parcels=TWO_LOTS, drains={"DR": ("", {"premises_key": "B"})})
    assert tuple(found.loc["B", ["layer", "asset_id", "method"]]) == ("drains", "DR", "recorded")


def test_a_basin_deep_in_two_overlapping_lots_is_possibly_within_each() -> None:
    lots: Rows = {**TWO_LOTS, "C": "POLYGON ((0 0, 90 0, 90 100, 0 100, 0 0))"}
    found = links(parcels=lots, catch_basins={"CB": "POINT (50 50)"})
    assert list(found.index) == ["A", "C"]
    assert set(found["method"]) == {"within"}
    assert set(found["confidence"]) == {"possible"}
