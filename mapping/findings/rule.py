"""A rule is a card with a judge: the card says what it is about, the judge looks at one subject after the other."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from layers.schema import schema
from layers.town import Town
from mapping.findings.facts import Facts
from mapping.findings.finding import CannotSay, Fine, Found
from mapping.law import Law, load_law

S = TypeVar("S")
Outcome = Found | Fine | CannotSay
Subjects = Callable[[Facts], Iterable[S]]
Judge = Callable[[Facts, S], Outcome]

SHIPPED_LAW = "north_salem_194"
"""The law whose words are shown where no town is asked about."""
GROUPS = {
    "ILL": "Illicit connections and discharges",
    "DRN": "Undocumented or unapproved drains",
    "WAT": "Receiving waters and special conditions",
    "NET": "Network",
    "OUT": "Outfall inventory",
    "PRM": "Premises and facilities",
    "REC": "Records overdue",
}
"""The families of rules, by the letters their codes begin with."""


@dataclass(frozen=True)
class Card:
    """What a rule is: its code is permanent and never used again for another rule.

    `cites`: rows of the law, the first is what a finding cites. `needs`: layers, or `layer.field` where a field must be
    filled somewhere; `a|b` where either will do. `records`: kinds of event that must be in the register. `fine`: the
    ladder, every reason not to flag. `parameters`: codes of `data/screening` or of `[options]` that move it.
    `severity`: how grave its findings are where they do not say so themselves (`error`, `warning`, `note`).
    `suspects`: it points at somebody's doing, so that an identification on record confirms it. `document` says what it
    does, `bad` and `good` show one of each.
    """

    code: str
    title: str
    cites: tuple[str, ...]
    needs: tuple[str, ...]
    document: str
    fine: tuple[Fine, ...]
    bad: str
    good: str
    records: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    suspects: bool = False
    severity: str = "warning"

    @property
    def group(self) -> str:
        """The family it belongs to, in words."""
        return GROUPS[self.code[:3]]


@dataclass(frozen=True)
class Rule(Generic[S]):
    """A card, the subjects that it looks at, and the judge: a ladder of reasons why one of them is fine."""

    card: Card
    subjects: Subjects[S]
    judge: Judge[S]

    def missing(self, facts: Facts) -> list[str]:
        """What the rule needs and does not have, in words; empty where it can run."""
        wanted = [need.replace("|", " or ") for need in self.card.needs if not _has(facts.town, need)]
        wanted += [f"{kind} records" for kind in self.card.records if not facts.records.of(kind)]
        return wanted + [f"row {code} of {facts.law.name}" for code in self.card.cites if code not in facts.in_force]

    def to_json(self, law: Law | None = None) -> dict[str, Any]:
        """The card as `rules --json` prints it, with the words that it cites of the law given, else of the shipped one."""
        card, law = self.card, law or load_law(SHIPPED_LAW)
        rows = {code: law.cite(code).to_json() for code in card.cites}
        return {
            "code": card.code,
            "title": card.title,
            "group": card.group,
            "severity": card.severity,
            "document": card.document,
            "citation": rows[card.cites[0]],
            "cites": [{"code": code, **rows[code]} for code in card.cites],
            "needs": [*card.needs, *(f"{kind} records" for kind in card.records)],
            "fine": [each.reason for each in card.fine],
            "parameters": list(card.parameters),
            "bad": card.bad,
            "good": card.good,
        }


RULES: dict[str, Rule[Any]] = {}
"""Every rule by its code, family by family in the order of GROUPS."""


def rule(
    code: str,
    title: str,
    *,
    cites: tuple[str, ...],
    needs: tuple[str, ...],
    subjects: Subjects[S],
    fine: tuple[Fine, ...],
    bad: str,
    good: str,
    records: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
    suspects: bool = False,
    severity: str = "warning",
) -> Callable[[Judge[S]], Judge[S]]:
    """Registers the judge below it; its docstring is the rule's document. Raises ValueError for a code used twice."""

    def register(judge: Judge[S]) -> Judge[S]:
        if code in RULES or not re.fullmatch(r"[A-Z]{3}-\d\d", code):
            raise ValueError(f"rule code {code!r} is taken or malformed")
        document = inspect.getdoc(judge) or ""
        card = Card(code, title, cites, needs, document, fine, bad, good, records, parameters, suspects, severity)
        RULES[code] = Rule(card, subjects, judge)
        for each in sorted(RULES, key=lambda each: (list(GROUPS).index(each[:3]), each)):
            RULES[each] = RULES.pop(each)
        return judge

    return register


def cards() -> Mapping[str, Card]:
    """Every card by its code."""
    return {code: each.card for code, each in RULES.items()}


def _has(town: Town, need: str) -> bool:
    """Whether the town has the layer, or the field filled in some row, or one of several such."""
    return any(_has_one(town, *each.partition(".")[::2]) for each in need.split("|"))


def _has_one(town: Town, layer: str, field: str) -> bool:
    if not field or not town.has(layer):
        return town.has(layer)
    values = town.layer(layer)[field]
    blank = (
        "unknown" if schema(layer).field(field).type == "yesno" or "unknown" in schema(layer).field(field).codes else ""
    )
    return bool((values.notna() & (values != blank)).any())
