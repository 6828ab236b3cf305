"""What a trace can start from: an asset, a premises, or a place on the map."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import shapely

from layers.crs import feet_per_unit, lonlat_to
from layers.errors import CallError
from layers.joins.network import Direction
from layers.joins.premises import premises_of_lots
from layers.schema import LAYERS, schema
from layers.town import Town
from layers.trace.result import Taken

PREMISES = "premises"
POINT = "point"
IN_NETWORK = ("outfalls", "catch_basins", "manholes", "pipes", "ditches", "culverts")


@dataclass(frozen=True)
class Start:
    """The nodes at which a trace begins, the edges of the lines that are themselves its start, and feet to the nodes."""

    nodes: tuple[int, ...]
    own: tuple[int, ...] = ()
    offset_ft: float = 0.0


def find_subject(town: Town, subject: str) -> tuple[str, str]:
    """Layer and id of `layer:id` (or `premises:KEY`), or a CallError that says what is not there."""
    layer, colon, asset = subject.partition(":")
    if not colon or not asset:
        raise CallError(f"{subject!r} names no asset", hint="write LAYER:ID, such as outfalls:OF-014 or premises:KEY")
    if layer == PREMISES:
        if asset in town.layer("parcels").index or (town.premises_links["premises_key"] == asset).any():
            return layer, asset
        raise CallError(f"no lot has the key {asset!r}", hint="keys are SWIS + SBL as in the parcels layer")
    if layer not in LAYERS:
        raise CallError(f"there is no layer {layer!r}", hint=f"choose premises or one of {', '.join(LAYERS)}")
    if asset not in town.layer(layer).index:
        raise CallError(f"layer {layer} has no {asset!r}", hint="ids are text and must match letter for letter")
    return layer, asset


def premises_key(town: Town, lot: str) -> str:
    """The premises that a lot belongs to (§ 194-3): the lot itself, or the first of its stack."""
    parcels = town.layer("parcels")
    shape = parcels.geometry.get(lot)
    if shape is None:
        return lot
    beside = parcels.iloc[np.unique(parcels.sindex.query(shape))]
    same_box = np.round(beside.bounds.to_numpy(), 2) == np.round(shape.bounds, 2)
    stack = beside[same_box.all(axis=1)]
    return str(premises_of_lots(stack)[lot]) if len(stack) > 1 else lot


def drained_to(town: Town, premises: str) -> pd.DataFrame:
    """The premises links of one premises that lead on into the network: layer, asset_id, method, distance_ft, confidence."""
    links = town.premises_links
    return links[links["premises_key"] == premises_key(town, premises)]


def drain_targets(town: Town, drain: str) -> list[tuple[str, str]]:
    """Layer and id of the assets that a private drain's record says it is connected to; several where an id is used twice."""
    to_id = str(town.layer("drains").at[drain, "to_id"])
    return [(layer, to_id) for layer in IN_NETWORK if to_id and to_id in town.layer(layer).index]


def targets_of(town: Town, layer: str, asset: str) -> list[tuple[str, str]]:
    """The assets of the network at which water from an asset, a drain or a premises comes in."""
    if layer == "drains":
        return drain_targets(town, asset)
    if layer != PREMISES:
        return [(layer, asset)]
    links = drained_to(town, asset)
    pairs = list(zip(links["layer"], links["asset_id"], strict=True))
    found = [each for each in pairs if each[0] != "drains"]
    return found + [target for name, drain in pairs if name == "drains" for target in drain_targets(town, drain)]


def start_of(town: Town, targets: list[tuple[str, str]], direction: Direction) -> Start:
    """Where a trace from the targets begins: a structure at its node, a line at its end and with itself."""
    network = town.network
    ends = network.edges["head" if direction == "down" else "tail"].array
    nodes: dict[int, None] = {}
    own: dict[int, None] = {}
    for target in targets:
        lines = network.edges_of(*target)
        own |= dict.fromkeys(lines)
        nodes |= dict.fromkeys([int(ends[edge]) for edge in lines] or network.nodes_of(*target))
    return Start(tuple(nodes), tuple(own))


# -- a place on the map


