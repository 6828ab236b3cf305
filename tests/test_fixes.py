"""Dead ends: what is behind each, in which order to mend them, what is proposed; and which share reaches an outfall."""

from __future__ import annotations

import random
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from layers.joins.fixes import COLUMNS, dead_ends, reach_shares
from layers.joins.ranking import Ranking, rank_ends
from layers.joins.turns import FAR, propose_turns
from layers.town import Town
from tests.support import settings, town

STORM = {"system": "storm"}


def pipes(*ends: tuple[int, int], at: dict[int, tuple[int, int]]) -> dict[str, Any]:
    """Storm pipes P-1, P-2 … between numbered places."""
    return {
        f"P-{number}": (f"LINESTRING ({at[a][0]} {at[a][1]}, {at[b][0]} {at[b][1]})", STORM)
        for number, (a, b) in enumerate(ends, start=1)
    }


def basins(at: dict[int, tuple[int, int]], *which: int) -> dict[str, str]:
    return {f"CB-{each}": f"POINT ({at[each][0]} {at[each][1]})" for each in which}


LINE = {number: (100 * number, 0) for number in range(12)}


def chain(**layers: Any) -> Town:
    """Basins CB-0, CB-1, CB-2 in a row, the last pipe ends at 300, 0."""
    lines = pipes((0, 1), (1, 2), (2, 3), at=LINE)
    return town(**{"catch_basins": basins(LINE, 0, 1, 2), "pipes": lines} | layers)


def only(found: pd.DataFrame) -> dict[str, Any]:
    assert len(found) == 1
    return {str(name): value for name, value in found.iloc[0].items()}


def test_a_dead_end_counts_what_is_behind_it() -> None:
    lots = {f"L-{x}": f"POLYGON (({x} 5, {x + 50} 5, {x + 50} 55, {x} 55, {x} 5))" for x in (0, 75)}
    end = only(dead_ends(chain(parcels=lots)))
    assert tuple(end) == COLUMNS
    assert (end["layer"], end["asset_id"]) == ("pipes", "P-3")
    assert (end["basins_behind"], end["lots_behind"]) == (3, 2)
    assert (end["newly_connected"], end["newly_connected_lots"]) == (3, 2)


def test_an_outfall_at_the_end_leaves_no_dead_end() -> None:
    found = dead_ends(chain(outfalls={"OF-1": "POINT (300 0)"}))
    assert len(found) == 0
    assert tuple(found) == COLUMNS


def test_what_reaches_an_outfall_by_another_way_is_not_behind_a_dead_end() -> None:
    lines = pipes((0, 1), (1, 2), (2, 3), at=LINE) | {"P-9": ("LINESTRING (100 0, 100 300)", STORM)}
    end = only(dead_ends(chain(pipes=lines, outfalls={"OF-1": "POINT (100 300)"})))
    assert (end["asset_id"], end["basins_behind"]) == ("P-3", 1)  # CB-2 alone: CB-0 and CB-1 reach OF-1


def test_a_ring_without_a_way_out_is_one_dead_end() -> None:
    lines = pipes((0, 1), (1, 2), at=LINE) | {"P-3": ("LINESTRING (200 0, 100 80, 0 0)", STORM)}
    end = only(dead_ends(chain(pipes=lines)))
    assert (end["layer"], end["basins_behind"]) == ("catch_basins", 3)


def test_a_town_without_lines_has_no_dead_end() -> None:
    assert len(dead_ends(town(catch_basins=basins(LINE, 0)))) == 0
    assert len(dead_ends(town())) == 0


def test_an_abandoned_line_and_a_sewer_make_no_dead_end() -> None:
    lines = {
        "P-1": ("LINESTRING (0 0, 100 0)", STORM | {"status": "abandoned"}),
        "P-2": ("LINESTRING (0 50, 100 50)", {"system": "combined"}),
    }
    assert len(dead_ends(town(pipes=lines))) == 0


