"""The way of the water from an outfall's stream down to other waters: shortest ways over the stream links, with distances."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from layers.joins.streams import TOLD, is_lake, is_line, only, place_of, turned_lines

UNKNOWN_FT = 1e12
"""Stands for a stretch whose length is not known, so that a way of known length is taken before it."""
SLACK_FT = 0.1
"""How far a drawn link may lie above the place where the water came in: as exact as coordinates are."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Shapes = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Reached:
    """A water further down: feet of way to it, how many of them straight across lakes or gaps, and the water before it.

    Distances are not a number where a water on the way is not located. `first` is the link by which the way begins.
    """

    segment_id: str
    distance_ft: float
    straight_ft: float
    confidence: str
    through: str
    first: int


@dataclass(frozen=True)
class _Step:
    """From where a link enters its water on to a target: feet, those straight, whether unsure, the next and the last link."""

    feet: float
    straight: float
    unsure: bool
    next: int | None
    last: int


class Streams:
    """The stream links of a town as a graph, asked for the ways down to the waters in `wanted`.

    The nodes of the graph are links: a water that is entered in its middle is left only by the links below that place.
    So loops end, braids are all followed, and a lake that a brook crosses above the outfall is not reached from it.
    """

    def __init__(self, waters: gpd.GeoDataFrame, links: pd.DataFrame, *, feet: float, wanted: Collection[str]) -> None:
        index = pd.Index(waters.index)
        self.number = {str(segment): row for row, segment in enumerate(index)}
        self.shapes: Shapes = waters.geometry.to_numpy()
        self.is_line, self.is_lake = is_line(self.shapes), is_lake(self.shapes)
        self.lines = only(self.is_line, self.shapes)
        self.links, self.feet, self.wanted = links, feet, sorted(wanted)
        self.start, self.to = (index.get_indexer(pd.Index(links[end])) for end in ("from_segment", "to_segment"))
        self.leaves, self.told = place_of(links), links["method"].isin(TOLD).to_numpy()
        self.enters = self._nearest(self.to, self.leaves)
        self.gap = np.nan_to_num(links["distance_ft"].to_numpy(float), nan=UNKNOWN_FT)
        self.unsure = (links["confidence"] == "possible").to_numpy()
        located = ~shapely.is_missing(self.leaves) & self.told
        self.turned = turned_lines(self.shapes, self.start[located], self.leaves[located])

    def below(self, segment: str, place: shapely.Point | None) -> list[Reached]:
        """Each wanted water below the one into which an outfall at `place` discharges, the nearest first."""
        found: dict[str, Reached] = {}
        for first, feet, straight in self._leaving(segment, place):
            for target in self._targets_of.get(first, ()):
                step = self._ways[target][first]
                known = found.get(target)
                if target == segment or (known is not None and not feet + step.feet < _ranked(known.distance_ft)):
                    continue
                unsure = step.unsure or bool(self.unsure[first])
                found[target] = Reached(
                    segment_id=target,
                    distance_ft=_known(feet + step.feet),
                    straight_ft=_known(straight + step.straight),
                    confidence="possible" if unsure else "probable",
                    through=str(self.links["from_segment"].iat[step.last]),
                    first=first,
                )
        return sorted(found.values(), key=lambda each: (_ranked(each.distance_ft), each.segment_id))

    def way(self, reached: Reached) -> list[int]:
        """The links on the way to a water, as row numbers, in the order of the flow."""
        steps = self._ways[reached.segment_id]
        way, at = [reached.first], steps[reached.first].next
        while at is not None:
            way.append(at)
            at = steps[at].next
        return way

    # -- from the outfall's water

    @cached_property
    def _links_of(self) -> Mapping[int, Ints]:
        order = np.argsort(self.start, kind="stable")
        numbers, first = np.unique(self.start[order], return_index=True)
        return dict(zip(numbers.tolist(), np.split(order, first[1:]), strict=True)) if len(order) else {}

    def _leaving(self, segment: str, place: shapely.Point | None) -> list[tuple[int, float, float]]:
        """The links by which water leaves that came in at the place, with the feet to the other side and those straight."""
        links = self._links_of.get(self.number[segment], np.array([], np.int64))
        into = self._nearest(self.start[links], np.full(len(links), place, object))
        feet, straight, may = self._through(self.start[links], into, links)
        return list(zip(links[may].tolist(), feet[may].tolist(), straight[may].tolist(), strict=True))

    def _through(self, water: Ints, enters: Shapes, links: Ints) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """Feet from where water enters to beyond each link, those of them straight, and whether it can go that way."""
        leaves, lines, line = self.leaves[links], self.lines[water], self.is_line[water]
        along = shapely.line_locate_point(lines, leaves) - shapely.line_locate_point(lines, enters)
        along = np.where(self.turned[water], -along, along) * self.feet
        across = shapely.distance(enters, leaves) * self.feet
        feet = np.where(line, np.abs(along), across)
        may = ~line | self.told[links] | ~(along < -SLACK_FT)
        feet = np.nan_to_num(feet, nan=UNKNOWN_FT)
        return feet + self.gap[links], np.where(line, 0.0, feet) + self.gap[links], may

    def _nearest(self, water: Ints, places: Shapes) -> Shapes:
        """The point of each water that is nearest to a place; None where one of them is not known."""
        inside = shapely.intersects(self.shapes[water], places) & self.is_lake[water]
        return np.where(inside, places, shapely.get_point(shapely.shortest_line(self.shapes[water], places), 0))

    # -- on to the targets

    @cached_property
    def _targets_of(self) -> Mapping[int, list[str]]:
        """For each link the wanted waters that it leads to."""
        found: dict[int, list[str]] = {}
        for target in self.wanted:
            for link in self._ways[target]:
                found.setdefault(link, []).append(target)
        return found

    @cached_property
    def _ways(self) -> Mapping[str, Mapping[int, _Step]]:
        """For each wanted water the surely shortest step from every link that leads to it."""
        one, other = self._passages
        feet, straight, may = self._through(self.to[one], self.enters[one], other)
        one, other, feet, straight = one[may], other[may], feet[may], straight[may]
        size = len(self.links)
        upward = csr_matrix((feet, (other, one)), shape=(size, size))
        beside = dict(zip(zip(one.tolist(), other.tolist(), strict=True), straight.tolist(), strict=True))
        return {target: self._ways_to(self.number[target], upward, beside) for target in self.wanted}

    @cached_property
    def _passages(self) -> tuple[Ints, Ints]:
        """Pairs of links of which the first enters the water that the second leaves."""
        numbers = np.arange(len(self.links))
        entering = pd.DataFrame({"water": self.to, "one": numbers})
        pairs = entering.merge(pd.DataFrame({"water": self.start, "other": numbers}), on="water")
        return pairs["one"].to_numpy(np.int64), pairs["other"].to_numpy(np.int64)

    def _ways_to(
        self, target: int, upward: csr_matrix, straight: Mapping[tuple[int, int], float]
    ) -> Mapping[int, _Step]:
        last = np.flatnonzero(self.to == target)
        if not len(last):
            return {}
        feet, following, _ = dijkstra(upward, indices=last, min_only=True, return_predecessors=True)
        steps = {int(link): _Step(0.0, 0.0, unsure=False, next=None, last=int(link)) for link in last}
        for link in np.flatnonzero(np.isfinite(feet)).tolist():
            waiting = [link]
            while waiting[-1] not in steps:
                waiting.append(int(following[waiting[-1]]))
            for onward, here in pairwise(reversed(waiting)):
                rest = steps[onward]
                steps[here] = _Step(
                    feet=float(feet[here]),
                    straight=straight[here, onward] + rest.straight,
                    unsure=rest.unsure or bool(self.unsure[onward]),
                    next=onward,
                    last=rest.last,
                )
        return steps


def _known(feet: float) -> float:
    return round(feet, 1) if feet < UNKNOWN_FT else float("nan")


def _ranked(feet: float) -> float:
    return UNKNOWN_FT if np.isnan(feet) else feet
