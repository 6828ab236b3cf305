"""Lays the storm drains of the sample town: stations along each run of road, lines between them, outfalls at the low ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from shapely import LineString, Point

from maker import plan
from maker.curves import beside, stretch_beside
from maker.drainage import XY, Drainage, rounded
from maker.land import Land
from maker.runs import Run, find_runs

OWNERS = {plan.STATE: "NYSDOT", plan.COUNTY: "COUNTY", plan.TOWN: "TOWN", plan.PRIVATE: "PVT"}
EDGE_FT = {plan.STATE: 22.0, plan.COUNTY: 18.0, plan.TOWN: 15.0, plan.PRIVATE: 11.0}
"""How far from the centre line the gutter or the ditch lies."""


@dataclass(frozen=True)
class Habit:
    """How one part of the town is drained: feet between stations, shares of piped stretches, basins and pairs."""

    step_ft: tuple[float, float]
    piped: float
    basin: float
    pair: float


HABITS = {
    "hamlet": Habit((150.0, 210.0), 0.85, 1.0, 0.50),
    "lake": Habit((200.0, 280.0), 0.35, 0.65, 0.12),
    "suburb": Habit((210.0, 300.0), 0.25, 0.65, 0.25),
    "rural": Habit((260.0, 380.0), 0.15, 0.32, 0.12),
}


@dataclass
class Node:
    """A place on a chain: a structure, an outfall or (id "") a ditch that meets the next with nothing built there."""

    id: str
    xy: XY


@dataclass
class Chain:
    """One run's nodes from the crest down, all on one side of the road."""

    run: Run
    side: int
    habit: Habit
    nodes: list[Node]

    @property
    def owner(self) -> str:
        """Who owns what lies in this right-of-way."""
        return OWNERS[self.run.street.kind]


def make_drainage(land: Land, rng: np.random.Generator) -> Drainage:
    """The drainage of all roads; every chain ends at an outfall or in a chain further down."""
    drains = Drainage()
    runs = _drainable(find_runs(land))
    chains = [_lay_stations(run, drains, rng) for run in runs]
    for chain in chains:
        _lay_lines(chain, drains, rng)
    heads = {chain.run.head: chain for chain in reversed(chains)}
    for chain in chains:
        if chain.run.low.kind == "crossing":
            _end_at_brook(chain, drains)
        elif chain.run.low.kind == "junction" and chain.run.low.spot in heads:
            _join(chain, heads[chain.run.low.spot], drains)
    _lead_out([chain for chain in chains if _needs_lead_out(chain, heads)], drains, rng)
    _cross_brooks(drains, land)
    _set_heights(drains, land, rng)
    return drains


def _drainable(runs: list[Run]) -> list[Run]:
    """The runs whose water gets somewhere: those that end at a junction only if another run takes it up or water is near."""
    kept = runs
    while True:
        heads = {run.head for run in kept}
        good = [run for run in kept if run.low.kind != "junction" or run.low.spot in heads or run.low.bank]
        if len(good) == len(kept):
            return good
        kept = good


def _needs_lead_out(chain: Chain, heads: dict[XY, Chain]) -> bool:
    low = chain.run.low
    return low.kind == "sag" or (low.kind == "junction" and low.spot not in heads)


def _lay_stations(run: Run, drains: Drainage, rng: np.random.Generator) -> Chain:
    habit = HABITS[run.street.zone]
    side = int(rng.choice([-1, 1]))
    spare = 55.0 if run.low.kind == "crossing" else 34.0
    last = run.length_ft - min(spare, run.length_ft * 0.4)
    stops = [float(last)]
    while stops[-1] > habit.step_ft[0] * 0.8 and stops[-1] - (step := rng.uniform(*habit.step_ft)) > 20.0:
        stops.append(stops[-1] - step)
    if stops[-1] > 90.0:
        stops.append(30.0)
    stops.reverse()
    chain = Chain(run, side, habit, [])
    for k, stop in enumerate(stops):
        at = run.high_ft + run.way * stop
        xy = rounded(beside(run.line, at, side * EDGE_FT[run.street.kind]))
        built = k in (0, len(stops) - 1) or rng.random() < habit.basin
        chain.nodes.append(Node(_build(chain, xy, at, drains, rng) if built else "", xy))
    return chain


