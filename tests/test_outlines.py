"""Distances to outlines, against shapely one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from layers.joins import outlines
from layers.joins.outlines import Outlines

SQUARE = shapely.box(0, 0, 10, 10)
RING = shapely.Polygon(shapely.box(0, 0, 30, 30).exterior, [shapely.box(10, 10, 20, 20).exterior])
TWO = shapely.MultiPolygon([shapely.box(0, 0, 5, 5), shapely.box(20, 0, 25, 5)])


def measured(x: float, y: float, polygon: shapely.Geometry | None) -> tuple[float, bool]:
    gap, inside = Outlines.of(np.array([SQUARE, polygon], dtype=object)).measure(np.array([[x, y]]), np.array([1]))
    return float(gap[0]), bool(inside[0])


@pytest.mark.parametrize(
    ("x", "y", "polygon", "expected"),
    [
        (5, 4, SQUARE, (4.0, True)),
        (13, 14, SQUARE, (5.0, False)),
        (15, 15, RING, (5.0, False)),
        (5, 15, RING, (5.0, True)),
        (22, 3, TWO, (2.0, True)),
        (12, 3, TWO, (7.0, False)),
        (1, 1, None, (np.inf, False)),
    ],
)
def test_distance_and_side(x: float, y: float, polygon: shapely.Geometry | None, expected: tuple[float, bool]) -> None:
    assert measured(x, y, polygon) == expected


@pytest.mark.parametrize("seed", range(5))
def test_it_agrees_with_shapely_in_blocks_of_any_size(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    polygons = np.array([shapely.MultiPoint(rng.uniform(0, 100, (7, 2))).convex_hull for _ in range(20)], dtype=object)
    polygons[3] = None
    at, which = rng.uniform(-20, 120, (300, 2)), rng.integers(0, 20, 300)
    monkeypatch.setattr(outlines, "BLOCK", 13)
    gap, inside = Outlines.of(polygons).measure(at, which)
    points, shapes = shapely.points(at), polygons[which]
    known = which != 3
    np.testing.assert_allclose(gap[known], shapely.distance(points, shapely.boundary(shapes))[known], atol=1e-9)
    np.testing.assert_array_equal(inside, shapely.contains(shapes, points))