def test_the_fix_that_pays_most_stands_first_and_nothing_is_connected_twice() -> None:
    # CB-0 → CB-1 splits to two dead ends; behind the second lie two basins more
    lines = {
        "P-1": ("LINESTRING (0 0, 100 0)", STORM),
        "P-2": ("LINESTRING (100 0, 100 300)", STORM),
        "P-3": ("LINESTRING (100 0, 200 0)", STORM),
        "P-4": ("LINESTRING (200 0, 300 0)", STORM),
    }
    found = dead_ends(chain(pipes=lines))
    assert found["asset_id"].tolist() == ["P-4", "P-2"]
    assert found["basins_behind"].tolist() == [3, 2]
    assert found["newly_connected"].tolist() == [3, 0]


def test_a_lot_that_drains_to_two_dead_ends_is_newly_connected_once() -> None:
    lines = {"P-1": ("LINESTRING (0 0, 0 -300)", STORM), "P-2": ("LINESTRING (40 0, 40 -200)", STORM)}
    lot = {"L": "POLYGON ((-10 -10, 50 -10, 50 20, -10 20, -10 -10))"}
    found = dead_ends(town(pipes=lines, catch_basins={"CB-1": "POINT (0 0)", "CB-2": "POINT (40 0)"}, parcels=lot))
    assert found["lots_behind"].tolist() == [1, 1]
    assert sorted(found["newly_connected_lots"]) == [0, 1]


def test_a_lot_counts_through_its_drain() -> None:
    lot = {"L": "POLYGON ((900 900, 950 900, 950 950, 900 950, 900 900))"}
    drain = {"DR-1": ("", {"premises_key": "L", "to_id": "CB-1"})}
    assert only(dead_ends(chain(parcels=lot, drains=drain)))["lots_behind"] == 1


# -- proposals


def proposal(made: Town) -> tuple[str, str, float]:
    end = only(dead_ends(made))
    return end["proposal"], end["to"], end["distance_ft"]


@pytest.mark.parametrize(("gap", "kind"), [(14.9, "join"), (15.1, "look")])
def test_a_join_is_proposed_within_15_ft(gap: float, kind: str) -> None:
    made = chain(manholes={"MH-1": f"POINT ({300 + gap} 0)"})
    assert proposal(made)[0] == kind
    if kind == "join":
        assert proposal(made) == ("join", "manholes:MH-1", 14.9)


def test_a_join_to_what_reaches_an_outfall_goes_before_a_nearer_one() -> None:
    # MH-1 lies 6 ft away and leads nowhere, the pipe P-9 begins 12 ft away and reaches OF-1
    lines = pipes((0, 1), (1, 2), (2, 3), at=LINE) | {"P-9": ("LINESTRING (312 0, 500 0)", STORM)}
    made = chain(pipes=lines, manholes={"MH-1": "POINT (300 6)"}, outfalls={"OF-1": "POINT (500 0)"})
    assert proposal(made) == ("join", "pipes:P-9", 12.0)


def test_a_dead_end_is_not_joined_to_what_drains_to_it() -> None:
    lines = pipes((0, 1), (1, 2), at=LINE) | {"P-3": ("LINESTRING (200 0, 150 60, 108 4)", STORM)}
    assert proposal(chain(pipes=lines))[0] == "look"


def test_a_sewer_manhole_is_nothing_to_join() -> None:
    lines = pipes((0, 1), (1, 2), (2, 3), at=LINE) | {"C-1": ("LINESTRING (310 0, 400 0)", {"system": "combined"})}
    assert proposal(chain(pipes=lines, manholes={"MH-1": "POINT (310 0)"}))[0] == "look"


def test_of_lines_that_meet_head_on_one_is_to_turn_even_where_a_water_is_near() -> None:
    lines = pipes((0, 1), (1, 2), (2, 3), (4, 3), at=LINE)
    waters = {"W-1": "LINESTRING (0 90, 900 90)"}
    made = chain(pipes=lines, outfalls={"OF-1": "POINT (400 0)"}, waters=waters)
    assert proposal(made)[:2] == ("turn", "pipes:P-4")


def test_at_a_lone_end_a_water_that_is_near_goes_before_a_turn() -> None:
    lines = pipes((1, 0), (1, 2), (2, 3), at=LINE)
    outfall = {"OF-1": "POINT (0 0)"}
    turn = chain(pipes=lines, catch_basins=basins(LINE, 2), outfalls=outfall)
    assert proposal(turn)[:2] == ("turn", "pipes:P-3")
    near = chain(
        pipes=lines, catch_basins=basins(LINE, 2), outfalls=outfall, waters={"W-1": "LINESTRING (300 90, 400 90)"}
    )
    assert proposal(near) == ("outfall", "waters:W-1", 90.0)