def _build(chain: Chain, xy: XY, at: float, drains: Drainage, rng: np.random.Generator) -> str:
    """A basin at the place, sometimes with a second one across the road that drains into it."""
    street = chain.run.street
    if chain.nodes and rng.random() < 0.07:
        return drains.add_structure("Manhole", xy, street.name, chain.owner).id
    basin = drains.add_structure("Catch Basin", xy, street.name, chain.owner)
    if rng.random() < chain.habit.pair:
        over = beside(chain.run.line, at - chain.run.way * 4.0, -chain.side * EDGE_FT[street.kind])
        second = drains.add_structure("Catch Basin", over, street.name, chain.owner)
        drains.add_line("Pipe", LineString([second.xy, xy]), (second.id, basin.id), chain.owner, street.name)
    return basin.id


def _lay_lines(chain: Chain, drains: Drainage, rng: np.random.Generator) -> None:
    """Ditches and pipes from node to node; a ditch may pass a driveway in a short culvert."""
    run, street = chain.run, chain.run.street
    for here, there in pairwise(chain.nodes):
        at = [run.line.project(Point(node.xy)) for node in (here, there)]
        both_built = bool(here.id and there.id)
        piped = both_built and rng.random() < chain.habit.piped
        path = LineString([here.xy, there.xy]) if piped else _along(chain, at[0], at[1], here.xy, there.xy)
        if piped or abs(at[1] - at[0]) < 170.0 or rng.random() > 0.14:
            drains.add_line("Pipe" if piped else "Ditch", path, (here.id, there.id), chain.owner, street.name)
            continue
        middle = at[0] + run.way * abs(at[1] - at[0]) * rng.uniform(0.35, 0.65)
        offset = chain.side * EDGE_FT[street.kind]
        cut = [rounded(beside(run.line, middle + run.way * d, offset)) for d in (-13.0, 13.0)]
        before = _along(chain, at[0], middle - run.way * 13.0, here.xy, cut[0])
        after = _along(chain, middle + run.way * 13.0, at[1], cut[1], there.xy)
        drains.add_line("Ditch", before, (here.id, ""), chain.owner, street.name)
        drains.add_line("Culvert", LineString(cut), ("", ""), chain.owner, street.name)
        drains.add_line("Ditch", after, ("", there.id), chain.owner, street.name)


def _along(chain: Chain, start_ft: float, end_ft: float, first: XY, last: XY) -> LineString:
    """A ditch beside the road, its ends exactly where they are told."""
    offset = chain.side * EDGE_FT[chain.run.street.kind]
    middle = shapely.get_coordinates(stretch_beside(chain.run.line, start_ft, end_ft, offset))[1:-1]
    return LineString([first, *(rounded((x, y)) for x, y in middle), last])


def _end_at_brook(chain: Chain, drains: Drainage) -> None:
    run, last = chain.run, chain.nodes[-1]
    xy = beside(run.line, run.low_ft - run.way * 16.0, chain.side * (EDGE_FT[run.street.kind] + 16.0))
    piped = chain.habit.piped > 0.5 or sum(map(ord, run.street.name)) % 3 == 0
    outfall = drains.add_outfall("Outfall", xy, chain.owner, run.street.name, run.low.segment, piped=piped)
    kind = "Pipe" if piped else "Ditch"
    drains.add_line(kind, LineString([last.xy, outfall.xy]), (last.id, outfall.id), chain.owner, run.street.name)


