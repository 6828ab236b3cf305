"""Values as their schema wants them: text to numbers, days, codes and yes/no; what cannot be read is listed, not guessed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

import pandas as pd

from layers.crosswalk import OTHERS, Target, to_text
from layers.schema import Field
from layers.sources import local_date_text

NULL_WORDS = {"", "<null>", "null", "nan", "none"}
"""Texts that files write where nothing is known."""
NULL_MARKS = NULL_WORDS | {"unknown", "n/a", "unk", "no data"}
"""In a number, day or code these too say that nothing is known."""
YES, NO = {"yes", "y", "true", "t", "1"}, {"no", "n", "false", "f", "0"}
FIRST_DAY, EPOCH_MS_DIGITS = date(1900, 1, 2), 11
"""No record of a drain is older; 1899-12-30 and 1900-01-01 are what spreadsheets write for an empty day."""


def conform(raw: pd.Series, each: Field, target: Target, unknown: Counter[str]) -> pd.Series:
    """The column as field `each`, on the same index; values that could not be read are counted in `unknown`.

    The crosswalk's `values` go first (`*` = every other value), then the schema's synonyms, then the type.
    """
    read = _reader(each)
    said = target.values.get(each.name)
    done: dict[str, object] = {}

    def convert(value: object) -> object:
        text = to_text(value)
        if text not in done:
            done[text] = read(_mapped(text, said) if said is not None else text)
        if done[text] is UNREAD:
            unknown[text] += 1
            return BLANK[each.type] if not each.codes else _no_code(each)
        return done[text]

    dtype = {"number": "float64", "integer": "Int64", "date": "object"}.get(each.type, "str")
    return pd.Series([convert(value) for value in raw], index=raw.index, dtype=dtype, name=each.name)


UNREAD = object()
BLANK: Mapping[str, object] = {"text": "", "yesno": "unknown", "number": math.nan, "integer": pd.NA, "date": None}


def blank(each: Field) -> object:
    """What stands in a field of which nothing is known."""
    return _no_code(each) if each.codes else BLANK[each.type]


def _mapped(text: str, said: Mapping[str, str]) -> str:
    return said.get(text, said.get(OTHERS, text))


def _no_code(each: Field) -> str:
    return "unknown" if "unknown" in each.codes else ""


def _reader(each: Field) -> Callable[[str], object]:
    """What turns a text into a value of the field, or into UNREAD."""
    synonyms = {key.casefold(): value for key, value in each.synonyms.items()}
    codes = {code.casefold(): code for code in each.codes}
    by_type = {"number": _number, "integer": _integer, "date": _day, "yesno": _yesno, "text": _text}

    def read(text: str) -> object:
        folded = text.casefold()
        text = synonyms.get(folded, text)
        if each.codes:
            if text.casefold() in codes:
                return codes[text.casefold()]
            return _no_code(each) if folded in NULL_MARKS else UNREAD
        if each.type != "text" and text.casefold() in NULL_MARKS:
            return BLANK[each.type]
        return by_type[each.type](text)

    return read


def _text(text: str) -> object:
    return "" if text.casefold() in NULL_WORDS else text


def _number(text: str) -> object:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return UNREAD
    return value if math.isfinite(value) else UNREAD


def _integer(text: str) -> object:
    value = _number(text)
    return int(value) if isinstance(value, float) and value.is_integer() else UNREAD


def _yesno(text: str) -> object:
    folded = text.casefold()
    return "yes" if folded in YES else "no" if folded in NO else UNREAD


def _day(text: str) -> object:
    found = _any_day(text)
    return found if found is not None and found >= FIRST_DAY else UNREAD


def _any_day(text: str) -> date | None:
    """ISO, month/day/year as American files write it, epoch milliseconds as map services write it, or an HTTP date."""
    if text.lstrip("-").isdigit() and len(text) >= EPOCH_MS_DIGITS:
        text = datetime.fromtimestamp(int(text) / 1000, UTC).isoformat() if abs(int(text)) < 10**14 else text
    readers: tuple[Callable[[str], date], ...] = (
        lambda given: date.fromisoformat(local_date_text(given)),
        _american,
        lambda given: parsedate_to_datetime(given).date(),
    )
    for read in readers:
        try:
            return read(text)
        except (ValueError, TypeError):
            continue
    return None


def _american(text: str) -> date:
    month, day, year = text.split(" ")[0].split("/")
    if len(year) != 4:
        raise ValueError(text)
    return date(int(year), int(month), int(day))