def test_near_the_edge_of_the_mapped_area_it_is_an_interconnection() -> None:
    inside = "POLYGON ((-50 -200, 350 -200, 350 200, -50 200, -50 -200))"
    outside = "POLYGON ((-50 -200, 250 -200, 250 200, -50 200, -50 -200))"
    assert proposal(chain(boundary={"B": inside})) == ("interconnection", "", 50.0)
    assert proposal(chain(boundary={"B": outside})) == ("interconnection", "", 0.0)


def test_bounds_are_the_edge_too_where_no_boundary_is_mapped() -> None:
    # the corner of the test towns lies at about 73.5986 W, 41.3293 N: the box ends some 30 miles away
    lines = pipes((0, 1), at=LINE)
    far = town(with_settings=settings(bounds=[-74.2, 41.0, -73.0, 41.8]), pipes=lines)
    assert proposal(far)[0] == "look"
    gone = town(with_settings=settings(bounds=[-74.2, 41.0, -73.7, 41.8]), pipes=lines)
    assert proposal(gone)[0] == "interconnection"


# -- turned lines


def test_the_way_with_the_fewest_turned_lines() -> None:
    # 0 → 1 ← 2 → 3 ← 4, outfall at 4: from 0 turn the pipes 2–1 and 4–3
    made = town(pipes=pipes((0, 1), (2, 1), (2, 3), (4, 3), at=LINE), outfalls={"OF-1": "POINT (400 0)"})
    network = made.network
    turns = propose_turns(network)
    [start] = {*network.nodes_of("pipes", "P-1")} - {*network.nodes_of("pipes", "P-2")}
    assert turns.count[start] == 2
    assert turns.lines(start) == (("pipes", "P-2"), ("pipes", "P-4"))


def test_nothing_is_to_turn_where_an_outfall_is_reached_or_none_is_connected() -> None:
    made = town(pipes=pipes((0, 1), (5, 6), at=LINE), outfalls={"OF-1": "POINT (100 0)"})
    turns = propose_turns(made.network)
    served, lost = made.network.nodes_of("pipes", "P-1"), made.network.nodes_of("pipes", "P-2")
    assert [turns.count[node] for node in served] == [0, 0]
    assert [turns.count[node] for node in lost] == [FAR, FAR]
    assert all(turns.lines(node) == () for node in (*served, *lost))


# -- shares


def share(made: Town, what: str, reaches: str) -> dict[str, int]:
    table = reach_shares(made)
    mine = table[(table["what"] == what) & (table["reaches"] == reaches)]
    return {str(word): int(count) for word, count in zip(mine["certainty"], mine["count"], strict=True)}


def test_the_share_of_basins_that_reach_an_outfall_and_a_water_by_certainty() -> None:
    ids = {"P-1": ("LINESTRING (0 0, 100 0)", STORM | {"from_id": "CB-0", "to_id": "OF-1"})}
    drawn = {"P-2": ("LINESTRING (100 300, 100 0)", STORM), "P-3": ("LINESTRING (97 -300, 97 -3)", STORM)}
    made = town(
        catch_basins={
            "CB-0": "POINT (0 0)", "CB-1": "POINT (100 300)", "CB-2": "POINT (97 -300)", "CB-3": "POINT (900 900)",
            "CB-4": ("POINT (950 900)", {"status": "abandoned"}), "CB-5": "",
        },
        pipes=ids | drawn,
        outfalls={"OF-1": "POINT (100 0)"},
        waters={"W-1": "LINESTRING (140 -50, 140 50)"},
    )  # fmt: skip
    assert share(made, "catch_basins", "outfall") == {"recorded": 1, "inferred": 1, "doubtful": 1}
    assert share(made, "catch_basins", "water") == {"recorded": 0, "inferred": 2, "doubtful": 1}
    table = reach_shares(made)
    assert set(table["of"][table["what"] == "catch_basins"]) == {5}  # the abandoned one is not in use
    assert table["share"].iloc[0] == pytest.approx(1 / 5)


