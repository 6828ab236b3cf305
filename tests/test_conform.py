"""Values as their schema wants them: numbers, days, codes and yes/no; what cannot be read is listed, not guessed."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layers.conform import blank, conform
from layers.conform.days import FIRST_DAY, LAST_DAY, read_day
from layers.crosswalk import Target
from layers.schema import Field
from tests.received import untimed

KINDS = {kind: Field("x", kind, "X") for kind in ("text", "number", "integer", "date", "yesno")}
OWNER = Field("owner", "text", "Owner", codes=("Town", "State", "unknown"), synonyms={"nysdot": "State"})
BARE = Field("priority", "text", "Priority", codes=("high", "low"))


def read(each: Field, *values: Any, said: dict[str, str] | None = None) -> tuple[list[Any], dict[str, int]]:
    unknown: Counter[str] = Counter()
    target = Target("catch_basins", values={each.name: said} if said is not None else {})
    column = conform(
        pd.Series(values, dtype=object, index=[f"CB-{at}" for at in range(len(values))]), each, target, unknown
    )
    assert list(column.index) == [f"CB-{at}" for at in range(len(values))]
    return list(column), dict(unknown)


# -- text and codes


@pytest.mark.parametrize("value", ["<Null>", "<NULL>", "null", "NaN", "None", "", "  ", None, float("nan")])
def test_what_files_write_for_nothing_is_nothing(value: Any) -> None:
    assert read(KINDS["text"], value) == ([""], {})
    assert read(OWNER, value) == (["unknown"], {})
    assert read(BARE, value) == ([""], {})


def test_unknown_is_text_in_a_text() -> None:
    assert read(KINDS["text"], "Unknown") == (["Unknown"], {})


def test_codes_are_known_in_any_letters_and_by_their_synonyms() -> None:
    assert read(OWNER, "TOWN", "town", "NYSDOT", "unk", "-") == (["Town", "Town", "State", "unknown", "unknown"], {})


def test_a_code_that_nobody_knows_is_listed() -> None:
    assert read(OWNER, "UK", "UK", "Town") == (["unknown", "unknown", "Town"], {"UK": 2})
    assert read(BARE, "mid") == ([""], {"mid": 1})


def test_the_crosswalk_says_what_a_value_means() -> None:
    assert read(OWNER, "UK", "Town", said={"UK": "Town"}) == (["Town", "Town"], {})


def test_a_star_takes_every_other_value() -> None:
    assert read(OWNER, "UK", "X", "Town", "", said={"UK": "Town", "*": "unknown"}) == (["Town", *["unknown"] * 3], {})


def test_without_a_star_every_other_value_is_listed() -> None:
    assert read(OWNER, "UK", "X", said={"UK": "Town"}) == (["Town", "unknown"], {"X": 1})


def test_the_empty_value_can_be_given_a_meaning() -> None:
    assert read(OWNER, None, "", said={"": "Town"}) == (["Town", "Town"], {})


def test_a_number_is_looked_up_as_its_text() -> None:
    assert read(OWNER, 1.0, 1, -1, said={"1": "Town", "-1": "State"}) == (["Town", "Town", "State"], {})


def test_a_free_text_that_values_does_not_have_stays_and_is_listed() -> None:
    assert read(KINDS["text"], "CB", "Inlet", "", said={"CB": "catch basin"}) == (
        ["catch basin", "Inlet", ""],
        {"Inlet": 1},
    )


@given(st.text(alphabet=st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])))
@untimed
def test_other_text_stays_as_it_is(value: str) -> None:
    found, unknown = read(KINDS["text"], value)
    assert not unknown
    assert found[0] in (value.strip(), "")


# -- numbers


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("12.5", 12.5), (" 7 ", 7.0), ("1,234.5", 1234.5), ("12,345,678", 12345678.0), ("-3", -3.0), ("+3", 3.0),
        (".5", 0.5), ("1e3", 1000.0), ("5.", 5.0), (0, 0.0),
    ],
)  # fmt: skip
def test_a_number(value: Any, number: float) -> None:
    assert read(KINDS["number"], value) == ([number], {})


@pytest.mark.parametrize(
    "value",
    [
        '12"',
        "12 in",
        "18x24",
        "41,33",
        "1,23",
        "1_000",
        "12..5",
        "١٢",
        "inf",
        "1e999",
        ".",
        "e5",
        "0x1F",
        "-9999",
        "-999.0",
        "-99999",
    ],
)
def test_what_is_no_number_is_listed(value: str) -> None:
    found, unknown = read(KINDS["number"], value)
    assert math.isnan(found[0])
    assert list(unknown.values()) == [1]


@pytest.mark.parametrize("value", ["", "N/A", "unknown", "<Null>", "-", None])
def test_no_number_said_is_not_listed(value: Any) -> None:
    found, unknown = read(KINDS["number"], value)
    assert math.isnan(found[0])
    assert unknown == {}


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x not in (-999, -9999, -99999)))
@untimed
def test_a_number_survives_as_its_text(value: float) -> None:
    assert read(KINDS["number"], repr(value))[0] == [value]


@pytest.mark.parametrize(("value", "whole"), [("2", 2), ("2.0", 2), (2.0, 2), ("1,200", 1200), (str(2**53), 2**53)])
def test_a_whole_number(value: Any, whole: int) -> None:
    assert read(KINDS["integer"], value) == ([whole], {})


@pytest.mark.parametrize("value", ["2.5", "two", str(2**53 + 2), "1e30"])
def test_what_is_no_whole_number_is_listed(value: str) -> None:
    assert read(KINDS["integer"], value) == ([pd.NA], {value: 1})


def test_a_column_of_numbers_keeps_its_type_where_none_is_known() -> None:
    for kind, dtype in (
        ("number", "float64"),
        ("integer", "Int64"),
        ("date", "object"),
        ("text", "str"),
        ("yesno", "str"),
    ):
        assert conform(pd.Series([None]), KINDS[kind], Target(""), Counter()).dtype == dtype


# -- yes and no


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("Y", "yes"),
        (True, "yes"),
        (1.0, "yes"),
        ("no", "no"),
        ("F", "no"),
        (0, "no"),
        ("", "unknown"),
        ("N/A", "unknown"),
    ],
)
def test_yes_and_no(value: Any, answer: str) -> None:
    assert read(KINDS["yesno"], value) == ([answer], {})


def test_neither_yes_nor_no_is_listed() -> None:
    assert read(KINDS["yesno"], "maybe", 2) == (["unknown", "unknown"], {"maybe": 1, "2": 1})


# -- days

JULY_1 = date(2024, 7, 1)


@pytest.mark.parametrize(
    "said",
    [
        "2024-07-01", "2024/07/01", "20240701", "2024-07-01T23:30:00", "2024-07-01 23:30:00.123", "20240701233000",
        "7/1/2024", "07/01/2024", "07/01/2024 11:30:00 PM",
        "2024-07-01T23:30:00-04:00", "2024/07/01 23:30:00-04",
        "2024-07-02T03:30:00Z", "2024-07-02T03:30:00+00:00", "2024-07-02 03:59:59+00", "2024-07-01T00:00:00Z",
        "1719876600000",  # 2024-07-01 23:30 in New York
        "1719792000000",  # 2024-07-01 00:00 UTC: a bare day
        "Mon, 01 Jul 2024 23:30:00 -0400", "Tue, 02 Jul 2024 03:30:00 GMT",
    ],
)  # fmt: skip
def test_the_first_of_july_as_files_write_it(said: str) -> None:
    assert read_day(said) == JULY_1


def test_the_last_minutes_of_a_year_stay_in_it() -> None:
    assert read_day("2025-01-01T04:30:00Z") == date(2024, 12, 31)


def test_one_second_after_midnight_in_utc_is_the_evening_before() -> None:
    assert read_day("2024-07-02T00:00:01Z") == JULY_1
    assert read_day("2024-07-02T00:00:00Z") == date(2024, 7, 2)


@pytest.mark.parametrize(
    "said",
    [
        "", "7/1/24", "13/07/2024", "1-7-2024", "2024", "2024-07", "2024-13-01", "2024-02-30", "45474", "July 1, 2024",
        "12:30", "yesterday", "²²²²²²²²²²²", "99999999999999999999", "2024-W27-1", "2024-07-011",
        "1899-12-30", "1900-01-01", "9999-12-31", "-2209161600000", "0001-01-01", "1/1/0001",
    ],
)  # fmt: skip
def test_what_says_no_day_for_certain(said: str) -> None:
    assert read_day(said) is None


def test_the_first_and_the_last_day_that_are_believed() -> None:
    assert read_day("1900-01-02") == FIRST_DAY
    assert read_day("2099-12-31") == LAST_DAY - timedelta(days=1)
    assert read_day("2100-01-01") is None


def test_a_day_that_cannot_be_read_is_listed() -> None:
    assert read(KINDS["date"], "2024-07-01", "7/1/24", None) == ([JULY_1, None, None], {"7/1/24": 1})


DAYS = st.dates(FIRST_DAY, LAST_DAY - timedelta(days=1))


@given(DAYS)
@untimed
def test_a_day_survives_as_iso_american_and_epoch(day: date) -> None:
    assert read_day(day.isoformat()) == day
    assert read_day(f"{day.month}/{day.day}/{day.year}") == day
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    millis = str(int(noon.timestamp() * 1000))
    if 11 <= len(millis.lstrip("-")) <= 13:
        assert read_day(millis) == day


@given(DAYS, st.times())
@untimed
def test_a_moment_in_new_york_is_a_day_there_whatever_zone_the_file_is_in(day: date, at: Any) -> None:
    local = datetime.combine(day, at, ZoneInfo("America/New_York"))
    in_utc = local.astimezone(UTC)
    if (
        in_utc.time() != datetime.min.time()
        and in_utc.date() >= FIRST_DAY
        and in_utc.astimezone(local.tzinfo).date() == day
    ):
        assert read_day(in_utc.isoformat()) == day


@given(st.text(max_size=30))
@untimed
def test_no_text_is_too_strange_to_be_no_day(said: str) -> None:
    found = read_day(said)
    assert found is None or FIRST_DAY <= found < LAST_DAY


@pytest.mark.parametrize(
    ("each", "value"),
    [(KINDS["text"], ""), (KINDS["yesno"], "unknown"), (OWNER, "unknown"), (BARE, ""), (KINDS["date"], None)],
)
def test_what_stands_where_nothing_is_known(each: Field, value: Any) -> None:
    assert blank(each) == value
