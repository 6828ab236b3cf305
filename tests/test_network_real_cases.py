"""Slips that real towns' records hold, in small: an id one structure too far, an id twice, a line that returns to itself."""

from __future__ import annotations

from typing import Any

import pytest

from layers.joins.network import Network
from layers.joins.noding import make_network
from layers.trace import trace
from tests.support import layer, settings, town


def network(**layers: Any) -> Network:
    frames = {name: layer(name, rows) for name, rows in layers.items()}
    chosen = settings()
    return make_network(frames, crs=chosen.crs, tolerances=chosen.tolerances)


def pipe(wkt: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return wkt, {"system": "storm", **fields}


def ends(found: Network, pipe_id: str) -> list[str]:
    """The structures at which a pipe begins and ends, in the direction of the flow; empty where there is none."""
    rows = found.edges.loc[found.edges_of("pipes", pipe_id)]
    return [str(found.nodes.at[rows.iloc[at][end], "asset_id"]) for at, end in ((0, "tail"), (-1, "head"))]


def test_a_lower_id_that_is_one_structure_too_high_does_not_turn_the_pipe_nor_tear_it_off() -> None:
    # A → P1 → (no structure) → P2 → B, and P2 is recorded to lead to A, 20 ft above it
    slip = {
        "catch_basins": {"A": "POINT (0 0)", "B": "POINT (100 0)"},
        "pipes": {
            "P1": pipe("LINESTRING (0 0, 20 0)", from_id="A"),
            "P2": pipe("LINESTRING (20 0, 100 0)", to_id="A"),
        },
    }
    found = trace(town(**slip), "catch_basins:A", direction="down")
    assert [each.id for each in found.assets if each.layer == "pipes"] == ["P1", "P2"]
    assert ends(network(**slip), "P2") == ["", "B"]
    assert ("doubtful_line", "P2") in {(each.code, each.id) for each in found.doubts}


@pytest.mark.parametrize(("off", "basis"), [(5.0, "recorded"), (5.1, "drawn")])
def test_one_id_alone_gives_the_direction_up_to_five_feet_from_the_line(off: float, basis: str) -> None:
    found = network(catch_basins={"A": f"POINT (0 {off})"}, pipes={"P1": pipe("LINESTRING (100 0, 0 0)", from_id="A")})
    assert found.edges["basis"].tolist() == [basis]


def test_an_end_drawn_on_another_structure_than_the_recorded_one_follows_the_drawing_and_is_doubted() -> None:
    found = network(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (100 0)", "C": "POINT (100 16)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)", from_id="A", to_id="C")},
    )
    assert ends(found, "P1") == ["A", "B"]
    assert found.edges.iloc[0]["doubt"] == "the structure that the record names lies 16.0 ft from the end"


def test_both_ids_at_the_same_end_leave_the_other_end_where_it_is_drawn() -> None:
    found = network(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (10 10)"},
        pipes={"P1": pipe("LINESTRING (0 0, 200 0)", from_id="A", to_id="B")},
    )
    edge = found.edges.iloc[0]
    assert (ends(found, "P1"), edge["gap_ft"]) == (["A", ""], 0.0)
    assert edge["doubt"] == "a recorded id lies more than 33 ft from the end that it names"


def test_an_id_that_a_file_gives_twice_means_the_structure_at_the_end_of_the_line() -> None:
    found = network(
        manholes={
            "M1": ("POINT (0 0)", {"source_id": "M1"}),
            "M1#2": ("POINT (900 0)", {"source_id": "M1"}),
            "M2": "POINT (1000 0)",
        },
        pipes={"P1": pipe("LINESTRING (900 0, 1000 0)", from_id="M1", to_id="M2")},
    )
    assert ends(found, "P1") == ["M1#2", "M2"]
    assert found.edges.iloc[0]["certainty"] == "recorded"


def test_a_short_pipe_does_not_doubtfully_join_the_structure_at_its_other_end() -> None:
    found = network(manholes={"M1": "POINT (0 0)"}, pipes={"P1": pipe("LINESTRING (4 0, 0 0)")})
    assert ends(found, "P1") == ["", "M1"]


def test_a_way_down_that_only_leads_round_is_said() -> None:
    ring = town(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (100 0)"},
        pipes={"AB": pipe("LINESTRING (0 0, 100 0)"), "BA": pipe("LINESTRING (100 0, 50 50, 0 0)")},
    )
    found = trace(ring, "catch_basins:A", direction="down")
    assert [(each.code, each.id) for each in found.doubts] == [("goes_round", "AB")]


def test_a_pipe_that_returns_to_its_manhole_is_no_way_out() -> None:
    bent = town(
        catch_basins={"A": "POINT (0 0)"},
        manholes={"M": "POINT (100 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)"), "P2": pipe("LINESTRING (100 0, 150 50, 150 -50, 100 0)")},
    )
    found = trace(bent, "catch_basins:A", direction="down")
    assert [(each.code, each.id) for each in found.doubts] == [("dead_end", "M")]


