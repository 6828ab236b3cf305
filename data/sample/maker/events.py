"""What the sample town has asserted by 30 November 2026: inspections, a complaint and four cases."""

from __future__ import annotations

from typing import Any

from maker.follow import location_below
from maker.planted import Planted, Town
from maker.records import nearest_basin

Event = dict[str, Any]
Rain = tuple[float | None, float | None, float | None]
"""Inches in the last 24, 48 and 72 hours, None where nobody knows."""
SMSO, CREW = "J. Placeholder, SMSO (sample)", "T. Exampleton, highway crew (sample)"
FILE = "events.json"
QUIET_DAYS = (
    "2024-04-16", "2024-09-10", "2025-05-06", "2025-06-18", "2025-09-16", "2026-04-21", "2026-06-09", "2026-09-22",
    "2026-11-10",
)  # fmt: skip


def event(kind: str, on: str, by: str = SMSO, subject: str = "", case: str = "", **data: Any) -> Event:
    """One event as `demo` appends it."""
    return {"kind": kind, "subject": subject, "case": case, "on": on, "by": by, "data": data}


def inspection(outfall: str, at: str, flow: str, case: str = "", rain: Rain = (0.0, 0.0, 0.0), **seen: Any) -> Event:
    """A field sheet."""
    sheet: dict[str, Any] = {"location": outfall, "at": at}
    sheet |= dict(zip(("rain_24h_in", "rain_48h_in", "rain_72h_in"), rain, strict=True))
    sheet |= {"flow": flow, "odor": None, "color": None, "turbidity": None, "floatables": None}
    sheet |= {"damage": [], "deposits": [], "vegetation": "normal", "pool": [], "benthic": []}
    sheet |= {"samples": {}, "inspector_designation": "unlikely"}
    return event("inspection", at[:10], CREW, f"outfalls:{outfall}", case, **(sheet | seen))


def make_events(town: Town) -> list[Event]:
    """All events in the order of their days; plants S01 to S03 and C07 to C10."""
    told = _suspects(town) + _quiet(town) + _cases(town)
    return sorted(told, key=lambda each: each["on"])


def town_outfalls(town: Town) -> list[str]:
    """The Town's outfalls that lie at a water, in the order of their ids."""
    odd = {each.id for each in town.planted if each.layer == "outfalls"}
    mine = [each for each in town.drains.outfalls if each.owner == "TOWN" and each.kind == "Outfall"]
    return [each.id for each in mine if each.id not in odd]


def below(town: Town, business: str) -> str:
    """The monitoring location that a business drains to by the Town's basin nearest to it."""
    return location_below(town.drains, nearest_basin(town, town.parcel_of(business)).xy)


def _suspects(town: Town) -> list[Event]:
    works, fuel = below(town, "Tannery Works (sample)"), below(town, "Corner Fuel (sample)")
    lake = next(each.id for each in town.drains.outfalls if each.segment == "9902-0002" and each.owner == "TOWN")
    told = [
        ("S01", works, "a coloured, smelling flow in dry weather, below Tannery Works"),
        ("S02", fuel, "suds and a trickle in dry weather where the Town's drain below Corner Fuel enters the State's"),
        ("S03", lake, "grey flow with a sewage smell into Heron Lake after four dry days"),
    ]
    for code, outfall, what in told:
        town.plant(Planted(
            code, "suspected", what, FILE, "outfalls", outfall, "suspected illicit connection", finding="ILL-01"))  # fmt: skip
    return [
        inspection(works, "2024-06-11T09:40", "none"),
        inspection(
            works, "2026-10-28T10:15", "moderate", color={"kind": "green", "severity": 3}, turbidity={"severity": 2},
            odor={"kind": "other: solvent", "severity": 2}, deposits=["flow line"], inspector_designation="obvious",
            samples={"ph": 4.6, "conductivity_us_cm": 2600, "ammonia_mg_l": 0.4, "detergents_mg_l": 0.1, "fluoride_mg_l": 0.1},
        ),
        inspection(fuel, "2024-05-21T13:05", "none"),
        inspection(
            fuel, "2026-08-04T09:30", "trickle", floatables={"kind": "suds", "severity": 3}, turbidity={"severity": 1},
            inspector_designation="suspect",
            samples={"detergents_mg_l": 1.4, "ammonia_mg_l": 0.3, "potassium_mg_l": 2.1, "ph": 7.9, "conductivity_us_cm": 640},
        ),
        inspection(
            lake, "2026-07-22T11:20", "trickle", rain=(0.0, 0.0, None), odor={"kind": "sewage", "severity": 3},
            color={"kind": "gray", "severity": 2}, benthic=["brown"], inspector_designation="suspect",
            samples={"detergents_mg_l": 0.6, "ammonia_mg_l": 4.2, "potassium_mg_l": 3.1, "ecoli_per_100ml": 2400},
        ),
        event("complaint", "2026-08-01", "Town Clerk (sample)", f"outfalls:{fuel}",
              text="Foam in the ditch of the state road below the fuel station, Saturday morning", how="telephone",
              from_name="A. Madeup", from_contact="not given"),
    ]  # fmt: skip


