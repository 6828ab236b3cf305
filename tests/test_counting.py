"""Holidays and counting by the General Construction Law: worked examples, properties and a slow oracle."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layers.errors import CallError
from mapping.cases.counting import Pause, add_months, count
from mapping.cases.holidays import holidays, is_business_day

DAYS = st.dates(date(2008, 1, 1), date(2048, 1, 1))
LIMITS = st.integers(1, 60)


def day(text: str) -> date:
    return date.fromisoformat(text)


# --- holidays of § 24


def test_the_holidays_of_2026_are_those_of_section_24() -> None:
    assert [each.isoformat() for each in holidays(2026)] == [
        "2026-01-01",
        "2026-01-19",
        "2026-02-12",
        "2026-02-16",
        "2026-05-25",
        "2026-06-14",
        "2026-06-19",
        "2026-07-04",
        "2026-09-07",
        "2026-10-12",
        "2026-11-03",
        "2026-11-11",
        "2026-11-26",
        "2026-12-25",
    ]


@pytest.mark.parametrize("monday", ["2023-01-02", "2023-02-13", "2022-06-20", "2027-07-05", "2029-11-12", "2022-12-26"])
def test_a_holiday_on_a_sunday_is_kept_on_monday(monday: str) -> None:
    assert not is_business_day(day(monday))


def test_flag_day_is_not_kept_on_monday() -> None:
    assert holidays(2026)[day("2026-06-14")] == "Flag Day"
    assert is_business_day(day("2026-06-15"))


@pytest.mark.parametrize("friday", ["2026-07-03", "2026-11-27", "2021-12-24", "2023-11-10"])
def test_a_saturday_holiday_is_not_kept_on_friday_and_the_day_after_thanksgiving_is_open(friday: str) -> None:
    assert is_business_day(day(friday))


@pytest.mark.parametrize("election", ["2022-11-08", "2026-11-03", "2027-11-02", "2032-11-02"])
def test_every_general_election_day_is_a_holiday(election: str) -> None:
    assert "election" in holidays(day(election).year)[day(election)]


def test_the_tuesday_of_1_november_is_no_election_day() -> None:
    assert is_business_day(day("2022-11-01"))


def test_the_town_may_be_closed_on_other_days() -> None:
    assert not is_business_day(day("2026-11-27"), closed={day("2026-11-27")})
    assert count(day("2026-11-22"), 5, "days", closed={day("2026-11-27")}).due == day("2026-11-30")


# --- the examples of the law's page


@pytest.mark.parametrize(
    ("limit", "unit", "start", "raw", "due"),
    [
        (5, "days", "2026-11-25", "2026-11-30", "2026-11-30"),
        (5, "days", "2026-12-01", "2026-12-06", "2026-12-07"),  # a Sunday
        (5, "days", "2027-02-07", "2027-02-12", "2027-02-16"),  # Lincoln, weekend, Washington
        (21, "days", "2026-12-04", "2026-12-25", "2026-12-28"),  # Christmas, weekend
        (15, "days", "2026-12-17", "2027-01-01", "2027-01-04"),  # New Year, weekend
        (5, "business days", "2026-11-20", None, "2026-11-30"),  # Thanksgiving inside
        (1, "business days", "2026-07-02", None, "2026-07-03"),  # 4 July is a Saturday
        (3, "business days", "2026-10-30", None, "2026-11-05"),  # election day inside
        (5, "business days", "2026-11-28", None, "2026-12-04"),  # from a Saturday
        (5, "business days", "2026-11-25", None, "2026-12-03"),
        (6, "months", "2026-08-31", "2027-02-28", "2027-03-01"),  # clipped, then a Sunday
        (6, "months", "2027-08-31", "2028-02-29", "2028-02-29"),
        (1, "year", "2028-02-29", "2029-02-28", "2029-02-28"),
        (1, "year", "2025-12-05", "2026-12-05", "2026-12-07"),  # a Saturday
        (3, "years", "2026-12-01", "2029-12-01", "2029-12-03"),
    ],
)
def test_a_period_ends_where_the_law_says(limit: int, unit: str, start: str, raw: str | None, due: str) -> None:
    counted = count(day(start), limit, unit)
    assert (counted.raw, counted.due) == (raw and day(raw), day(due))


def test_why_the_dates_differ_is_one_sentence() -> None:
    assert count(day("2026-12-01"), 5, "days").why == (
        "Sunday 2026-12-06 is no business day, so the time ends on the next business day, Monday 2026-12-07."
    )
    assert "Friday 2027-02-12 is Lincoln's Birthday" in count(day("2027-02-07"), 5, "days").why
    assert "Thanksgiving Day on Thursday 2026-11-26" in count(day("2026-11-20"), 5, "business days").why
    assert count(day("2026-11-25"), 5, "days").why == ""


def test_a_period_that_ends_beyond_the_calendar_is_refused() -> None:
    with pytest.raises(CallError, match="end beyond the calendar"):
        count(day("9999-12-30"), 5, "days")


# --- properties, and a slow oracle over forty years


def is_closed(each: date) -> bool:
    """Written anew from the words of § 24, looking at one day at a time."""
    nth = (each.day - 1) // 7 + 1
    last = (each + timedelta(days=7)).month != each.month
    fixed = {(1, 1), (2, 12), (6, 19), (7, 4), (11, 11), (12, 25)}
    yesterday = each - timedelta(days=1)
    weekly = {(1, 0, 3), (2, 0, 3), (9, 0, 1), (10, 0, 2), (11, 3, 4)}
    return (
        each.weekday() >= 5
        or (each.month, each.day) in fixed
        or (each.weekday() == 0 and (yesterday.month, yesterday.day) in fixed)
        or (each.month, each.weekday(), nth) in weekly
        or (each.month == 5 and each.weekday() == 0 and last)
        or (each.month == 11 and each.weekday() == 1 and 2 <= each.day <= 8)
    )


def test_every_day_of_forty_years_is_open_or_closed_as_the_slow_oracle_says() -> None:
    first = date(2008, 1, 1)
    everyday = [first + timedelta(days=n) for n in range(40 * 366)]
    assert [each for each in everyday if is_business_day(each) == is_closed(each)] == []


@given(start=DAYS, limit=LIMITS)
def test_days_agree_with_a_day_by_day_count(start: date, limit: int) -> None:
    raw = start
    for _ in range(limit):
        raw += timedelta(days=1)
    due = raw
    while is_closed(due):
        due += timedelta(days=1)
    counted = count(start, limit, "days")
    assert (counted.raw, counted.due, bool(counted.why)) == (raw, due, raw != due)


@given(start=DAYS, limit=LIMITS)
def test_business_days_agree_with_a_day_by_day_count(start: date, limit: int) -> None:
    due, left = start, limit
    while left:
        due += timedelta(days=1)
        left -= not is_closed(due)
    assert (count(start, limit, "business days").raw, count(start, limit, "business days").due) == (None, due)


@given(start=DAYS, months=LIMITS)
def test_months_end_on_the_same_day_or_the_last_of_the_month(start: date, months: int) -> None:
    raw = add_months(start, months)
    assert (raw.year * 12 + raw.month) - (start.year * 12 + start.month) == months
    assert raw.day == start.day or (raw.day < start.day and (raw + timedelta(days=1)).day == 1)


@given(start=DAYS, limit=LIMITS, unit=st.sampled_from(["days", "business days", "months", "years"]))
def test_due_is_never_before_raw_and_never_on_a_closed_day(start: date, limit: int, unit: str) -> None:
    counted = count(start, limit, unit)
    assert counted.due is not None
    assert start < (counted.raw or counted.due) <= counted.due
    assert not is_closed(counted.due)


@given(
    start=DAYS, limit=LIMITS, unit=st.sampled_from(["days", "business days"]), begins=DAYS, length=st.integers(0, 90)
)
def test_a_pause_agrees_with_a_day_by_day_count(start: date, limit: int, unit: str, begins: date, length: int) -> None:
    begins = start + (begins - start) % timedelta(days=120)
    ends = begins + timedelta(days=length)
    end, left = start, limit
    while left:
        end += timedelta(days=1)
        left -= not begins < end <= ends and not (unit == "business days" and is_closed(end))
    counted = count(start, limit, unit, pause=Pause(begins, ends))
    assert (counted.raw or counted.due) == end
