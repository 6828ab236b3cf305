"""The assessment roll of the sample town: keys, addresses, classes and (invented) owners of its lots."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from shapely import Point, Polygon

from maker.land import Land
from maker.lots import ACRE_FT2, Lot

SWIS = "559900"
XY = tuple[float, float]


@dataclass(frozen=True)
class Business:
    """A lot whose class matters: the one nearest to the spot gets it."""

    name: str
    prop_class: str
    used_as: str
    spot: XY


BUSINESSES = (
    Business("Corner Fuel (sample)", "432", "Gas station", (-800, 60)),
    Business("Sample Diner", "422", "Diner", (700, -170)),
    Business("The Example Tavern", "421", "Restaurant", (-560, -1010)),
    Business("Placeholder Auto Body", "433", "Auto body", (560, -1110)),
    Business("Mill Street Shops (sample)", "485", "Multi-use, one story", (880, -690)),
    Business("Tannery Works (sample)", "710", "Manufacturing", (-780, -1400)),
    Business("Fictional Car Wash", "434", "Car wash, automatic", (300, -60)),
    Business("Grange Row Offices (sample)", "464", "Office building", (390, -330)),
    Business("Sample Cleaners", "484", "Dry cleaner", (700, 50)),
    Business("Example Hardware", "484", "Store, one story", (-1190, -720)),
    Business("Imaginary Landscape Supply", "473", "Greenhouse", (-1700, 2700)),
    Business("Heron Landing Restaurant (sample)", "421", "Restaurant", (3500, 2440)),
    Business("Heron Lake Marina (sample)", "570", "Marina", (4150, 2480)),
    Business("Route 991 Garage (sample)", "433", "Auto repair", (-200, -780)),
    Business("Crossroads Market (sample)", "486", "Mini-mart", (-380, -610)),
    Business("Sample Savings Bank", "462", "Bank", (-140, -610)),
    Business("Village Plaza (sample)", "452", "Area shopping center", (600, -400)),
    Business("Sample Kennels", "472", "Kennel", (4100, -2500)),
    Business("Fictional Riding Academy", "555", "Riding stable", (-3300, 2900)),
    Business("Town Highway Garage", "651", "Highway garage", (-1750, -2640)),
    Business("Town Hall", "652", "Office, government", (-450, 330)),
    Business("Central School (sample)", "612", "School", (120, 420)),
    Business("Old Stone Church (sample)", "620", "Church", (-1000, -80)),
    Business("Volunteer Fire House (sample)", "662", "Fire station", (-120, 560)),
    Business("Lake Sewer District Plant", "853", "Sewage treatment", (5640, 1250)),
)
CONDOMINIUM: XY = (-420, 450)
CONDOMINIUM_UNITS = 12
MAIN_STREET = "NYS Route 991"

SURNAMES = ("Placeholder", "Exampleton", "Samplewood", "Testerfield", "Inventedson", "Imaginary", "Fictional", "Madeup")
FIRST_NAMES = (
    "Juniper",
    "Wren",
    "Alder",
    "Sorrel",
    "Linden",
    "Tansy",
    "Rowan",
    "Marten",
    "Heron",
    "Bracken",
    "Yarrow",
    "Fern",
)
ORDINARY = {
    "hamlet": (("210", "One family", 0.72), ("220", "Two family", 0.16), ("311", "Vacant residential", 0.12)),
    "main street": (("482", "Row type store", 0.18), ("484", "Store, one story", 0.16), ("465", "Professional office", 0.12),
                    ("210", "One family", 0.34), ("220", "Two family", 0.12), ("330", "Vacant commercial", 0.08)),
    "lake": (("210", "One family", 0.62), ("260", "Seasonal", 0.28), ("311", "Vacant residential", 0.10)),
    "suburb": (("210", "One family", 0.92), ("311", "Vacant residential", 0.08)),
    "rural": (("210", "One family", 0.66), ("240", "Rural residence", 0.18), ("314", "Rural vacant", 0.16)),
    "deep": (("117", "Horse farm", 0.42), ("250", "Estate", 0.16), ("240", "Rural residence", 0.20),
             ("105", "Vacant farmland", 0.12), ("910", "Private forest", 0.10)),
    "back": (("910", "Private forest", 0.6), ("322", "Rural vacant over 10 acres", 0.4)),
}  # fmt: skip
BUILT = {
    "hamlet": (1860, 1975),
    "lake": (1926, 1968),
    "suburb": (1984, 2016),
    "rural": (1905, 2012),
    "deep": (1840, 1990),
}


@dataclass
class Parcel:
    """One row of the roll; `values` holds the fields of the state's parcel file by their full names."""

    ground: Polygon
    values: dict[str, object]
    business: Business | None = None

    @property
    def key(self) -> str:
        """SWIS and SBL, the key of the premises."""
        return str(self.values["SWIS_SBL_ID"])


def make_roll(lots: list[Lot], land: Land, rng: np.random.Generator) -> list[Parcel]:
    """The roll in the order of its keys; the condominium's units share one outline."""
    at_spot = {_nearest(lots, each.spot): each for each in BUSINESSES}
    condominium = _nearest(lots, CONDOMINIUM)
    parcels = []
    for k, (section, block, number) in enumerate(_numbered(lots)):
        for unit in range(1, CONDOMINIUM_UNITS + 1) if k == condominium else (0,):
            values = _keys(section, block, number, unit) | _place(lots[k], land, unit)
            values |= _use(lots[k], at_spot.get(k), unit, rng) | _owner(values, at_spot.get(k), lots[k], rng)
            parcels.append(Parcel(lots[k].ground, values, at_spot.get(k)))
    return sorted(parcels, key=lambda parcel: parcel.key)