def _quiet(town: Town) -> list[Event]:
    """Inspections that are no reason to suspect anything, each for another reason."""
    busy = {each.id for each in town.planted if each.code in ("S01", "S02", "S03")} | {below(town, "Sample Diner")}
    free = [each for each in town_outfalls(town) if each not in busy]
    wet, unknown, spring = free[1], free[4], free[7]
    town.plant(Planted(
        "C07", "control", "a flow the day after 1.1 inches of rain", FILE, "outfalls", wet,
        "no flag: the weather was not dry", finding="ILL-01"))  # fmt: skip
    town.plant(Planted(
        "C08", "control", "a damaged pipe, nothing flowing, one weak sign", FILE, "outfalls", spring,
        "no flag: a single indicator that needs no flow", finding="ILL-01"))  # fmt: skip
    plain = [each for each in free if each not in (wet, unknown, spring)][::4][: len(QUIET_DAYS)]
    return [
        inspection(wet, "2025-05-07T10:00", "substantial", rain=(1.1, 1.3, 1.3), turbidity={"severity": 1}),
        inspection(unknown, "2025-06-18T14:30", "none", rain=(None, None, None)),
        inspection(spring, "2026-04-22T09:10", "none", damage=["spalling"]),
        *(inspection(outfall, f"{day}T10:45", "none") for outfall, day in zip(plain, QUIET_DAYS, strict=True)),
    ]


def _cases(town: Town) -> list[Event]:
    return _diner(town) + _tavern(town) + _works(town) + _auto_body(town)


def _diner(town: Town) -> list[Event]:
    """Case 2026-001: kitchen grease in a catch basin, from the first smell to the last look."""
    key, outfall = town.parcel_of("Sample Diner").key, below(town, "Sample Diner")
    basin = nearest_basin(town, town.parcel_of("Sample Diner")).id
    premises, case = f"premises:{key}", "2026-001"
    town.plant(Planted(
        "C09", "control", "case 2026-001: grease from Sample Diner, corrected on 12 November 2026", FILE, "outfalls", outfall,
        "no flag: corrected, and seen dry on 24 November", finding="ILL-01"))  # fmt: skip
    found = inspection(
        outfall, "2026-08-25T08:50", "trickle", color={"kind": "gray", "severity": 2},
        odor={"kind": "rancid/sour", "severity": 3}, deposits=["oily"], inspector_designation="suspect",
    )  # fmt: skip
    return [
        found,
        event("case_opened", "2026-08-26", subject=premises, case=case, title="Kitchen grease in the School Street drain",
              premises=[key], findings=[f"ILL-01:outfalls:{outfall}"]),
        event("dye_test", "2026-09-03", CREW, premises, case, by_whom="Highway crew (sample)", notified_on="2026-09-02",
              result=f"dye from the kitchen's mop sink seen in {basin} after four minutes"),
        event("identified", "2026-09-08", subject=premises, case=case, what="illicit discharge",
              basis=f"dye test of 3 September; grease in {basin}", person="Sample Diner"),
        event("issued", "2026-09-10", subject=premises, case=case, to="Sample Diner", orders=["eliminate", "bmp"],
              deadline="2026-11-13", warning="yes"),
        event("notice_mailed", "2026-09-10", subject=premises, case=case, mail="certified", article="SAMPLE 0000 0000 0001"),
        event("notice_filed", "2026-09-11", subject=premises, case=case, filed_by="Highway Department"),
        event("received", "2026-09-14", subject=premises, case=case, signed_by="A. Madeup"),
        event("brief_response", "2026-09-18", subject=premises, case=case, remedy="mop sink to be piped to the septic system"),
        event("detailed_response", "2026-10-02", subject=premises, case=case, prepared_by="Invented Engineering PLLC",
              copies="yes", requirements="yes", permits="yes", timeline="yes"),
        event("review", "2026-10-07", subject=premises, case=case, outcome="accepted",
              reviewers=["SMSO", "Consulting Engineer"]),
        event("authorization", "2026-10-09", subject=premises, case=case, timeline="work complete by 13 November 2026"),
        inspection(outfall, "2026-11-05T09:15", "none", case),
        inspection(outfall, "2026-11-24T09:40", "none", case),
        event("corrected", "2026-11-12", subject=premises, case=case,
              how="mop sink disconnected from the storm drain and piped to the septic system", verified_by=SMSO),
    ]  # fmt: skip


