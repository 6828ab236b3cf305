"""Every rule against its cases in `tests/rulebook`, and the rule book itself: cards, ladders, page."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mapping.findings import RULES, Report, check
from mapping.findings.document import document
from mapping.findings.rule import Card
from mapping.law import load_law
from mapping.screening import parameters
from tests.findings_town import town_of
from tests.support import CORNER

LAW = load_law("north_salem_194")
BOOK = Path(__file__).parent / "rulebook"
DOCS = Path(__file__).parent.parent / "docs"
KEYS = {
    "situation",
    "on",
    "base",
    "layers",
    "records",
    "options",
    "findings",
    "fine",
    "cannot_say",
    "not_run",
    "confidence",
    "severity",
    "status",
    "premises",
    "outfalls",
    "conditions",
    "waters",
    "measure",
    "for",
    "against",
    "clears",
    "citation",
    "point",
}
BOOKS = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(BOOK.glob("*.toml"))]
CASES = [pytest.param(book, case, id=f"{book['rule']}: {case['situation']}") for book in BOOKS for case in book["case"]]


def cases_of(code: str) -> list[Mapping[str, Any]]:
    return [case for book in BOOKS if book["rule"] == code for case in book["case"]]


def layers_of(book: Mapping[str, Any], case: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The base's assets with the case's own fields laid over, unless the case starts from nothing."""
    base = book["base"]["layers"] if case.get("base", True) else {}
    own = case.get("layers", {})
    return {
        layer: [
            {"id": asset, **base.get(layer, {}).get(asset, {}), **own.get(layer, {}).get(asset, {})}
            for asset in dict.fromkeys([*base.get(layer, {}), *own.get(layer, {})])
        ]
        for layer in dict.fromkeys([*base, *own])
    }


def report_of(book: Mapping[str, Any], case: Mapping[str, Any]) -> Report:
    town = town_of(layers_of(book, case), records=case.get("records", ()), options=case.get("options"))
    return check(town, LAW, case.get("on", book["on"]), [book["rule"]])


@pytest.mark.parametrize(("book", "case"), CASES)
def test_a_case_of_the_rule_book(book: Mapping[str, Any], case: Mapping[str, Any]) -> None:
    assert not set(case) - KEYS
    report = report_of(book, case)
    assert [each.id for each in report.findings] == case.get("findings", [])
    assert [need for each in report.not_run for need in each.needs] == case.get("not_run", [])
    assert case.get("fine", "") in {*report.fine[book["rule"]], ""}
    assert all(case.get("cannot_say", "nothing") in each.text for each in report.cannot_say)
    assert bool(report.cannot_say) == ("cannot_say" in case)
    for found in report.to_json()["findings"]:
        for key in {"confidence", "severity", "status", "premises", "outfalls", "conditions", "waters"} & set(case):
            assert found[key] == case[key]
        for key in {"for", "against"} & set(case):
            assert all(any(text in fact["text"] for fact in found[key]) for text in case[key]), found[key]
        assert set(case.get("clears", ())) <= set(found["clears"])
        assert case.get("citation", "") in f"{found['citation']['section']} {found['citation']['text']}"
        assert found["measure"] is None or case.get("measure", found["measure"]["value"]) == found["measure"]["value"]
    for flag in report.findings if "point" in case else ():
        assert (flag.geometry.x - CORNER[0], flag.geometry.y - CORNER[1]) == tuple(case["point"])


@pytest.mark.parametrize("code", RULES)
def test_every_rung_of_a_ladder_has_a_case_and_no_other_reason_is_given(code: str) -> None:
    given = {case.get("fine") for case in cases_of(code)}
    assert {each.reason for each in RULES[code].card.fine} == given - {None}


@pytest.mark.parametrize("card", [each.card for each in RULES.values()], ids=lambda card: card.code)
def test_every_card_is_complete(card: Card) -> None:
    assert all((card.title, card.document, card.bad, card.good, card.fine, card.needs or card.records))
    assert all(LAW.cite(code).text for code in card.cites)
    assert card.cites
    assert set(card.parameters) <= {*parameters(), "commercial_classes"}
    assert len(cases_of(card.code)) >= 6
    assert not {"illegal", "violation"} & set(f"{card.title} {card.document} {card.bad} {card.good}".lower().split())


def test_the_page_of_the_rules_is_current() -> None:
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == document(), "make it anew with: python -m tests.make_docs"