def test_a_premises_reaches_by_its_surest_link() -> None:
    lots = {
        "L-1": "POLYGON ((-10 5, 20 5, 20 35, -10 35, -10 5))",
        "L-2": "POLYGON ((900 900, 950 900, 950 950, 900 950, 900 900))",
    }
    made = chain(outfalls={"OF-1": "POINT (300 0)"}, parcels=lots)
    assert share(made, "premises", "outfall") == {"recorded": 0, "inferred": 1, "doubtful": 0}
    assert share(made, "premises", "water") == {"recorded": 0, "inferred": 0, "doubtful": 0}
    assert set(reach_shares(made).query("what == 'premises'")["of"]) == {2}


def test_an_empty_town_has_no_shares() -> None:
    table = reach_shares(town())
    assert table["count"].sum() == 0
    assert table["share"].isna().all()


# -- the ranking against plain networkx


def ranked(tail: list[int], head: list[int], outfalls: set[int], weights: Any) -> Ranking:
    size = len(weights)
    marks = np.array([node in outfalls for node in range(size)], bool)
    on_line = np.zeros(size, bool)
    on_line[[*tail, *head]] = True
    ends = np.array(tail, np.int64), np.array(head, np.int64)
    return rank_ends(*ends, outfalls=marks, on_line=on_line, weights=np.asarray(weights, np.int64))


@pytest.mark.parametrize("seed", range(200))
def test_the_ranking_is_what_plain_networkx_says(seed: int) -> None:
    made = random.Random(seed)
    size = made.randint(1, 25)
    edges = [(made.randrange(size), made.randrange(size)) for _ in range(made.randint(0, 40))]
    outfalls = {node for node in range(size) if made.random() < 0.08}
    weights = np.array([[made.randint(0, 1), made.randint(0, 3)] for _ in range(size)])
    found = ranked([a for a, _ in edges], [b for _, b in edges], outfalls, weights)
    graph = nx.MultiDiGraph(edges)
    graph.add_nodes_from(range(size))
    served = {node for node in graph if outfalls & {node, *nx.descendants(graph, node)}}
    assert set(np.flatnonzero(found.served)) == served
    pieces = nx.condensation(graph)
    behind: dict[int, list[int]] = {}
    for sink in (each for each in pieces if not pieces.out_degree(each)):
        members = pieces.nodes[sink]["members"]
        if not outfalls & members and any(graph.degree(node) for node in members):
            above = {node for each in members for node in (each, *nx.ancestors(graph, each))}
            behind[int(found.piece[min(members)])] = sorted(above - served)
    assert set(found.ends.tolist()) == set(behind)
    left, taken = dict(behind), set[int]()
    for end, all_of_it, new in zip(found.ends.tolist(), found.behind, found.new, strict=True):
        assert weights[behind[end]].sum(axis=0).tolist() == all_of_it.tolist()
        gains = {each: weights[sorted({*nodes} - taken)].sum(axis=0).tolist() for each, nodes in left.items()}
        assert new.tolist() == gains[end] == max(gains.values())
        taken |= {*left.pop(end)}


def test_ends_that_nest_on_one_chain_are_counted_without_a_set_for_each() -> None:
    # a trunk of 10,000 places, from each a side line to an end of its own: the i-th end has i + 1 places behind it
    size = 10_000
    tail = [*range(size - 1), *range(size)]
    head = [*range(1, size), *range(size, 2 * size)]
    weights = np.ones((2 * size, 1), np.int64)
    weights[size:] = 0
    found = ranked(tail, head, set(), weights)
    assert sorted(found.behind[:, 0].tolist()) == list(range(1, size + 1))
    assert found.new[:, 0].tolist() == [size, *[0] * (size - 1)]


def test_a_ring_of_100_000_lines_and_50_000_parallel_ones_end() -> None:
    ring = list(range(100_000))
    found = ranked(ring, [*ring[1:], 0], set(), np.ones((100_000, 1)))
    assert found.behind.tolist() == [[100_000]]
    side_by_side = ranked([0] * 50_000, [1] * 50_000, set(), [[1], [0]])
    assert side_by_side.behind.tolist() == [[1]]
