"""The drain records of the sample town: what is documented and approved, what is not, and what needs neither."""

from __future__ import annotations

from shapely import Point

from maker.drainage import Structure
from maker.planted import DrainRecord, Planted, Town
from maker.roll import Parcel

SHEET = "drain_records.xlsx"
SEARCHED = "site plans, building permits, MS4 as-builts"

# business, what it carries, the day it was found
UNDOCUMENTED = (
    ("S04", "The Example Tavern", "floor drain", "2026-08-27"),
    ("S05", "Corner Fuel (sample)", "wash water", "2025-10-14"),
    ("S06", "Tannery Works (sample)", "process", "2026-10-29"),
)
# business, what it carries, kind of record, reference
UNAPPROVED = (
    ("S07", "Placeholder Auto Body", "floor drain", "building permit", "BP-1987-0044"),
    ("S08", "Mill Street Shops (sample)", "sump", "site plan", "SP-1994-012 sheet 3"),
)
# business, what it carries, kind of record, reference, approved on
APPROVED = (
    ("C01", "Grange Row Offices (sample)", "roof", "site plan", "SP-2003-007 sheet 2", "2003-06-18"),
    ("C02", "Fictional Car Wash", "roof", "MS4 connection permit", "MC-2015-003", "2015-04-09"),
    ("C03", "Sample Cleaners", "footing", "site plan", "SP-2011-021 sheet 1", "2011-09-27"),
)
# road, what it carries
RESIDENTIAL = (
    ("C04", "Church Street", "roof"),
    ("C05", "Mill Street", "footing"),
    ("C06", "School Street", "sump"),
    ("", "Macintosh Lane", "roof"),
    ("", "Russet Lane", "sump"),
    ("", "Shore Drive", "sump"),
    ("", "Perch Lane", "roof"),
    ("", "Cobbler Lane", "footing"),
    ("", "Hilltop Drive", "roof"),
    ("", "Fox Hollow Road", "sump"),
)


def make_drain_records(town: Town) -> None:
    """Fills `town.records` and plants S04 to S08 and C01 to C06."""
    for code, business, carries, found_on in UNDOCUMENTED:
        parcel = town.parcel_of(business)
        to = _nearest_pipe(town, parcel) if code == "S06" else nearest_basin(town, parcel).id
        number = _record(town, parcel, to, carries, found_on=found_on, searched=f"{SEARCHED}, {found_on[:4]}")
        town.plant(Planted(
            code, "suspected", f"{business}: a drain ({carries}) to {to}, in no record", SHEET, "drains", number,
            "no record found in the records searched", finding="DRN-01"))  # fmt: skip
    for code, business, carries, kind, reference in UNAPPROVED:
        parcel = town.parcel_of(business)
        number = _record(town, parcel, nearest_basin(town, parcel).id, carries, kind=kind, reference=reference)
        town.plant(Planted(
            code, "suspected", f"{business}: a drain ({carries}) on {reference}, approved by nobody", SHEET, "drains", number,
            "on record, no approval recorded", finding="DRN-02"))  # fmt: skip
    for code, business, carries, kind, reference, day in APPROVED:
        parcel = town.parcel_of(business)
        to = nearest_basin(town, parcel).id
        number = _record(
            town,
            parcel,
            to,
            carries,
            kind=kind,
            reference=reference,
            approved_by="Highway Superintendent",
            approved_on=day,
        )
        town.plant(Planted(
            code, "control", f"{business}: a drain ({carries}) documented and approved", SHEET, "drains", number,
            "no flag", finding="DRN-01 DRN-02"))  # fmt: skip
    for code, road, carries in RESIDENTIAL:
        parcel = _home(town, road)
        number = _record(town, parcel, nearest_basin(town, parcel).id, carries)
        if code:
            town.plant(Planted(
                code, "control", f"a drain ({carries}) of a house on {road}, in no record", SHEET, "drains", number,
                "no flag: a residential lot", finding="DRN-01 DRN-02"))  # fmt: skip


def _record(town: Town, parcel: Parcel, to: str, carries: str, **more: str) -> str:
    number = f"DR-{len(town.records) + 1:03d}"
    structure = next((each for each in town.drains.structures if each.id == to), None)
    xy = structure.xy if structure and len(town.records) % 3 != 1 else None
    town.records.append(DrainRecord(number, parcel.key, to, carries, xy=xy, **more))
    return number


def nearest_basin(town: Town, parcel: Parcel) -> Structure:
    """The Town's basin nearest to the lot."""
    mine = [each for each in town.drains.structures if each.owner == "TOWN" and each.kind == "Catch Basin"]
    return min(mine, key=lambda each: Point(each.xy).distance(parcel.ground))


def _nearest_pipe(town: Town, parcel: Parcel) -> str:
    mine = [each for each in town.drains.lines if each.owner == "TOWN" and each.kind == "Pipe"]
    return min(mine, key=lambda each: each.path.distance(parcel.ground)).id


def _home(town: Town, road: str) -> Parcel:
    taken = {record.premises for record in town.records}
    homes = [
        each
        for each in town.parcels
        if each.values["PROP_CLASS"] == "210" and each.values["LOC_STREET"] == road and each.key not in taken
    ]
    return min(homes, key=lambda each: Point(nearest_basin(town, each).xy).distance(each.ground))
