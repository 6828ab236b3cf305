"""Lines as drawn and the places where they meet: tables of the network that several rules look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely

from layers.crs import feet_per_unit
from layers.town import Town
from mapping.findings.finding import Subject

LINES = ("pipes", "ditches", "culverts")
STRUCTURES = ("catch_basins", "manholes")
ASSETS = (*STRUCTURES, "outfalls", *LINES)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lines:
    """The lines of a town's network, each whole, and what meets at each node."""

    town: Town

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a located line: layer, asset_id, basis, certainty, system, carries, length_ft and what follows.

        `start`, `end`: the nodes at its ends, as drawn; `turned`: water runs against the drawing.
        """
        edges, nodes = self.town.network.edges, self.town.network.nodes
        at = shapely.get_coordinates(nodes.geometry.to_numpy()).reshape(-1, 2)
        shapes = edges.geometry.to_numpy()
        first, last = (shapely.get_coordinates(shapely.get_point(shapes, end)).reshape(-1, 2) for end in (0, -1))
        tail, head = (edges[name].to_numpy(np.int64) for name in ("tail", "head"))
        turned = _gap(first, at[head]) + _gap(last, at[tail]) < _gap(first, at[tail]) + _gap(last, at[head])
        columns = ["layer", "asset_id", "part", "basis", "certainty", "system", "carries", "length_ft"]
        pieces = pd.DataFrame(edges[columns]).assign(
            turned=turned, start=np.where(turned, head, tail), end=np.where(turned, tail, head)
        )
        by_line = pieces.sort_values("part", kind="stable").groupby(["layer", "asset_id"], sort=False)
        ends = by_line.agg(
            dict.fromkeys(("start", "basis", "certainty", "system", "carries"), "first")
            | {"end": "last", "turned": "max", "length_ft": "sum"}
        )
        return ends.reset_index()

    def rows(self, *, storm: bool = False) -> Iterator[Line]:
        """The lines that carry, or of these the ones of the storm system."""
        table = self.table[self.table["carries"].astype(bool)]
        if storm:
            table = table[~table["system"].isin(("sanitary", "combined"))]
        names = [each.name for each in fields(Line)]
        yield from (Line(*row) for row in zip(*(table[name].tolist() for name in names), strict=True))

    @cached_property
    def storm_at(self) -> Mapping[int, list[int]]:
        """For each node where carrying storm lines meet the edges of these."""
        return self._meeting(sewers=False)

    @cached_property
    def sewers_at(self) -> Mapping[int, list[int]]:
        """For each node where carrying sanitary or combined lines meet the edges of these."""
        return self._meeting(sewers=True)

    def _meeting(self, *, sewers: bool) -> Mapping[int, list[int]]:
        met: dict[int, list[int]] = {}
        for ways in (
            self.town.network.adjacency("up", sewers=sewers),
            self.town.network.adjacency("down", sewers=sewers),
        ):
            start, edges = ways.start.tolist(), ways.edges.tolist()
            for node in np.flatnonzero(np.diff(ways.start)).tolist():
                met.setdefault(node, []).extend(edges[start[node] : start[node + 1]])
        return {node: list(dict.fromkeys(edges)) for node, edges in met.items()}

    @cached_property
    def shapes(self) -> Mapping[Subject, shapely.Geometry]:
        """The whole shape of every located line."""
        frames = [(layer, self.town.layer(layer)) for layer in LINES]
        return {
            (layer, str(key)): shape
            for layer, frame in frames
            for key, shape in zip(frame.index, frame.geometry, strict=True)
            if shape is not None
        }

    @cached_property
    def edge_names(self) -> list[Subject]:
        """Layer and id of the line that each edge belongs to."""
        edges = self.town.network.edges
        return list(zip(edges["layer"].astype(str), edges["asset_id"].astype(str), strict=True))

    @cached_property
    def structures(self) -> list[Subject | None]:
        """The structure at each node, None where none is recorded."""
        nodes = self.town.network.nodes
        pairs = zip(nodes["layer"].astype(str), nodes["asset_id"].astype(str), strict=True)
        return [pair if pair[1] else None for pair in pairs]

    def lines_at(self, node: int) -> list[Subject]:
        """Every storm line that meets a node, once, by layer and id."""
        return sorted({self.edge_names[edge] for edge in self.storm_at.get(node, ())})

    def leaving(self, node: int) -> list[int]:
        """The storm edges that lead out of a node."""
        return self._leaving.get(node, [])

    @cached_property
    def _leaving(self) -> Mapping[int, list[int]]:
        ways = self.town.network.adjacency("down", sewers=False)
        start, edges = ways.start.tolist(), ways.edges.tolist()
        return {node: edges[start[node] : start[node + 1]] for node in np.flatnonzero(np.diff(ways.start)).tolist()}

    def name_at(self, node: int) -> Subject:
        """The structure at a node, else the first by id of the lines that meet there."""
        here = self.structures[node]
        if here:
            return here
        edges = [*self.storm_at.get(node, ()), *self.sewers_at.get(node, ())]
        return min((self.edge_names[edge] for edge in edges), default=("", ""))

    @cached_property
    def _points(self) -> npt.NDArray[np.object_]:
        return np.asarray(self.town.network.nodes.geometry.to_numpy(), dtype=object)

    def point(self, node: int) -> shapely.Geometry:
        """Where a node is, in the town's CRS."""
        return self._points[node]

    @cached_property
    def feet(self) -> float:
        """Feet in one unit of the town's CRS."""
        return feet_per_unit(self.town.crs)


@dataclass(frozen=True)
class Line:
    """One carrying line of Lines.table."""

    layer: str
    asset_id: str
    start: int
    end: int
    turned: bool
    basis: str
    certainty: str
    system: str
    carries: bool
    length_ft: float

    @property
    def subject(self) -> Subject:
        """Layer and id."""
        return self.layer, self.asset_id


def _gap(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.linalg.norm(one - other, axis=1), np.float64)
