"""Sewersheds from terrain: into which line or inlet each spot of ground drains, and so to which outfall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from layers.crs import feet_per_unit
from layers.errors import CallError
from layers.joins.network import CERTAINTY
from layers.joins.noding import DEAD
from layers.joins.premises import premises_of_lots
from layers.joins.reaching import Reaching
from layers.joins.sewersheds import MADE, SHARES, SQUARE_FEET_PER_ACRE, Sewersheds, as_layer, main_land_use, nest
from layers.sources.elevation import Heights
from layers.terrain.grid import Grid, edge_of, find_catchments, is_known, mark_cells, outline
from layers.town import Town

BURN_FT = 10.0
"""How deep lines are burned in: deeper than a curb, the crown of a road or the bank of spoil between ground and drain."""
MARGIN_FT = 2640.0
"""So far around the drains heights are read: half a mile, from beyond which ground seldom drains to a street."""
BY_AREA = "area"
WHOLE = 1e-9
"""Of a lot: a smaller part is a rounding."""

Ways = tuple[tuple[str, int], ...]
"""Outfalls, each with the rank of the surest way to it."""


@dataclass(frozen=True)
class Catchment:
    """Ground that drains to the same outfalls, and whether it touches the edge of the known heights."""

    ways: Ways
    shape: shapely.Geometry
    cut: bool


def around_drains(town: Town) -> gpd.GeoSeries:
    """The area whose heights are wanted: the bounds of lines and inlets with MARGIN_FT about them, in the town's CRS."""
    parts = [each.geometry for each in (_lines(town), _inlets(town)) if len(each)]
    if not parts:
        raise CallError("the town has no lines or inlets to which ground could drain", hint="import its drains first")
    margin = MARGIN_FT / feet_per_unit(town.crs)
    west, south, east, north = pd.concat(parts).total_bounds
    box = shapely.box(west - margin, south - margin, east + margin, north + margin)
    return gpd.GeoSeries([shapely.segmentize(box, box.length / 40)], crs=town.crs)


def make_terrain_sewersheds(town: Town, heights: Heights, *, burn_ft: float = BURN_FT) -> Sewersheds:
    """The preliminary sewershed of each outfall from the terrain; ids `ST-<outfall>`, `cut` where it may be larger.

    Ground drains down the steepest of eight ways (D8). The storm lines that carry are burned in, and what falls into one
    goes where it leads as recorded, whatever the heights along its bed say; inlets stand in their own cell, snapped to
    nothing; mapped waters take what comes to them to no outfall. The work is done in the grid and the CRS of the
    heights, areas come back in the town's. `shares` are by area; `doubts` tells what the heights left open.
    """
    reaching = Reaching(town.network)
    found = _catchments(town, heights, reaching, burn_ft)
    of_outfall: dict[str, list[Catchment]] = {}
    for each in found:
        for outfall, _ in each.ways:
            of_outfall.setdefault(outfall, []).append(each)
    areas = [(outfall, shapely.union_all([each.shape for each in mine])) for outfall, mine in of_outfall.items()]
    cut = {outfall: any(each.cut for each in mine) for outfall, mine in of_outfall.items()}
    layer = as_layer(areas, basis="terrain", source=f"{MADE}terrain {heights.name}", crs=town.crs, cut=cut)
    common = _overlay(town, found)
    main = main_land_use(common["outfall_id"], common["property_class"], common["area"].to_numpy(float))
    layer["land_use"] = pd.Series([main.get(each, "") for each in layer["outfall_id"]], index=layer.index, dtype="str")
    return Sewersheds(layer, _shares(common), nest(reaching), tuple(_doubts(town, heights, found, layer)))


def _lines(town: Town) -> gpd.GeoDataFrame:
    """The storm lines that carry, part by part as in the network."""
    edges = town.network.edges
    return edges[edges["carries"].to_numpy(bool) & ~town.network.is_sewer]


def _inlets(town: Town) -> gpd.GeoDataFrame:
    """The catch basins that are there; those on sewers take ground too, to no outfall of the storm system."""
    nodes, basins = town.network.nodes, town.layer("catch_basins")
    there = basins.index[~basins["status"].isin(DEAD)]
    return nodes[(nodes["layer"] == "catch_basins") & nodes["asset_id"].isin(there)]


