"""The map on a sheet: what lies in its frame, drawn with the symbols of the town's map, and named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely

from layers.joins.network import CERTAINTY, SEWERS
from layers.town import Town
from mapping.findings.report import Report
from mapping.outputs.places import is_usable, usable
from mapping.outputs.sheet_grid import Box, Sheet
from mapping.outputs.sheet_labels import Labels
from mapping.outputs.sheet_symbols import HATCH, Canvas, paint, paint_flow, paint_hair, tag_look
from mapping.outputs.style import STYLE, dash, flag_symbol, symbol_name

GROUND = ("parcels", "watersheds", "sewersheds", "waters", "roads", "boundary")
CARRIERS = ("ditches", "culverts", "pipes", "drains")
STRUCTURES = ("manholes", "catch_basins", "facilities", "outfalls")
DETAIL = (*GROUND, *CARRIERS, *STRUCTURES)
OVERVIEW = ("watersheds", "waters", "roads", "boundary", "ditches", "pipes", "culverts", "outfalls")
"""What is drawn on each kind of sheet, the ground first."""
FLOW, INFERRED, DOUBTFUL = "flow", "inferred", "doubtful"
"""Entries of the legend that are no symbols of the table."""
SPARE_IN, FINEST_IN = 0.5, 0.002
"""Inches of paper that are drawn beyond the frame, and the smallest bend that is drawn."""
LONG_PIPE_IN = 0.55
"""Inches on the paper from which on a pipe is told its size; shorter ones would be more word than line."""
OUTLINED = frozenset({"boundary", "watersheds", "sewersheds"})
"""Areas of which a detail sheet shows the outline alone, where it crosses the sheet."""
STANDING = {"water_303d": "303(d) listed", "water_tmdl": "TMDL, IR 4a", "water_other": "impaired, IR 4b or 4c"}
PREMISES = frozenset({"premises", "parcels"})


@dataclass
class Drawn:
    """What a sheet shows: symbols for its legend, and the outfalls whose ids found no room."""

    symbols: set[str] = field(default_factory=set)
    unnamed: int = 0


class Ground:
    """A town made ready for drawing, once a book: the symbol of every located thing, and which way water runs."""

    def __init__(self, town: Town, report: Report | None, *, public: bool) -> None:
        self.town, self.report, self.public = town, report, public
        self._layers: dict[str, gpd.GeoDataFrame] = {}

    def layer(self, name: str) -> gpd.GeoDataFrame:
        """The located rows of a layer with their `symbol`."""
        if name not in self._layers:
            frame = self.town.layer(name)
            frame = frame[usable(frame.geometry)]
            symbols = [symbol_name(name, row) for row in frame.drop(columns=frame.geometry.name).to_dict("records")]
            if name == "drains":
                dimension = shapely.get_dimensions(frame.geometry.to_numpy())
                symbols = [
                    "drain_point" if flat == 0 else symbol for flat, symbol in zip(dimension, symbols, strict=True)
                ]
            self._layers[name] = frame.assign(symbol=pd.Series(symbols, index=frame.index, dtype="str"))
        return self._layers[name]

    def within(self, name: str, view: Box) -> gpd.GeoDataFrame:
        """The rows of a layer that touch the frame."""
        frame = self.layer(name)
        return frame.iloc[np.sort(frame.sindex.query(shapely.box(*view), predicate="intersects"))]

    @cached_property
    def certainty(self) -> Mapping[tuple[str, str], str]:
        """For each line the least certain of its parts in the network."""
        edges = self.town.network.edges
        worst = edges["certainty"].map(CERTAINTY.index).groupby([edges["layer"], edges["asset_id"]]).max()
        return {key: CERTAINTY[int(rank)] for key, rank in worst.items()}

    @cached_property
    def flow(self) -> gpd.GeoSeries:
        """The lines that carry stormwater, each drawn the way that water runs."""
        edges = self.town.network.edges
        edges = edges[edges["carries"].astype(bool) & ~edges["system"].isin(SEWERS)]
        shapes = edges.geometry.to_numpy()
        if not len(shapes):
            return gpd.GeoSeries([], crs=self.town.crs)
        tails = self.town.network.nodes.geometry.to_numpy()[edges["tail"].to_numpy(np.int64)]
        against = shapely.distance(shapely.get_point(shapes, 0), tails) > shapely.distance(
            shapely.get_point(shapes, -1), tails
        )
        return gpd.GeoSeries(np.where(against, shapely.reverse(shapes), shapes), crs=self.town.crs)

    @cached_property
    def flags(self) -> gpd.GeoDataFrame:
        """A point for each open flag: symbol, condition letters. In public there is none about somebody's premises."""
        found = [each for each in (self.report.findings if self.report else ()) if each.status != "dismissed"]
        if self.public:
            found = [each for each in found if not each.premises and each.subject[0] not in PREMISES]
        found = [each for each in found if is_usable(each.geometry)]
        return gpd.GeoDataFrame(
            {
                "symbol": [flag_symbol(each.rule) for each in found],
                "letters": [" ".join(each.conditions) for each in found],
            },
            geometry=[each.geometry.representative_point() for each in found if each.geometry is not None],
            crs=self.town.crs,
        )


