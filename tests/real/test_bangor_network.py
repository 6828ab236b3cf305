"""Bangor, Maine: which way its pipes run, which waters the overflows reach, and where basins drain to."""

from __future__ import annotations

import pandas as pd
import pytest
from shapely.geometry import LineString

from layers.town import Town
from layers.trace import trace
from tests.real.conftest import RealTown

# -- which way the pipes run


def _drawn_backwards(town: Town, pipe: str) -> bool:
    """Whether the water runs against the way in which the pipe is drawn."""
    first = town.network.edges.loc[town.network.edges_of("pipes", pipe)[0]]
    shape: LineString = first.geometry
    start = shape.interpolate(0.0)
    tail, head = (town.network.nodes.geometry[first[end]] for end in ("tail", "head"))
    return bool(start.distance(head) < start.distance(tail))


def _ways(town: Town) -> tuple[pd.Series[str], pd.Series[str]]:
    """For each pipe the structure at which it begins and the one at which it ends, in the direction of the flow."""
    edges = town.network.edges[town.network.edges["layer"] == "pipes"]
    tails, heads = (
        pd.MultiIndex.from_frame(edges[["asset_id", end]], names=["pipe", "node"]) for end in ("tail", "head")
    )

    def structures(ends: pd.MultiIndex) -> pd.Series[str]:
        nodes = town.network.nodes["asset_id"].reindex(ends.get_level_values("node"))
        return pd.Series(nodes.to_numpy(), index=ends.get_level_values("pipe"))

    return structures(tails.difference(heads)), structures(heads.difference(tails))


def _run_as_recorded(town: Town, pipes: pd.Index[str]) -> int:
    """How many of the pipes begin at the structure recorded up and end at the one recorded down."""
    recorded, (begins, ends) = town.layer("pipes").loc[pipes], _ways(town)
    return int(((begins.reindex(pipes) == recorded["from_id"]) & (ends.reindex(pipes) == recorded["to_id"])).sum())


def test_2595_pipes_run_from_the_manhole_recorded_up_to_the_one_recorded_down(bangor: RealTown) -> None:
    # 2,673 have two ids that are found and 71 of them lie more than 10 m off: of the 2,602 left six are drawn on another
    # structure 7 to 17 ft away, which is a doubt, and KW005R13 names itself at both ends
    town, pipes = bangor.town, bangor.town.layer("pipes")
    structures = town.layer("manholes").index.union(town.layer("catch_basins").index)
    both = pipes.index[pipes["from_id"].isin(structures) & pipes["to_id"].isin(structures)]
    assert len(both) == 2673
    assert _run_as_recorded(town, both) == 2586 + 9


def test_the_nine_pipes_drawn_against_the_flow_are_turned(bangor: RealTown) -> None:
    nine = ["AP401", "AP406", "AP725", "KI069", "MB004", "MB475", "MB950", "MB951", "MS003"]
    assert all(_drawn_backwards(bangor.town, pipe) for pipe in nine)
    assert _run_as_recorded(bangor.town, pd.Index(nine)) == 9


def test_ids_and_inverts_that_disagree_are_a_doubt(bangor: RealTown) -> None:
    # MB915: downstream invert 16301.0 for 163.01
    edge = bangor.town.network.edges.loc[bangor.town.network.edges_of("pipes", "MB915")[0]]
    assert (edge["basis"], edge["certainty"]) == ("recorded", "doubtful")


# -- where the water goes


@pytest.mark.parametrize(
    ("cso", "water", "feet"),
    [
        ("CSO002", "rivers-2", 14.0),
        ("CSO003", "rivers-2", 6.6),
        ("CSO020", "rivers-3", 71.7),
        ("CSO006", "streams-79", 0.0),
        ("CSO007", "streams-79", 1.1),
        ("CSO009", "streams-17", 3.2),
        ("CSO011", "streams-103", 2.3),
        ("CSO016", "streams-21", 14.7),
        ("CSO023", "streams-14", 0.8),
    ],
)
def test_each_overflow_finds_its_water_in_all_three_files(bangor: RealTown, cso: str, water: str, feet: float) -> None:
    links = bangor.town.water_links
    chosen = links[(links["outfall_id"] == cso) & links["chosen"]]
    assert chosen[["segment_id", "distance_ft"]].to_numpy().tolist() == [[water, feet]]
    name = "" if water.startswith("rivers") else "KENDUSKEAG STREAM"
    assert chosen["name"].tolist() == [name]


