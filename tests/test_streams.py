"""Which water flows into which, and how far it is from an outfall's stream to every water below."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from layers.joins.downstream import Streams
from layers.joins.streams import COLUMNS, link_streams
from tests.support import layer, place, settings

BASIN = "POLYGON ((200 -50, 300 -50, 300 50, 200 50, 200 -50))"
"""A lake of 100 ft by 100 ft across the x axis."""


def links(**waters: Any) -> pd.DataFrame:
    chosen = settings()
    frames = {"waters": layer("waters", waters)}
    return link_streams(frames, crs=chosen.crs, tolerances=chosen.tolerances)


def found(**waters: Any) -> set[tuple[str, str, str, str]]:
    table = links(**waters)[["from_segment", "to_segment", "method", "confidence"]]
    return set(table.itertuples(index=False, name=None))


def below(segment: str, wkt: str, **waters: Any) -> dict[str, tuple[float, float]]:
    """For each water below the place its distance and the part of it that is straight across water, in feet."""
    frame = layer("waters", waters)
    streams = Streams(frame, links(**waters), feet=1.0, wanted=list(waters))
    return {each.segment_id: (each.distance_ft, each.straight_ft) for each in streams.below(segment, place(wkt))}


# -- which flows into which


def test_a_recorded_segment_goes_before_nodes_and_drawing() -> None:
    waters: dict[str, Any] = {
        "A": ("LINESTRING (0 0, 100 0)", {"to_segment": "C", "to_node": "2"}),
        "B": ("LINESTRING (100 0, 200 0)", {"from_node": "2"}),
        "C": "LINESTRING (100 0, 100 -90)",
    }
    assert found(**waters) == {("A", "C", "recorded", "probable")}


def test_nodes_lead_into_every_arm_of_a_braid() -> None:
    waters: dict[str, Any] = {
        "A": ("LINESTRING (0 0, 100 0)", {"from_node": "1", "to_node": "2"}),
        "B": ("LINESTRING (100 0, 200 0)", {"from_node": "2", "to_node": "3"}),
        "C": ("LINESTRING (100 0, 150 50, 200 0)", {"from_node": "2", "to_node": "3"}),
    }
    assert found(**waters) == {("A", "B", "nodes", "probable"), ("A", "C", "nodes", "probable")}


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(0.5, {("A", "B", "drawn", "probable")}), (5.0, {("A", "B", "drawn", "possible")}), (5.1, set())],
)
def test_a_drawn_end_meets_a_line_within_half_a_foot_surely_and_within_five_feet_perhaps(
    gap: float, expected: set[Any]
) -> None:
    assert found(A="LINESTRING (0 0, 100 0)", B=f"LINESTRING ({100 + gap} 0, 200 0)") == expected


def test_a_tributary_joins_the_middle_of_a_brook_but_two_ends_in_one_place_join_nothing() -> None:
    assert found(B="LINESTRING (0 0, 200 0)", T="LINESTRING (90 50, 90 0)") == {("T", "B", "drawn", "probable")}
    assert found(B="LINESTRING (0 0, 200 0)", T="LINESTRING (200 50, 200 0)") == set()


def test_a_line_into_a_lake_passes_on_to_the_line_that_leaves_it() -> None:
    waters = {"IN": "LINESTRING (0 0, 250 0)", "LAKE": BASIN, "OUT": "LINESTRING (280 0, 400 0)"}
    assert found(**waters) == {("IN", "LAKE", "lake", "probable"), ("LAKE", "OUT", "lake", "probable")}


@pytest.mark.parametrize(("gap", "confidence"), [(0.5, "probable"), (5.0, "possible"), (5.1, None)])
def test_a_gap_between_a_line_and_a_lake_makes_the_way_possible_and_a_wider_one_ends_it(
    gap: float, confidence: str | None
) -> None:
    waters = {"IN": f"LINESTRING (0 0, {200 - gap} 0)", "LAKE": BASIN, "OUT": f"LINESTRING ({300 + gap} 0, 400 0)"}
    expected = {("IN", "LAKE", "lake", confidence), ("LAKE", "OUT", "lake", confidence)} if confidence else set()
    assert found(**waters) == expected


def test_a_lake_is_on_the_way_of_the_line_that_crosses_it() -> None:
    assert found(B="LINESTRING (0 0, 400 0)", LAKE=BASIN) == {
        ("B", "LAKE", "lake", "probable"),
        ("LAKE", "B", "lake", "probable"),
    }


def test_a_lake_with_a_recorded_outlet_has_no_other() -> None:
    waters: dict[str, Any] = {
        "LAKE": (BASIN, {"to_segment": "DAM"}),
        "DAM": "LINESTRING (250 -50, 250 -200)",
        "DITCH": "LINESTRING (300 0, 400 0)",
    }
    assert found(**waters) == {("LAKE", "DAM", "recorded", "probable")}


def test_a_line_drawn_against_its_recorded_flow_takes_in_its_lake_from_the_right_end() -> None:
    # B is drawn from east to west and recorded to flow into C, at its first point
    waters: dict[str, Any] = {
        "B": ("LINESTRING (500 0, 300 0)", {"to_segment": "C"}),
        "C": "LINESTRING (500 0, 600 0)",
        "LAKE": BASIN,
    }
    assert found(**waters) == {("B", "C", "recorded", "probable"), ("LAKE", "B", "lake", "probable")}


def test_a_town_without_waters_has_an_empty_table() -> None:
    chosen = settings()
    none = link_streams({}, crs=chosen.crs, tolerances=chosen.tolerances)
    assert none.empty
    assert tuple(none.columns) == COLUMNS


# -- how far it is


def test_the_way_over_a_lake_is_straight_from_inlet_to_outlet_and_that_is_said() -> None:
    # 100 ft of IN to the shore, from (200, 0) straight to (300, 40): sqrt(100² + 40²) = 107.7, then OUT from its shore
    waters = {
        "IN": "LINESTRING (0 0, 200 0)",
        "LAKE": BASIN,
        "OUT": "LINESTRING (300 40, 400 40)",
        "END": "LINESTRING (400 40, 500 40)",
    }
    assert below("IN", "POINT (100 20)", **waters) == {
        "LAKE": (100.0, 0.0),
        "OUT": (207.7, 107.7),
        "END": (307.7, 107.7),
    }


def test_a_lake_above_the_outfall_is_not_reached_and_one_below_is() -> None:
    waters = {"B": "LINESTRING (0 0, 400 0)", "LAKE": BASIN}
    assert below("B", "POINT (50 10)", **waters) == {"LAKE": (150.0, 0.0)}
    assert below("B", "POINT (350 10)", **waters) == {}


def test_of_two_arms_of_a_braid_the_shorter_gives_the_distance() -> None:
    waters = {
        "A": "LINESTRING (0 0, 100 0)",
        "SHORT": "LINESTRING (100 0, 200 0)",
        "LONG": "LINESTRING (100 0, 100 100, 200 100, 200 0)",
        "Z": "LINESTRING (200 0, 300 0)",
    }
    assert below("A", "POINT (0 0)", **waters) == {"SHORT": (100.0, 0.0), "LONG": (100.0, 0.0), "Z": (200.0, 0.0)}


def test_a_ring_of_streams_ends() -> None:
    waters: dict[str, Any] = {
        "A": ("LINESTRING (0 0, 100 0)", {"to_segment": "B"}),
        "B": ("LINESTRING (100 0, 100 100)", {"to_segment": "C"}),
        "C": ("LINESTRING (100 100, 0 0)", {"to_segment": "A"}),
    }
    assert below("A", "POINT (40 0)", **waters) == {"B": (60.0, 0.0), "C": (160.0, 0.0)}


def test_a_gap_between_recorded_waters_counts_as_straight_way() -> None:
    waters: dict[str, Any] = {
        "A": ("LINESTRING (0 0, 100 0)", {"to_segment": "B"}),
        "B": "LINESTRING (130 0, 200 0)",
    }
    assert below("A", "POINT (0 0)", **waters) == {"B": (130.0, 30.0)}


def test_a_known_way_goes_before_one_over_a_water_that_is_not_located() -> None:
    waters: dict[str, Any] = {
        "A": ("LINESTRING (0 0, 100 0)", {"to_node": "1"}),
        "GHOST": ("", {"from_node": "1", "to_node": "2"}),
        "B": ("LINESTRING (100 0, 150 0)", {"from_node": "1", "to_node": "2"}),
        "Z": ("LINESTRING (150 0, 200 0)", {"from_node": "2"}),
    }
    reached = below("A", "POINT (0 0)", **waters)
    assert reached["Z"] == (150.0, 0.0)
    assert math.isnan(reached["GHOST"][0])


@pytest.mark.parametrize("seed", range(10))
def test_random_stream_networks_agree_with_a_plain_walk(seed: int) -> None:
    """Straight lines between points of a grid, loops and braids among them: reach and lengths as a search finds them."""
    random = np.random.default_rng(seed)
    spots = [(int(x) * 100, int(y) * 100) for x, y in random.integers(0, 5, (14, 2))]
    ends = [(spots[a], spots[b]) for a, b in random.integers(0, len(spots), (16, 2)) if spots[a] != spots[b]]
    waters: dict[str, Any] = {
        f"S{number}": (f"LINESTRING ({a[0]} {a[1]}, {b[0]} {b[1]})", {"from_node": str(a), "to_node": str(b)})
        for number, (a, b) in enumerate(ends)
    }
    feet = {("S0"): 0.0}
    open_ = ["S0"]
    while open_:
        here = open_.pop()
        start, end = ends[int(here[1:])]
        length = math.dist(start, end)
        for other, (begin, _) in enumerate(ends):
            further = feet[here] + length
            if begin == end and further < feet.get(f"S{other}", math.inf):
                feet[f"S{other}"] = further
                open_.append(f"S{other}")
    del feet["S0"]
    reached = below("S0", f"POINT ({ends[0][0][0]} {ends[0][0][1]})", **waters)
    assert {segment: round(way, 1) for segment, (way, _) in reached.items()} == pytest.approx(
        {segment: round(way, 1) for segment, way in feet.items()}, abs=0.11
    )
