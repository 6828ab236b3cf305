"""Which water an outfall discharges to and why; distances in feet."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pandas as pd
import pytest

from layers.joins.waters import plain_name
from layers.records import Record
from tests.support import Rows, town

BROOK = ("LINESTRING (0 0, 0 1000)", {"name": "Crook Brook", "ir_category": "3"})
LAKE = ("POLYGON ((100 0, 300 0, 300 400, 100 400, 100 0))", {"name": "Peach Lake", "ir_category": "5"})


def links(outfall: tuple[str, dict[str, object]], waters: Rows, records: list[Record] | None = None) -> pd.DataFrame:
    return town(records, outfalls={"OF": outfall}, waters=waters).water_links


def chosen(found: pd.DataFrame) -> list[tuple[str, str]]:
    return list(found[found["chosen"]][["segment_id", "method"]].itertuples(index=False, name=None))


def test_the_nearest_water_is_chosen_and_the_others_stay_candidates() -> None:
    found = links(("POINT (20 500)", {}), {"W1": BROOK, "W2": ("LINESTRING (120 0, 120 1000)", {"ir_category": "3"})})
    assert chosen(found) == [("W1", "nearest")]
    assert found["distance_ft"].tolist() == [20.0, 100.0]
    assert not found["ambiguous"].any()


@pytest.mark.parametrize(("off", "count"), [(300.0, 1), (300.2, 0)])
def test_a_water_counts_up_to_three_hundred_feet(off: float, count: int) -> None:
    assert len(links((f"POINT ({-off} 500)", {}), {"W1": BROOK})) == count


def test_two_near_waters_of_different_standing_are_both_chosen_and_ambiguous() -> None:
    found = links(("POINT (60 200)", {}), {"W1": BROOK, "W2": LAKE})
    assert sorted(chosen(found)) == [("W1", "nearest"), ("W2", "nearest")]
    assert found["ambiguous"].all()
    assert set(found["confidence"]) == {"possible"}


def test_two_near_waters_of_the_same_standing_are_not_ambiguous() -> None:
    found = links(("POINT (60 200)", {}), {"W1": BROOK, "W2": ("LINESTRING (100 0, 100 1000)", BROOK[1])})
    assert chosen(found) == [("W2", "nearest")]


@pytest.mark.parametrize(("at", "count"), [(25.0, 2), (24.9, 1)])
def test_waters_are_as_near_as_each_other_within_fifty_feet(at: float, count: int) -> None:
    # brook at `at` feet, lake at 100 - at
    assert len(chosen(links((f"POINT ({at} 200)", {}), {"W1": BROOK, "W2": LAKE}))) == count


def test_a_recorded_segment_beats_the_nearest() -> None:
    found = links(("POINT (10 200)", {"recv_segment": "W2"}), {"W1": BROOK, "W2": LAKE})
    assert chosen(found) == [("W2", "recorded segment")]


def test_a_recorded_name_counts_however_it_is_spelt_and_however_far() -> None:
    found = links(("POINT (10 1500)", {"recv_name": "PEACH  LK."}), {"W1": BROOK, "W2": LAKE})
    assert chosen(found) == [("W2", "recorded name")]
    # to the lake's corner (100, 400): 90 ft across and 1,100 ft down
    assert found.iloc[0]["distance_ft"] == pytest.approx(1103.7, abs=0.05)


def test_a_recorded_name_that_no_water_bears_leaves_the_nearest_as_possible() -> None:
    found = links(("POINT (10 200)", {"recv_name": "Titicus River"}), {"W1": BROOK})
    assert chosen(found) == [("W1", "nearest")]
    assert found.iloc[0]["confidence"] == "possible"


def test_a_confirmed_link_beats_every_record() -> None:
    record = Record(
        1, "link_confirmed", date(2026, 5, 4), "A. Officer (invented)", datetime(2026, 5, 4, tzinfo=UTC),
        subject="outfalls:OF", data={"to": "waters:W1"},
    )  # fmt: skip
    found = links(("POINT (90 200)", {"recv_segment": "W2"}), {"W1": BROOK, "W2": LAKE}, [record])
    assert chosen(found) == [("W1", "confirmed")]


def test_a_link_found_not_to_exist_is_kept_and_never_chosen() -> None:
    record = Record(
        1, "link_confirmed", date(2026, 5, 4), "A. Officer (invented)", datetime(2026, 5, 4, tzinfo=UTC),
        subject="outfalls:OF", data={"to": "waters:W1", "connected": "no"},
    )  # fmt: skip
    found = links(("POINT (10 200)", {"recv_segment": "W1"}), {"W1": BROOK, "W2": LAKE}, [record])
    assert chosen(found) == [("W2", "nearest")]
    assert found.set_index("segment_id").at["W1", "method"] == "found not connected"


def test_no_water_near_and_none_on_record_is_no_link() -> None:
    assert links(("POINT (-900 200)", {}), {"W1": BROOK}).empty


def test_an_outfall_without_a_place_keeps_its_recorded_water() -> None:
    found = links(("", {"recv_segment": "W1"}), {"W1": BROOK})
    assert chosen(found) == [("W1", "recorded segment")]
    assert pd.isna(found.iloc[0]["distance_ft"])


def test_a_structure_in_two_watersheds_has_two_links() -> None:
    square = "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))"
    found = town(outfalls={"OF": "POINT (50 50)"}, watersheds={"A": square, "B": square}).watershed_links
    assert sorted(found["watershed_id"]) == ["A", "B"]


def test_names_are_compared_without_case_points_and_short_forms() -> None:
    assert plain_name("St. Mary's Bk") == plain_name("ST MARY S BROOK")
