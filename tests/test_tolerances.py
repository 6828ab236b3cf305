"""Every distance that decides something: its unit, its bounds, its reason, and what a town may set."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from layers.errors import CallError
from layers.tolerances import Tolerances

ALL = fields(Tolerances)


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_a_tolerance_says_what_it_is(each: Any) -> None:
    known = each.metadata
    assert known["low"] <= each.default <= known["high"]
    assert len(known["reason"]) > 30
    assert known["unit"] == ("ft" if each.name.endswith("_ft") else "share")


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_a_town_may_set_it_within_its_bounds_alone(each: Any) -> None:
    low, high = each.metadata["low"], each.metadata["high"]
    with_pair = (
        {"snap_doubtful_ft": 15.0}
        if each.name == "snap_ft"
        else {"snap_ft": 0.0}
        if each.name == "snap_doubtful_ft"
        else {}
    )
    for value in (low, high):
        assert getattr(Tolerances.from_table({**with_pair, each.name: value}), each.name) == value
    for value in (low - 0.001, high + 0.001):
        with pytest.raises(CallError, match=f"{each.name} = .* lies outside"):
            Tolerances.from_table({each.name: value})


def test_without_a_table_the_defaults_hold() -> None:
    assert Tolerances.from_table({}) == Tolerances()


def test_a_whole_number_is_a_number() -> None:
    assert Tolerances.from_table({"frontage_ft": 50}).frontage_ft == 50.0


@pytest.mark.parametrize("value", ["60", True, None, [60], float("nan"), float("inf")])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(CallError, match="frontage_ft"):
        Tolerances.from_table({"frontage_ft": value})


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(CallError) as caught:
        Tolerances.from_table({"frontage": 60, "snap_ft": "x", "water_ft": 5})
    assert caught.value.text == (
        "town.toml, [tolerances]: frontage is not a tolerance; snap_ft must be a number, not 'x'; "
        "water_ft = 5 lies outside 10.0 to 1500.0 ft"
    )
    assert "known tolerances: area_change_share, " in caught.value.hint


@pytest.mark.parametrize(("snap", "doubtful", "sound"), [(1.0, 1.0, True), (1.01, 1.0, False), (0.5, 5.0, True)])
def test_what_is_doubtful_lies_beyond_what_is_sure(snap: float, doubtful: float, sound: bool) -> None:
    table = {"snap_ft": snap, "snap_doubtful_ft": doubtful}
    if sound:
        assert Tolerances.from_table(table).snap_doubtful_ft == doubtful
    else:
        with pytest.raises(CallError, match=r"snap_doubtful_ft = 1\.0 is less than snap_ft = 1\.01"):
            Tolerances.from_table(table)
