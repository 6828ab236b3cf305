"""Screening: what makes an observation sound, how it is designated, when the weather was dry."""

from __future__ import annotations

from typing import Any

import pytest

from layers.errors import CallError, FieldError
from mapping.screening import designate, dry_weather, limits_of, parameters, validate_observation


def seen(**fields: Any) -> dict[str, Any]:
    """A sound observation of a trickle after two dry days, with the fields given laid over."""
    base = {"location": "OF-1", "at": "2026-08-04T09:30", "rain_48h_in": 0.0, "flow": "trickle"}
    return base | fields


def dry(**fields: Any) -> dict[str, Any]:
    return seen(flow="none", **fields)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "unlikely"),
        ({"odor": {"kind": "sewage", "severity": 2}}, "unlikely"),
        ({"odor": {"kind": "sewage", "severity": 3}}, "suspect"),
        ({"turbidity": {"severity": 3}}, "suspect"),
        ({"odor": {"kind": "sewage", "severity": 1}, "deposits": ["oily"]}, "potential"),
        ({"odor": {"kind": "sulfide", "severity": 1}, "turbidity": {"severity": 1}}, "potential"),
        ({"deposits": ["oily", "paint", "flow line"]}, "unlikely"),
        ({"deposits": ["oily"], "benthic": ["orange"]}, "potential"),
        ({"deposits": ["oily"], "vegetation": "excessive"}, "potential"),
        ({"deposits": ["oily"], "vegetation": "normal"}, "unlikely"),
        ({"deposits": ["oily"], "pool": ["none"]}, "unlikely"),
    ],
)
def test_the_sheet_decides_by_severity_then_by_the_number_of_lines_with_an_indicator(
    fields: dict[str, Any], expected: str
) -> None:
    assert designate(seen(**fields)).computed == expected


def test_a_clear_colour_is_no_indicator_whatever_severity_stands_beside_it() -> None:
    clear = seen(color={"kind": "Clear", "severity": 3}, deposits=["oily"])
    assert designate(clear).computed == "unlikely"
    assert designate(clear).basis == ("deposits or stains: oily",)


def test_two_signs_at_a_dry_outfall_are_potential_and_never_suspect() -> None:
    assert designate(dry(damage=["corrosion"], deposits=["oily"], pool=["suds"])).computed == "potential"


def test_obvious_is_kept_as_the_inspectors_call_and_never_computed() -> None:
    called = designate(seen(odor={"kind": "sewage", "severity": 3}, inspector_designation="obvious"))
    assert (called.computed, called.inspector, called.gravest, called.disagrees) == (
        "suspect",
        "obvious",
        "obvious",
        True,
    )


def test_the_graver_word_counts_where_the_sheet_says_more_than_the_inspector() -> None:
    mild = designate(seen(odor={"kind": "sewage", "severity": 3}, inspector_designation="unlikely"))
    assert (mild.gravest, mild.disagrees) == ("suspect", True)


def test_the_basis_says_each_indicator_in_the_words_of_the_sheet() -> None:
    found = designate(seen(floatables={"kind": "suds", "severity": 2}, vegetation="inhibited"))
    assert found.basis == ("floatables suds, severity 2 (some, indications of origin)", "vegetation inhibited")
    assert found.to_json() == {"computed": "potential", "inspector": "", "basis": list(found.basis)}


@pytest.mark.parametrize("name", ["odor", "color", "turbidity", "floatables"])
def test_what_is_only_seen_in_flow_is_refused_where_nothing_flows(name: str) -> None:
    with pytest.raises(FieldError, match=f"{name} is given though nothing flows"):
        designate(dry(**{name: {"kind": "other", "severity": 1}}))


@pytest.mark.parametrize("severity", [0, 4, 1.5, "2", True, None])
def test_a_severity_outside_one_to_three_is_refused(severity: object) -> None:
    with pytest.raises(FieldError, match="must be 1, 2 or 3"):
        designate(seen(odor={"kind": "sewage", "severity": severity}))


@pytest.mark.parametrize(
    "value", [-0.1, "0.3", "n.d.", True, float("nan"), {"value": -1, "qualifier": "<"}, {"value": None}]
)
def test_a_negative_or_non_numeric_sample_is_refused(value: object) -> None:
    with pytest.raises(FieldError, match="sample ammonia_mg_l"):
        validate_observation(seen(samples={"ammonia_mg_l": value}))


def test_a_sample_may_be_a_number_or_below_its_reporting_limit() -> None:
    below = {"value": 0.1, "qualifier": "<"}
    validate_observation(seen(samples={"ammonia_mg_l": 0, "ph": 7.1, "boron_mg_l": below, "fluoride_mg_l": None}))


def test_every_fault_of_an_observation_is_told_at_once() -> None:
    with pytest.raises(FieldError) as caught:
        validate_observation({"location": "", "at": "yesterday", "flow": "gush", "rain_24h_in": -1, "damage": "crack"})
    for part in (
        "location is missing",
        "at is 'yesterday'",
        "flow 'gush'",
        "rain_24h_in is -1",
        "damage must be a list",
    ):
        assert part in caught.value.text


def test_more_rain_in_a_day_than_in_the_two_days_around_it_is_refused() -> None:
    with pytest.raises(FieldError, match=r"rain_24h_in 0.3 exceeds rain_48h_in 0.1"):
        validate_observation(seen(rain_24h_in=0.3, rain_48h_in=0.1))


@pytest.mark.parametrize(
    ("rain", "expected"),
    [
        ((None, 0.09, None), "yes"),
        ((None, 0.10, None), "no"),
        ((None, 0.0, 0.5), "yes"),
        ((0.2, None, None), "no"),
        ((0.0, None, None), "unknown"),
        ((None, None, 0.05), "yes"),
        ((None, None, 0.4), "unknown"),
        ((None, None, None), "unknown"),
    ],
)
def test_dry_means_less_than_a_tenth_of_an_inch_in_48_hours(rain: tuple[float | None, ...], expected: str) -> None:
    assert dry_weather(dict(zip(("rain_24h_in", "rain_48h_in", "rain_72h_in"), rain, strict=True))) == expected


def test_a_town_may_ask_for_72_dry_hours() -> None:
    three_days = limits_of({"dry_weather_window_h": 72})
    assert dry_weather({"rain_48h_in": 0.0}, limits=three_days) == "unknown"
    assert dry_weather({"rain_48h_in": 0.0, "rain_72h_in": 0.2}, limits=three_days) == "no"


def test_a_setting_outside_its_bounds_is_refused_with_all_others() -> None:
    with pytest.raises(CallError) as caught:
        limits_of(
            {"dry_weather_window_h": 36, "dry_weather_threshold_in": 0.6, "suspect_severity": "three", "depot": []}
        )
    assert caught.value.text.count(";") == 2


def test_every_parameter_has_unit_bounds_reason_and_source() -> None:
    for each in parameters().values():
        assert each.fault(each.value) == "", each.code
        assert all((each.title, each.unit, each.reason, each.source)), each.code
