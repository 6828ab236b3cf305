"""Values as their schema wants them: text to numbers, days, codes and yes/no; what cannot be read is listed, not guessed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping

import pandas as pd

from layers.conform.days import read_day
from layers.crosswalk import OTHERS, Target, to_text
from layers.schema import Field, dtype

NULL_WORDS = {"", "<null>", "null", "nan", "none"}
"""Texts that files write where nothing is known."""
NULL_MARKS = NULL_WORDS | {"unknown", "n/a", "na", "unk", "no data", "-"}
"""In a number, day or code these too say that nothing is known."""
YES, NO = {"yes", "y", "true", "t", "1"}, {"no", "n", "false", "f", "0"}
NUMBER = re.compile(r"[+-]?(?=\.?\d)(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
FILLERS = {-999.0, -9999.0, -99999.0}
"""What GIS programs write for no number; no height, width or count is one of them."""
LARGEST = 2**53
"""No count or year is larger; beyond it a number is not exact."""
UNREAD = object()
BLANK: Mapping[str, object] = {"text": "", "yesno": "unknown", "number": math.nan, "integer": pd.NA, "date": None}


def conform(raw: pd.Series, each: Field, target: Target, unknown: Counter[str]) -> pd.Series:
    """The column as field `each`, on the same index; values that are not known are counted in `unknown`.

    The crosswalk's `values` go first (`*` = every other value), then the schema's synonyms, then the type. A value that
    cannot be read becomes blank. A text without codes stays, and is counted where `values` does not have it.
    """
    read, said = _reader(each), target.values.get(each.name)
    done: dict[str, tuple[object, bool]] = {}

    def convert(value: object) -> object:
        text = to_text(value)
        if text not in done:
            found = read(text if said is None else said.get(text, said.get(OTHERS, text)))
            unsaid = said is not None and not {text, OTHERS} & set(said) and each.type == "text" and not each.codes
            done[text] = (blank(each) if found is UNREAD else found, found is UNREAD or (unsaid and found != ""))
        found, strange = done[text]
        if strange:
            unknown[text] += 1
        return found

    return pd.Series([convert(value) for value in raw], index=raw.index, dtype=dtype(each.type), name=each.name)


def blank(each: Field) -> object:
    """What stands in a field of which nothing is known."""
    if each.codes:
        return "unknown" if "unknown" in each.codes else ""
    return BLANK[each.type]


def _reader(each: Field) -> Callable[[str], object]:
    """What turns a text into a value of the field, or into UNREAD."""
    synonyms = {key.casefold(): value for key, value in each.synonyms.items()}
    codes = {code.casefold(): code for code in each.codes}
    by_type = {"number": _number, "integer": _integer, "date": _day, "yesno": _yesno, "text": _text}

    def read(text: str) -> object:
        text = synonyms.get(text.casefold(), text)
        folded = text.casefold()
        if codes:
            return codes.get(folded, blank(each) if folded in NULL_MARKS else UNREAD)
        if each.type != "text" and folded in NULL_MARKS:
            return blank(each)
        return by_type[each.type](text)

    return read


def _text(text: str) -> object:
    return "" if text.casefold() in NULL_WORDS else text


def _number(text: str) -> object:
    """The number, thousands divided by commas or not; UNREAD with a unit, a decimal comma or a filler in it."""
    if not NUMBER.fullmatch(text):
        return UNREAD
    value = float(text.replace(",", ""))
    return value if math.isfinite(value) and value not in FILLERS else UNREAD


def _integer(text: str) -> object:
    value = _number(text)
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST else UNREAD


def _yesno(text: str) -> object:
    folded = text.casefold()
    return "yes" if folded in YES else "no" if folded in NO else UNREAD


def _day(text: str) -> object:
    found = read_day(text)
    return UNREAD if found is None else found
