"""A layer after an import: rows added or put in the place of their former selves; what is not in the file stays."""

from __future__ import annotations

from dataclasses import dataclass

import geopandas as gpd
import pandas as pd
import shapely

from layers.crosswalk import to_text
from layers.crs import feet_per_unit
from layers.schema import Schema

SAME_PLACE_FT = 100.0
"""An id that another source already uses is the same asset only within this distance (ft): a resurvey moves less."""
MOVED = 1e-6
"""Coordinates that differ by less than this are the same: what a projection and its way back leave."""


@dataclass(frozen=True)
class Merged:
    """The layer after an import, and which ids did what.

    `kept` are the new rows that are in it, `taken` the ids of the source's rows that stay out, `shared` those that took
    the place of another source's row.
    """

    layer: gpd.GeoDataFrame
    kept: gpd.GeoDataFrame
    taken: list[str]
    shared: list[str]
    added: list[str]
    changed: list[str]


def merge(
    frame: gpd.GeoDataFrame, before: gpd.GeoDataFrame, wanted: Schema, *, parents: pd.Series, source: str
) -> Merged:
    """The layer `before` with the rows of `frame` laid over it; `parents` are the source's rows that they are parts of.

    A row whose id another source uses replaces that source's row where both lie at one place (within SAME_PLACE_FT);
    elsewhere, or where one of them is not located, the id is taken and the new row, with all its parts, stays out: that
    is for a person to decide. What the file no longer has stays.
    """
    common = frame.index.intersection(before.index)
    foreign = common[(before.loc[common, "source"] != source).to_numpy()]
    apart = frame.geometry.loc[foreign].distance(before.geometry.loc[foreign]) * feet_per_unit(before.crs)
    taken = dict.fromkeys(parents.loc[foreign[~(apart <= SAME_PLACE_FT).to_numpy()]])
    kept = frame[~parents.loc[frame.index].isin(list(taken)).to_numpy()]
    common, foreign = common.intersection(kept.index), foreign.intersection(kept.index)
    rest = before.drop(index=common)
    parts = [each for each in (rest, kept) if len(each)] or [wanted.empty(before.crs)]
    layer = gpd.GeoDataFrame(pd.concat(parts), crs=before.crs) if len(parts) > 1 else parts[0]
    return Merged(
        layer=layer,
        kept=kept,
        taken=list(taken),
        shared=list(foreign),
        added=list(kept.index.difference(before.index)),
        changed=_changed(kept.loc[common], before.loc[common]),
    )


def _changed(new: gpd.GeoDataFrame, old: gpd.GeoDataFrame) -> list[str]:
    if not len(new):
        return []
    columns = [name for name in new.columns if name != "geometry"]
    shapes = [frame.geometry.to_numpy() for frame in (new, old)]
    moved = ~shapely.equals_exact(*shapes, MOVED) & ~(shapely.is_missing(shapes[0]) & shapely.is_missing(shapes[1]))
    plain = [frame[columns].map(to_text).to_numpy() for frame in (new, old)]
    return list(new.index[moved | (plain[0] != plain[1]).any(axis=1)])