@pytest.mark.parametrize(("gap", "split"), [(0.5, True), (0.6, True), (5.0, True), (5.1, False)])
def test_an_end_within_five_feet_of_a_main_joins_it_and_beyond_half_a_foot_doubtfully(gap: float, split: bool) -> None:
    found = network(
        pipes={"MAIN": pipe("LINESTRING (0 0, 100 0)"), "LEAD": pipe(f"LINESTRING (50 80, 50 {gap})")},
    )
    lead = found.edges.loc[found.edges_of("pipes", "LEAD")].iloc[0]
    assert (len(found.edges_of("pipes", "MAIN")) == 2) is split
    assert lead["certainty"] == ("doubtful" if 0.5 < gap <= 5 else "inferred")


def test_an_end_near_the_joint_of_two_other_lines_doubtfully_joins_that_joint() -> None:
    found = network(
        pipes={
            "A": pipe("LINESTRING (0 0, 50 0)"),
            "B": pipe("LINESTRING (50 0, 100 0)"),
            "LEAD": pipe("LINESTRING (50 80, 50 1)"),
        },
    )
    lead, lower = (found.edges.loc[found.edges_of("pipes", each)].iloc[0] for each in ("LEAD", "B"))
    assert (lead["head"], lead["certainty"]) == (lower["tail"], "doubtful")


def test_two_lines_that_meet_do_not_doubtfully_meet_again() -> None:
    # the lead joins the main 2 ft before the main's open end
    found = network(
        pipes={"MAIN": pipe("LINESTRING (0 0, 100 0)"), "LEAD": pipe("LINESTRING (98 50, 98 0)")},
    )
    assert len(found.edges_of("pipes", "MAIN")) == 2
    assert "doubtful" not in set(found.edges["certainty"])


def test_a_trace_up_in_a_town_without_lots_finds_no_premises() -> None:
    bare = town(outfalls={"OF": "POINT (100 0)"}, pipes={"P1": pipe("LINESTRING (0 0, 100 0)")})
    found = trace(bare, "outfalls:OF", direction="up")
    assert ([each.id for each in found.assets], found.premises) == (["OF", "P1"], ())


def test_a_combined_overflow_that_a_ditch_meets_is_traced_up_its_sewer() -> None:
    river_bank = town(
        outfalls={"CSO": ("POINT (100 0)", {"kind": "unknown", "system": "combined"})},
        pipes={"P1": ("LINESTRING (0 0, 100 0)", {"system": "combined"})},
        ditches={"D1": "LINESTRING (100 90, 100 0)"},
    )
    found = trace(river_bank, "outfalls:CSO", direction="up")
    assert [each.id for each in found.assets] == ["CSO", "P1"]
    assert [(each.code, each.id) for each in found.doubts] == [("not_ms4", ""), ("meets_storm", "D1")]


def test_a_doubt_about_a_line_that_is_split_is_said_once() -> None:
    split = town(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (50 0)"},
        outfalls={"OF": "POINT (102 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)")},
    )
    found = trace(split, "catch_basins:A", direction="down")
    assert [(each.code, each.id) for each in found.doubts] == [("doubtful_line", "P1")]


def test_a_basin_on_a_pipe_just_before_its_end_leaves_the_pipe_sure() -> None:
    found = network(catch_basins={"A": "POINT (4 0)"}, pipes={"P1": pipe("LINESTRING (0 0, 100 0)")})
    assert found.edges["certainty"].tolist() == ["inferred", "inferred"]
    assert not (found.edges["tail"] == found.edges["head"]).any()


def test_two_structures_in_one_place_are_one_place_for_their_lines() -> None:
    # a manhole drawn twice, 0.3 ft apart: one line is drawn to the one, the next from the other
    twice = town(
        catch_basins={"A": "POINT (0 0)"},
        manholes={"M": "POINT (100 0)", "TWIN": "POINT (100 0.3)"},
        outfalls={"OF": "POINT (200 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)"), "P2": pipe("LINESTRING (100 0.3, 200 0)")},
    )
    found = trace(twice, "catch_basins:A", direction="down")
    assert (found.outfalls, found.doubts) == (("OF",), ())
    assert {each.id for each in found.assets} == {"A", "M", "TWIN", "OF", "P1", "P2"}
    assert trace(twice, "manholes:TWIN", direction="down").outfalls == ("OF",)
    assert trace(twice, "manholes:TWIN", direction="up").assets[-1].id == "P1"
    assert twice.network.components().nunique() == 1


def test_structures_half_a_foot_apart_are_one_place_and_further_apart_two() -> None:
    for apart, places in ((0.5, 1), (0.6, 2)):
        found = network(manholes={"M": "POINT (0 0)", "N": f"POINT ({apart} 0)"})
        assert len({*found.nodes_of("manholes", "M"), *found.nodes_of("manholes", "N")}) == places


def test_an_end_on_two_lines_drawn_over_each_other_joins_both() -> None:
    # the main is drawn twice, and only the second drawing leads on
    found = town(
        catch_basins={"A": "POINT (50 50)"},
        outfalls={"OF": "POINT (200 0)"},
        pipes={
            "MAIN": pipe("LINESTRING (0 0, 90 0)"),
            "AGAIN": pipe("LINESTRING (0 0.2, 200 0)"),
            "LEAD": pipe("LINESTRING (50 50, 50 0)"),
        },
    )
    assert trace(found, "catch_basins:A", direction="down").outfalls == ("OF",)