def draw_map(canvas: Canvas, ground: Ground, sheet: Sheet, index: Sequence[Sheet] = ()) -> Drawn:
    """Draws everything in the frame of the sheet and names what there is room to name; outfalls come first.

    `index`: the sheets whose squares and numbers are written over an overview.
    """
    drawn = Drawn()
    for order, name in enumerate(OVERVIEW if sheet.is_overview else DETAIL, start=1):
        _draw_layer(canvas, ground, sheet, name, float(order) / 3, drawn)
    labels = Labels(canvas, sheet.view, sheet.tile)
    labels.keep_clear(np.array([[each.tile[0], each.tile[3]] for each in index]).reshape(-1, 2), 36)
    outfalls = ground.within("outfalls", sheet.view)
    labels.keep_clear(shapely.get_coordinates(outfalls.geometry.to_numpy()), 11)
    if not sheet.is_overview:
        _draw_flow(canvas, ground, sheet, drawn)
        for name in ("catch_basins", "manholes"):
            at = shapely.get_coordinates(ground.within(name, sheet.view).geometry.to_numpy())
            labels.keep_clear(at, 7, soft=True)
        _draw_flags(canvas, ground, sheet, drawn, labels)
        for asset, point in ground.within("outfalls", sheet.tile).geometry.items():
            drawn.unnamed += not labels.name_point(point.x, point.y, str(asset), 6, weight="bold", color="#0B3954")
    _name_waters(ground, sheet, labels)
    _name_roads(ground, sheet, labels)
    if not sheet.is_overview:
        _name_pipes(ground, sheet, labels)
    return drawn


def _draw_layer(canvas: Canvas, ground: Ground, sheet: Sheet, name: str, order: float, drawn: Drawn) -> None:
    rows = ground.within(name, sheet.view)
    if name in OUTLINED and not sheet.is_overview:
        rows = rows[shapely.intersects(shapely.boundary(rows.geometry.to_numpy()), shapely.box(*sheet.view))]
    shapes = _trim(rows.geometry.to_numpy(), sheet.view, canvas.unit)
    if sheet.is_overview and name == "roads":
        paint_hair(canvas, shapes, order=order)
        return
    told = name in CARRIERS and not sheet.is_overview
    words = [ground.certainty.get((name, str(key)), "recorded") if told else "recorded" for key in rows.index]
    kinds = list(zip(rows["symbol"], words, strict=True))
    for symbol, certainty in sorted(set(kinds)):
        alike = shapes[[kind == (symbol, certainty) for kind in kinds]]
        own = dash(STYLE[symbol], certainty) if certainty != "recorded" else None
        paint(canvas, symbol, alike, order=order, dash=own, hatch="" if name in OUTLINED else None)
        drawn.symbols |= {symbol, certainty} - {"recorded"}
    if name == "watersheds" and sheet.is_overview:
        _hatch_watersheds(canvas, rows, shapes, order)


def _hatch_watersheds(canvas: Canvas, rows: gpd.GeoDataFrame, shapes: npt.NDArray[np.object_], order: float) -> None:
    """Watersheds under special conditions, hatched thinly: most of a town may lie in one, and the rest must be read."""
    for symbol in sorted(set(rows["symbol"])):
        hatch = HATCH[STYLE[symbol].hatch][:2]
        if hatch:
            paint(canvas, symbol, shapes[(rows["symbol"] == symbol).to_numpy()], order=order, hatch=hatch)


def _trim(shapes: npt.NDArray[np.object_], view: Box, unit: float) -> npt.NDArray[np.object_]:
    """The shapes without what lies well outside the frame and without bends that no eye sees on the paper."""
    far = SPARE_IN * unit
    trimmed: npt.NDArray[np.object_] = shapely.clip_by_rect(
        shapely.simplify(shapes, FINEST_IN * unit), view[0] - far, view[1] - far, view[2] + far, view[3] + far
    )
    return trimmed


