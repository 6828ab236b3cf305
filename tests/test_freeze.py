"""A trace kept as evidence, and what has changed when it is made again."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from layers.errors import CallError
from layers.records import Record
from layers.town import Town
from layers.trace import trace
from mapping.freeze import Differences, compare, find_frozen, freeze
from mapping.register.kinds import check_payload, find_kind
from tests.support import settings, town
from tests.test_trace_parts import at

PIPES: dict[str, Any] = {
    "P1": ("LINESTRING (0 0, 100 0)", {"system": "storm", "from_id": "CB1", "to_id": "CB2"}),
    "P2": ("LINESTRING (100 0, 200 0)", {"system": "storm", "from_id": "CB2", "to_id": "OF1"}),
}
BASINS: dict[str, Any] = {"CB1": "POINT (0 0)", "CB2": "POINT (100 0)"}


def street(
    *, basins: Any = BASINS, pipes: Any = PIPES, records: list[Record] | None = None, **tolerances: float
) -> Town:
    """CB1 → CB2 → OF1 beside a brook, and a lot at CB1."""
    return town(
        records,
        with_settings=settings(tolerances=tolerances),
        catch_basins=basins,
        outfalls={"OF1": "POINT (200 0)", "OF2": "POINT (100 -80)"},
        pipes=pipes,
        waters={"W": ("LINESTRING (210 -200, 210 200)", {"name": "Brook"})},
        parcels={"LOT": "POLYGON ((-40 20, 40 20, 40 120, -40 120, -40 20))"},
    )


def frozen(made: Town, subject: str = "catch_basins:CB1", direction: Any = "down") -> Record:
    """The event as the register gives it back: its payload gone through JSON."""
    found = trace(made, subject, direction=direction)
    data = json.loads(json.dumps(freeze(made, found, sources=["pipes.shp sha256:1234"])))
    check_payload(find_kind("trace_frozen"), data, subject=found.subject, case="")
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC)
    return Record(7, "trace_frozen", date(2026, 3, 3), "A. Officer", noon, subject=found.subject, data=data)


def again(made: Town, **changes: Any) -> Differences:
    return compare(frozen(street()), made, **changes)


def test_made_again_in_the_same_town_it_is_the_same() -> None:
    found = again(street())
    assert found.same
    assert found.intact
    assert found.inputs == ()
    assert found.sentences() == (
        "The trace down from catch_basins:CB1, frozen on Tue 3 Mar 2026, comes out the same.",
        "Nothing that it rests on has changed in the layers or the register.",
    )


def test_a_branch_that_is_new_brings_its_assets_and_its_outfall() -> None:
    branch = {"P3": ("LINESTRING (100 0, 100 -80)", {"system": "storm"})}
    found = again(street(pipes=PIPES | branch)).to_json()
    assert (found["same"], found["inputs"]) == (False, ["pipes"])
    assert found["outfalls"] == {"added": ["OF2"], "gone": []}
    assert found["assets"] == {"added": ["outfalls:OF2", "pipes:P3"], "gone": []}
    assert "It has 1 outfall more: OF2." in found["sentences"]
    assert "2 assets more on the way: outfalls:OF2, pipes:P3." in found["sentences"]


def test_a_line_that_is_gone_takes_its_outfall_and_water_along() -> None:
    found = again(street(pipes={"P1": PIPES["P1"]}))
    assert found.parts["outfalls"].gone == ("OF1",)
    assert found.parts["waters"].gone == ("W",)
    assert found.parts["assets"].gone == ("outfalls:OF1", "pipes:P2")
    assert found.parts["doubts"].added == ("dead_end catch_basins:CB2",)


def test_a_link_that_is_less_sure_now_is_said_with_both_certainties() -> None:
    wkt = "LINESTRING (100 0, 200 0)"
    found = again(street(pipes=PIPES | {"P2": (wkt, {"system": "storm"})}))
    assert [(each.what, each.before, each.now) for each in found.assets] == [
        ("outfalls:OF1", "recorded, 0 ft", "inferred, 0 ft"),
        ("pipes:P2", "recorded, 100 ft", "inferred, 100 ft"),
    ]
    assert "pipes:P2 is inferred, 100 ft, before recorded, 100 ft." in found.sentences()


def test_a_changed_tolerance_is_named_even_where_the_trace_stays() -> None:
    found = again(street(snap_ft=1.0))
    assert found.same
    assert [(each.what, each.before, each.now) for each in found.rules] == [("snap_ft", "0.5", "1")]


def test_a_field_or_an_order_of_rows_that_no_trace_reads_is_no_change() -> None:
    backwards = dict(reversed(BASINS.items())) | {"CB2": ("POINT (100 0)", {"rim_ft": 512.0})}
    assert again(street(basins=backwards)).inputs == ()


def test_an_event_that_touches_the_joins_is_a_changed_input() -> None:
    said = Record(
        1, "link_confirmed", date(2026, 4, 1), "A. Officer", datetime(2026, 4, 1, tzinfo=UTC),
        subject="outfalls:OF2", data={"to": "waters:W"}, hash="ab",
    )  # fmt: skip
    assert again(street(records=[said])).inputs == ("register",)


def test_premises_behind_an_outfall_are_compared_by_key() -> None:
    before = frozen(street(), "outfalls:OF1", "up")
    found = compare(before, street(basins={"CB1": "POINT (0 -90)", "CB2": "POINT (100 0)"}, pipes={"P2": PIPES["P2"]}))
    assert found.parts["premises"].gone == ("LOT",)
    assert "It no longer has 1 premises: LOT." in found.sentences()


def test_a_place_on_the_map_is_asked_for_again_and_may_be_taken_for_something_else() -> None:
    place = at(50, 5)
    nearer = {"P9": ("LINESTRING (0 7, 100 7)", {"system": "storm"})}
    found = compare(frozen(street(), place), street(pipes=PIPES | nearer))
    assert (found.subject, found.same) == (place, False)
    assert "The place is now taken for pipes:P9, before for pipes:P1." in found.sentences()


def test_where_its_start_is_no_longer_there_it_cannot_be_made_again() -> None:
    found = again(street(basins={"CB2": BASINS["CB2"]}))
    assert (found.same, found.lost) == (False, "layer catch_basins has no 'CB1'")
    assert found.sentences()[0].endswith("cannot be made again: layer catch_basins has no 'CB1'.")


def test_a_trace_that_was_altered_in_the_register_is_found_out() -> None:
    record = frozen(street())
    record.data["trace"]["outfalls"] = []
    found = compare(record, street())
    assert not found.intact
    assert "has been altered" in found.sentences()[0]


def test_an_event_of_an_older_form_says_that_its_inputs_cannot_be_compared() -> None:
    record = frozen(street())
    for name in ("input_layers", "rule_values", "sources"):
        del record.data[name]
    found = compare(record, street())
    assert (found.same, found.inputs) == (True, None)
    assert "cannot be said" in found.sentences()[-1]


def test_a_frozen_trace_is_found_by_the_number_of_its_event() -> None:
    record = frozen(street())
    assert find_frozen(street(records=[record]), 7) is record
    with pytest.raises(CallError, match="event 8 is no frozen trace in force"):
        find_frozen(street(records=[record]), 8)


def test_another_kind_of_event_is_refused() -> None:
    note = Record(3, "note", date(2026, 3, 3), "A. Officer", datetime(2026, 3, 3, tzinfo=UTC))
    with pytest.raises(CallError, match="event 3 is no frozen trace"):
        compare(note, street())
