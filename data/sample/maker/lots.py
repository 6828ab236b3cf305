"""Lots along the roads: each block's frontage cut into widths, each width given the ground nearest to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from shapely import LineString, MultiPoint, Point, Polygon
from shapely.ops import linemerge, substring

from maker.land import Land

ACRE_FT2 = 43_560.0


@dataclass(frozen=True)
class Zone:
    """How lots are cut in one part of the town: frontage and depth in feet, share of deep farms and estates."""

    front_ft: tuple[float, float]
    depth_ft: tuple[float, float]
    deep: float


ZONES = {
    "hamlet": Zone((85.0, 145.0), (140.0, 210.0), 0.0),
    "lake": Zone((80.0, 130.0), (130.0, 190.0), 0.0),
    "suburb": Zone((150.0, 230.0), (230.0, 320.0), 0.0),
    "rural": Zone((190.0, 360.0), (280.0, 520.0), 0.26),
}
HAMLETS = ((-250.0, -500.0, 1350.0), (1150.0, -150.0, 450.0))
"""Middle and radius of what is built closely whatever the road."""
LAKESIDE = (4000.0, 2750.0, 1650.0)
SCRAP_FT2 = 5_000.0
"""Smaller than this nothing is a lot."""
KEEP_FT2 = 2.5 * ACRE_FT2
"""Back land from this size on stays a piece of its own."""


@dataclass
class Lot:
    """One lot on the plan: its ground, the zone that it was cut in, and the road that it fronts on ("" for none)."""

    ground: Polygon
    zone: str
    road: str
    front: Point
    deep: bool


def make_lots(land: Land, rng: np.random.Generator) -> list[Lot]:
    """All lots of the town; together they cover it but for the rights-of-way and the lakes."""
    water = shapely.union_all(list(land.ponds.values()))
    shoreland = land.ponds["9902-0001"].buffer(210.0).simplify(12.0)
    ground = land.town.difference(land.way).difference(water)
    lots = [
        Lot(part, "shore", "", part.representative_point(), True)
        for part in shapely.get_parts(ground.intersection(shoreland))
        if part.area > 2000.0
    ]
    for block in shapely.get_parts(ground.difference(shoreland)):
        if block.area > 2000.0:
            lots += _cut_block(block, land, rng)
    return _straighten(lots)


def _cut_block(block: Polygon, land: Land, rng: np.random.Generator) -> list[Lot]:
    lots: list[Lot] = []
    depths, samples, owner = [], [], []
    for front in _fronts(block, land):
        share = rng.random()
        for start, end, zone in _widths(front, land, rng):
            share = rng.random() if rng.random() < 0.3 else share
            lots.append(_new_lot(substring(front, start, end), zone, land))
            depths.append(ZONES[zone].depth_ft[0] + share * float(np.diff(ZONES[zone].depth_ft)[0]))
            inside = np.arange(start + 5.0, end - 4.0, 18.0 if zone != "rural" else 30.0)
            marks = [front.interpolate(at) for at in (start + 1.0, *inside, end - 1.0)]
            samples += marks
            owner += [len(lots) - 1] * len(marks)
    if not lots:
        return [Lot(block, "back", "", block.representative_point(), True)]
    cells = _cells(samples, block)
    lake = land.ponds["9902-0002"].buffer(1.0)
    for k, (lot, depth) in enumerate(zip(lots, depths, strict=True)):
        mine = shapely.union_all([cells[n] for n, each in enumerate(owner) if each == k])
        on_lake = mine.intersects(lake) and lot.ground.distance(lake) < 520.0
        lot.ground = mine if lot.deep or on_lake else mine.intersection(lot.ground.buffer(depth))
    return _share_back_land(block, lots)


def _fronts(block: Polygon, land: Land) -> list[LineString]:
    """The parts of the block's outline that lie along a right-of-way."""
    along = []
    for ring in (block.exterior, *block.interiors):
        near = ring.segmentize(30.0).intersection(land.way.buffer(0.6))
        merged = linemerge(near) if near.geom_type == "MultiLineString" else near
        along += [part for part in shapely.get_parts(merged) if part.geom_type == "LineString" and part.length > 40.0]
    return along


def _zone_at(spot: Point, land: Land) -> str:
    east, north, reach = LAKESIDE
    zone = min(land.roads, key=lambda road: road.line.distance(spot)).street.zone
    if any(spot.distance(Point(x, y)) < r for x, y, r in HAMLETS):
        return "hamlet"
    return "lake" if zone == "rural" and spot.distance(Point(east, north)) < reach * 0.8 else zone


