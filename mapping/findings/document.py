"""The rule book as a page: every card with its law, its needs, its ladder and its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from mapping.findings import RULES
from mapping.findings.premises import COMMERCIAL_CLASSES
from mapping.findings.rule import SHIPPED_LAW, Card
from mapping.law import Law, load_law
from mapping.screening import parameters

HEAD = """# The rules

This page is made from the cards in `mapping/findings/` by `python -m tests.make_docs`; a test holds it current.

A rule looks at one subject after the other and comes to one of three ends: it **found** something, the subject is
**fine** for one of the reasons listed, or it **cannot say** because a fact is missing. A rule whose needs are missing
altogether is listed as not run. A finding names what speaks for and against and what would clear it. It is as sure as
the weakest link that it rests on, and where that is in doubt it is no more than possible. A suspicion is confirmed only
where an officer has recorded an identification in a case that it belongs to. No finding says that somebody has broken
the law: the law's words are cited, the facts are set beside them, the decision is the officer's.

Severity is `error` (something is wrong), `warning` (somebody has to look) or `note` (good to know; not drawn on the
map). Where a finding is graver or slighter than its rule, it says so. Rules that found everything fine are listed in
`passed`, with how much they looked at.

Parameters may be set by a town in `[options]` of its `town.toml`, within the bounds.
"""
STAR = "\\* Numbered by the order of the sections; the chapter's own text does not number it.\n"


def document(law: Law | None = None) -> str:
    """The page, with the citations of the law given (the shipped one otherwise)."""
    law = law or load_law(SHIPPED_LAW)
    parts = [HEAD]
    for group, rules in groupby((each.card for each in RULES.values()), key=lambda card: card.group):
        parts.append(f"## {group}\n")
        parts += ["\n".join(_card(card, law)) for card in rules]
    if any(law.cite(code).numbered_by_order for each in RULES.values() for code in each.card.cites):
        parts.append(STAR)
    return "\n".join(parts)


def _card(card: Card, law: Law) -> Iterator[str]:
    yield f"### {card.code} {card.title}\n"
    yield f"{card.document}\n"
    for code in card.cites:
        citation = law.cite(code)
        yield f"- {citation.label.replace('*', chr(92) + '*')}: “{citation.text}”"
    needs = [need.replace("|", " or ") for need in card.needs] + [f"{kind} records" for kind in card.records]
    yield f"\nSeverity: {card.severity}. Needs: {', '.join(needs)}.\n"
    yield "Fine because:\n"
    yield from (f"- {each.reason}" for each in card.fine)
    yield f"\nFlagged: {card.bad}\n\nNot flagged: {card.good}\n"
    if card.parameters:
        yield "| parameter | value | bounds | reason | source |\n|---|---|---|---|---|"
        yield from (_parameter(code) for code in card.parameters)
        yield ""


def _parameter(code: str) -> str:
    if code == "commercial_classes":
        reason = "first digits of the property classes that count as commercial or industrial; the law does not define the term"
        return f"| `{code}` | {', '.join(COMMERCIAL_CLASSES)} | prefixes of classes | {reason} | NYS ORPTS code list |"
    each = parameters()[code]
    bounds = (
        f"{each.low:g} to {each.high:g}" if not each.choices else ", ".join(f"{choice:g}" for choice in each.choices)
    )
    source = each.source if each.verified else f"{each.source} (not verified)"
    return f"| `{code}` | {each.value:g} {each.unit} | {bounds} | {each.reason} | {source} |"
