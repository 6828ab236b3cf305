"""The ground of the sample town: boundary, waters, heights, roads and their rights-of-way, in feet on the plan."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import shapely
from scipy.spatial import cKDTree
from shapely import LineString, MultiPolygon, Point, Polygon
from shapely.ops import nearest_points, substring

from maker import plan
from maker.curves import GRID_FT, Array, meander, meet, shore, smooth_line, split_at_meetings

HALF_WAY_FT = {plan.STATE: 33.0, plan.COUNTY: 30.0, plan.TOWN: 25.0, plan.PRIVATE: 17.0}
"""Half of the right-of-way's width by kind of road."""
SURFACE_FT = {"9902-0001": 230.0, "9902-0002": 330.0}
"""Elevation of the lakes' water."""


@dataclass(frozen=True)
class Road:
    """One street with its whole centre line and the pieces of it between junctions."""

    street: plan.Street
    line: LineString
    pieces: list[LineString]

    @property
    def half_way_ft(self) -> float:
        """Half the right-of-way."""
        return HALF_WAY_FT[self.street.kind]


@dataclass(frozen=True)
class Land:
    """Everything that lay there before the lots and the drains."""

    town: Polygon
    ponds: dict[str, Polygon]
    brooks: dict[str, LineString]
    roads: list[Road]
    way: MultiPolygon
    heights: Heights = field(repr=False)

    def road(self, name: str) -> Road:
        """The road of that name."""
        return next(each for each in self.roads if each.street.name == name)


class Heights:
    """A made-up terrain: every place rises from the nearest water, first steeply, then to a rounded ridge."""

    def __init__(self, brooks: dict[str, LineString], ponds: dict[str, Polygon]) -> None:
        spots, levels = [], []
        for segment, pond in ponds.items():
            ring = shapely.get_coordinates(pond.exterior.segmentize(60.0))
            spots.append(ring)
            levels.append(np.full(len(ring), SURFACE_FT[segment]))
        for segment in _mouths_first():
            xy = shapely.get_coordinates(brooks[segment].segmentize(60.0))[::-1]
            climbed = 0.011 * np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(xy, axis=0).T))])
            base = _level_at(xy[0], spots, levels)
            spots.append(xy)
            levels.append(base + climbed)
        self._tree = cKDTree(np.vstack(spots))
        self._level = np.concatenate(levels)

    def at(self, xy: Array) -> Array:
        """Elevation in feet of each point of an (n, 2) array."""
        away, nearest = self._tree.query(xy, k=160)
        rise = 190.0 * (1.0 - np.exp(-away / 1500.0))
        hummocks = 3.0 * np.sin(xy[:, 0] / 410.0 + 1.0) * np.cos(xy[:, 1] / 370.0)
        return np.asarray((self._level[nearest] + rise).min(axis=1) + hummocks * np.clip(away[:, 0] / 500.0, 0.0, 1.0))


def _mouths_first() -> list[str]:
    """The brooks ordered so that what one flows into comes before it."""
    done = {pond.segment for pond in plan.PONDS} | {""}
    order: list[str] = []
    while len(order) < len(plan.BROOKS):
        for brook in plan.BROOKS:
            if brook.into in done and brook.segment not in done:
                done.add(brook.segment)
                order.append(brook.segment)
    return order


def _level_at(xy: Array, spots: list[Array], levels: list[Array]) -> float:
    away, nearest = cKDTree(np.vstack(spots)).query(xy)
    return float(np.concatenate(levels)[nearest]) if away < 250.0 else 260.0


def make_land(rng: np.random.Generator) -> Land:
    """The ground from the drawn plan."""
    town = Polygon(plan.BOUNDARY)
    ponds = {pond.segment: shore(pond.spine, pond.widths, rng) for pond in plan.PONDS}
    brooks = _make_brooks(ponds, rng)
    lines = meet([street.points for street in plan.STREETS])
    lines = [shapely.set_precision(line.simplify(0.4), GRID_FT) for line in lines]
    roads = [
        Road(street, line, pieces)
        for street, line, pieces in zip(plan.STREETS, lines, split_at_meetings(lines), strict=True)
    ]
    return Land(town, ponds, brooks, roads, _right_of_way(roads, town), Heights(brooks, ponds))


def _make_brooks(ponds: dict[str, Polygon], rng: np.random.Generator) -> dict[str, LineString]:
    drawn = {brook.segment: meander(smooth_line(brook.points), rng) for brook in plan.BROOKS}
    for brook in plan.BROOKS:
        line = drawn[brook.segment]
        for pond in ponds.values():
            line = max(shapely.get_parts(line.difference(pond)), key=lambda part: part.length)
        if brook.into in drawn:
            mouth = Point(line.coords[-1])
            target = drawn[brook.into]
            crossing = line.intersection(target)
            end = crossing if not crossing.is_empty else nearest_points(target, mouth)[0]
            end = shapely.get_parts(end)[0]
            upper = shapely.get_coordinates(substring(line, 0.0, line.project(end)))[:-1]
            line = LineString([*upper, *end.coords])
        drawn[brook.segment] = line.simplify(0.6)
    return drawn


def _right_of_way(roads: list[Road], town: Polygon) -> MultiPolygon:
    strips = [road.line.buffer(road.half_way_ft) for road in roads]
    strips += [Point(road.line.coords[-1]).buffer(58.0) for road in roads if road.street.dead_end]
    way = shapely.union_all(strips).buffer(22.0, quad_segs=4).buffer(-22.0, quad_segs=4).intersection(town)
    return MultiPolygon(list(shapely.get_parts(way)))