def _widths(front: LineString, land: Land, rng: np.random.Generator) -> list[tuple[float, float, str]]:
    """The frontage as consecutive (start, end, zone); the last piece takes up what is left."""
    marks, zones, at = [0.0], [], 0.0
    while at < front.length:
        zone = _zone_at(front.interpolate(min(front.length, at + 40.0)), land)
        wide = ZONES[zone]
        width = rng.uniform(*wide.front_ft) * (rng.uniform(1.6, 3.0) if rng.random() < wide.deep else 1.0)
        if front.length - at - width < 0.6 * wide.front_ft[0]:
            width = front.length - at
        at += width
        marks.append(at)
        zones.append(zone)
    return list(zip(marks[:-1], marks[1:], zones, strict=True))


def _new_lot(stretch: LineString, zone: str, land: Land) -> Lot:
    """A lot whose ground is only its frontage until the block is cut."""
    middle = stretch.interpolate(0.5, normalized=True)
    road = min(land.roads, key=lambda each: each.line.distance(middle)).street.name
    deep = zone == "rural" and stretch.length > 1.25 * ZONES[zone].front_ft[1]
    return Lot(stretch, zone, road, middle, deep)


def _cells(samples: list[Point], block: Polygon) -> list[Polygon]:
    """For each sample the part of the block that is nearer to it than to any other."""
    cells = shapely.get_parts(shapely.voronoi_polygons(MultiPoint(samples), extend_to=block))
    tree = shapely.STRtree(cells)
    hit = tree.query(samples, predicate="intersects")
    mine = dict(zip(hit[0].tolist(), hit[1].tolist(), strict=True))
    return [cells[mine[k]].intersection(block) for k in range(len(samples))]


def _share_back_land(block: Polygon, lots: list[Lot]) -> list[Lot]:
    """What no lot took: slivers go to the neighbour with the longest common line, the rest to a farm or to itself."""
    for lot in lots:
        lot.ground = _largest(lot.ground)
    left = block.difference(shapely.union_all([lot.ground for lot in lots]))
    broad = left.buffer(-15.0).buffer(15.0, join_style="mitre").intersection(left)
    pieces = [*shapely.get_parts(left.difference(broad)), *shapely.get_parts(broad)]
    for piece in sorted(pieces, key=lambda part: part.area):
        if piece.area > 1.0:
            _give(piece, lots)
    return [lot for lot in lots if not lot.ground.is_empty]


def _give(piece: Polygon, lots: list[Lot]) -> None:
    shared = [shapely.length(shapely.intersection(piece, lot.ground)) for lot in lots]
    farms = [length if lot.deep else 0.0 for lot, length in zip(lots, shared, strict=True)]
    best = int(np.argmax(farms if max(farms) > 60.0 else shared))
    joined = lots[best].ground.union(piece)
    if joined.geom_type == "Polygon" and (piece.area < KEEP_FT2 or farms[best] > 60.0):
        lots[best].ground = joined
    else:
        lots.append(Lot(piece, "back", "", piece.representative_point(), True))


def _straighten(lots: list[Lot]) -> list[Lot]:
    """The lots with straight lines between their corners, still sharing them with their neighbours."""
    merged = _merge_scraps(lots)
    whole = shapely.coverage_clean([lot.ground for lot in merged], gap_width=1.0)
    ground = shapely.coverage_simplify(whole, 9.0, simplify_boundary=False)
    ground = shapely.coverage_simplify(ground, 6.0)  # along the roads hardly a foot: lots must not lean into the road
    for lot, part in zip(merged, ground, strict=True):
        lot.ground = part
    return merged


def _merge_scraps(lots: list[Lot]) -> list[Lot]:
    """The lots without those too small to be one: each joins the neighbour with the longest common line."""
    whole = [lot for lot in lots if lot.ground.area >= SCRAP_FT2]
    for scrap in (lot for lot in lots if lot.ground.area < SCRAP_FT2):
        near = [lot for lot in whole if lot.ground.intersects(scrap.ground)]
        if near:
            best = max(near, key=lambda lot: shapely.length(shapely.intersection(lot.ground, scrap.ground)))
            joined = best.ground.union(scrap.ground)
            best.ground = joined if joined.geom_type == "Polygon" else best.ground
    return whole


def _largest(ground: shapely.Geometry) -> Polygon:
    parts = [part for part in shapely.get_parts(ground) if part.geom_type == "Polygon"]
    return max(parts, key=lambda part: part.area) if parts else Polygon()
