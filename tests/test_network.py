"""How ends meet, where lines are split, and which way water runs; distances in feet."""

from __future__ import annotations

from datetime import UTC, datetime

import networkx as nx
import numpy as np
import pytest
import shapely

from layers.joins.network import NO_STRUCTURE, Network
from layers.joins.noding import make_network
from layers.records import Record
from layers.trace import trace
from tests.support import layer, settings, town


def network(**layers: object) -> Network:
    frames = {name: layer(name, rows) for name, rows in layers.items()}  # type: ignore[arg-type]
    chosen = settings()
    return make_network(frames, crs=chosen.crs, tolerances=chosen.tolerances)


def pipe(wkt: str, **fields: object) -> tuple[str, dict[str, object]]:
    return wkt, {"system": "storm", **fields}


def test_ends_on_structures_are_joined_to_them() -> None:
    found = network(
        catch_basins={"CB1": "POINT (0 0)"},
        outfalls={"OF1": "POINT (100 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)")},
    )
    edge = found.edges.iloc[0]
    assert [edge["tail"], edge["head"]] == [*found.nodes_of("catch_basins", "CB1"), *found.nodes_of("outfalls", "OF1")]
    assert edge["length_ft"] == 100.0
    assert (edge["basis"], edge["certainty"]) == ("drawn", "inferred")


@pytest.mark.parametrize(("gap", "certainty"), [(0.5, "inferred"), (0.51, "doubtful"), (5.0, "doubtful")])
def test_an_end_near_a_structure_is_joined_surely_within_half_a_foot_and_doubtfully_within_five(
    gap: float, certainty: str
) -> None:
    found = network(outfalls={"OF1": f"POINT ({100 + gap} 0)"}, pipes={"P1": pipe("LINESTRING (0 0, 100 0)")})
    edge = found.edges.iloc[0]
    assert found.nodes.at[edge["head"], "asset_id"] == "OF1"
    assert edge["certainty"] == certainty


def test_an_end_more_than_five_feet_off_stays_open() -> None:
    found = network(outfalls={"OF1": "POINT (105.1 0)"}, pipes={"P1": pipe("LINESTRING (0 0, 100 0)")})
    end = found.nodes.loc[found.edges.iloc[0]["head"]]
    assert (end["kind"], end["asset_id"]) == ("line end", "")


def test_two_ends_with_no_structure_between_become_one_node_that_says_so() -> None:
    found = network(
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)"), "P2": pipe("LINESTRING (100.3 0, 200 0)")},
    )
    first, second = found.edges.iloc[0], found.edges.iloc[1]
    assert first["head"] == second["tail"]
    assert found.nodes.at[first["head"], "note"] == NO_STRUCTURE


def test_a_blind_connection_splits_the_main_at_the_touch() -> None:
    found = network(
        outfalls={"OF1": "POINT (100 0)"},
        pipes={"MAIN": pipe("LINESTRING (0 0, 100 0)"), "SIDE": pipe("LINESTRING (50 30, 50 0)")},
    )
    main = found.edges[found.edges["asset_id"] == "MAIN"]
    side = found.edges[found.edges["asset_id"] == "SIDE"].iloc[0]
    assert sorted(main["length_ft"]) == [50.0, 50.0]
    assert side["head"] == main.iloc[0]["head"] == main.iloc[1]["tail"]
    assert found.nodes.at[side["head"], "kind"] == "touch"
    assert found.nodes.at[side["head"], "note"] == NO_STRUCTURE


def test_a_basin_on_the_middle_of_a_pipe_is_a_node_on_it() -> None:
    found = network(catch_basins={"CB1": "POINT (50 0.2)"}, pipes={"P1": pipe("LINESTRING (0 0, 100 0)")})
    assert len(found.edges) == 2
    assert found.edges.iloc[0]["head"] == found.nodes_of("catch_basins", "CB1")[0]


def test_two_side_lines_that_meet_on_a_main_join_it_at_one_node() -> None:
    found = network(
        pipes={
            "MAIN": pipe("LINESTRING (0 0, 100 0)"),
            "N": pipe("LINESTRING (50 30, 50 0)"),
            "S": pipe("LINESTRING (50 -30, 50 0)"),
        }
    )
    heads = found.edges.set_index("asset_id")["head"]
    assert heads["N"] == heads["S"] == found.edges[found.edges["asset_id"] == "MAIN"].iloc[0]["head"]


def test_a_crossing_without_an_end_joins_nothing() -> None:
    found = network(pipes={"A": pipe("LINESTRING (0 0, 100 0)"), "B": pipe("LINESTRING (50 -50, 50 50)")})
    assert len(found.edges) == 2
    assert found.components().nunique() == 2


def test_recorded_ids_turn_a_line_that_is_drawn_backwards() -> None:
    found = network(
        catch_basins={"UP": "POINT (0 0)", "DN": "POINT (100 0)"},
        pipes={"P1": pipe("LINESTRING (100 0, 0 0)", from_id="UP", to_id="DN")},
    )
    edge = found.edges.iloc[0]
    assert found.nodes.at[edge["tail"], "asset_id"] == "UP"
    assert (edge["basis"], edge["certainty"], edge["doubt"]) == ("recorded", "recorded", "")


def test_inverts_turn_a_line_without_ids() -> None:
    found = network(
        catch_basins={"LOW": "POINT (0 0)", "HIGH": "POINT (100 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)", invert_up_ft=98.0, invert_dn_ft=100.0)},
    )
    edge = found.edges.iloc[0]
    assert found.nodes.at[edge["tail"], "asset_id"] == "HIGH"
    assert (edge["basis"], edge["certainty"]) == ("inverts", "inferred")


