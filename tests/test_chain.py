"""The evidence chain from premises to listed water, every link with method, distance, confidence and source."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import pytest

from layers.errors import CallError
from layers.town import Town
from mapping.chain import Chain, ChainLink, chain
from mapping.law import load_law
from tests.findings_town import town_of
from tests.test_trace_parts import at

LAW = load_law("north_salem_194")
ON = date(2026, 8, 4)


def shop_town(*, category: str = "5", records: Iterable[dict[str, Any]] = (), **more: Any) -> Town:
    """A shop with a drain to a basin, a pipe to an outfall at a brook, and a listed lake below the brook.

    shop (0 0 .. 100 100) --DR-1--> CB-1 (150 50) --P-1--> OF-1 (350 50)  brook at y = 20, flows east into the lake
    """
    shop = "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))"
    lake = "POLYGON ((1000 0, 1400 0, 1400 400, 1000 400, 1000 0))"
    drain = {"premises_key": "KEY", "to_id": "CB-1", "source": "files", "at": "LINESTRING (90 50, 148 50)"}
    pipe = {"from_id": "CB-1", "to_id": "OF-1", "system": "storm", "source": "gps", "at": "LINESTRING (150 50, 350 50)"}
    brook = {"name": "Crook Brook", "ir_category": "2", "to_segment": "LAKE", "at": "LINESTRING (0 20, 1000 20)"}
    layers: dict[str, list[dict[str, Any]]] = {
        "parcels": [{"id": "KEY", "property_class": "484", "at": shop}],
        "drains": [{"id": "DR-1", **drain}],
        "catch_basins": [{"id": "CB-1", "owner": "Town", "at": "POINT (150 50)"}],
        "pipes": [{"id": "P-1", **pipe}],
        "outfalls": [{"id": "OF-1", "kind": "outfall", "owner": "Town", "at": "POINT (350 50)"}],
        "waters": [
            {"id": "BROOK", **brook},
            {"id": "LAKE", "name": "Long Lake", "ir_category": category, "at": lake},
        ],
    }
    for name, rows in more.items():
        layers[name] = [*layers.get(name, []), *rows]
    return town_of(layers, records=records)


def pairs(found: Chain) -> list[tuple[str, str]]:
    return [(link.from_, link.to) for link in found.links]


def test_the_chain_runs_from_the_shop_over_its_drain_to_the_listed_lake() -> None:
    assert pairs(chain(shop_town(), LAW, "premises:KEY", ON)) == [
        ("premises:KEY", "drains:DR-1"),
        ("premises:KEY", "catch_basins:CB-1"),
        ("drains:DR-1", "catch_basins:CB-1"),
        ("catch_basins:CB-1", "pipes:P-1"),
        ("pipes:P-1", "outfalls:OF-1"),
        ("outfalls:OF-1", "waters:BROOK"),
        ("waters:BROOK", "waters:LAKE"),
    ]


def test_every_link_says_how_it_is_known_how_far_how_sure_and_from_where() -> None:
    found = {(link.from_, link.to): link for link in chain(shop_town(), LAW, "premises:KEY", ON).links}
    assert found["premises:KEY", "drains:DR-1"] == ChainLink(
        "premises:KEY", "drains:DR-1", "drains to", "recorded", 0.0, "probable", "files"
    )
    assert found["drains:DR-1", "catch_basins:CB-1"] == ChainLink(
        "drains:DR-1", "catch_basins:CB-1", "connected to", "recorded", 2.0, "probable", "files"
    )
    assert found["catch_basins:CB-1", "pipes:P-1"] == ChainLink(
        "catch_basins:CB-1", "pipes:P-1", "flows to", "recorded", 0.0, "probable", "gps"
    )
    brook = found["outfalls:OF-1", "waters:BROOK"]
    assert (brook.kind, brook.method, brook.distance_ft) == ("discharges to", "nearest", 30.0)


def test_the_reaches_name_each_water_with_its_conditions() -> None:
    # from x = 350 along the brook to its end at x = 1000: 650 ft
    reaches = chain(shop_town(), LAW, "premises:KEY", ON).to_json()["reaches"]
    assert reaches == [
        {"outfall": "OF-1", "water": "BROOK", "basis": "discharges_to", "conditions": [], "distance_ft": 30.0},
        {"outfall": "OF-1", "water": "LAKE", "basis": "tributary_to", "conditions": ["B"], "distance_ft": 650.0},
    ]


def test_the_way_stops_at_the_outfalls_water_where_nothing_below_is_listed() -> None:
    assert pairs(chain(shop_town(category="2"), LAW, "outfalls:OF-1", ON)) == [("outfalls:OF-1", "waters:BROOK")]


def test_the_chain_of_a_basin_begins_with_the_premises_linked_to_it() -> None:
    found = pairs(chain(shop_town(), LAW, "catch_basins:CB-1", ON))
    assert found[0] == ("premises:KEY", "catch_basins:CB-1")
    assert ("drains:DR-1", "catch_basins:CB-1") not in found


def test_a_drain_that_an_officer_confirmed_is_a_confirmed_link() -> None:
    said = {"to": "catch_basins:CB-1", "method": "dye test"}
    town = shop_town(records=[{"kind": "link_confirmed", "on": "2026-07-01", "subject": "drains:DR-1", "data": said}])
    found = {(link.from_, link.to): link for link in chain(town, LAW, "drains:DR-1", ON).links}
    assert found["drains:DR-1", "catch_basins:CB-1"].confidence == "confirmed"


def test_at_a_split_both_outfalls_are_reached_and_a_loop_ends() -> None:
    town = shop_town(
        pipes=[
            {"id": "P-2", "from_id": "CB-1", "to_id": "OF-2", "system": "storm", "at": "LINESTRING (150 50, 150 300)"},
            {"id": "P-3", "from_id": "CB-2", "to_id": "CB-1", "system": "storm", "at": "LINESTRING (250 150, 150 50)"},
            {
                "id": "P-4",
                "from_id": "CB-1",
                "to_id": "CB-2",
                "system": "storm",
                "at": "LINESTRING (150 50, 200 150, 250 150)",
            },
        ],
        catch_basins=[{"id": "CB-2", "owner": "Town", "at": "POINT (250 150)"}],
        outfalls=[{"id": "OF-2", "kind": "outfall", "owner": "Town", "at": "POINT (150 300)"}],
    )
    found = chain(town, LAW, "catch_basins:CB-1", ON)
    assert {link.to for link in found.links if link.to.startswith("outfalls:")} == {"outfalls:OF-1", "outfalls:OF-2"}
    assert len(pairs(found)) == len(set(pairs(found)))


def test_where_lines_meet_without_a_structure_one_leads_into_the_next() -> None:
    town = shop_town(ditches=[{"id": "D-1", "at": "LINESTRING (250 200, 250 50)"}])
    assert ("ditches:D-1", "pipes:P-1") in pairs(chain(town, LAW, "ditches:D-1", ON))
    assert ("pipes:P-1", "outfalls:OF-1") in pairs(chain(town, LAW, "ditches:D-1", ON))


def test_the_chain_of_a_line_leaves_it_at_its_lower_end_only() -> None:
    town = shop_town(
        pipes=[
            {"id": "P-2", "from_id": "CB-1", "to_id": "OF-2", "system": "storm", "at": "LINESTRING (150 50, 150 300)"}
        ],
        outfalls=[{"id": "OF-2", "kind": "outfall", "owner": "Town", "at": "POINT (150 300)"}],
    )
    assert {each.outfall for each in chain(town, LAW, "pipes:P-1", ON).reaches} == {"OF-1"}


def test_a_sewer_leads_to_no_outfall_of_the_storm_system() -> None:
    town = shop_town(pipes=[{"id": "S-1", "to_id": "CB-1", "system": "sanitary", "at": "LINESTRING (150 300, 150 50)"}])
    assert chain(town, LAW, "pipes:S-1", ON).reaches == ()


def test_a_doubtful_join_is_only_possible() -> None:
    town = town_of({
        "pipes": [{"id": "P-1", "system": "storm", "at": "LINESTRING (0 0, 100 0)"}],
        "outfalls": [{"id": "OF-1", "kind": "outfall", "at": "POINT (103 0)"}],
    })  # fmt: skip
    link = chain(town, LAW, "pipes:P-1", ON).links[-1]
    assert (link.to, link.distance_ft, link.confidence) == ("outfalls:OF-1", 3.0, "possible")


def test_an_unknown_subject_is_refused_with_what_to_write() -> None:
    with pytest.raises(CallError, match="no lot has the key 'NOBODY'"):
        chain(shop_town(), LAW, "premises:NOBODY", ON)


def test_the_chain_says_who_owns_each_thing_and_how_it_answers_the_ms4_test() -> None:
    found = chain(shop_town(), LAW, "premises:KEY", ON).to_json()["holders"]
    held = {each["subject"]: each for each in found}
    assert list(held) == ["premises:KEY", "catch_basins:CB-1", "pipes:P-1", "outfalls:OF-1"]
    assert held["premises:KEY"] == {"subject": "premises:KEY", "owner": "", "ms4": None}
    assert held["outfalls:OF-1"]["owner"] == "Town"
    assert held["outfalls:OF-1"]["ms4"]["is_ms4"] == "yes"
    assert held["pipes:P-1"]["ms4"]["owned"] == "unknown"


def test_the_chain_of_a_premises_says_its_share_of_each_outfall() -> None:
    (share,) = chain(shop_town(), LAW, "premises:KEY", ON).to_json()["shares"]
    assert (share["outfall"], share["share"]) == ("OF-1", 1.0)
    assert chain(shop_town(), LAW, "pipes:P-1", ON).shares == ()


def test_the_chain_of_a_place_on_the_map_is_that_of_what_it_is_taken_for() -> None:
    assert chain(shop_town(), LAW, at(250, 55), ON) == chain(shop_town(), LAW, "pipes:P-1", ON)


def test_the_way_over_a_lake_is_a_link_into_it_and_a_link_out_of_it() -> None:
    river = {"id": "RIVER", "name": "River", "ir_category": "5", "at": "LINESTRING (1400 200, 2000 200)"}
    links = chain(shop_town(category="2", waters=[river]), LAW, "outfalls:OF-1", ON).links
    assert [(each.from_, each.to, each.method) for each in links[1:]] == [
        ("waters:BROOK", "waters:LAKE", "recorded"),
        ("waters:LAKE", "waters:RIVER", "lake"),
    ]