def _nearest(lots: list[Lot], spot: XY) -> int:
    return min(range(len(lots)), key=lambda k: lots[k].ground.distance(Point(spot)))


def _numbered(lots: list[Lot]) -> list[tuple[int, int, int]]:
    """Section, block and lot number of each lot: sections by quarter of the map, blocks by road."""
    sections = [12 + int(lot.front.x > -2300) + int(lot.front.x > 2300) + 3 * int(lot.front.y < -1000) for lot in lots]
    blocks: dict[int, dict[str, int]] = defaultdict(dict)
    last: dict[tuple[int, int], int] = defaultdict(int)
    numbers = []
    for section, lot in zip(sections, lots, strict=True):
        block = blocks[section].setdefault(lot.road, len(blocks[section]) + 1)
        last[section, block] += 1
        numbers.append((section, block, last[section, block]))
    return numbers


def _keys(section: int, block: int, number: int, unit: int) -> dict[str, object]:
    sbl = f"{section:03d}000{block:04d}{number:03d}{unit:03d}0000"
    print_key = f"{section}.-{block}-{number}" + (f".{unit}" if unit else "")
    return {"SWIS": SWIS, "SBL": sbl, "SWIS_SBL_ID": SWIS + sbl, "PRINT_KEY": print_key}


def _place(lot: Lot, land: Land, unit: int) -> dict[str, object]:
    road = next((each for each in land.roads if each.street.name == lot.road), None)
    number = ""
    if road is not None:
        at = road.line.project(lot.front)
        here, ahead = road.line.interpolate(max(0.0, at - 5.0)), road.line.interpolate(at + 5.0)
        left = (ahead.x - here.x) * (lot.front.y - here.y) - (ahead.y - here.y) * (lot.front.x - here.x) > 0
        number = str(2 * int(at / 45.0) + 2 + int(left))
    street = lot.road or "Off road"
    return {
        "PARCEL_ADDR": f"{number} {street}".strip() + (f" Unit {unit}" if unit else ""),
        "LOC_ST_NBR": number,
        "LOC_STREET": street,
        "LOC_UNIT": str(unit) if unit else "",
        "DUP_GEO": "Y" if unit else "",
        "ACRES": round(lot.ground.area / ACRE_FT2, 2),
    }


def _use(lot: Lot, business: Business | None, unit: int, rng: np.random.Generator) -> dict[str, object]:
    on_main_street = lot.zone == "hamlet" and lot.road == MAIN_STREET
    habit = "main street" if on_main_street else "deep" if lot.zone == "rural" and lot.deep else lot.zone
    if business:
        prop_class, used_as = business.prop_class, business.used_as
    elif unit:
        prop_class, used_as = "210", "Condominium"
    elif lot.zone == "shore":
        prop_class, used_as = "822", "Water supply"
    else:
        choices = ORDINARY[habit]
        k = int(rng.choice(len(choices), p=[share for _, _, share in choices]))
        prop_class, used_as = choices[k][:2]
    vacant = prop_class[0] in "39" or prop_class in ("105", "822")
    year = 0 if vacant else int(rng.integers(*BUILT.get(lot.zone if habit != "deep" else habit, (1900, 1990))))
    sewered = lot.zone == "lake"
    served = ("1", "None") if vacant else ("3", "Comm/public") if sewered else ("2", "Private")
    return {
        "PROP_CLASS": prop_class,
        "USED_AS_DESC": used_as,
        "YR_BLT": year if rng.random() > 0.04 else 0,
        "SEWER_TYPE": served[0],
        "SEWER_DESC": served[1],
        "WATER_SUPPLY": "1" if vacant else "2",
        "WATER_DESC": "None" if vacant else "Private",
    }


def _owner(
    values: dict[str, object], business: Business | None, lot: Lot, rng: np.random.Generator
) -> dict[str, object]:
    """Owner and mailing address, made up so that nobody can take them for a neighbour's."""
    town = business is not None and business.prop_class in ("651", "652", "853")
    person = f"{rng.choice(SURNAMES)}, {rng.choice(FIRST_NAMES)}"
    away = rng.random() < 0.15
    name = "Town of North Salem (sample)" if town else business.name if business else person
    if lot.zone == "shore":
        name, away = "Invented City Water Supply", True
    return {
        "PRIMARY_OWNER": name,
        "ADD_OWNER": f"{rng.choice(SURNAMES)}, {rng.choice(FIRST_NAMES)}"
        if not business and rng.random() < 0.3
        else "",
        "MAIL_ADDR": f"{rng.integers(1, 400)} Nowhere Avenue" if away else values["PARCEL_ADDR"],
        "MAIL_CITY": "Faraway" if away else "Sampleton",
        "MAIL_STATE": "NY",
        "MAIL_ZIP": "00000",
        "OWNER_TYPE": "5" if town else "4" if lot.zone == "shore" else "8",
        "ROLL_SECTION": "8" if town else "1",
    }
