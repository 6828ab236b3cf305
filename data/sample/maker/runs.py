"""Which way the road drains: each stretch of road from a crest to the low place that its water runs to."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from scipy.signal import find_peaks
from shapely import LineString, Point
from shapely.ops import nearest_points

from maker import plan
from maker.curves import Array
from maker.land import Land

STEP_FT = 20.0
LEAD_OUT_FT = 460.0
"""Water further from a low place than this is not led to."""


@dataclass(frozen=True)
class Low:
    """A low place on a road: a brook crossing, a sag with water near, or a junction that the water runs through."""

    kind: str  # "crossing" | "sag" | "junction" | "none"
    spot: tuple[float, float]
    segment: str = ""
    bank: tuple[float, float] | None = None


@dataclass(frozen=True)
class Run:
    """A stretch of one road piece that drains one way, from `high_ft` to `low_ft` along the piece's line."""

    street: plan.Street
    line: LineString
    high_ft: float
    low_ft: float
    low: Low

    @property
    def length_ft(self) -> float:
        """Feet of road from the crest to the low place."""
        return abs(self.low_ft - self.high_ft)

    @property
    def way(self) -> int:
        """1 where the water runs the way the line is drawn, -1 where it runs against it."""
        return 1 if self.low_ft > self.high_ft else -1

    @property
    def head(self) -> tuple[float, float]:
        """The point of the centre line where the run begins."""
        xy = self.line.interpolate(self.high_ft)
        return round(xy.x, 1), round(xy.y, 1)


def find_runs(land: Land) -> list[Run]:
    """All runs of the town's roads, those that drain out of the town or to nowhere left out."""
    pieces = [(road.street, piece) for road in land.roads for piece in road.pieces]
    meetings: dict[tuple[float, float], int] = {}
    for _, piece in pieces:
        for tip in (piece.coords[0], piece.coords[-1]):
            meetings[_key(tip)] = meetings.get(_key(tip), 0) + 1
    runs = []
    for street, piece in pieces:
        runs += _runs_of(street, piece, land, meetings)
    return [run for run in runs if run.low.kind != "none" and run.length_ft > 70.0]


def _key(xy: tuple[float, ...]) -> tuple[float, float]:
    return round(xy[0], 1), round(xy[1], 1)


def _runs_of(street: plan.Street, line: LineString, land: Land, meetings: dict[tuple[float, float], int]) -> list[Run]:
    along = np.linspace(0.0, line.length, max(5, int(line.length / STEP_FT)))
    height = _smooth(land.heights.at(np.array([line.interpolate(at).coords[0] for at in along])))
    crossings = _crossings(line, land)
    sags = [float(along[k]) for k in find_peaks(-height, prominence=0.8 if street.zone == "lake" else 3.5)[0]]
    sags = [at for at in sags if all(abs(at - other) > 150.0 for other, _ in crossings)]
    lows = [(at, Low("crossing", line.interpolate(at).coords[0], segment)) for at, segment in crossings]
    lows += [(at, _sag(line.interpolate(at), land)) for at in sags]
    for at in (0.0, line.length):
        if all(abs(at - other) > 60.0 for other, _ in lows):
            lows.append((at, _end(line.interpolate(at), land, meetings)))
    lows.sort(key=lambda each: each[0])
    runs = []
    for (start, low), (end, next_low) in pairwise(lows):
        inside = (along >= start) & (along <= end)
        crest = float(along[inside][int(np.argmax(height[inside]))])
        runs += [Run(street, line, crest, start, low), Run(street, line, crest, end, next_low)]
    return runs


def _smooth(height: Array) -> Array:
    padded = np.pad(height, 2, mode="edge")
    return np.convolve(padded, np.ones(5) / 5.0, mode="valid")


def _crossings(line: LineString, land: Land) -> list[tuple[float, str]]:
    found: list[tuple[float, str]] = []
    for segment, brook in land.brooks.items():
        for xy in shapely.get_coordinates(line.intersection(brook)):
            at = line.project(Point(xy))
            if all(abs(at - other) > 220.0 for other, _ in found):
                found.append((at, segment))
    return found


def _sag(spot: Point, land: Land) -> Low:
    """A low place on the road, with the bank to which its water can be led without crossing another road."""
    segment, bank = nearest_bank(spot, land)
    lead = LineString([spot, bank])
    over_road = sum(road.line.distance(spot) > 5.0 and road.line.intersects(lead) for road in land.roads)
    near = 30.0 < lead.length < LEAD_OUT_FT and not over_road and land.town.buffer(-60.0).contains(bank)
    return Low("sag" if near else "none", spot.coords[0], segment, bank.coords[0] if near else None)


def _end(spot: Point, land: Land, meetings: dict[tuple[float, float], int]) -> Low:
    if meetings[_key(spot.coords[0])] > 1:
        sag = _sag(spot, land)
        return Low("junction", _key(spot.coords[0]), sag.segment, sag.bank)
    return _sag(spot, land) if land.town.buffer(-120.0).contains(spot) else Low("none", spot.coords[0])


def nearest_bank(spot: Point, land: Land) -> tuple[str, Point]:
    """The nearest water of all and the point of its bank or shore nearest to the spot."""
    waters = {**land.brooks, **{segment: pond.exterior for segment, pond in land.ponds.items()}}
    segment = min(waters, key=lambda each: waters[each].distance(spot))
    return segment, nearest_points(waters[segment], spot)[0]
