"""A place on the map as a start, where to block the flow, and a premises that drains to several outfalls."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import networkx as nx
import numpy as np
import pytest
import shapely

from layers.crs import to_lonlat
from layers.errors import CallError
from layers.town import Town
from layers.trace import Trace, trace
from tests.support import CORNER, FEET, town


def pipe(wkt: str, **fields: object) -> tuple[str, dict[str, object]]:
    return wkt, {"system": "storm", **fields}


def at(x: float, y: float) -> str:
    """`point:LON,LAT` of a place in feet from the corner."""
    place = to_lonlat(gpd.GeoSeries([shapely.Point(CORNER[0] + x, CORNER[1] + y)], crs=FEET)).iloc[0]
    return f"point:{place.x!r},{place.y!r}"


@pytest.fixture(scope="module")
def street() -> Town:
    """CB1 –100– CB2, there parting: 50 to MH and 60 on to OF1, and 80 to OF2; a lot beside CB1 and OF2's ditch."""
    return town(
        catch_basins={"CB1": "POINT (0 0)", "CB2": "POINT (100 0)"},
        manholes={"MH": "POINT (150 0)"},
        outfalls={"OF1": "POINT (210 0)", "OF2": "POINT (100 -80)"},
        pipes={
            "P1": pipe("LINESTRING (0 0, 100 0)"),
            "P2": pipe("LINESTRING (100 0, 150 0)"),
            "P3": pipe("LINESTRING (150 0, 210 0)"),
            "P4": pipe("LINESTRING (100 0, 100 -80)"),
            "OLD": ("LINESTRING (0 200, 100 200)", {"system": "storm", "status": "abandoned"}),
        },
        parcels={
            "LOT": "POLYGON ((-40 20, 40 20, 40 120, -40 120, -40 20))",
            "UNIT": "POLYGON ((-40 20, 40 20, 40 120, -40 120, -40 20))",
        },
        drains={"DR": ("", {"premises_key": "LOT", "to_id": "MH"})},
    )


# -- a place on the map


def test_a_place_is_the_nearest_line_and_only_the_part_below_it_is_measured(street: Town) -> None:
    # 5 ft north of P1, 30 ft before its end at CB2
    found = trace(street, at(70, 5), direction="down")
    assert found.taken is not None
    assert (found.subject, found.taken.distance_ft) == ("pipes:P1", 5.0)
    assert found.taken.text == "pipe P1 is the nearest line or structure within 30 ft of the place, 5.0 ft away"
    assert [(each.id, each.distance_ft) for each in found.block][:2] == [("CB2", 30.0), ("MH", 80.0)]


def test_of_a_structure_and_a_line_equally_near_the_structure_is_taken(street: Town) -> None:
    assert trace(street, at(100, 6), direction="down").subject == "catch_basins:CB2"


def test_within_thirty_feet_is_near_and_beyond_it_is_the_lot_or_nothing(street: Town) -> None:
    assert trace(street, at(30, 29.9), direction="down").subject == "pipes:P1"
    lot = trace(street, at(30, 30.2), direction="down")
    assert (lot.subject, lot.outfalls) == ("premises:LOT", ("OF1", "OF2"))
    assert lot.taken is not None
    assert "it lies in premises LOT" in lot.taken.text
    with pytest.raises(CallError, match="no line or structure lies within 30 ft"):
        trace(street, at(60, 60), direction="down")


def test_an_abandoned_line_is_not_taken(street: Town) -> None:
    with pytest.raises(CallError, match="no line or structure"):
        trace(street, at(50, 200), direction="down")


@pytest.mark.parametrize("asked", ["point:", "point:1", "point:a,b", "point:nan,1", "point:1,91", "point:1,2,3"])
def test_what_is_no_place_is_refused(street: Town, asked: str) -> None:
    with pytest.raises(CallError, match="is no place"):
        trace(street, asked, direction="down")


def test_up_from_a_place_on_a_line_is_what_lies_above_it() -> None:
    # a side drain joins P1 at 50 ft: above the place at 80 ft, below that at 20 ft
    made = town(
        catch_basins={"A": "POINT (0 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 100 0)"), "SIDE": pipe("LINESTRING (50 50, 50 0)")},
    )
    assert {each.id for each in trace(made, at(80, 3), direction="up").assets} == {"A", "P1", "SIDE"}
    assert {each.id for each in trace(made, at(20, 3), direction="up").assets} == {"A", "P1"}


# -- where to block


def test_structures_come_in_the_order_of_the_flow_with_the_way_to_each(street: Town) -> None:
    found = trace(street, "catch_basins:CB1", direction="down").to_json()["block"]
    assert [(each["id"], each["distance_ft"], each["via"], each["after"], each["branch"]) for each in found] == [
        ("CB1", 0.0, [], "", 1),
        ("CB2", 100.0, ["pipes:P1"], "catch_basins:CB1", 1),
        ("MH", 150.0, ["pipes:P2"], "catch_basins:CB2", 1),
        ("OF2", 180.0, ["pipes:P4"], "catch_basins:CB2", 2),
        ("OF1", 210.0, ["pipes:P3"], "manholes:MH", 1),
    ]


def test_lines_that_meet_without_a_structure_are_all_on_the_way_to_the_next_one() -> None:
    made = town(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (100 0)"},
        pipes={"P1": pipe("LINESTRING (0 0, 40 0)"), "P2": pipe("LINESTRING (40 0, 100 0)")},
    )
    (_, last) = trace(made, "catch_basins:A", direction="down").block
    assert (last.distance_ft, last.via, last.after) == (100.0, ("pipes:P1", "pipes:P2"), "catch_basins:A")