def _tavern(town: Town) -> list[Event]:
    """Case 2026-002: the brief response was due on Sunday 15, so on Monday 16 November, and has not come."""
    key = town.parcel_of("The Example Tavern").key
    premises, case = f"premises:{key}", "2026-002"
    drain = next(each.id for each in town.planted if each.code == "S04")
    return [
        event("case_opened", "2026-10-20", subject=premises, case=case, title="Kitchen floor drain of The Example Tavern",
              premises=[key], findings=[f"DRN-01:drains:{drain}"]),
        event("identified", "2026-11-04", subject=premises, case=case, what="illicit connection",
              basis="dye from the kitchen's floor drain seen in the catch basin", person="The Example Tavern"),
        event("issued", "2026-11-06", subject=premises, case=case, to="The Example Tavern", orders=["eliminate"],
              deadline="2026-12-18", warning="yes"),
        event("notice_mailed", "2026-11-06", subject=premises, case=case, mail="certified", article="SAMPLE 0000 0000 0002"),
        event("notice_filed", "2026-11-09", subject=premises, case=case, filed_by="Highway Department"),
        event("received", "2026-11-10", subject=premises, case=case, signed_by="C. Madeup"),
    ]  # fmt: skip


def _works(town: Town) -> list[Event]:
    """Case 2026-003: the notice was received on Wednesday 25 November, the brief response is due on Monday 30."""
    key, outfall = town.parcel_of("Tannery Works (sample)").key, below(town, "Tannery Works (sample)")
    premises, case = f"premises:{key}", "2026-003"
    drain = next(each.id for each in town.planted if each.code == "S06")
    return [
        event("case_opened", "2026-10-30", subject=premises, case=case, title="Process water from Tannery Works",
              premises=[key], findings=[f"ILL-01:outfalls:{outfall}", f"DRN-01:drains:{drain}"]),
        event("identified", "2026-11-16", subject=premises, case=case, what="illicit connection",
              basis="CCTV from the outfall to the works' process drain", person="Tannery Works (sample)"),
        event("issued", "2026-11-18", subject=premises, case=case, to="Tannery Works (sample)",
              orders=["eliminate", "cease", "monitor"], deadline="2027-01-15", warning="yes"),
        event("notice_mailed", "2026-11-18", subject=premises, case=case, mail="certified", article="SAMPLE 0000 0000 0003"),
        event("notice_filed", "2026-11-19", subject=premises, case=case, filed_by="Highway Department"),
        event("received", "2026-11-25", subject=premises, case=case, signed_by="B. Madeup"),
    ]  # fmt: skip


def _auto_body(town: Town) -> list[Event]:
    """Case 2026-004: opened, nothing identified yet."""
    key = town.parcel_of("Placeholder Auto Body").key
    drain = next(each.id for each in town.planted if each.code == "S07")
    return [
        event("case_opened", "2026-11-24", subject=f"premises:{key}", case="2026-004",
              title="Floor drain of the auto body shop on Mill Street", premises=[key], findings=[f"DRN-02:drains:{drain}"]),
        event("note", "2026-11-24", subject=f"premises:{key}", case="2026-004",
              text="Building permit of 1987 shows the drain; asked the Building Department for an approval"),
    ]  # fmt: skip
