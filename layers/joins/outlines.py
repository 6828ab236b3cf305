"""How far points lie from the outlines of polygons, and on which side, over whole arrays of pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
BLOCK = 2_000_000
"""Segments measured at a time: some 200 MB of working memory at most."""


@dataclass(frozen=True)
class Outlines:
    """The segments of the outlines (shells and holes) of polygons, those of polygon p at `first[p]:first[p + 1]`."""

    start: Floats
    step: Floats
    first: Ints

    @classmethod
    def of(cls, polygons: npt.NDArray[np.object_]) -> Outlines:
        """The outlines of polygons and multipolygons; None and empty ones have no segment."""
        whole = np.where(shapely.is_missing(polygons), shapely.MultiPolygon(), polygons)
        _, at, (of_ring, of_part, of_whole) = shapely.to_ragged_array(np.append(whole, shapely.MultiPolygon()))
        inner = np.ones(len(at), bool)
        inner[of_ring[1:] - 1] = False  # no segment leads from one ring to the next
        rows = np.flatnonzero(inner)
        rings = of_part[of_whole[: len(polygons) + 1]]
        return cls(at[rows], at[rows + 1] - at[rows], of_ring[rings] - rings)

    def measure(self, at: Floats, polygon: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """For each pair of a point (x, y) and a polygon: the distance to its outline, and whether the point is inside.

        Distances are in the unit of the coordinates. Points on the outline have distance 0, on whichever side.
        """
        gap, inside = np.full(len(polygon), np.inf), np.zeros(len(polygon), bool)
        counts = self.first[polygon + 1] - self.first[polygon]
        ends = np.cumsum(counts)
        begin = 0
        while begin < len(polygon):
            done = ends[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, done + BLOCK, side="right")))
            some = slice(begin, end)
            gap[some], inside[some] = self._measure(at[some], self.first[polygon[some]], counts[some])
            begin = end
        return gap, inside

    def _measure(self, at: Floats, first: Ints, counts: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
        gap, inside = np.full(len(counts), np.inf), np.zeros(len(counts), bool)
        some = np.flatnonzero(counts)
        if not len(some):
            return gap, inside
        at, first, counts = at[some], first[some], counts[some]
        offsets = np.cumsum(counts) - counts
        segment = np.arange(counts.sum()) - np.repeat(offsets - first, counts)
        x, y = (np.repeat(at[:, axis], counts) - self.start[segment, axis] for axis in (0, 1))
        dx, dy = self.step[segment, 0], self.step[segment, 1]
        square = dx * dx + dy * dy
        along = np.clip((x * dx + y * dy) / np.where(square > 0, square, 1.0), 0.0, 1.0)
        apart = np.square(x - along * dx) + np.square(y - along * dy)
        above = (y > 0) != (y > dy)  # the segment spans the point's height: does it pass to the right of it?
        crosses = above & (x < np.where(above, dx * y / np.where(dy == 0, 1.0, dy), 0.0))
        gap[some] = np.sqrt(np.minimum.reduceat(apart, offsets))
        inside[some] = np.add.reduceat(crosses.astype(np.int64), offsets) % 2 == 1
        return gap, inside
