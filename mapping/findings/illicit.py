"""Suspected illicit discharges and connections (§ 194-3, illicit connections A; § 194-6)."""

from __future__ import annotations

from collections.abc import Iterator

from layers.records import Record
from mapping.findings.facts import Facts
from mapping.findings.finding import CannotSay, Fact, Fine, Found, Measure
from mapping.findings.rule import Outcome, rule
from mapping.findings.visits import Location, Visit
from mapping.words import say_day, say_list

NO_SIGN = Fine("no visit shows indicators enough, or flow in dry weather")
CLEARED = Fine("later clean visits in dry weather clear what was seen")
EXEMPT = Fine("it only flows, and its flow is determined to be exempt")


def inspected(facts: Facts) -> list[Location]:
    """Every monitoring location that an inspection is about, also one that is on no map."""
    subjects = sorted({each.subject for each in facts.records.of("inspection")})
    return [Location(facts, each.partition(":")[2]) for each in subjects if each.startswith("outfalls:")]


@rule(
    "ILL-01",
    "Dry-weather flow or indicators at a monitoring location",
    cites=("illicit_connection_A", "connection_prohibited", "discharge_prohibited"),
    needs=("outfalls",),
    records=("inspection",),
    subjects=inspected,
    parameters=(
        "suspect_severity", "potential_indicators", "dry_weather_window_h", "dry_weather_threshold_in",
        "clean_visits_potential", "clean_visits_suspect", "clean_visits_corrected",
    ),
    suspects=True,
    fine=(NO_SIGN, CLEARED, EXEMPT),
    bad="A trickle after two dry days that smells of sewage, severity 3; nobody has been back since.",
    good="The same a year ago, a correction on record since, and a dry visit after it without flow or indicators.",
)  # fmt: skip
def signs_at_location(facts: Facts, location: Location) -> Outcome:
    """An inspection found an outfall or connection potential, suspect or obvious, or flowing in dry weather.

    Of several visits every one counts that later clean ones in dry weather have not cleared: a weak sign takes one, a
    suspect location two, since one visit easily misses a flow that comes and goes, and an obvious one is cleared only
    with a correction on record. Rain that is not known is never taken as dry: indicators are then flagged as possible,
    and of a flow without indicators nothing can be said. Weak indicators in a flow after rain are what rain brings.
    """
    subject, visits, standing = ("outfalls", location.id), location.visits, location.standing
    if not standing and location.unread:
        return CannotSay(subject, f"an inspection cannot be read: {location.unread}")
    if not standing and visits[-1].flowing and visits[-1].dry == "unknown":
        return CannotSay(subject, "it was flowing, and rain before the visit is not recorded")
    if not standing and any(visit.is_sign for visit in visits):
        return CLEARED
    if not standing:
        return NO_SIGN
    gravest = max(standing, key=lambda visit: (visit.gravity, visit.order))
    ruling = location.exemption()
    if gravest.gravity == 0 and _is_exempt(ruling):
        return EXEMPT
    doubts = tuple(_doubts(facts, location, gravest))
    return Found(
        subject=subject,
        confidence="probable" if _is_strong(gravest) and not doubts else "possible",
        outfalls=(location.id,),
        facts_for=(*_seen(gravest), *_also(standing, gravest), *_determined(ruling, exempt=False)),
        facts_against=(*doubts, *_seen_since(location, gravest), *_determined(ruling, exempt=True)),
        clears=tuple(_clears(location, gravest)),
        measure=Measure("indicators", len(gravest.designation.indicators), "indicators"),
    )


def _is_strong(visit: Visit) -> bool:
    """An inspector's obvious stands by itself; suspect needs dry weather; weaker signs are often natural."""
    return visit.designation.gravest == "obvious" or (visit.designation.gravest == "suspect" and visit.dry == "yes")


def _seen(visit: Visit) -> Iterator[Fact]:
    """What the gravest visit saw."""
    day, word = say_day(visit.on), visit.designation
    if visit.gravity:
        basis = say_list(word.indicators, most=9, between="; ") or "the inspector called it so"
        yield visit.fact(f"{word.gravest} on {day}: {basis}")
    if visit.flowing and visit.dry == "yes":
        yield visit.fact(f"flow ({visit.record.data['flow']}) in dry weather on {day}")
    if word.inspector and word.disagrees and word.inspector == word.gravest:
        yield visit.fact(f"the inspector called it {word.inspector}, the sheet alone gives {word.computed}")


def _also(standing: list[Visit], gravest: Visit) -> Iterator[Fact]:
    """The other visits that are not cleared."""
    for visit in standing:
        word = visit.designation.gravest if visit.gravity else "flow in dry weather"
        if visit is not gravest:
            yield visit.fact(f"{word} on {say_day(visit.on)} too")


def _doubts(facts: Facts, location: Location, gravest: Visit) -> Iterator[Fact]:
    """What makes the flag no more than possible."""
    day, word = say_day(gravest.on), gravest.designation
    if gravest.dry == "unknown" and word.gravest != "obvious":
        yield gravest.fact(f"rain before the visit of {day} is not recorded, so it cannot be called dry weather")
    if gravest.dry == "no":
        yield gravest.fact(f"it had rained before the visit of {day}")
    if word.disagrees and word.inspector != word.gravest:
        yield gravest.fact(f"the inspector called it {word.inspector}")
    if not facts.row("outfalls", location.id):
        yield Fact("no location of that id is on the map", "outfalls", location.id)
    elif facts.ms4("outfalls", location.id)["is_ms4"] == "no":
        yield Fact(f"{facts.ms4('outfalls', location.id)['basis']}: no part of the Town's MS4", "outfalls", location.id)


def _seen_since(location: Location, gravest: Visit) -> Iterator[Fact]:
    """Later visits that found nothing, and a correction on record."""
    for visit in location.visits:
        if visit.order > gravest.order and visit.is_clean:
            yield visit.fact(f"neither flow nor indicators on {say_day(visit.on)}, in dry weather")
        elif visit.order > gravest.order and not visit.is_sign and not visit.flowing:
            yield visit.fact(
                f"neither flow nor indicators on {say_day(visit.on)}, though not known to be in dry weather"
            )
    corrected = location.corrected_on(gravest)
    if corrected:
        yield Fact(f"a correction is on record as of {say_day(corrected)}", "outfalls", location.id, "register")


def _is_exempt(ruling: Record | None) -> bool:
    if ruling is None:
        return False
    return ruling.data["exempt"] == "yes" and ruling.data.get("substantial_contributor") != "yes"


def _determined(ruling: Record | None, *, exempt: bool) -> Iterator[Fact]:
    """The last determination of its flow, if it goes this way."""
    if ruling is None or _is_exempt(ruling) != exempt:
        return
    how = "exempt" if exempt else "not exempt, or a substantial contributor of pollutants"
    layer, _, location = ruling.subject.partition(":")
    text = f"its flow ({ruling.data['flow']}) was determined to be {how} on {say_day(ruling.on)}"
    yield Fact(text, layer, location, f"register entry {ruling.seq}")


def _clears(location: Location, gravest: Visit) -> Iterator[str]:
    more = location.visits_to_clear(gravest)
    if more is not None:
        yield f"{more} more clean {'visit' if more == 1 else 'visits'} in dry weather"
    yield "samples, a dye test or a camera run that trace it to an exempt flow"
    if location.corrected_on(gravest) is None:
        yield "a correction on record, and a clean visit in dry weather since"
