"""A trace kept as evidence: what it rests on, in hashes, and what has changed when it is made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import geopandas as gpd
import shapely

from layers.errors import CallError
from layers.overlay import TOUCHING_JOINS
from layers.records import Record
from layers.town import READ_BY_JOINS, Town
from layers.trace import Trace, trace
from mapping.words import say_day, say_list

RULES = "2"
"""The edition of the way in which joins and traces are made; raised when the same inputs may give another trace."""
READ: Mapping[str, tuple[str, ...]] = {
    **READ_BY_JOINS,
    "drains": (*READ_BY_JOINS["drains"], "to_id"),
    "sewersheds": ("outfall_id", "basis"),
}
"""The layers and fields on which a trace rests."""
REGISTER = "register"
"""Stands among the inputs for the events that change joins."""
PARTS = {"outfalls": "outfall", "waters": "water", "premises": "premises"}
"""What a trace reaches, and how one of each is called."""


@dataclass(frozen=True)
class Change:
    """Something that both traces hold, but not alike."""

    what: str
    before: str
    now: str


@dataclass(frozen=True)
class Part:
    """What one part of a trace has more and less than when it was frozen, by `layer:id`, id or key."""

    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Differences:
    """A frozen trace against the same made again.

    `intact`: the trace in the register is the one whose hash was kept. `inputs`: the layers that have changed since, None
    where their hashes were not kept. `rules`: tolerances that have. `lost`: why it cannot be made again, or empty.
    """

    event: int
    frozen_on: date
    subject: str
    direction: str
    intact: bool
    inputs: tuple[str, ...] | None
    rules: tuple[Change, ...]
    lost: str
    parts: Mapping[str, Part]
    assets: tuple[Change, ...]
    taken: Change | None

    @property
    def same(self) -> bool:
        """Whether the trace made again is the one that was frozen, whatever it rests on."""
        changed = (each for part in self.parts.values() for each in (*part.added, *part.gone))
        return not (self.lost or self.taken or self.assets or any(changed))

    def to_json(self) -> dict[str, Any]:
        """The object that `trace --again --json` prints."""
        return {
            "event": self.event,
            "frozen_on": self.frozen_on.isoformat(),
            "subject": self.subject,
            "direction": self.direction,
            "same": self.same,
            "intact": self.intact,
            "lost": self.lost,
            "taken": asdict(self.taken) if self.taken else None,
            **{name: {"added": list(part.added), "gone": list(part.gone)} for name, part in self.parts.items()},
            "changed": [asdict(each) for each in self.assets],
            "inputs": None if self.inputs is None else list(self.inputs),
            "rules": [asdict(each) for each in self.rules],
            "sentences": list(self.sentences()),
        }

    def sentences(self) -> tuple[str, ...]:
        """What has changed, in plain words, and what it may rest on."""
        return (*self._of_record(), *self._of_result(), *self._of_basis())

    def _of_record(self) -> Iterable[str]:
        way = "down from" if self.direction == "down" else "up from"
        name = f"The trace {way} {self.subject}, frozen on {say_day(self.frozen_on)},"
        if not self.intact:
            yield f"{name} is not the one whose hash was kept: the register's copy has been altered."
        if self.lost:
            yield f"{name} cannot be made again: {self.lost}."
        elif self.same:
            yield f"{name} comes out the same."
        else:
            yield f"{name} comes out differently."

    def _of_result(self) -> Iterable[str]:
        if self.taken:
            yield f"The place is now taken for {self.taken.now}, before for {self.taken.before}."
        for name, one in PARTS.items():
            part = self.parts[name]
            if part.added:
                yield f"It has {_count(part.added, one)} more: {say_list(part.added)}."
            if part.gone:
                yield f"It no longer has {_count(part.gone, one)}: {say_list(part.gone)}."
        assets = self.parts["assets"]
        if assets.added:
            yield f"{_count(assets.added, 'asset')} more on the way: {say_list(assets.added)}."
        if assets.gone:
            yield f"{_count(assets.gone, 'asset')} no longer on the way: {say_list(assets.gone)}."
        for each in self.assets[:5]:
            yield f"{each.what} is {each.now}, before {each.before}."
        if len(self.assets) > 5:
            yield f"{len(self.assets) - 5} assets more differ in certainty or length."
        doubts = self.parts["doubts"]
        if doubts.added:
            yield f"New doubts: {say_list(doubts.added)}."
        if doubts.gone:
            yield f"Doubts no longer there: {say_list(doubts.gone)}."

    def _of_basis(self) -> Iterable[str]:
        if self.inputs is None:
            yield "Whether its inputs have changed cannot be said: their hashes were not kept."
        elif self.inputs:
            yield f"Changed since then: {say_list(self.inputs, most=20)}."
        else:
            yield "Nothing that it rests on has changed in the layers or the register."
        for each in self.rules:
            yield f"Rule {each.what} is {each.now}, before {each.before}."


def freeze(town: Town, found: Trace, *, sources: Iterable[str] = ()) -> dict[str, Any]:
    """The payload of a `trace_frozen` event: the trace, and hashes (SHA-256) of inputs, rules and result.

    `inputs` is the hash of `input_layers`, one for each layer that a trace reads and one for the events laid over them;
    `rules` that of `rule_values`, the tolerances in force and the edition of the rules. `sources` names the files as
    received. The event's subject is `found.subject`.
    """
    inputs, rules, result = hash_inputs(town), _rules(town), found.to_json()
    return {
        "direction": found.direction,
        "trace": result,
        "inputs": _hash(inputs),
        "rules": _hash(rules),
        "result": _hash(result),
        "input_layers": inputs,
        "rule_values": rules,
        "sources": sorted(set(sources)),
    }


def find_frozen(town: Town, number: int) -> Record:
    """The frozen trace that is the event of this number, or a CallError that says which there are."""
    frozen = {each.seq: each for each in town.records.of("trace_frozen")}
    if number not in frozen:
        there = say_list(map(str, frozen), most=20)
        hint = f"frozen traces are the events {there}" if frozen else "freeze one first, with --freeze"
        raise CallError(f"event {number} is no frozen trace in force", hint=hint)
    return frozen[number]


def compare(record: Record, town: Town) -> Differences:
    """Makes a frozen trace again in the town as it is and says what has changed; raises CallError for another event."""
    if record.kind != "trace_frozen":
        raise CallError(f"event {record.seq} is no frozen trace but {record.kind}", hint="give the event's number")
    before = record.data["trace"]
    taken = before.get("taken")
    asked, direction = (taken["asked"] if taken else before["subject"]), record.data["direction"]
    lost, now = "", before
    try:
        now = trace(town, asked, direction=direction).to_json()
    except CallError as fault:
        lost = fault.text
    inputs = record.data.get("input_layers")
    rules = record.data.get("rule_values")
    return Differences(
        event=record.seq,
        frozen_on=record.on,
        subject=asked,
        direction=direction,
        intact=record.data.get("result", "") in ("", _hash(before)),
        inputs=None if inputs is None else _unlike(inputs, hash_inputs(town)),
        rules=_changes(rules, _rules(town)) if rules is not None else (),
        lost=lost,
        parts={name: _part(before, now, name) for name in ("assets", *PARTS, "doubts")},
        assets=_changes(_by_asset(before), _by_asset(now), common=True),
        taken=_taken(taken, now.get("taken")),
    )


def hash_inputs(town: Town) -> dict[str, str]:
    """The SHA-256 of every layer that a trace reads, in the fields that it reads, and of the events laid over them."""
    found = {name: _hash_layer(town.layer(name), fields) for name, fields in READ.items() if town.has(name)}
    return {**found, REGISTER: _hash([each.hash for each in town.records.of(*TOUCHING_JOINS)])}


def _hash_layer(frame: gpd.GeoDataFrame, fields: Iterable[str]) -> str:
    """The hash of ids, shapes and fields, whatever the order of the rows."""
    shapes = shapely.to_wkb(frame.geometry.to_numpy(), hex=True, byte_order=1, output_dimension=2)
    columns = (frame[name].tolist() for name in fields)
    rows = sorted([str(value) for value in row] for row in zip(frame.index, shapes, *columns, strict=True))
    return _hash(rows)


def _rules(town: Town) -> dict[str, str]:
    tolerances = {name: f"{value:g}" for name, value in asdict(town.settings.tolerances).items()}
    return {"edition": RULES, "crs": town.crs.to_string(), **tolerances}


def _part(before: Mapping[str, Any], now: Mapping[str, Any], name: str) -> Part:
    old, new = (dict.fromkeys(map(_name, each.get(name, ()))) for each in (before, now))
    return Part(tuple(each for each in new if each not in old), tuple(each for each in old if each not in new))


def _name(each: str | Mapping[str, Any]) -> str:
    """An entry of a trace as one text: outfalls and waters are ids, premises keys, assets `layer:id`, doubts with code."""
    if isinstance(each, str):
        return each
    if "key" in each:
        return str(each["key"])
    asset = f"{each['layer']}:{each['id']}"
    return f"{each['code']} {asset}" if "code" in each else asset


def _by_asset(found: Mapping[str, Any]) -> dict[str, str]:
    return {_name(each): f"{each['certainty']}, {each['length_ft']:g} ft" for each in found["assets"]}


def _changes(before: Mapping[str, str], now: Mapping[str, str], *, common: bool = False) -> tuple[Change, ...]:
    """What differs between two tables, in the order of the second; with `common`, only what both hold."""
    keys = [key for key in dict.fromkeys([*now, *before]) if not common or (key in now and key in before)]
    pairs = ((key, before.get(key, "not kept"), now.get(key, "not used")) for key in keys)
    return tuple(Change(key, old, new) for key, old, new in pairs if old != new)


def _unlike(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(each.what for each in _changes(before, now))


def _taken(before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Change | None:
    if before is None or now is None or before["subject"] == now["subject"]:
        return None
    return Change(before["asked"], before["subject"], now["subject"])


def _count(things: Iterable[str], one: str) -> str:
    count = len(tuple(things))
    return f"{count:,} {one if count == 1 or one == 'premises' else one + 's'}"


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