def test_up_a_trace_there_is_nothing_to_block(street: Town) -> None:
    assert trace(street, "outfalls:OF1", direction="up").block == ()


# -- a premises with several outfalls


def test_each_structure_counts_alike_and_a_split_in_equal_parts(street: Town) -> None:
    # CB1 reaches both outfalls: a quarter each; the drain to MH reaches OF1 alone: a half
    shares = trace(street, "premises:LOT", direction="down").shares
    assert [(each.outfall, each.share) for each in shares] == [("OF1", 0.75), ("OF2", 0.25)]
    assert shares[0].basis.startswith("of the 2 structures or lines that it drains to, each counted alike")


def test_every_unit_of_a_stack_is_its_premises(street: Town) -> None:
    assert (
        trace(street, "premises:UNIT", direction="down").shares
        == trace(street, "premises:LOT", direction="down").shares
    )


def test_where_sewersheds_of_the_terrain_are_known_the_area_gives_the_shares() -> None:
    made = town(
        catch_basins={"CB": "POINT (50 -10)"},
        parcels={"LOT": "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))"},
        sewersheds={
            "S1": ("POLYGON ((-50 -50, 60 -50, 60 200, -50 200, -50 -50))", {"outfall_id": "OF1", "basis": "terrain"}),
            "S2": ("POLYGON ((60 -50, 90 -50, 90 200, 60 200, 60 -50))", {"outfall_id": "OF2", "basis": "terrain"}),
            "S3": ("POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))", {"outfall_id": "OF3", "basis": "parcels"}),
        },
    )
    shares = trace(made, "premises:LOT", direction="down").shares
    assert [(each.outfall, each.share, each.certainty) for each in shares] == [
        ("OF1", 0.6, "unknown"),
        ("OF2", 0.3, "unknown"),
        ("", 0.1, "unknown"),
    ]
    assert shares[0].basis == "of the lot's area, by the terrain sewersheds"


def test_water_that_reaches_no_outfall_has_its_share_too() -> None:
    made = town(
        catch_basins={"CB": "POINT (50 -10)"},
        parcels={"LOT": "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))"},
    )
    assert [(each.outfall, each.share) for each in trace(made, "premises:LOT", direction="down").shares] == [("", 1.0)]


# -- random networks


def _random_town(seed: int) -> tuple[Town, nx.MultiDiGraph[Any]]:
    """Pipes between points of a wide grid, with loops, splits and parallel lines; the same as a graph of their own."""
    random = np.random.default_rng(seed)
    spots = [(x * 300.0, y * 300.0) for x in range(4) for y in range(4)]
    graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph()
    graph.add_nodes_from(range(16))
    pipes: dict[str, Any] = {}
    for number, (a, b) in enumerate(random.integers(0, 16, (26, 2)).tolist()):
        if a != b:
            (x, y), (u, v) = spots[a], spots[b]
            bend = f"{(x + u) / 2 + 7 + number * 3} {(y + v) / 2 + 11 + number * 5}"
            ids = {"from_id": f"CB{a}", "to_id": f"CB{b}"} if random.random() < 0.5 else {}
            pipes[f"P{number}"] = pipe(f"LINESTRING ({x} {y}, {bend}, {u} {v})", **ids)
            graph.add_edge(a, b, key=f"P{number}", rank=0 if ids else 1)
    basins = {f"CB{number}": f"POINT ({x} {y})" for number, (x, y) in enumerate(spots)}
    made = town(catch_basins=basins, pipes=pipes)
    for a, b, key in graph.edges(keys=True):
        edges = made.network.edges.loc[made.network.edges_of("pipes", key)]
        graph.edges[a, b, key]["length"] = float(edges["length_ft"].sum())
    return made, graph


def _basins(found: Trace) -> dict[str, str]:
    return {each.id: each.certainty for each in found.assets if each.layer == "catch_basins"}


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_agree_with_networkx(seed: int) -> None:
    made, graph = _random_town(seed)
    for start in range(16):
        down = trace(made, f"catch_basins:CB{start}", direction="down")
        reached = {start, *nx.descendants(graph, start)}
        assert set(_basins(down)) == {f"CB{node}" for node in reached}
        sure = (
            {start, *nx.descendants(graph.edge_subgraph([e for e in graph.edges if not graph.edges[e]["rank"]]), start)}
            if any(not graph.edges[e]["rank"] and start in e[:2] for e in graph.edges)
            else {start}
        )
        assert {key for key, word in _basins(down).items() if word == "recorded"} == {f"CB{node}" for node in sure}
        shortest = nx.single_source_dijkstra_path_length(graph, start, weight="length")
        feet = {each.id: each.distance_ft for each in down.block}
        assert feet == pytest.approx({f"CB{node}": way for node, way in shortest.items()}, abs=0.06)
        up = trace(made, f"catch_basins:CB{start}", direction="up")
        assert set(_basins(up)) == {f"CB{node}" for node in {start, *nx.ancestors(graph, start)}}


@pytest.mark.parametrize("seed", range(4))
def test_what_lies_down_of_a_basin_has_the_basin_up_of_it(seed: int) -> None:
    made, _ = _random_town(seed + 100)
    down = {start: set(_basins(trace(made, f"catch_basins:CB{start}", direction="down"))) for start in range(16)}
    up = {start: set(_basins(trace(made, f"catch_basins:CB{start}", direction="up"))) for start in range(16)}
    assert all((f"CB{b}" in down[a]) == (f"CB{a}" in up[b]) for a in range(16) for b in range(16))