def take_place(town: Town, asked: str, direction: Direction) -> tuple[Taken, Start]:
    """What `point:LON,LAT` is taken for, and where its trace begins; a CallError where nothing is near.

    The nearest line in use or structure within `point_ft`, of things equally near (`snap_ft`) the structure; else the
    premises that the place lies in. On a line only the part from the place on is followed.
    """
    point = _read_point(town, asked)
    limit = town.settings.tolerances.point_ft
    found = _nearest(town, point, limit)
    if found is None:
        return _take_premises(town, asked, point, direction)
    layer, asset, feet, edge = found
    text = f"{schema(layer).one} {asset} is the nearest line or structure within {limit:g} ft of the place, {feet:.1f} ft away"
    taken = Taken(asked, f"{layer}:{asset}", feet, text)
    if edge is None:
        return taken, start_of(town, [(layer, asset)], direction)
    row = town.network.edges.loc[edge]
    node = int(row["head" if direction == "down" else "tail"])
    return taken, Start((node,), (edge,), _feet_to(town, point, row.geometry, node))


def _read_point(town: Town, asked: str) -> shapely.Point:
    hint = "write point:LON,LAT in degrees, such as point:-73.6,41.33"
    try:
        lon, lat = (float(each) for each in asked.partition(":")[2].split(","))
    except ValueError as fault:
        raise CallError(f"{asked!r} is no place", hint=hint) from fault
    if not (math.isfinite(lon) and math.isfinite(lat) and abs(lon) <= 180 and abs(lat) <= 90):
        raise CallError(f"{asked!r} is no place on earth", hint=hint)
    place = shapely.Point(lonlat_to(town.crs, lon, lat))
    if not shapely.is_valid(place) or not np.isfinite(shapely.get_coordinates(place)).all():
        raise CallError(f"{asked!r} lies outside the town's coordinate system", hint=hint)
    return place


def _nearest(town: Town, point: shapely.Point, limit_ft: float) -> tuple[str, str, float, int | None] | None:
    """Layer, id and feet of the nearest structure or line in use, and the edge where it is a line."""
    feet = feet_per_unit(town.crs)
    network = town.network
    found: list[tuple[float, int, int]] = []
    for kind, table in enumerate((network.nodes, network.edges)):
        near = table.sindex.query(point, predicate="dwithin", distance=limit_ft / feet)
        gaps = shapely.distance(table.geometry.to_numpy()[near], point) * feet
        fit = (table["asset_id"] != "") if kind == 0 else table["carries"]
        keep = fit.to_numpy(bool)[near]
        found += [(float(gap), kind, int(row)) for gap, row in zip(gaps[keep], near[keep], strict=True)]
    if not found:
        return None
    nearest = min(found)[0]
    alike = [each for each in found if each[0] <= nearest + town.settings.tolerances.snap_ft]
    gap, kind, row = min(alike, key=lambda each: (each[1], each[0], each[2]))
    table = network.edges if kind else network.nodes
    return str(table["layer"].iat[row]), str(table["asset_id"].iat[row]), round(gap, 1), row if kind else None


def _feet_to(town: Town, point: shapely.Point, line: shapely.LineString, node: int) -> float:
    """Feet along a line from the place nearest to the point to the line's end at the node."""
    along, end = line.project(point), line.project(town.network.nodes.geometry.iat[node])
    return abs(float(end - along)) * feet_per_unit(town.crs)


def _take_premises(town: Town, asked: str, point: shapely.Point, direction: Direction) -> tuple[Taken, Start]:
    parcels = town.layer("parcels")
    lots = sorted(str(each) for each in parcels.index[parcels.sindex.query(point, predicate="intersects")])
    limit = town.settings.tolerances.point_ft
    if not lots:
        raise CallError(
            f"no line or structure lies within {limit:g} ft of {asked}, and no lot is there",
            hint="point at a drain, a pipe or a lot",
        )
    keys = sorted({premises_key(town, lot) for lot in lots})
    also = f"; it lies in {', '.join(keys[1:])} too" if len(keys) > 1 else ""
    text = f"no line or structure lies within {limit:g} ft of the place; it lies in premises {keys[0]}{also}"
    targets = dict.fromkeys(target for key in keys for target in targets_of(town, PREMISES, key))
    return Taken(asked, f"{PREMISES}:{keys[0]}", 0.0, text), start_of(town, list(targets), direction)
