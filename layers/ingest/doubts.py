"""What a person should look at in rows that came in: ids that may be confused, heights lost, lots unlike the roll."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from layers.clean import Notes, Shapes
from layers.crs import feet_per_unit
from layers.ingest.identity import alike
from layers.ingest.report import shorten
from layers.schema import Schema
from layers.settings import Settings

SQUARE_FEET = 43_560.0
"""Square feet in an acre."""
POINTED = re.compile(r"-?\d+\.0+")

Doubt = tuple[str, str]


def doubt_ids(frame: gpd.GeoDataFrame, said: pd.Series, wanted: Schema) -> Iterator[Doubt]:
    """Ids as they stood in the source (`said`), print keys, and the ids of other things that the rows name."""
    keys = {wanted.id: said} | {name: frame[name] for name in ("print_key",) if name in frame}
    for name, ids in keys.items():
        groups = ["/".join(group) for group in alike(filter(None, ids))]
        if groups:
            yield "ids_alike", f"{name} differs only in zeros, capitals or marks: {shorten(groups)}"
    named = {name: frame[name] for name in wanted.names if name.endswith("_id") and name != "source_id"}
    pointed = [name for name, ids in ({wanted.id: said} | named).items() if _all_pointed(list(filter(None, ids)))]
    if pointed:
        yield (
            "ids_pointed",
            f"every {' and '.join(pointed)} ends in .0, as numbers do that became text: they will not meet other ids",
        )


def _all_pointed(ids: Sequence[str]) -> bool:
    return bool(ids) and all(POINTED.fullmatch(each) for each in ids)


def doubt_heights(shapes: Shapes) -> Iterator[Doubt]:
    """Lines and outlines with a height other than zero, which is what programs write for none."""
    lines = shapes[(shapely.get_dimensions(shapes) > 0) & shapely.has_z(shapes)]
    if len(lines):
        coordinates, owner = shapely.get_coordinates(lines, include_z=True, return_index=True)
        high = len(set(owner[np.nan_to_num(coordinates[:, 2]) != 0]))
        if high:
            yield "z_dropped", f"the heights of {high:,} lines or outlines were dropped"


def doubt_lengths(frame: gpd.GeoDataFrame, settings: Settings) -> Iterator[Doubt]:
    """Lines too short to be one."""
    feet = feet_per_unit(settings.crs)
    short = (frame.geom_type == "LineString") & (frame.length * feet < settings.tolerances.short_line_ft)
    if short.any():
        ids = shorten(list(frame.index[short]))
        yield "zero_length", f"{int(short.sum())} lines have no length and convey nothing: {ids}"


def doubt_acres(frame: gpd.GeoDataFrame, notes: Notes, settings: Settings) -> Iterator[Doubt]:
    """A mended outline is held against the roll: only there the drawing and not the roll is the likelier fault."""
    mended = [each for code, ids in notes.repaired.items() if code.startswith("made_valid") for each in ids]
    if "acres" not in frame or not mended:
        return
    lots: Any = frame.loc[frame.index.isin(mended) & (frame["acres"] > 0)]
    drawn = lots.area * feet_per_unit(settings.crs) ** 2 / SQUARE_FEET
    off = (drawn - lots["acres"]).abs() > settings.tolerances.area_change_share * lots["acres"]
    if off.any():
        yield "acreage", f"mended lots that are not as large as the roll says: {shorten(list(lots.index[off]))}"
