"""Bangor's network: the checks find what was counted in its files without the product."""

from __future__ import annotations

from collections import Counter

from tests.real.conftest import RealTown


def test_42_pipes_run_uphill_by_more_than_a_hundredth_of_a_foot(bangor: RealTown) -> None:
    report = bangor.picture.report
    assert len(report.of("NET-06")) == 42
    assert report.looked_at["NET-06"] == 4205


def test_a_rise_of_three_miles_is_no_slope(bangor: RealTown) -> None:
    unsure = [each for each in bangor.picture.report.cannot_say if each.rule == "NET-06"]
    assert [(each.subject, each.text) for each in unsure] == [
        (("pipes", "MB915"), "its inverts differ by 16,134.00 ft, more than its length")
    ]


def test_of_the_pipes_with_both_ids_9_are_drawn_against_them(bangor: RealTown) -> None:
    sure = Counter(each.confidence for each in bangor.picture.report.of("NET-05"))
    assert sure["probable"] == 9
