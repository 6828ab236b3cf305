"""A small town around a lake with hostile names, for tests of the map: coordinates in US feet, EPSG:2260."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from types import SimpleNamespace
from typing import Any

import geopandas as gpd
from pyproj import CRS
from shapely.geometry import LineString, MultiPolygon, Point, box

from layers.settings import Settings
from layers.town import Town, make_town
from tests.outputs_town import layer as conforming

EAST, NORTH = 739288.0, 910705.0
"""Near 73.6 W, 41.33 N."""
SETTINGS = Settings(name="Testville (synthetic)", crs=CRS.from_epsg(2260))
ON = date(2026, 12, 1)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "C:\\plans\\20190221.pdf",
    "`${alert(1)}`",
    "</script><script>alert(1)</script>",
    "safe\u202egpj.exe",
    "{{ 7*7 }}{% raw %}",
)


def at(x: float, y: float) -> Point:
    return Point(EAST + x, NORTH + y)


def line(*points: tuple[float, float]) -> LineString:
    return LineString([(EAST + x, NORTH + y) for x, y in points])


def area(x: float, y: float, width: float, height: float) -> MultiPolygon:
    return MultiPolygon([box(EAST + x, NORTH + y, EAST + x + width, NORTH + y + height)])


def layer(name: str, rows: dict[str, dict[str, Any]]) -> gpd.GeoDataFrame:
    """A layer that conforms to its schema; each row has its `geometry` and what is on record."""
    return conforming(name, {key: (row.pop("geometry"), row) for key, row in rows.items()})


def small_layers() -> dict[str, gpd.GeoDataFrame]:
    lots = {
        f"055089 2.-1-{n}": {
            "geometry": area(n * 120 - 600, 60, 120, 180),
            "address": HOSTILE[n] if n < len(HOSTILE) else f"{n} Main St",
            "print_key": f"2.-1-{n}",
            "property_class": "432" if n == 7 else "112" if n == 8 else "710" if n == 9 else "210",
            "owner_name": "Invented Owner",
            "mail_address": "1 Invented Rd",
        }
        for n in range(10)
    }
    return {
        "parcels": layer("parcels", lots),
        "boundary": layer("boundary", {"B": {"geometry": area(-900, -900, 1800, 1400), "name": "Testville"}}),
        "roads": layer("roads", {"R1": {"geometry": line((-800, 30), (0, 35), (800, 30)), "name": "Main Street"}}),
        "waters": layer(
            "waters",
            {
                "1302-0004": {
                    "geometry": area(-300, -700, 500, 350),
                    "name": "Peach Lake",
                    "ir_category": "5",
                    "listed_303d": "yes",
                },
                "1302-0010": {
                    "geometry": line((300, 0), (280, -250), (190, -400)),
                    "name": "Crook Brook",
                    "ir_category": "3",
                },
                "1302-0044": {
                    "geometry": area(400, -700, 300, 300),
                    "name": "Titicus Reservoir",
                    "ir_category": "4a",
                    "tmdl": "yes",
                },
            },
        ),
        "catch_basins": layer(
            "catch_basins",
            {
                "CB-1": {"geometry": at(-400, 40), "owner": "Town", "road": "Main Street"},
                "CB-2": {"geometry": at(-200, 40), "owner": "County"},
                "CB-3": {"geometry": at(100, 40)},
                "CB-4": {"geometry": None, "owner": "Town"},
            },
        ),
        "manholes": layer("manholes", {"MH-1": {"geometry": at(-100, 0), "owner": "Town"}}),
        "outfalls": layer(
            "outfalls",
            {
                "OF-1": {"geometry": at(-100, -340), "kind": "outfall", "owner": "Town", "recv_name": "Peach Lake"},
                "OF-2": {"geometry": at(290, -150), "kind": "interconnection", "owner": "Town"},
                "OF-3": {"geometry": at(-850, -850), "kind": "unknown", "road": HOSTILE[0]},
            },
        ),
        "pipes": layer(
            "pipes",
            {
                "P-1": {
                    "geometry": line((-400, 40), (-200, 40)),
                    "from_id": "CB-1",
                    "to_id": "CB-2",
                    "owner": "Town",
                    "system": "storm",
                },
                "P-2": {
                    "geometry": line((-100, 0), (-200, 40)),
                    "from_id": "CB-2",
                    "to_id": "MH-1",
                    "owner": "Town",
                    "system": "storm",
                },
                "P-3": {"geometry": line((-100, 0), (-100, -340)), "owner": "Town", "system": "storm"},
                "P-9": {"geometry": line((-500, 20), (500, 20)), "system": "sanitary"},
            },
        ),
        "ditches": layer("ditches", {"D-1": {"geometry": line((100, 40), (290, -150)), "owner": "Town"}}),
        "culverts": layer("culverts", {"C-1": {"geometry": line((95, 10), (105, 50))}}),
        "drains": layer(
            "drains",
            {
                "DR-1": {
                    "geometry": line((-30, 90), (-100, 0)),
                    "premises_key": "055089 2.-1-4",
                    "carries": "floor drain",
                    "to_id": "MH-1",
                },
                "DR-2": {"geometry": at(250, 80), "premises_key": "055089 2.-1-7", "to_id": "CB-3"},
            },
        ),
        "facilities": layer(
            "facilities", {"F-1": {"geometry": at(500, 120), "name": "Highway garage", "kind": "garage"}}
        ),
    }


def small_town(**more: Any) -> Town:
    return make_town(SETTINGS, small_layers() | more)


@dataclass
class Flag:
    """What the map needs of a Finding."""

    rule: str
    subject: tuple[str, str]
    geometry: Any
    title: str = "Drain without a record"
    premises: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    status: str = "open"
    confidence: str = "probable"
    severity: str = "warning"
    id: str = field(init=False)

    def __post_init__(self) -> None:
        self.id = f"{self.rule}:{':'.join(self.subject)}"


def small_report() -> Any:
    flags = [
        Flag("ILL-01", ("outfalls", "OF-1"), at(-100, -340), title="Dry-weather flow " + HOSTILE[3]),
        Flag("DRN-01", ("drains", "DR-1"), line((-30, 90), (-100, 0)), premises=("055089 2.-1-4",)),
        Flag("DRN-01", ("drains", "DR-2"), at(250, 80), premises=("055089 2.-1-7",), confidence="possible"),
        Flag("WAT-02", ("outfalls", "OF-1"), at(-100, -340), title="Discharges to a 303(d) water", conditions=("B",)),
        Flag("NET-01", ("pipes", "P-9"), line((-500, 20), (500, 20)), title="No mapped outfall"),
        Flag("NET-01", ("pipes", "P-1"), at(0, 0), title="No mapped outfall", status="dismissed"),
        Flag("NET-08", ("pipes", "P-9"), at(0, 0), title="More than one way on", severity="note"),
    ]
    unsure = (
        SimpleNamespace(subject=("outfalls", "OF-3"), text="No water is mapped near it.", rule="WAT-02"),
        SimpleNamespace(subject=("outfalls", "OF-3"), text="Its owner is not known.", rule="ILL-01"),
        SimpleNamespace(subject=("catch_basins", "CB-4"), text="It is not located.", rule="NET-01"),
    )
    return SimpleNamespace(findings=tuple(flags), on=ON, looked_at={}, not_run=(), cannot_say=unsure)


def small_cases() -> list[Any]:
    deadlines = (SimpleNamespace(code="notice_mailed", state="open", due=date(2026, 12, 7), raw=date(2026, 12, 6)),)
    return [
        SimpleNamespace(
            id="2026-001",
            state="open",
            subject="outfalls:OF-1",
            premises=("055089 2.-1-4",),
            finding_ids=(),
            deadlines=deadlines,
        )
    ]
