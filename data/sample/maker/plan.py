"""The drawn plan of the sample town: control points in feet east and north of its middle; every name is invented."""

from __future__ import annotations

from dataclasses import dataclass

Points = list[tuple[float, float]]

MIDDLE = (-73.60, 41.33)
"""Longitude and latitude of the point (0, 0) of the plan."""

BOUNDARY: Points = [
    (-7050, -5350), (-7180, -1200), (-6900, 1900), (-6650, 5150), (-2400, 5420), (1900, 5260), (6250, 5480),
    (6900, 3300), (7080, 700), (6820, -2500), (6950, -5250), (2600, -5480), (-2100, -5300),
]  # fmt: skip


@dataclass(frozen=True)
class Brook:
    """A stream drawn from its source down; `into` is the segment that it joins, the last point lies on or in that."""

    segment: str
    name: str
    into: str
    points: Points
    dec_class: str = "C"


@dataclass(frozen=True)
class Pond:
    """A lake or reservoir: a spine, and the width in feet at each of its points."""

    segment: str
    name: str
    into: str
    spine: Points
    widths: list[float]


@dataclass(frozen=True)
class Street:
    """A road's centre line; an end near another road is drawn to it, `dead_end` has a turning circle at its last point."""

    name: str
    kind: str
    points: Points
    zone: str = "rural"
    dead_end: bool = False


RESERVOIR = Pond(
    "9902-0001", "Tamarack Reservoir", "",
    [(-6200, -2900), (-5200, -2620), (-4100, -2540), (-3000, -2250), (-2000, -2090), (-1250, -1960)],
    [260, 620, 760, 700, 520, 160],
)  # fmt: skip
LAKE = Pond(
    "9902-0002", "Heron Lake", "9902-0014", [(3100, 2650), (3700, 2950), (4350, 3020), (4900, 2700)], [420, 980, 1080, 460]
)  # fmt: skip
PONDS = (RESERVOIR, LAKE)

BROOKS = (
    Brook("9902-0010", "Sawmill Brook", "9902-0001",
          [(7080, 150), (6100, -60), (5000, -480), (3900, -820), (2600, -1010), (1200, -1330), (100, -1520),
           (-1350, -1985)], "B(T)"),
    Brook("9902-0011", "Cider Brook", "9902-0001",
          [(-3350, 5380), (-3050, 4200), (-3500, 3000), (-3150, 1700), (-3450, 500), (-3050, -700), (-3250, -2100)]),
    Brook("9902-0012", "Fox Hollow Brook", "9902-0010",
          [(900, 5280), (1250, 4100), (1000, 3000), (1550, 1900), (1250, 700), (1500, -300), (1250, -1320)], "C(TS)"),
    Brook("9902-0013", "Alder Brook", "9902-0012",
          [(3300, 5350), (2900, 4400), (2790, 3500), (2500, 2600), (2100, 2050), (1500, 1750)]),
    Brook("9902-0014", "Heron Outlet", "9902-0010",
          [(4900, 2600), (5150, 1700), (4850, 900), (5050, 100), (4800, -560)]),
    Brook("9902-0015", "Stony Brook", "9902-0010",
          [(-1500, -5250), (-1250, -4300), (-700, -3500), (-850, -2600), (-600, -1790)]),
    Brook("9902-0016", "Tanner Brook", "9902-0010",
          [(3300, -5420), (3500, -4400), (3050, -3300), (3350, -2100), (3100, -920)]),
    Brook("9902-0017", "Inlet Brook", "9902-0002",
          [(6500, 5000), (5900, 4300), (5300, 3600), (4750, 2950)]),
    Brook("9902-0018", "Gristmill Brook", "9902-0001",
          [(-5600, 3600), (-5250, 2400), (-5600, 1200), (-5150, 0), (-5400, -1300), (-5250, -2500)]),
    Brook("9902-0019", "Pine Swamp Brook", "",
          [(4700, -1900), (5200, -2800), (5050, -3700), (5600, -4500), (5700, -5330)], "D"),
)  # fmt: skip

STATE, COUNTY, TOWN, PRIVATE = "state", "county", "town", "private"