def _draw_flow(canvas: Canvas, ground: Ground, sheet: Sheet, drawn: Drawn) -> None:
    flow = ground.flow
    if not len(flow):
        return
    here = flow.iloc[flow.sindex.query(shapely.box(*sheet.view), predicate="intersects")]
    shapes = shapely.clip_by_rect(here.to_numpy(), *sheet.view)
    lines = [part for part in shapely.get_parts(shapes) if part.length > 0]
    if lines:
        paint_flow(canvas, lines, order=5.5)
        drawn.symbols.add(FLOW)


def _draw_flags(canvas: Canvas, ground: Ground, sheet: Sheet, drawn: Drawn, labels: Labels) -> None:
    """Flags of one place stand in a row beside it, so that none hides another; letters of conditions in a tag."""
    flags = ground.flags
    here = flags.iloc[np.sort(flags.sindex.query(shapely.box(*sheet.tile), predicate="intersects"))]
    step = canvas.points(16) / 72 * canvas.unit
    for _, group in here.groupby(here.geometry.to_wkb()):
        x, y = group.geometry.iloc[0].x, group.geometry.iloc[0].y
        signs = [symbol for symbol in dict.fromkeys(group["symbol"]) if symbol != "flag_condition"]
        for place, symbol in enumerate(signs, start=1):
            at = np.array([[x - step * place, y]])
            paint(canvas, symbol, shapely.points(at), order=7)
            labels.keep_clear(at, 15)
        letters = " ".join(sorted(set(" ".join(group["letters"][group["symbol"] == "flag_condition"]).split())))
        if letters:
            labels.name_point(x, y, letters, 5, **tag_look(canvas))
            signs.append("flag_condition")
        drawn.symbols |= set(signs)


def _name_waters(ground: Ground, sheet: Sheet, labels: Labels) -> None:
    rows = ground.within("waters", sheet.view)
    named = rows[rows["name"] != ""]
    if sheet.is_overview:  # ponds and short brooks are named on the details
        named = named[named.geometry.length > labels.canvas.unit]
    sizes = named.geometry.area.to_numpy() + named.geometry.length.to_numpy()
    done: set[str] = set()
    for place in np.argsort(-sizes, kind="stable"):
        row = named.iloc[place]
        if row["name"] in done:
            continue
        facts = [f"class {row['dec_class']}" if row["dec_class"] else "", STANDING.get(row["symbol"], "")]
        said = ", ".join(fact for fact in facts if fact)
        text = f"{row['name']} ({said})" if said else str(row["name"])
        if _name_water(labels, row.geometry, (text, str(row["name"]))):
            done.add(row["name"])


def _name_water(labels: Labels, shape: shapely.Geometry, words: Sequence[str]) -> bool:
    """Names a stream along its line, a lake inside or, where it is too small or too full, beside it; short if need be."""
    look = {"style": "italic", "color": "#1B4F6B"}
    if shape.area == 0:
        return any(labels.name_line(shape, each, 6.5, **look) for each in words)
    x, y = shapely.get_coordinates(shape.representative_point())[0]
    return any(labels.name_area(shape, each, 6.5, **look) for each in words) or any(
        labels.name_point(x, y, each, 6.5, **look) for each in words
    )


def _name_roads(ground: Ground, sheet: Sheet, labels: Labels) -> None:
    for name, line in _longest(ground.within("roads", sheet.view), "name"):
        labels.name_line(line, name, 5, color="#444444")


def _name_pipes(ground: Ground, sheet: Sheet, labels: Labels) -> None:
    rows = ground.within("pipes", sheet.view)
    for row in rows.itertuples():
        size = "" if pd.isna(row.diameter_in) else f'{row.diameter_in:g}"'
        material = "" if row.material == "unknown" else str(row.material)
        text = f"{size} {material}".strip()
        if text and row.geometry.length > LONG_PIPE_IN * labels.canvas.size * labels.canvas.unit:
            labels.name_line(row.geometry, text, 4.2, color="#2F5D8A")


def _longest(rows: gpd.GeoDataFrame, column: str) -> Iterable[tuple[str, shapely.Geometry]]:
    """For each name the longest line that bears it, the long ones first."""
    named = rows[rows[column] != ""]
    ordered = named.iloc[np.argsort(-named.geometry.length.to_numpy(), kind="stable")]
    first = ordered.drop_duplicates(column)
    return list(zip(first[column].astype(str), first.geometry, strict=True))


def count_unlocated(town: Town, names: Iterable[str]) -> dict[str, int]:
    """How many rows of each layer have no place and are on no sheet; layers without such rows are left out."""
    counts = {name: int((~usable(town.layer(name).geometry)).sum()) for name in names if town.has(name)}
    return {name: count for name, count in counts.items() if count}
