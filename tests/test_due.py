from __future__ import annotations

from datetime import date

import pytest

from mapping.outputs.due import add_limit, due_locations, monitoring_locations, undecided_locations
from tests.outputs_town import DRY, ON, PERMIT, inspection, layer, outfalls, point, town

SUDS = {"color": {"kind": "Gray", "severity": 1}, "floatables": {"kind": "Suds", "severity": 1}}


def due(*records, on=ON):
    return due_locations(town({"outfalls": outfalls(OF_1=(0, 0))}, records), PERMIT, on)


def codes(found):
    return [reason.code for each in found for reason in each.reasons]


def test_a_location_without_an_inspection_is_due_and_no_day_is_set():
    (found,) = due()
    assert (found.id, codes([found]), found.due_on, found.is_overdue(ON)) == ("OF-1", ["never"], None, False)


@pytest.mark.parametrize(
    ("last", "is_due", "is_overdue"),
    [
        (date(2021, 11, 29), True, True),  # five years ended on Sun 29 Nov 2026
        (date(2021, 11, 30), True, False),  # they end today
        (date(2021, 12, 1), False, False),  # they end tomorrow
    ],
)
def test_five_years_after_the_last_dry_weather_inspection_the_next_is_due(last, is_due, is_overdue):
    found = due(inspection("OF-1", last, **DRY))
    assert codes(found) == (["interval"] if is_due else [])
    assert any(each.is_overdue(ON) for each in found) is is_overdue


@pytest.mark.parametrize("rain", [{}, {"rain_24h_in": 0}, {"rain_24h_in": 0.2, "rain_48h_in": 0.2}])
def test_an_inspection_counts_only_where_dry_weather_is_on_record(rain):
    assert codes(due(inspection("OF-1", date(2026, 10, 1), **rain))) == ["not_dry"]


def test_a_wet_visit_does_not_restart_the_five_years():
    dry, wet = inspection("OF-1", date(2020, 5, 4), **DRY), inspection("OF-1", date(2026, 5, 4), seq=2, rain_24h_in=1)
    (found,) = due(dry, wet)
    assert (codes([found]), found.due_on, found.last_on) == (["interval"], date(2025, 5, 4), date(2026, 5, 4))


def test_signs_without_flow_call_for_another_visit_within_thirty_days():
    (found,) = due(inspection("OF-1", date(2026, 11, 20), deposits=["Oily"], benthic=["Green"], **DRY))
    assert (codes([found]), found.due_on) == (["reinspect"], date(2026, 12, 20))


def test_weak_signs_in_running_water_call_for_no_second_visit():
    assert due(inspection("OF-1", date(2026, 11, 20), flow="trickle", **SUDS, **DRY)) == []


@pytest.mark.parametrize(
    ("seen", "code", "last_day"),
    [
        ({"turbidity": {"severity": 3}}, "suspect", date(2026, 11, 25)),
        ({"inspector_designation": "suspect"}, "suspect", date(2026, 11, 25)),
        ({"inspector_designation": "obvious"}, "obvious", date(2026, 11, 21)),
    ],
)
def test_a_suspect_or_obvious_rating_is_followed_up(seen, code, last_day):
    (found,) = due(inspection("OF-1", date(2026, 11, 20), flow="moderate", **seen, **DRY))
    assert (codes([found]), found.due_on, found.is_overdue(ON)) == ([code], last_day, True)


def test_a_later_clean_visit_ends_the_follow_up():
    suspect = inspection("OF-1", date(2026, 11, 20), flow="moderate", turbidity={"severity": 3}, **DRY)
    assert due(suspect, inspection("OF-1", date(2026, 11, 24), seq=2, **DRY)) == []


def test_an_inspection_after_the_day_is_not_yet_known():
    assert codes(due(inspection("OF-1", date(2026, 12, 1), **DRY))) == ["never"]


def test_found_trouble_comes_before_what_was_never_seen():
    records = [inspection("OF-2", date(2026, 11, 20), flow="trickle", turbidity={"severity": 3}, **DRY)]
    found = due_locations(town({"outfalls": outfalls(OF_1=(0, 0), OF_2=(9, 9))}, records), PERMIT, ON)
    assert [each.id for each in found] == ["OF-2", "OF-1"]


def test_only_the_towns_own_locations_in_use_are_monitored():
    rows = {
        "town": {"owner": "Town", "kind": "outfall"},
        "link": {"owner": "Town", "kind": "interconnection"},
        "garage": {"owner": "Town", "kind": "intraconnection"},
        "state": {"owner": "State", "kind": "outfall"},
        "whose": {"owner": "unknown", "kind": "outfall"},
        "what": {"owner": "Town", "kind": "unknown"},
        "gone": {"owner": "Town", "kind": "outfall", "status": "abandoned"},
    }
    place = town({"outfalls": layer("outfalls", {name: (point(0, 0), fields) for name, fields in rows.items()})})
    assert list(monitoring_locations(place).index) == ["town", "link", "garage"]
    assert list(undecided_locations(place).index) == ["whose", "what"]


def test_the_overflow_of_a_combined_sewer_is_no_monitoring_location():
    rows = {"cso": {"system": "combined"}, "storm": {"system": "storm"}, "not said": {}}
    fields = {"owner": "Town", "kind": "outfall"}
    place = town({"outfalls": layer("outfalls", {name: (point(0, 0), fields | own) for name, own in rows.items()})})
    assert list(monitoring_locations(place).index) == ["storm", "not said"]
    assert list(undecided_locations(place).index) == []


def test_a_year_from_the_leap_day_ends_on_the_last_of_february():
    assert add_limit(date(2024, 2, 29), PERMIT.row("inspection_interval")) == date(2029, 2, 28)
