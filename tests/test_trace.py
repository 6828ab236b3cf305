"""Where water goes and what drains to a place, with certainty and doubts."""

from __future__ import annotations

from typing import Any

import pytest

from layers.errors import CallError
from layers.trace import trace
from tests.support import town


def pipe(wkt: str, **fields: object) -> tuple[str, dict[str, object]]:
    return wkt, {"system": "storm", **fields}


@pytest.fixture(scope="module")
def split_town() -> Any:
    """CB1 → CB2, where it splits to OF1 (recorded) and OF2 (3 ft off, doubtful); a lot before CB1; a sanitary line at CB2."""
    return town(
        catch_basins={"CB1": "POINT (0 0)", "CB2": "POINT (100 0)", "LONE": "POINT (500 500)"},
        outfalls={"OF1": "POINT (200 0)", "OF2": "POINT (100 -103)"},
        pipes={
            "P1": pipe("LINESTRING (0 0, 100 0)", from_id="CB1", to_id="CB2"),
            "P2": pipe("LINESTRING (100 0, 200 0)", from_id="CB2", to_id="OF1"),
            "P3": pipe("LINESTRING (100 0, 100 -100)", from_id="CB2"),
            "SAN": ("LINESTRING (100 0, 100 90)", {"system": "sanitary"}),
        },
        waters={"W": ("POLYGON ((210 -50, 300 -50, 300 50, 210 50, 210 -50))", {"name": "Lake"})},
        parcels={"LOT": "POLYGON ((-40 20, 40 20, 40 120, -40 120, -40 20))"},
        drains={"DR": ("", {"premises_key": "LOT", "to_id": "CB2"})},
    )


def certainty(found: Any) -> dict[str, str]:
    return {each.id: each.certainty for each in found.assets}


def test_both_outfalls_of_a_split_are_reached_each_with_its_certainty(split_town: Any) -> None:
    found = trace(split_town, "catch_basins:CB1", direction="down")
    assert found.outfalls == ("OF1", "OF2")
    assert certainty(found)["OF1"] == "recorded"
    assert certainty(found)["OF2"] == "doubtful"
    assert found.waters == ("W",)


def test_the_sanitary_line_is_said_and_not_followed(split_town: Any) -> None:
    found = trace(split_town, "catch_basins:CB1", direction="down")
    assert "SAN" not in certainty(found)
    assert [(each.code, each.id) for each in found.doubts if each.code == "meets_sewer"] == [("meets_sewer", "SAN")]


def test_up_from_an_outfall_are_its_assets_and_premises(split_town: Any) -> None:
    found = trace(split_town, "outfalls:OF1", direction="up")
    assert set(certainty(found)) == {"OF1", "P2", "CB2", "P1", "CB1"}
    assert [each.key for each in found.premises] == ["LOT"]


def test_a_trace_down_a_pipe_leaves_out_the_other_branch_at_its_head(split_town: Any) -> None:
    found = trace(split_town, "pipes:P2", direction="down")
    assert set(certainty(found)) == {"P2", "OF1"}


def test_a_premises_goes_where_its_basin_and_its_drain_go(split_town: Any) -> None:
    assert trace(split_town, "premises:LOT", direction="down").outfalls == ("OF1", "OF2")


def test_a_basin_without_a_line_says_that_its_way_ends(split_town: Any) -> None:
    found = trace(split_town, "catch_basins:LONE", direction="down")
    assert [(each.code, each.id) for each in found.doubts] == [("dead_end", "LONE")]


def test_a_sanitary_line_is_traced_as_such_and_called_no_ms4(split_town: Any) -> None:
    found = trace(split_town, "pipes:SAN", direction="down")
    assert [each.code for each in found.doubts][:1] == ["not_ms4"]
    assert found.outfalls == ()


def test_a_ring_ends_and_counts_each_line_once() -> None:
    ring = town(
        catch_basins={"A": "POINT (0 0)", "B": "POINT (100 0)", "C": "POINT (50 80)"},
        pipes={
            "AB": pipe("LINESTRING (0 0, 100 0)"),
            "BC": pipe("LINESTRING (100 0, 50 80)"),
            "CA": pipe("LINESTRING (50 80, 0 0)"),
        },
    )
    found = trace(ring, "catch_basins:A", direction="down")
    assert sorted(certainty(found)) == ["A", "AB", "B", "BC", "C", "CA"]


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("catch_basins:CB9", "has no 'CB9'"),
        ("basins:CB1", "there is no layer"),
        ("CB1", "names no asset"),
        ("premises:NONE", "no lot has the key"),
    ],
)
def test_what_is_not_there_is_said_in_words(split_town: Any, subject: str, words: str) -> None:
    with pytest.raises(CallError, match=words):
        trace(split_town, subject, direction="down")


def test_a_drain_whose_connection_is_not_recorded_goes_nowhere_and_says_so() -> None:
    made = town(catch_basins={"A": "POINT (0 0)"}, drains={"DR": ("", {"to_id": "NOT-THERE"})})
    found = trace(made, "drains:DR", direction="down")
    assert [each.code for each in found.doubts] == ["not_connected"]


def test_an_abandoned_line_carries_nothing_and_leads_nowhere() -> None:
    made = town(
        outfalls={"OF": "POINT (100 0)"},
        pipes={"OLD": pipe("LINESTRING (0 0, 100 0)", status="abandoned"), "NEW": pipe("LINESTRING (0 5, 100 0)")},
    )
    found = trace(made, "pipes:OLD", direction="down")
    assert [each.code for each in found.doubts] == ["not_in_use"]
    assert found.outfalls == ()
