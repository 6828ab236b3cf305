"""Sewersheds from premises: which lots drain to which outfall, in which shares; lots are squares of 100 ft."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from layers.joins.network import Network
from layers.joins.reaching import Reaching
from layers.joins.sewersheds import Sewersheds, as_layer, find_differences, make_sewersheds, replace_made
from layers.schema import schema
from layers.town import Town
from layers.trace import trace
from mapping.pipeline import Picture
from tests.support import FEET, Rows, layer, place, town


def lot(x: float, y: float, property_class: str = "210") -> tuple[str, dict[str, str]]:
    return shapely.box(x, y, x + 100, y + 100).wkt, {"property_class": property_class}


def pipe(*at: tuple[float, float], system: str = "storm", status: str = "active") -> tuple[str, dict[str, str]]:
    return shapely.LineString(at).wkt, {"system": system, "status": status}


def shares(made: Sewersheds) -> dict[tuple[str, str], float]:
    return {(row.premises_key, row.outfall_id): round(row.share, 6) for row in made.shares.itertuples()}


def areas(made: Sewersheds) -> dict[str, int]:
    """Square feet of each sewershed."""
    return {str(key): round(shape.area) for key, shape in made.layer.geometry.items()}


STREET: dict[str, Rows] = {
    "parcels": {"L1": lot(0, 0, "432"), "L2": lot(100, 0), "L3": lot(200, 0)},
    "catch_basins": {"CB1": "POINT (50 50)", "CB2": "POINT (150 50)", "CB3": "POINT (250 50)"},
    "outfalls": {"OF1": "POINT (50 300)", "OF2": "POINT (250 300)"},
    "pipes": {
        "P1": pipe((50, 50), (50, 300)),
        "P2": pipe((150, 50), (50, 50)),
        "P3": pipe((250, 50), (250, 300)),
    },
}
"""Three lots with a basin in each: the first two drain to OF1, the third to OF2."""


def test_the_lots_that_drain_to_an_outfall_are_its_sewershed() -> None:
    made = make_sewersheds(town(**STREET))
    assert areas(made) == {"SS-OF1": 20_000, "SS-OF2": 10_000}
    assert list(made.layer["outfall_id"]) == ["OF1", "OF2"]
    assert set(made.layer["basis"]) == {"parcels"}
    assert set(made.layer["preliminary"]) == {"yes"}
    assert made.layer.geometry["SS-OF1"].equals(place("POLYGON ((0 0, 200 0, 200 100, 0 100, 0 0))"))


def test_the_area_is_told_in_acres_and_conforms_to_the_schema() -> None:
    made = make_sewersheds(town(**STREET)).layer
    known = schema("sewersheds")
    assert list(made["acres"]) == [0.46, 0.23]  # 20,000 and 10,000 of the 43,560 square feet of an acre
    assert tuple(made.columns) == (*known.names, "geometry")
    assert (made.dtypes == known.empty(FEET).dtypes).all()
    assert (made.index.name, made.crs, set(made.geom_type)) == ("asset_id", FEET, {"MultiPolygon"})


def test_the_land_use_with_the_largest_area_is_the_dominant_one() -> None:
    rows = STREET | {
        "parcels": {"L1": lot(0, 0, "432"), "L2": (shapely.box(100, 0, 260, 100).wkt, {"property_class": "210"})}
    }
    made = make_sewersheds(town(**rows)).layer
    assert made.at["SS-OF1", "land_use"] == "residential"


@pytest.mark.parametrize("property_class", ["", "R-1", "21"])
def test_a_class_of_another_kind_says_nothing_about_land_use(property_class: str) -> None:
    rows = STREET | {"parcels": {"L3": lot(200, 0, property_class)}}
    assert make_sewersheds(town(**rows)).layer.at["SS-OF2", "land_use"] == ""


def test_a_lot_with_basins_that_lead_apart_is_in_both_sewersheds_with_equal_parts() -> None:
    rows = STREET | {"parcels": {"BIG": shapely.box(0, 0, 300, 100).wkt}}
    made = make_sewersheds(town(**rows))
    assert areas(made) == {"SS-OF1": 30_000, "SS-OF2": 30_000}
    assert shares(made) == {("BIG", "OF1"): round(2 / 3, 6), ("BIG", "OF2"): round(1 / 3, 6)}
    assert set(made.shares["basis"]) == {"equal parts"}


def test_at_a_split_a_lot_is_in_the_sewershed_of_every_outfall() -> None:
    rows = STREET | {"pipes": {**STREET["pipes"], "P4": pipe((150, 50), (250, 50))}}
    made = make_sewersheds(town(**rows))
    assert areas(made) == {"SS-OF1": 20_000, "SS-OF2": 20_000}
    assert shares(made) == {("L1", "OF1"): 1, ("L2", "OF1"): 0.5, ("L2", "OF2"): 0.5, ("L3", "OF2"): 1}
    assert made.shares.set_index("premises_key").loc["L1", "basis"] == "only way"


def test_the_part_that_reaches_no_outfall_is_kept_in_the_shares_and_in_no_sewershed() -> None:
    rows = STREET | {"pipes": {"P1": STREET["pipes"]["P1"]}, "parcels": {"BIG": shapely.box(0, 0, 180, 100).wkt}}
    made = make_sewersheds(town(**rows))
    assert shares(made) == {("BIG", "OF1"): 0.5, ("BIG", ""): 0.5}
    assert list(made.layer.index) == ["SS-OF1"]


@pytest.mark.parametrize("change", [{"status": "abandoned"}, {"system": "sanitary"}, {"system": "combined"}])
def test_an_abandoned_line_or_a_sewer_leads_to_no_outfall(change: dict[str, str]) -> None:
    rows = STREET | {"pipes": {**STREET["pipes"], "P3": pipe((250, 50), (250, 300), **change)}}
    made = make_sewersheds(town(**rows))
    assert shares(made)["L3", ""] == 1
    assert list(made.layer.index) == ["SS-OF1"]


def test_what_the_command_prints() -> None:
    rows = STREET | {"pipes": {"P1": STREET["pipes"]["P1"]}}
    assert make_sewersheds(town(**rows)).to_json() == {
        "sewersheds": [
            {
                "id": "SS-OF1",
                "outfall_id": "OF1",
                "basis": "parcels",
                "acres": 0.23,
                "land_use": "commercial",
                "cut": "unknown",
                "lots": 1,
            }
        ],
        "lots_without_outfall": 2,
        "nested": [],
        "doubts": [],
    }


def test_a_stack_of_lots_is_one_premises() -> None:
    rows = STREET | {"parcels": {"U1": lot(0, 0), "U2": lot(0, 0)}}
    assert shares(make_sewersheds(town(**rows))) == {("U1", "OF1"): 1}


def test_a_lot_beside_a_ditch_drains_to_where_the_ditch_leads() -> None:
    made = make_sewersheds(
        town(
            parcels={"L1": lot(0, 0), "L2": lot(100, 0)},
            ditches={"D1": "LINESTRING (-100 110, 150 110, 150 300)"},
            outfalls={"OF1": "POINT (150 300)"},
        )
    )
    assert areas(made) == {"SS-OF1": 20_000}
    assert set(made.shares["certainty"]) == {"inferred"}


def test_a_recorded_drain_leads_to_the_asset_that_it_names_and_counts_once() -> None:
    drains: Rows = {
        "DR1": ("", {"premises_key": "L1", "to_id": "CB3"}),
        "DR2": ("", {"premises_key": "L2", "to_id": "CB2"}),
        "DR3": ("", {"premises_key": "L3", "to_id": "nobody knows"}),
    }
    made = make_sewersheds(town(**STREET, drains=drains))
    found = shares(made)
    assert (found["L1", "OF1"], found["L1", "OF2"]) == (0.5, 0.5)
    assert found["L2", "OF1"] == 1
    assert (found["L3", "OF2"], found["L3", ""]) == (0.5, 0.5)


def test_a_way_is_as_sure_as_its_worst_line() -> None:
    rows = STREET | {"outfalls": {"OF1": "POINT (50 303)", "OF2": "POINT (250 300)"}}
    found = make_sewersheds(town(**rows)).shares.set_index("premises_key")["certainty"]
    assert found.to_dict() == {"L1": "doubtful", "L2": "doubtful", "L3": "inferred"}


def test_water_stops_at_the_first_outfall_and_what_lies_below_is_told() -> None:
    made = make_sewersheds(
        town(
            parcels={"L1": lot(0, 0), "L2": lot(100, 0)},
            catch_basins={"CB1": "POINT (20 50)", "CB2": "POINT (130 50)"},
            outfalls={"UP": "POINT (80 50)", "LOW": "POINT (180 200)"},
            pipes={"P1": pipe((20, 50), (80, 50)), "P2": pipe((130, 50), (180, 200))},
            ditches={"D1": "LINESTRING (80 50, 130 50)"},
        )
    )
    assert set(map(tuple, made.nested.to_numpy())) == {("UP", "LOW")}
    assert made.outfalls_above("LOW") == ["LOW", "UP"]
    assert made.outfalls_above("UP") == ["UP"]


def test_a_town_without_lots_or_lines_has_no_sewersheds() -> None:
    made = make_sewersheds(town())
    assert (len(made.layer), len(made.shares), len(made.nested)) == (0, 0, 0)
    assert list(made.layer.columns) == [*schema("sewersheds").names, "geometry"]


def test_lines_that_lead_round_reach_the_outfall_out_of_the_circle() -> None:
    rows = STREET | {"pipes": {**STREET["pipes"], "BACK": pipe((50, 50), (150, 90), (150, 50))}}
    assert areas(make_sewersheds(town(**rows))) == {"SS-OF1": 20_000, "SS-OF2": 10_000}


def chain(count: int) -> Town:
    """Lots in a row, an outfall in each, and a pipe from each outfall to the next."""
    return town(
        parcels={f"L{n:05d}": lot(100 * n, 0) for n in range(count)},
        outfalls={f"OF{n:05d}": f"POINT ({100 * n + 50} 50)" for n in range(count)},
        pipes={f"P{n:05d}": pipe((100 * n + 50, 50), (100 * n + 150, 50)) for n in range(count - 1)},
    )


def test_ten_thousand_outfalls_on_one_chain_are_ten_thousand_short_answers() -> None:
    made = make_sewersheds(chain(10_000))
    assert (len(made.layer), len(made.shares), len(made.nested)) == (10_000, 10_000, 9_999)
    assert made.layer["acres"].unique().tolist() == [0.23]
    assert len(made.outfalls_above("OF09999")) == 10_000


def naive(network: Network, node: int, limit: int) -> set[str]:
    """The outfalls first met from a node, by walking."""
    at = Reaching(network).outfalls_at
    rank = {"recorded": 0, "inferred": 1, "doubtful": 2}
    seen, ahead, found = {node}, [node], set()
    while ahead:
        here = ahead.pop()
        if here in at:
            found |= at[here]
            continue
        edges = network.edges[(network.edges["tail"] == here) & network.edges["carries"]]
        new = {int(row.head) for row in edges.itertuples() if rank[row.certainty] <= limit} - seen
        seen |= new
        ahead += new
    return found


@pytest.mark.parametrize("seed", range(10))
def test_labels_agree_with_walking_on_random_networks_with_loops_and_splits(seed: int) -> None:
    random = pd.Series(range(25)).sample(60, replace=True, random_state=seed).tolist()
    ends = [(a, b) for a, b in zip(random[::2], random[1::2], strict=True) if a != b]
    at = {n: (40.0 * (n % 5), 40.0 * (n // 5) + 3 * (n % 3)) for n in range(25)}
    small = town(
        catch_basins={f"CB{n}": f"POINT ({x} {y})" for n, (x, y) in at.items() if n % 7},
        outfalls={f"OF{n}": f"POINT ({x} {y})" for n, (x, y) in at.items() if n % 7 == 0},
        pipes={f"P{n}": pipe(at[a], (at[b][0], at[b][1] + (n % 3) * 0.4)) for n, (a, b) in enumerate(ends)},
    )
    reaching = Reaching(small.network)
    for node in small.network.nodes.index:
        expected = {name: rank for rank in (2, 1, 0) for name in naive(small.network, node, rank)}
        assert reaching.from_nodes([(node, 0)]) == expected


def square(size: float) -> shapely.Geometry:
    return shapely.box(0, 0, size, size)


def as_sent(**row: str) -> gpd.GeoDataFrame:
    given = {"outfall_id": "OF1", "basis": "parcels", "source": "theirs.shp", **row}
    return layer("sewersheds", {"SS-OF1": ("POLYGON ((0 0, 9 0, 9 9, 0 0))", given)})


def test_sewersheds_made_anew_take_the_place_of_those_made_before_and_of_no_others() -> None:
    before = as_layer([("OF1", square(1)), ("OF9", square(1))], basis="parcels", source="made from premises", crs=FEET)
    terrain = as_layer(
        [("OF1", square(2))], basis="terrain", source="made from terrain a.tif", crs=FEET, cut={"OF1": True}
    )
    now = as_layer([("OF1", square(3))], basis="parcels", source="made from premises", crs=FEET)
    found = replace_made(replace_made(replace_made(before, terrain), now), now)
    assert found.geometry.area.to_dict() == {"ST-OF1": 4.0, "SS-OF1": 9.0}
    assert found["cut"].to_dict() == {"ST-OF1": "yes", "SS-OF1": "unknown"}


def test_a_sewershed_that_somebody_sent_keeps_its_id_and_its_area() -> None:
    now = as_layer([("OF1", square(3))], basis="parcels", source="made from premises", crs=FEET)
    once = replace_made(as_sent(), now)
    assert once.geometry.area.to_dict() == {"SS-OF1": 40.5, "SS-OF1'": 9.0}
    assert list(replace_made(once, now).index) == ["SS-OF1", "SS-OF1'"]


def both(parcels: shapely.Geometry, terrain: shapely.Geometry) -> gpd.GeoDataFrame:
    made = [
        as_layer([("OF1", parcels), ("OF2", parcels)], basis="parcels", source="made from premises", crs=FEET),
        as_layer([("OF1", terrain)], basis="terrain", source="made from terrain a.tif", crs=FEET, cut={"OF1": False}),
    ]
    return gpd.GeoDataFrame(pd.concat(made), crs=FEET)


def test_where_premises_and_terrain_differ_is_an_area_of_each() -> None:
    found = find_differences(both(shapely.box(0, 0, 300, 300), shapely.box(100, 0, 500, 300)))
    assert found.geometry.area.round().to_dict() == {"SS-OF1": 30_000, "ST-OF1": 60_000}
    assert found["acres"].to_dict() == {"SS-OF1": 0.69, "ST-OF1": 1.38}
    assert found["basis"].to_dict() == {"SS-OF1": "parcels", "ST-OF1": "terrain"}


@pytest.mark.parametrize(("width", "count"), [(80, 0), (81, 1)])
def test_a_difference_no_wider_than_a_road_is_none(width: float, count: int) -> None:
    assert len(find_differences(both(shapely.box(0, 0, 300, 300), shapely.box(0, 0, 300, 300 + width)))) == count


def test_no_basis_and_outfall_share_an_id_with_another() -> None:
    names = ["OF1", "ST-OF1", "SS-OF1", "T-OF1"]
    made = [
        as_layer([(n, square(1)) for n in names], basis=b, source="made from", crs=FEET) for b in ("parcels", "terrain")
    ]
    assert pd.concat(made).index.is_unique


def test_in_the_sample_town_every_trace_up_finds_the_lots_of_the_whole_sewershed(picture: Picture) -> None:
    there = picture.town
    made = make_sewersheds(there)
    lots = made.shares.groupby("outfall_id")["premises_key"].agg(set).to_dict()
    assert len(made.nested) > 0
    for outfall in there.layer("outfalls").index:
        traced = {each.key for each in trace(there, f"outfalls:{outfall}", direction="up").premises}
        above = made.outfalls_above(outfall)
        assert traced == set().union(*(lots.get(each, set()) for each in above)), outfall
    assert made.shares.groupby("premises_key")["share"].sum().to_numpy() == pytest.approx(1)
