"""Outfalls under special conditions because of the waters that they reach (§ 194-3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mapping.conditions import Condition, letters
from mapping.findings.facts import DEAD, Facts, waters_in
from mapping.findings.finding import CONFIDENCE, NOT_IN_USE, NOT_MS4, CannotSay, Fact, Fine, Found, Measure, weakest
from mapping.findings.rule import Outcome, rule

HANDED_OVER = frozenset({"interconnection", "intraconnection"})
HANDS_OVER = Fine("it hands over to another system, not to a water")
CONFIRM_WATER = "a link to another water that an officer confirms in the field"


@dataclass(frozen=True)
class Asked:
    """What a rule asks of the waters: condition letters, the field that answers too, why else it is fine, what clears it."""

    letters: tuple[str, ...]
    field: str
    otherwise: Fine
    clears: tuple[str, ...]


LISTED = Asked(
    letters=("B",),
    field="listed_303d",
    otherwise=Fine("no water that it reaches is 303(d) listed"),
    clears=("an assessment that takes the water off the 303(d) list", CONFIRM_WATER),
)
UNDER_TMDL = Asked(
    letters=("C", "D"),
    field="tmdl",
    otherwise=Fine("no water or watershed that it reaches has a TMDL"),
    clears=("a review that finds no requirements for stormwater discharges in the TMDL", CONFIRM_WATER),
)


def outfalls(facts: Facts) -> list[str]:
    """Every outfall and connection by its id."""
    return [str(each) for each in facts.town.layer("outfalls").index]


@rule(
    "WAT-02",
    "Outfall to a 303(d)-listed water",
    cites=("condition_B",),
    needs=("outfalls", "waters", "waters.ir_category|waters.listed_303d"),
    subjects=outfalls,
    fine=(NOT_IN_USE, HANDS_OVER, NOT_MS4, LISTED.otherwise),
    bad="An outfall discharges to a brook that runs into a lake of category 5 for phosphorus: condition B, through the brook.",
    good="An outfall discharges to a reservoir of category 4a: its TMDL is approved, so it is not on the 303(d) list.",
)
def outfall_to_listed_water(facts: Facts, outfall: str) -> Outcome:
    """Condition B: the outfall discharges to a 303(d)-listed water, or to one that flows down to it.

    Lying in the watershed of a listed water is not enough, and category 4a is not 303(d) listed. Where the way leads
    through another water first, that and its length are said.
    """
    return _judge(facts, outfall, LISTED)


@rule(
    "WAT-03",
    "Outfall under a TMDL",
    cites=("condition_C", "condition_D"),
    needs=("outfalls", "waters|watersheds", "waters.ir_category|waters.tmdl|waters.tmdl_approved_on|watersheds.kind"),
    subjects=outfalls,
    fine=(NOT_IN_USE, HANDS_OVER, NOT_MS4, UNDER_TMDL.otherwise),
    bad="An outfall lies in the watershed of a phosphorus TMDL approved in 2000 and discharges to a brook in it: condition C.",
    good="An outfall discharges to a brook of category 2 and lies in no TMDL watershed.",
)
def outfall_under_tmdl(facts: Facts, outfall: str) -> Outcome:
    """Condition C or D: a TMDL is approved for a water or watershed into which the outfall discharges.

    C where it was approved up to the date of the law, D where later; both, as possible, where that day is not recorded.
    Discharging to the water, reaching it further down and lying in its watershed are three bases and kept apart.
    """
    return _judge(facts, outfall, UNDER_TMDL)


def _judge(facts: Facts, outfall: str, asked: Asked) -> Outcome:
    """The ladder that both rules climb."""
    row = facts.row("outfalls", outfall)
    if row["status"] in DEAD:
        return NOT_IN_USE
    if row["kind"] in HANDED_OVER:
        return HANDS_OVER
    if facts.ms4("outfalls", outfall)["is_ms4"] == "no":
        return NOT_MS4
    reached = facts.conditions_of(outfall)
    under = [each for each in reached if each.condition in asked.letters]
    if not under:
        unknown = _unknown(facts, reached, asked)
        return CannotSay(("outfalls", outfall), unknown) if unknown else asked.otherwise
    doubts = _doubts(facts, outfall)
    sure = max((each.confidence for each in under), key=CONFIDENCE.index)
    return Found(
        subject=("outfalls", outfall),
        confidence=weakest([sure, "possible"]) if doubts else sure,
        outfalls=(outfall,),
        waters=waters_in(under),
        facts_for=tuple(_reached(facts, each) for each in under),
        facts_against=(*doubts, *_only_indirectly(outfall, under), *_perhaps_another(outfall, reached, under)),
        clears=asked.clears,
        cites=tuple(f"condition_{letter}" for letter in letters(each.condition for each in under)),
        measure=_nearest(under),
    )


def _unknown(facts: Facts, reached: list[Condition], asked: Asked) -> str:
    """Why the waters that it discharges to do not answer the question, or nothing."""
    direct = [each.segment_id for each in reached if each.basis == "discharges_to"]
    if not direct:
        return "no receiving water is near or on record"
    rows = [facts.row("waters", segment) for segment in direct]
    silent = [row["ir_category"] == "unknown" and row[asked.field] == "unknown" for row in rows]
    return f"the category of its receiving water {direct[silent.index(True)]} is not recorded" if any(silent) else ""


def _reached(facts: Facts, row: Condition) -> Fact:
    """One condition as a fact about the water, or about the outfall where only a watershed is known."""
    layer, asset = ("waters", row.segment_id) if row.segment_id else ("outfalls", row.outfall_id)
    return Fact(row.text, layer, asset, str(facts.row(layer, asset).get("source") or ""))


def _doubts(facts: Facts, outfall: str) -> list[Fact]:
    """What is not known about the outfall itself and makes any flag on it no more than possible."""
    texts = []
    if facts.ms4("outfalls", outfall)["owned"] == "unknown":
        texts.append("its owner is not recorded, so whether it is the Town's cannot be said")
    if facts.row("outfalls", outfall)["kind"] == "unknown":
        texts.append("whether it is an outfall or a connection to another system is not recorded")
    return [Fact(text, "outfalls", outfall) for text in texts]


def _only_indirectly(outfall: str, under: list[Condition]) -> list[Fact]:
    """Said where the outfall does not discharge to the water itself."""
    bases = {each.basis for each in under}
    if "discharges_to" in bases:
        return []
    if "tributary_to" in bases:
        return [Fact("it does not discharge to that water itself, another water leads there", "outfalls", outfall)]
    return [Fact("lying in the watershed is not the same as discharging to its water", "outfalls", outfall)]


def _perhaps_another(outfall: str, reached: list[Condition], under: list[Condition]) -> list[Fact]:
    """Other waters that it may discharge to as well: several are linked only where the choice is open."""
    mine = {each.segment_id for each in under if each.basis == "discharges_to"}
    other = [each.text for each in reached if each.basis == "discharges_to" and each.segment_id not in mine]
    return [Fact(f"or it {text}", "outfalls", outfall) for text in dict.fromkeys(other)] if mine else []


def _nearest(under: list[Condition]) -> Measure | None:
    """The shortest way to a water under the condition; none where only a watershed, or no place, is known."""
    feet = [each.distance_ft for each in under if each.basis != "within_watershed" and math.isfinite(each.distance_ft)]
    return Measure("distance to the water", round(min(feet), 1), "ft") if feet else None