def _catchments(town: Town, heights: Heights, reaching: Reaching, burn_ft: float) -> list[Catchment]:
    lines, inlets = _lines(town), _inlets(town)
    known: dict[Ways, int] = {}
    leads = [_number(known, reaching, head) for head in lines["head"].tolist()]
    takes = [_number(known, reaching, place) for place in inlets["place"].tolist()]
    outlets = town.network.nodes[town.network.nodes["kind"] == "outfall"].geometry
    waters = town.layer("waters").geometry
    line = mark_cells(lines.geometry, leads, heights)
    line[mark_cells(outlets, [1] * len(outlets), heights) > 0] = 0  # what passes an outfall in a brook is not its own
    in_water = mark_cells(waters, [1] * len(waters), heights, wide=True) > 0
    line[in_water] = 0
    inlet = mark_cells(inlets.geometry, takes, heights)
    numbers = np.where(inlet > 0, inlet, line)
    stops: Grid = (numbers > 0) | in_water
    depth = burn_ft * heights.foot
    catchment = find_catchments(heights, burned=line > 0, depth=depth, stops=stops, numbers=numbers)
    at_edge = set(np.unique(catchment[edge_of(np.isfinite(heights.values))]).tolist())
    ways = list(known)
    return [
        Catchment(ways[number - 1], shape, number in at_edge)
        for number, shape in outline(catchment, heights, town.crs).items()
    ]


def _number(known: dict[Ways, int], reaching: Reaching, node: int) -> int:
    """The number, from 1, of the outfalls that are reached from the node."""
    return known.setdefault(tuple(sorted(reaching.from_nodes([(node, 0)]).items())), len(known) + 1)


def _overlay(town: Town, found: Sequence[Catchment]) -> pd.DataFrame:
    """A row for each premises, catchment and outfall: the `area` they have in common and the `share` of the lot it is.

    Ground that drains to several outfalls is shared between them in equal parts.
    """
    parcels = town.layer("parcels")
    lots = parcels[(premises_of_lots(parcels) == parcels.index) & parcels.geometry.notna()]
    shapes, grounds = lots.geometry.to_numpy(), np.array([each.shape for each in found], object)
    lot_at, ground_at = shapely.STRtree(grounds).query(shapes, predicate="intersects")
    area = shapely.area(shapely.intersection(shapes[lot_at], grounds[ground_at]))
    ways = [found[at].ways or (("", 0),) for at in ground_at.tolist()]
    table = pd.DataFrame(
        {
            "premises_key": lots.index.to_numpy(object)[lot_at],
            "property_class": lots["property_class"].to_numpy(object)[lot_at],
            "area": area,
            "share": area / shapely.area(shapes)[lot_at] / [len(each) for each in ways],
            "way": ways,
        }
    )
    table = table[table["share"] > WHOLE].explode("way", ignore_index=True)
    return table.assign(outfall_id=[way[0] for way in table["way"]], rank=[way[1] for way in table["way"]])


def _shares(common: pd.DataFrame) -> pd.DataFrame:
    """The overlay summed up, columns SHARES; what of a lot drains to no line or inlet has an empty outfall."""
    left = 1 - common.groupby("premises_key")["share"].sum()
    left = left[left > WHOLE]
    rest = pd.DataFrame({"premises_key": left.index, "outfall_id": "", "share": left.to_numpy(float), "rank": 0})
    rows = pd.concat([common, rest]) if len(rest) else common
    found = rows.groupby(["premises_key", "outfall_id"]).agg({"share": "sum", "rank": "min"}).reset_index()
    found = found.assign(basis=BY_AREA, certainty=[CERTAINTY[int(rank)] for rank in found["rank"]])
    texts = {name: "str" for name in SHARES if name != "share"}
    return found[list(SHARES)].astype({**texts, "share": "float64"})


def _doubts(town: Town, heights: Heights, found: Sequence[Catchment], layer: gpd.GeoDataFrame) -> Iterable[str]:
    """What the heights left open, in sentences."""
    if heights.averaged > 1:
        side = heights.averaged
        yield f"the grid is large: {side} by {side} cells were taken as one, with their mean height"
    known = is_known(heights, _inlets(town).geometry)
    if not known.all():
        yield f"{(~known).sum()} of {len(known)} catch basins lie where no height is known"
    nowhere = sum(each.shape.area for each in found if not each.ways) * feet_per_unit(town.crs) ** 2
    if nowhere:
        yield f"{nowhere / SQUARE_FEET_PER_ACRE:,.1f} acres drain to lines or inlets that reach no outfall as drawn"
    cut = int((layer["cut"] == "yes").sum())
    if cut:
        yield f"{cut} of {len(layer)} sewersheds touch the edge of the known heights and may be larger"
