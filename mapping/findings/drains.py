"""Drains from commercial or industrial premises that are not documented and approved (§ 194-3, illicit connections B)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import shapely

from layers.trace import drain_targets, trace
from mapping.findings.facts import DEAD, Facts, name_asset
from mapping.findings.finding import NOT_IN_USE, NOT_MS4, CannotSay, Fact, Fine, Found, Subject, weakest
from mapping.findings.premises import Use, uses_of_asset
from mapping.findings.rule import Outcome, rule
from mapping.words import say_day, say_list

EXEMPT_FLOWS = {"roof": "roof_drain", "footing": "footing_drain", "sump": "sump_pump"}
"""What a drain carries, and which of the flows that the law exempts (row `exempt`) that is."""
NO_RECORD = re.compile(
    r"(no|none|unknown|n/?a|nil|tbd|missing|\W*)|(no (record|plan|permit|file|document)|none |not (found|known|on )).*"
)
"""Entries of a record's kind or reference that say that there is none; `No. 14` is a reference."""
NOT_CONNECTED = Fine("an officer found that it is not connected")
NOT_COMMERCIAL = Fine("its premises are not commercial or industrial")
DOCUMENTED = Fine("a record of it is known")
UNDOCUMENTED = Fine("no record of it is known, which is rule DRN-01's matter")
APPROVED = Fine("it is documented and approved")
SHARED = (NOT_IN_USE, NOT_CONNECTED, NOT_MS4, NOT_COMMERCIAL)
"""The part of the ladder that both rules climb."""
NO_CONNECTION = "a dye test or camera run that shows that it does not reach the MS4"


@dataclass(frozen=True)
class Drain:
    """A drain left to be judged by its documents: in use, on commercial premises, and connected to the MS4 or perhaps so."""

    id: str
    row: Mapping[str, Any]
    premises: tuple[Use, ...]
    confidence: str
    facts_for: tuple[Fact, ...]
    doubts: tuple[Fact, ...]

    @property
    def is_documented(self) -> bool:
        """Whether a plan, map or equivalent record of it is known."""
        entries = [str(self.row[name]).strip().casefold() for name in ("record_kind", "record_ref")]
        return any(not NO_RECORD.fullmatch(each) for each in entries)

    def fact(self, text: str) -> Fact:
        """A fact that the drain's own record states."""
        return Fact(text, "drains", self.id, str(self.row["source"]))


def drains(facts: Facts) -> list[str]:
    """Every drain by its id."""
    return [str(each) for each in facts.town.layer("drains").index]


@rule(
    "DRN-01",
    "Commercial drain with no record found",
    cites=("illicit_connection_B", "past_connections"),
    needs=("drains", "parcels", "parcels.property_class"),
    subjects=drains,
    parameters=("commercial_classes",),
    suspects=True,
    fine=(*SHARED, DOCUMENTED),
    bad="A drain from a service station (class 432) to a catch basin; the building files were searched and hold no plan of it.",
    good="The same with the number of the plan that shows it; or a drain from a one-family residence (class 210).",
)
def drain_without_record(facts: Facts, drain: str) -> Outcome:
    """A drain from a commercial or industrial land use to the MS4 of which no plan, map or equivalent record is known.

    No record found is not no record: the sources searched are named, and where no search is on file that speaks against,
    as does a flow that the law exempts. Where the premises or its class is not recorded nothing can be said.
    """
    seen = _look_at(facts, drain)
    if not isinstance(seen, Drain):
        return seen
    if seen.is_documented:
        return DOCUMENTED
    searched = str(seen.row["records_searched"]).strip()
    where = f"in {searched} as of {say_day(facts.on)}" if searched else "in any source, no search recorded"
    against = [] if searched else [seen.fact("no search of plans, maps and permits is on file yet")]
    if seen.row["approved_by"]:
        against.append(seen.fact(f"approval by {seen.row['approved_by']} is recorded"))
    clears = ("a plan, map or equivalent record that shows it, approved by the Town", NO_CONNECTION)
    return _found(facts, seen, seen.fact(f"no record found {where}"), against, clears)


@rule(
    "DRN-02",
    "Commercial drain on record without approval",
    cites=("illicit_connection_B", "past_connections"),
    needs=("drains", "parcels", "parcels.property_class"),
    subjects=drains,
    parameters=("commercial_classes",),
    suspects=True,
    fine=(*SHARED, UNDOCUMENTED, APPROVED),
    bad="A drain from a shop (class 484) stands on a site plan of 1988; who approved it, and when, is not recorded.",
    good="The same with the Planning Board and the day of its approval.",
)
def drain_without_approval(facts: Facts, drain: str) -> Outcome:
    """A drain from a commercial or industrial land use to the MS4 that is documented but not known to be approved.

    The definition asks for both. Approved means that somebody did, and when, is recorded; with one of the two missing,
    or a day still to come, the flag is no more than possible. A drain without a known record is DRN-01's matter.
    """
    seen = _look_at(facts, drain)
    if not isinstance(seen, Drain):
        return seen
    if not seen.is_documented:
        return UNDOCUMENTED
    by, when = str(seen.row["approved_by"]).strip(), seen.row["approved_on"]
    if by and when and when <= facts.on:
        return APPROVED
    record = " ".join(str(seen.row[name]) for name in ("record_kind", "record_ref") if seen.row[name])
    against = [seen.fact(f"approval by {by} is recorded")] if by else []
    if when:
        against.append(seen.fact(f"{say_day(when)} is recorded as the day of its approval"))
    clears = ("the approval of an authorized enforcement agency", NO_CONNECTION)
    return _found(facts, seen, seen.fact(f"on record ({record}), no approval found"), against, clears)


