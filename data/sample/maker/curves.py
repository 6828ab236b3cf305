"""Lines as hands and water draw them: smooth curves, meanders, shores, and roads that meet where they meet."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from shapely import LineString, MultiPoint, Point, Polygon
from shapely.ops import nearest_points, substring

from maker.plan import Points

Array = NDArray[np.float64]
GRID_FT = 0.01
"""Every coordinate of the town is a multiple of this, so that what meets on the plan meets in the files."""


def smooth_line(points: Points, *, step_ft: float = 25.0) -> LineString:
    """A smooth curve through the points, with a vertex about every `step_ft`."""
    given = np.asarray(points, dtype=float)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(given, axis=0).T))])
    curve = CubicSpline(along, given, bc_type="natural")
    return LineString(curve(np.linspace(0.0, along[-1], max(2, int(along[-1] / step_ft)))))


def meander(line: LineString, rng: np.random.Generator, *, sway_ft: float = 38.0) -> LineString:
    """The line swaying to both sides as a brook does; its two ends stay where they are."""
    xy = shapely.get_coordinates(line)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(xy, axis=0).T))])
    sway = np.zeros(len(along))
    for share, waves in ((0.18, (210, 280)), (0.55, (380, 520)), (1.0, (800, 1200))):
        sway += share * np.sin(2 * np.pi * along / rng.uniform(*waves) + rng.uniform(0, 6.28))
    taper = np.clip(np.minimum(along, along[-1] - along) / 250.0, 0.0, 1.0)
    ahead = np.gradient(xy, axis=0)
    side = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.hypot(*ahead.T)[:, None]
    return LineString(xy + side * (sway_ft * 0.5 * sway * taper)[:, None])


def shore(spine: Points, widths: list[float], rng: np.random.Generator) -> Polygon:
    """A body of water around a spine, its width changing smoothly from point to point, with coves and points."""
    line = smooth_line(spine, step_ft=40.0)
    given = np.linspace(0.0, 1.0, len(widths))
    spots = shapely.get_coordinates(line)
    width = np.interp(np.linspace(0.0, 1.0, len(spots)), given, widths)
    body = shapely.union_all([Point(xy).buffer(w / 2) for xy, w in zip(spots, width, strict=True)])
    ring = shapely.get_coordinates(body.exterior.segmentize(40.0))[:-1]
    turn = np.linspace(0.0, 2 * np.pi, len(ring), endpoint=False)
    push = np.zeros(len(ring))
    for waves in (7, 11, 17, 23):
        push += rng.uniform(9, 24) * np.sin(waves * turn + rng.uniform(0, 6.28))
    ahead = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
    out = np.column_stack([ahead[:, 1], -ahead[:, 0]]) / np.hypot(*ahead.T)[:, None]
    return Polygon(ring + out * push[:, None]).buffer(-25).buffer(50).buffer(-25).simplify(2.0)


def meet(drawn: list[Points], *, reach_ft: float = 130.0) -> list[LineString]:
    """Smooth curves through the points, each end within reach of another curve ending exactly on it."""
    points = [list(each) for each in drawn]
    for _ in range(4):
        lines = [smooth_line(each) for each in points]
        for k, line in enumerate(lines):
            others = shapely.union_all([other for n, other in enumerate(lines) if n != k])
            for end in (0, -1):
                tip = Point(line.coords[end])
                if tip.distance(others) < reach_ft:
                    points[k][end] = nearest_points(others, tip)[0].coords[0]
    return lines


def split_at_meetings(lines: list[LineString]) -> list[list[LineString]]:
    """Each line cut wherever it meets or crosses another, the pieces sharing the very same end points."""
    tips = MultiPoint([end for line in lines for end in (line.coords[0], line.coords[-1])])
    pieces = []
    for k, line in enumerate(lines):
        spots = [tip for tip in tips.geoms if tip.distance(line) < 1.0]
        for other in (other for n, other in enumerate(lines) if n != k):
            crossing = shapely.set_precision(line.intersection(other), GRID_FT)
            spots += [spot for spot in map(Point, shapely.get_coordinates(crossing)) if spot.distance(tips) > 3.0]
        cuts = {round(line.project(spot)): spot for spot in spots}
        pieces.append(_cut(line, [(at, cuts[at]) for at in sorted(cuts) if 5.0 < at < line.length - 5.0]))
    return pieces


def _cut(line: LineString, cuts: list[tuple[float, Point]]) -> list[LineString]:
    marks = [0.0, *(at for at, _ in cuts), line.length]
    tips = [line.coords[0], *(spot.coords[0] for _, spot in cuts), line.coords[-1]]
    pieces = []
    for k in range(len(marks) - 1):
        middle = shapely.get_coordinates(substring(line, marks[k], marks[k + 1]))[1:-1]
        pieces.append(LineString([tips[k], *middle, tips[k + 1]]))
    return pieces


def beside(line: LineString, at_ft: float, offset_ft: float) -> tuple[float, float]:
    """The point `at_ft` along the line and `offset_ft` to its left (negative: to its right)."""
    back, here, ahead = (line.interpolate(max(0.0, min(line.length, at_ft + d))) for d in (-4.0, 0.0, 4.0))
    dx, dy = ahead.x - back.x, ahead.y - back.y
    run = float(np.hypot(dx, dy))
    return here.x - dy / run * offset_ft, here.y + dx / run * offset_ft


def stretch_beside(line: LineString, start_ft: float, end_ft: float, offset_ft: float) -> LineString:
    """The part of the line from `start_ft` to `end_ft` (either way), moved `offset_ft` to the left of the line."""
    steps = np.linspace(start_ft, end_ft, max(2, int(abs(end_ft - start_ft) / 40.0) + 1))
    return LineString([beside(line, at, offset_ft) for at in steps])
