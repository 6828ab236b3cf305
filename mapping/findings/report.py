"""The check: every rule over every subject, and the report of what was looked at, found, fine and not to be said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from layers.errors import CallError
from layers.town import Town
from mapping.conditions import letters
from mapping.findings.facts import Facts
from mapping.findings.finding import CannotSay, Finding, Fine, Found, findings_to_json
from mapping.findings.rule import RULES, Card
from mapping.law import Law

STATUSES = ("open", "dismissed", "in case")


@dataclass(frozen=True)
class NotRun:
    """A rule that could not run, and what it needs, in words."""

    rule: str
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What one check says. Each subject looked at is either flagged, fine for a reason that is counted, or not to be judged."""

    town: str
    on: date
    findings: tuple[Finding, ...]
    looked_at: Mapping[str, int]
    not_run: tuple[NotRun, ...]
    cannot_say: tuple[CannotSay, ...]
    fine: Mapping[str, Mapping[str, int]]

    def of(self, rule: str) -> list[Finding]:
        """The findings of one rule."""
        return [each for each in self.findings if each.rule == rule]

    @property
    def passed(self) -> dict[str, int]:
        """Rules that looked at something and found all of it fine, with how many that was."""
        said = {each.rule for each in self.findings} | {each.rule for each in self.cannot_say}
        return {code: count for code, count in self.looked_at.items() if count and code not in said}

    def to_json(self) -> dict[str, Any]:
        """The object that `check --json` prints."""
        return {
            "town": self.town,
            "on": self.on.isoformat(),
            "findings": findings_to_json(self.findings),
            "looked_at": dict(self.looked_at),
            "passed": [{"rule": code, "looked_at": count} for code, count in self.passed.items()],
            "not_run": [{"rule": each.rule, "needs": list(each.needs)} for each in self.not_run],
            "cannot_say": [each.to_json() for each in self.cannot_say],
        }


def check(town: Town, law: Law, on: date, rules: Iterable[str] | None = None) -> Report:
    """Runs the rules (all, or those of the codes given) over the town as it stands on the day.

    A rule whose needs are missing is listed in `not_run` and has looked at nothing. Raises CallError for a code that
    is no rule's.
    """
    facts = Facts(town, law, on)
    standings = _standings(facts)
    findings: list[Finding] = []
    looked_at: dict[str, int] = {}
    not_run: list[NotRun] = []
    cannot_say: list[CannotSay] = []
    fine: dict[str, Counter[str]] = {}
    for code in _asked(rules):
        each = RULES[code]
        missing = each.missing(facts)
        if missing:
            not_run.append(NotRun(code, tuple(missing)))
        outcomes = [each.judge(facts, subject) for subject in each.subjects(facts)] if not missing else []
        looked_at[code] = len(outcomes)
        fine[code] = Counter(outcome.reason for outcome in outcomes if isinstance(outcome, Fine))
        cannot_say += [replace(outcome, rule=code) for outcome in outcomes if isinstance(outcome, CannotSay)]
        findings += [
            _complete(outcome, each.card, facts, standings) for outcome in outcomes if isinstance(outcome, Found)
        ]
    return Report(town.name, on, tuple(findings), looked_at, tuple(not_run), tuple(cannot_say), fine)


def _asked(rules: Iterable[str] | None) -> list[str]:
    if rules is None:
        return list(RULES)
    wanted = [code.strip().upper() for code in rules]
    unknown = [code for code in wanted if code not in RULES]
    if unknown:
        raise CallError(f"there is no rule {', '.join(unknown)}", hint=f"rules are {', '.join(RULES)}")
    return wanted


def _complete(found: Found, card: Card, facts: Facts, standings: Mapping[str, _Standing]) -> Finding:
    """The finding with all that follows from what the rule found."""
    layer, asset = found.subject
    identity = ":".join(part for part in (card.code, layer, asset, found.other) if part)
    standing = standings.get(identity, _Standing())
    waters = facts.waters_of(found.outfalls) if found.waters is None else found.waters
    return Finding(
        id=identity,
        rule=card.code,
        title=card.title,
        status=standing.status,
        subject=found.subject,
        premises=found.premises,
        outfalls=found.outfalls,
        waters=waters,
        conditions=letters(each for water in waters for each in water.conditions),
        severity=found.severity or card.severity,
        confidence="confirmed" if card.suspects and standing.identified else found.confidence,
        measure=found.measure,
        facts_for=found.facts_for,
        facts_against=found.facts_against,
        clears=found.clears,
        citation=facts.cite(found.cites or card.cites[:1]),
        geometry=found.geometry if found.geometry is not None else facts.place(layer, asset),
        crs=facts.town.crs,
    )


@dataclass(frozen=True)
class _Standing:
    """What the register says of a finding: open, dismissed or in a case, and whether an officer has identified it."""

    status: str = "open"
    identified: bool = False


def _standings(facts: Facts) -> dict[str, _Standing]:
    """What the register says of each finding it names.

    The last word counts: a case opened after a dismissal takes the finding up again.
    """
    said: dict[str, _Standing] = {}
    for record in facts.records.of("finding_dismissed", "case_opened"):
        if record.kind == "finding_dismissed":
            said[str(record.data.get("finding"))] = _Standing("dismissed")
            continue
        identified = _identified(record.case, facts)
        said |= {str(each): _Standing("in case", identified) for each in record.data.get("findings") or ()}
    return said


def _identified(case: str, facts: Facts) -> bool:
    """Whether an identification stands in the case: one that an appeal reversed does not."""
    steps = facts.records.of("identified", "appeal_decided", case=case)
    return bool(steps) and (steps[-1].kind == "identified" or steps[-1].data.get("outcome") == "upheld")