def _look_at(facts: Facts, drain: str) -> Drain | Fine | CannotSay:
    """The part of the ladder that both rules share, down to where only its documents are left to ask about."""
    row = facts.row("drains", drain)
    if row["status"] in DEAD:
        return NOT_IN_USE
    said = _said_of_connection(facts, drain)
    if said == "no":
        return NOT_CONNECTED
    targets = drain_targets(facts.town, drain)
    if targets and all(facts.ms4(*target)["is_ms4"] == "no" for target in targets):
        return NOT_MS4
    linked = uses_of_asset(facts, "drains", drain)
    if not linked:
        return CannotSay(("drains", drain), "which premises it serves is not recorded")
    commercial = tuple(use for use, _ in linked.values() if use.commercial == "yes")
    unknown = [use.text for use, _ in linked.values() if use.commercial == "unknown"]
    if not commercial and unknown:
        return CannotSay(("drains", drain), say_list(unknown))
    if not commercial:
        return NOT_COMMERCIAL
    doubts = (*_connection_doubts(facts, drain, targets), *_premises_doubts(linked))
    links = [sure for use, sure in linked.values() if use in commercial]
    return Drain(
        id=drain,
        row=row,
        premises=commercial,
        confidence=weakest([*links, "possible"] if doubts else links),
        facts_for=(*_connections(facts, targets, said), *_uses(facts, commercial)),
        doubts=doubts,
    )


def _found(facts: Facts, drain: Drain, missing: Fact, against: list[Fact], clears: tuple[str, ...]) -> Found:
    """What both rules find, from what is missing and what speaks against; what it carries speaks for or against too."""
    carries = str(drain.row["carries"])
    exempt = _exempt(facts, carries)
    reached = trace(facts.town, f"drains:{drain.id}", direction="down")
    sewer = [drain.fact(f"what it leads to: {each.text}") for each in reached.doubts if each.code == "not_ms4"]
    subject = f"drains:{drain.id}"
    corrected = facts.corrected_on(subject, {f"{rule}:{subject}" for rule in ("DRN-01", "DRN-02")})
    mended = [drain.fact(f"a correction is on record as of {say_day(corrected)}")] if corrected else []
    doubts = [*drain.doubts, *against, *sewer, *mended, *([drain.fact(exempt)] if exempt else [])]
    carried = [drain.fact(f"recorded to carry: {carries}")] if not exempt and carries not in ("", "unknown") else []
    return Found(
        subject=("drains", drain.id),
        confidence=weakest([drain.confidence, "possible"]) if doubts else drain.confidence,
        premises=tuple(use.key for use in drain.premises),
        outfalls=() if sewer else reached.outfalls,
        facts_for=(*drain.facts_for, missing, *carried),
        facts_against=tuple(doubts),
        clears=clears,
        geometry=_place(facts, drain),
    )


def _exempt(facts: Facts, carries: str) -> str:
    """Why what it carries is exempt under the law in force, or nothing."""
    law = facts.in_force.get("exempt")
    flow = law.items.get(EXEMPT_FLOWS.get(carries, "")) if law else None
    return f"recorded to carry {carries} water: {flow} are exempt ({law.cite().label})" if law and flow else ""


def _said_of_connection(facts: Facts, drain: str) -> str:
    """What an officer last recorded of its connection to an asset: yes, no or nothing."""
    links = facts.records_about(f"drains:{drain}", "link_confirmed")
    said = [each for each in links if not str(each.data["to"]).startswith("premises:")]
    return str(said[-1].data.get("connected") or "yes") if said else ""


def _connections(facts: Facts, targets: list[Subject], said: str) -> Iterator[Fact]:
    sure = ", confirmed by an officer" if said == "yes" else ""
    for target in targets:
        yield Fact(f"it is connected to {name_asset(*target)}{sure}", *target, str(facts.row(*target)["source"]))


def _uses(facts: Facts, commercial: tuple[Use, ...]) -> Iterator[Fact]:
    for use in commercial:
        yield Fact(use.text, "parcels", use.key, str(facts.row("parcels", use.key)["source"]))


def _connection_doubts(facts: Facts, drain: str, targets: list[Subject]) -> Iterator[Fact]:
    """Said where it is not sure that what the drain is connected to is the Town's MS4."""
    if not targets:
        yield Fact("what it is connected to is not recorded, or is on no layer", "drains", drain)
    elif not any(facts.ms4(*target)["owned"] == "yes" for target in targets):
        yield Fact(f"the owner of {name_asset(*targets[0])} is not recorded", *targets[0])


def _premises_doubts(linked: Mapping[str, tuple[Use, str]]) -> Iterator[Fact]:
    """Other premises that the drain may serve instead."""
    for key, (use, _) in linked.items():
        if use.commercial != "yes":
            yield Fact(f"it may serve another: {use.text}", "parcels", key)


def _place(facts: Facts, drain: Drain) -> shapely.Geometry | None:
    """The drain where it is drawn, else its premises' lot."""
    own: shapely.Geometry | None = drain.row["geometry"]
    return own if own is not None else facts.place("parcels", drain.premises[0].key)