def test_ids_against_inverts_are_a_doubt_and_the_ids_decide() -> None:
    found = network(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (100 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)", from_id="A", to_id="B", invert_up_ft=98.0, invert_dn_ft=100.0)},
    )
    edge = found.edges.iloc[0]
    assert found.nodes.at[edge["tail"], "asset_id"] == "A"
    assert edge["certainty"] == "doubtful"
    assert "disagree" in edge["doubt"]


@pytest.mark.parametrize(("off", "joined"), [(33.0, True), (33.5, False)])
def test_a_recorded_id_counts_up_to_33_feet_from_the_line(off: float, joined: bool) -> None:
    found = network(catch_basins={"A": f"POINT (0 {off})"}, pipes={"P1": pipe("LINESTRING (0 0, 100 0)", from_id="A")})
    edge = found.edges.iloc[0]
    assert (found.nodes.at[edge["tail"], "asset_id"] == "A") is joined
    assert bool(edge["doubt"]) is not joined


def test_abandoned_lines_carry_nothing() -> None:
    found = network(pipes={"P1": pipe("LINESTRING (0 0, 100 0)", status="abandoned")})
    assert not found.edges.iloc[0]["carries"]


def test_a_line_of_no_length_carries_nothing() -> None:
    found = network(catch_basins={"A": "POINT (0 0)"}, pipes={"P1": pipe("LINESTRING (0 0, 0 0)")})
    assert not found.edges.iloc[0]["carries"]


def test_parallel_lines_are_two_edges_of_one_component() -> None:
    found = network(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (100 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)"), "P2": pipe("LINESTRING (0 0, 50 10, 100 0)")},
    )
    assert len(found.edges) == 2
    assert found.components().nunique() == 1


def test_a_structure_without_a_place_is_not_in_the_network() -> None:
    assert network(catch_basins={"A": ""}).nodes_of("catch_basins", "A") == []


def test_a_town_without_lines_has_nodes_and_no_edges() -> None:
    found = network(catch_basins={"A": "POINT (0 0)"})
    assert (len(found.nodes), len(found.edges)) == (1, 0)
    assert found.reach([0], "down") == ({0: 0}, {})


def random_layers(seed: int) -> dict[str, dict[str, object]]:
    """Basins on a grid, pipes between neighbours: loops, splits, parallel and dangling lines, all by chance."""
    rng = np.random.default_rng(seed)
    at = {f"CB{number}": (100 * (number % 6), 100 * (number // 6)) for number in range(36)}
    pipes: dict[str, object] = {}
    for number in range(int(rng.integers(20, 90))):
        a, b = rng.choice(list(at), 2, replace=False)
        line = shapely.LineString([at[a], at[b]]).wkt
        if rng.random() < 0.1:
            line = shapely.LineString([at[a], (at[a][0] + 37, at[a][1] + 41)]).wkt
        pipes[f"P{number}"] = pipe(line, from_id=a if rng.random() < 0.5 else "")
    return {"catch_basins": {name: f"POINT ({x} {y})" for name, (x, y) in at.items()}, "pipes": pipes}


@pytest.mark.parametrize("seed", range(25))
def test_what_is_reached_is_what_networkx_reaches(seed: int) -> None:
    found = network(**random_layers(seed))
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(found.nodes.index)
    for edge in found.edges.itertuples():
        graph.add_edge(edge.tail, edge.head)
    for start in range(0, len(found.nodes), 7):
        assert set(found.reach([start], "down")[0]) == nx.descendants(graph, start) | {start}
        assert set(found.reach([start], "up")[0]) == nx.ancestors(graph, start) | {start}


def test_a_town_keeps_its_frames_from_being_swapped() -> None:
    made = town(catch_basins={"A": "POINT (0 0)"})
    with pytest.raises(TypeError):
        made.layers["catch_basins"] = made.layer("pipes")  # type: ignore[index]


def test_an_accepted_turn_and_an_accepted_join_are_obeyed() -> None:
    def accepted(seq: int, subject: str, **data: str) -> Record:
        at = datetime(2026, 5, seq, tzinfo=UTC)
        return Record(seq, "proposal_accepted", at.date(), "A. Planner (invented)", at, subject=subject, data=data)

    records = [
        accepted(1, "pipes:P1", proposal="turn", reason="seen in the field"),
        accepted(2, "pipes:P2", proposal="join", to="outfalls:OF", reason="seen in the field"),
    ]
    pipes = {"P1": pipe("LINESTRING (100 0, 0 0)"), "P2": pipe("LINESTRING (100 0, 190 0)")}
    made = town(records, catch_basins={"A": "POINT (0 0)"}, outfalls={"OF": "POINT (200 0)"}, pipes=pipes)
    found = trace(made, "catch_basins:A", direction="down")
    assert found.outfalls == ("OF",)
    assert {each.id: each.certainty for each in found.assets}["P1"] == "recorded"


def test_many_parallel_pipes_with_free_ends_meet_in_two_places() -> None:
    found = network(pipes={f"P{number}": pipe("LINESTRING (0 0, 100 0)") for number in range(2000)})
    assert (len(found.nodes), len(found.edges)) == (2, 2000)


def test_many_structures_in_one_spot_are_one_place() -> None:
    found = network(catch_basins={f"CB{number}": "POINT (0 0)" for number in range(2000)})
    assert set(found.nodes["place"]) == {0}
