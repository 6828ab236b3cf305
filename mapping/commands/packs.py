"""The commands clock, law, rules, permit: the law and the rule book, without a town."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable

from layers.errors import CallError
from mapping.cases.clock import clock
from mapping.commands.say import Answer, table
from mapping.findings import RULES
from mapping.law import load_law, load_permit
from mapping.words import read_day


def run_clock(asked: Namespace) -> Answer:
    """Deadlines that the given events start."""
    events = {name: read_day(text) for name, text in _pairs(asked.event, "--event")}
    found = clock(load_law(asked.law), events, settings=dict(_pairs(asked.set, "--set")), on=asked.on)
    rows = [
        (each["code"], each["raw"] or "–", each["due"] or "–", each["state"], each["why"])
        for each in found["deadlines"]
    ]
    return found, table(rows)


def _pairs(given: Iterable[str], option: str) -> list[tuple[str, str]]:
    pairs = [text.partition("=") for text in given]
    wrong = [name for name, equals, value in pairs if not (name and equals and value)]
    if wrong:
        raise CallError(
            f"{option} {', '.join(wrong)} is not NAME=VALUE", hint=f"such as {option} identified=2026-11-30"
        )
    names = [name for name, _, _ in pairs]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise CallError(f"{option} {', '.join(doubled)} is given twice", hint="give each name once")
    return [(name, value) for name, _, value in pairs]


def run_law(asked: Namespace) -> Answer:
    """Every parameter of the law."""
    law = load_law(asked.law).to_json()
    rows = [(each["code"], each["section"], each["value"], each["unit"], each["title"]) for each in law["parameters"]]
    return law, table(rows)


def run_permit(asked: Namespace) -> Answer:
    """Every parameter of the permit."""
    permit = load_permit(asked.permit).to_json()
    rows = [
        (each["code"], each["section"], each["value"], each["unit"], each["title"]) for each in permit["parameters"]
    ]
    return permit, table(rows)


def run_rules(_: Namespace) -> Answer:
    """Every rule as its card."""
    cards = [each.to_json() for each in RULES.values()]
    return {"rules": cards}, table((each["code"], each["title"]) for each in cards)