def test_the_three_overflows_to_the_penobscot_have_no_stream_within_reach(bangor: RealTown) -> None:
    links = bangor.town.water_links
    mine = links[links["outfall_id"].isin(["CSO002", "CSO003", "CSO020"])]
    assert not mine["segment_id"].str.startswith("streams").any()


def _pipes(town: Town, subject: str) -> list[str]:
    return [each.id for each in trace(town, subject, direction="down").assets if each.layer == "pipes"]


def test_a_basin_of_barkersville_goes_to_the_overflow_and_to_the_treatment_plant(bangor: RealTown) -> None:
    found = trace(bangor.town, "catch_basins:BV050R01", direction="down")
    plant = "PI005 PI004 PI003 PI002 PI001 PI001A"
    expected = f"BV050R01 BV050.2 BV050.1 BV003.2 BV003.1 BV002 BV001 BV997 BV998.2 BV998.1 BV999 {plant}"
    assert sorted(_pipes(bangor.town, "catch_basins:BV050R01")) == sorted(expected.split())
    assert (found.outfalls, found.waters) == (("CSO002",), ("rivers-2",))
    assert [(each.code, each.id) for each in found.doubts] == [("not_ms4", ""), ("dead_end", "PI001A")]
    assert bangor.town.layer("pipes").at["PI001A", "to_id"] == "WWTP"


def test_a_basin_at_central_street_goes_to_the_kenduskeag(bangor: RealTown) -> None:
    found = trace(bangor.town, "catch_basins:CT100R01", direction="down")
    interceptor = [f"EK{number:03}" for number in range(6, 17) if number != 9]
    expected = [
        "CT100R01",
        "CT100.2",
        "CT100.1",
        "CT003",
        "CT002",
        "CT001",
        "CT999",
        "EK009.1",
        "EK009.2",
        *interceptor,
    ]
    slip = ["CT004", "CT005"]  # recorded to lead up: their ids are one manhole off, and that is said
    assert sorted(_pipes(bangor.town, "catch_basins:CT100R01")) == sorted(expected + slip)
    assert (found.outfalls, found.waters) == (("CSO023",), ("streams-14",))
    assert {each.id: each.certainty for each in found.assets if each.id in ("CT999", "CT004", "CT005")} == {
        "CT999": "recorded",
        "CT004": "doubtful",
        "CT005": "doubtful",
    }


def test_a_recorded_id_one_manhole_off_does_not_stop_a_trace(bangor: RealTown) -> None:
    # KW104.1 is recorded to end at KW104, where KW104.2 above it begins
    found = trace(bangor.town, "catch_basins:KW104R01", direction="down")
    pipes = ["KW104R01", "KW104.1", "KW103", "KW102.6", "KW102.5", "KW160.1", "KW102.4"]
    assert _pipes(bangor.town, "catch_basins:KW104R01") == pipes
    assert ("dead_end", "KW102.4") in {(each.code, each.id) for each in found.doubts}


@pytest.mark.parametrize(
    ("cso", "basins"),
    [("CSO002", 39), ("CSO007", 5), ("CSO011", 14), ("CSO016", 0), ("CSO020", 0), ("CSO023", 1)],
)
def test_up_from_an_overflow_are_the_basins_that_lead_down_to_it(bangor: RealTown, cso: str, basins: int) -> None:
    reached = trace(bangor.town, f"outfalls:{cso}", direction="up").assets
    found = [each.id for each in reached if each.layer == "catch_basins"]
    assert len(found) == basins
    for basin in found[:5]:
        assert cso in trace(bangor.town, f"catch_basins:{basin}", direction="down").outfalls