STREETS = (
    Street("NYS Route 991", STATE,
           [(-7160, -900), (-6000, -1250), (-4600, -1380), (-3000, -1180), (-1600, -900), (-400, -720), (900, -420),
            (2300, -180), (3700, 80), (5000, 420), (6100, 780), (7080, 900)]),
    Street("Salt Hill Road", COUNTY,
           [(-500, 5350), (-750, 4300), (-350, 3100), (-600, 1900), (-250, 700), (-350, -100), (-300, -700),
            (-150, -1500), (200, -2400), (-50, -3500), (300, -4500), (250, -5400)]),
    Street("Harrow Road", TOWN,
           [(-7090, -4250), (-6000, -3950), (-4700, -3700), (-3500, -3350), (-2300, -2900), (-1100, -2750), (0, -2700)]),
    Street("Tanner Hill Road", TOWN,
           [(100, -2750), (1100, -2500), (2200, -2750), (3300, -2500), (4300, -2650), (5400, -2350), (6830, -2200)]),
    Street("Gristmill Road", TOWN,
           [(-5850, -1300), (-5900, -400), (-5450, 600), (-5750, 1700), (-5400, 2700), (-5900, 3800), (-5700, 5180)]),
    Street("Cider Mill Road", TOWN,
           [(-2900, -1180), (-2750, -200), (-3150, 900), (-2850, 2100), (-3250, 3300), (-2800, 4500), (-2850, 5380)]),
    Street("Old Orchard Road", TOWN,
           [(-5550, 2300), (-4600, 2500), (-3900, 2250), (-3000, 2600), (-2000, 2450), (-1200, 2750), (-450, 2700)]),
    Street("Fox Hollow Road", TOWN,
           [(1150, -370), (1050, 500), (1500, 1300), (1250, 2200), (1500, 3100), (1000, 4100), (1350, 5270)]),
    Street("Alder Road", TOWN,
           [(-600, 1900), (200, 1750), (900, 2000), (1350, 1850)]),
    Street("Heron Lake Road", TOWN,
           [(3450, 30), (3300, 800), (2700, 1500), (2550, 2150), (2650, 2900), (3000, 3650), (3900, 3900),
            (4700, 3700), (5250, 3100), (5350, 2300), (5600, 1500), (5500, 580)], "lake"),
    Street("Ridgebury Road", TOWN,
           [(1350, 3600), (2100, 3800), (2950, 3600)]),
    Street("Northgate Road", TOWN,
           [(4300, 3830), (4500, 4600), (4200, 5380)]),
    Street("Pine Swamp Road", TOWN,
           [(4600, -2620), (4500, -3500), (4900, -4300), (4600, -5350)]),
    Street("Stony Hill Road", TOWN,
           [(0, -4000), (-1000, -4150), (-2100, -3900), (-3300, -4350), (-4500, -4150), (-5200, -4600), (-5300, -5320)]),
    Street("Meadow Lane", TOWN,
           [(200, -4400), (1200, -4150), (2300, -4450), (3400, -4100), (4650, -4000)]),
    Street("Church Street", TOWN,
           [(-1250, -830), (-1150, -350), (-800, -60), (-330, 0)], "hamlet"),
    Street("School Street", TOWN,
           [(-350, 250), (250, 180), (700, -60), (1080, 100)], "hamlet"),
    Street("Mill Street", TOWN,
           [(-170, -1300), (350, -1150), (850, -900), (980, -400)], "hamlet"),
    Street("Grange Avenue", TOWN,
           [(240, 180), (300, -250), (380, -540)], "hamlet"),
    Street("Depot Street", TOWN,
           [(-800, -780), (-760, -450), (-800, -60)], "hamlet"),
    Street("Tannery Lane", TOWN,
           [(-650, -760), (-600, -1080), (-700, -1350)], "hamlet", True),
    Street("Shore Drive", TOWN,
           [(2600, 2330), (3050, 2200), (3600, 2330), (4200, 2330), (4650, 2180), (5330, 2250)], "lake"),
    Street("Bungalow Lane", TOWN,
           [(3350, 2290), (3400, 1800), (3900, 1650), (4200, 1850), (4150, 2330)], "lake"),
    Street("Perch Lane", TOWN,
           [(3000, 2210), (2950, 1800), (3400, 1700)], "lake"),
    Street("Lily Pad Court", TOWN,
           [(3050, 3660), (2950, 4050), (3250, 4350)], "lake", True),
    Street("Macintosh Lane", TOWN,
           [(-4600, 2500), (-4550, 3300), (-4250, 3900), (-3650, 4050), (-3080, 3900)], "suburb"),
    Street("Winesap Court", TOWN,
           [(-4400, 3700), (-4750, 4200), (-4600, 4750)], "suburb", True),
    Street("Russet Lane", TOWN,
           [(-2050, 2460), (-1900, 3200), (-1450, 3500), (-540, 3600)], "suburb"),
    Street("Quince Court", TOWN,
           [(-1650, 3400), (-1750, 4000), (-1500, 4500)], "suburb", True),
    Street("Steeplechase Lane", TOWN,
           [(-450, 1000), (-1200, 1150), (-1700, 700), (-1550, 100), (-1900, -350)], "suburb", True),
    Street("Cobbler Lane", TOWN,
           [(1200, -2500), (1150, -3100), (1550, -3550), (2100, -3500), (2200, -2760)], "suburb"),
    Street("Saddler Court", TOWN,
           [(1500, -3530), (1600, -3900)], "suburb", True),
    Street("Ledge Road", TOWN,
           [(-4000, -3500), (-3800, -3150), (-3150, -2950), (-2700, -3040)], "suburb"),
    Street("Hilltop Drive", TOWN,
           [(2350, -170), (2250, 400), (1950, 900), (1250, 1000)], "suburb"),
    Street("Sugarbush Lane", TOWN,
           [(-4150, -1360), (-4300, -600), (-4050, 200), (-4350, 900)], "suburb", True),
    Street("Larkspur Lane", TOWN,
           [(5700, 660), (6000, 1500), (6350, 2100), (6200, 2800)], "suburb", True),
    Street("Far Pastures Lane", PRIVATE,
           [(3000, -4240), (2750, -3700), (2500, -3450)], "rural", True),
)  # fmt: skip