def _join(chain: Chain, lower: Chain, drains: Drainage) -> None:
    """The chain's last structure connected to the first of the lower one, through an interconnection if owners differ."""
    here, there = chain.nodes[-1], lower.nodes[0]
    if chain.owner == lower.owner:
        straight = LineString([here.xy, there.xy])
        under = chain.run.street.name == lower.run.street.name and chain.side == lower.side
        kind = "Culvert" if under and chain.habit.piped < 0.5 and straight.length < 90.0 else "Pipe"
        drains.add_line(kind, straight, (here.id, there.id), chain.owner, chain.run.street.name)
        return
    meet = LineString([here.xy, there.xy]).interpolate(0.6, normalized=True)
    point = drains.add_outfall("Interconnection", (meet.x, meet.y), chain.owner, chain.run.street.name, "", piped=True)
    point.remarks = lower.owner
    drains.add_line("Pipe", LineString([here.xy, point.xy]), (here.id, point.id), chain.owner, chain.run.street.name)
    drains.add_line("Pipe", LineString([point.xy, there.xy]), (point.id, there.id), lower.owner, lower.run.street.name)


def _lead_out(chains: list[Chain], drains: Drainage, rng: np.random.Generator) -> None:
    """Chains that meet at a low place joined there, and one ditch or pipe from it to the bank of the water."""
    groups: dict[XY, list[Chain]] = {}
    for chain in chains:
        groups.setdefault(rounded(chain.run.low.spot), []).append(chain)
    for group in groups.values():
        bank = group[0].run.low.bank
        assert bank is not None
        group.sort(key=lambda chain: Point(chain.nodes[-1].xy).distance(Point(bank)))
        first = group[0]
        for other in group[1:]:
            ends = (other.nodes[-1], first.nodes[-1])
            path = LineString([node.xy for node in ends])
            drains.add_line("Pipe", path, (ends[0].id, ends[1].id), other.owner, other.run.street.name)
        _dig_to_bank(first, bank, drains, rng)


def _dig_to_bank(chain: Chain, bank: XY, drains: Drainage, rng: np.random.Generator) -> None:
    start = chain.nodes[-1]
    straight = LineString([start.xy, bank])
    end = straight.interpolate(straight.length - rng.uniform(6.0, 22.0))
    piped = rng.random() < max(0.35, chain.habit.piped * 0.7)
    bend = beside(straight, straight.length * 0.45, 0.0 if piped else rng.uniform(-0.06, 0.06) * straight.length)
    low = chain.run.low
    outfall = drains.add_outfall(
        "Outfall", (end.x, end.y), chain.owner, chain.run.street.name, low.segment, piped=piped
    )
    path = LineString([start.xy, rounded(bend), outfall.xy])
    drains.add_line("Pipe" if piped else "Ditch", path, (start.id, outfall.id), chain.owner, chain.run.street.name)


def _cross_brooks(drains: Drainage, land: Land) -> None:
    """A culvert under each road where a brook passes it."""
    for road in land.roads:
        surface = road.line.buffer(EDGE_FT[road.street.kind] + 4.0)
        for brook in land.brooks.values():
            for part in shapely.get_parts(brook.intersection(surface)):
                if part.geom_type == "LineString" and part.intersects(road.line) and part.length < 140.0:
                    path = LineString([rounded(part.coords[0]), rounded(part.coords[-1])])
                    drains.add_line("Culvert", path, ("", ""), OWNERS[road.street.kind], road.street.name)


def _set_heights(drains: Drainage, land: Land, rng: np.random.Generator) -> None:
    """Rims from the terrain, inverts below them that never rise on the way down."""
    rims = land.heights.at(np.array([each.xy for each in drains.structures]))
    by_id = {each.id: each for each in drains.structures}
    for each, rim in zip(drains.structures, rims, strict=True):
        each.rim_ft = round(float(rim) + rng.uniform(-0.3, 0.3), 1)
        each.invert_ft = round(each.rim_ft - rng.uniform(3.0, 5.5), 1)
    for _ in range(60):
        for line in drains.lines:
            if line.from_id in by_id and line.to_id in by_id:
                top, low = by_id[line.from_id], by_id[line.to_id]
                low.invert_ft = round(min(low.invert_ft, top.invert_ft - max(0.1, 0.004 * line.path.length)), 1)
    for line in (each for each in drains.lines if each.kind == "Pipe" and each.from_id in by_id):
        up = by_id[line.from_id].invert_ft
        down = by_id[line.to_id].invert_ft if line.to_id in by_id else up - 0.01 * line.path.length
        line.inverts_ft = (round(up + 0.1, 1), round(min(down + 0.1, up), 1))
