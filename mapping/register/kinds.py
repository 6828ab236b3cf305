"""The kinds of event, read from `data/events.toml`, and the check of a payload against its kind."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from layers.errors import RegisterError
from layers.schema import LAYERS

FILE = Path(__file__).resolve().parent.parent.parent / "data" / "events.toml"
SUBJECTS = (*LAYERS, "premises")
WANTED = {
    "text": "a text",
    "number": "a number",
    "date": "a date written YYYY-MM-DD",
    "yesno": '"yes", "no" or "unknown"',
    "list": "a list of texts",
    "table": "a table (a JSON object)",
}


@dataclass(frozen=True)
class PayloadField:
    """One field of a payload.

    `staff_only` fields never leave the office, `least` is the smallest number allowed, `clock` the event of the law's
    clock whose date the field holds.
    """

    name: str
    type: str
    title: str
    required: bool = False
    codes: tuple[str, ...] = ()
    unit: str = ""
    least: float | None = None
    staff_only: bool = False
    clock: str = ""


@dataclass(frozen=True)
class EventKind:
    """One kind: its payload, whether it needs a case or a subject, what it may follow, and which event of the clock it is.

    `after`: one of these must stand in the case before; `ends`: it ends the case; `ended`: it may follow the end;
    `dated`: whether the first or the last of several in a case counts for the clock.
    """

    kind: str
    title: str
    fields: tuple[PayloadField, ...]
    clock: str
    section: str = ""
    case: str = "optional"
    subject: str = "optional"
    after: tuple[str, ...] = ()
    ends: bool = False
    ended: bool = False
    dated: str = "first"

    @property
    def staff_only(self) -> frozenset[str]:
        """The fields with personal data."""
        return frozenset(each.name for each in self.fields if each.staff_only)


def load_kinds(path: Path = FILE) -> dict[str, EventKind]:
    """Every kind of event in the order of the file."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    common = raw["common"]["fields"]
    return {name: _kind(name, table, common) for name, table in raw["event"].items()}


def _kind(name: str, table: dict[str, Any], common: list[dict[str, Any]]) -> EventKind:
    fields = tuple(_field(each) for each in [*table.pop("fields"), *common])
    after = tuple(table.pop("after", ()))
    return EventKind(kind=name, fields=fields, after=after, clock=table.pop("clock", name), **table)


def _field(table: Mapping[str, Any]) -> PayloadField:
    return PayloadField(**{**table, "codes": tuple(table.get("codes", ()))})


KINDS: Mapping[str, EventKind] = load_kinds()


def find_kind(kind: str) -> EventKind:
    """The kind of that name, or a RegisterError that offers the nearest names."""
    if isinstance(kind, str) and kind in KINDS:
        return KINDS[kind]
    near = difflib.get_close_matches(str(kind), KINDS, n=3)
    offer = f"did you mean {' or '.join(near)}? " if near else ""
    raise RegisterError(f"there is no kind of event {kind!r}", hint=f"{offer}docs/register.md lists the kinds")


def check_payload(kind: EventKind, data: Mapping[str, Any], *, subject: str, case: str) -> None:
    """Nothing, or one RegisterError that names every fault of the payload, the subject and the case."""
    faults = [*_place_faults(kind, subject=subject, case=case), *_field_faults(kind, data)]
    if faults:
        raise RegisterError(f"event {kind.kind}: {'; '.join(faults)}", hint=f"it takes {describe(kind)}")


def describe(kind: EventKind) -> str:
    """The fields of a kind in one sentence, the required ones first."""
    ordered = sorted(kind.fields, key=lambda each: not each.required)
    return ", ".join(f"{each.name} ({each.type}{', required' if each.required else ''})" for each in ordered)


def _place_faults(kind: EventKind, *, subject: str, case: str) -> Iterator[str]:
    for name, rule, value in (("case", kind.case, case), ("subject", kind.subject, subject)):
        if rule == "required" and not value:
            yield f"{name} is missing"
    layer, colon, asset = subject.partition(":")
    if subject and (layer not in SUBJECTS or not colon or not asset):
        yield f"subject {subject!r} must be layer:id (outfalls:OF-014) or premises:KEY"


def _field_faults(kind: EventKind, data: Mapping[str, Any]) -> Iterator[str]:
    for each in kind.fields:
        value = data.get(each.name)
        if each.required and (value in (None, []) or (isinstance(value, str) and not value.strip())):
            yield f"data.{each.name} is missing ({each.title})"
        if value is not None:
            yield from _value_faults(each, value)
    for name in data:
        if name not in {each.name for each in kind.fields}:
            yield f"data.{name} is no field of this event"


def _value_faults(each: PayloadField, value: Any) -> Iterator[str]:
    if not _is_of_type(each.type, value):
        yield f"data.{each.name} must be {WANTED[each.type]}, not {_shown(value)}"
        return
    texts = value if each.type == "list" else [value]
    wrong = [text for text in texts if each.codes and text not in each.codes and text != ""]
    if wrong:
        yield f"data.{each.name} must be one of {', '.join(each.codes)}, not {_shown(wrong[0])}"
    if each.least is not None and value < each.least:
        yield f"data.{each.name} must be {each.least:g} or more, not {_shown(value)}"


def _is_of_type(kind: str, value: Any) -> bool:
    match kind:
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        case "date":
            return isinstance(value, str) and is_iso_date(value)
        case "yesno":
            return value in ("yes", "no", "unknown")
        case "list":
            return isinstance(value, list) and all(isinstance(each, str) for each in value)
        case "table":
            return isinstance(value, dict)
        case _:
            return isinstance(value, str)


def is_iso_date(text: str) -> bool:
    """Whether the text is a day of the calendar written YYYY-MM-DD, and in no other way.

    >>> is_iso_date("2026-02-28"), is_iso_date("2026-02-29"), is_iso_date("20260228")
    (True, False, False)
    """
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
