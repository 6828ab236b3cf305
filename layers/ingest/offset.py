"""A layer that lies a constant way off its neighbours: one foot taken for another, or another datum, not 800 slips."""

from __future__ import annotations

from collections.abc import Mapping

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree

from layers.crs import feet_per_unit
from layers.settings import Settings

STRUCTURES, LINES = ("catch_basins", "manholes", "outfalls"), ("pipes", "ditches", "culverts")
LOOK_FT, AT_LEAST = 15.0, 20
"""How far a neighbour is looked for (ft), and pairs without which nothing is said."""
STEADY = 0.5
"""Pairs of which at least this share lies within the snap tolerance of the median vector are one shift, not scatter."""

Points = npt.NDArray[np.float64]


def find_offset(
    frame: gpd.GeoDataFrame, layer: str, layers: Mapping[str, gpd.GeoDataFrame], settings: Settings, *, source: str
) -> str:
    """The constant way from the ends of lines to structures or back, in words; "" where there is none.

    Compares the rows of `frame` with those of other sources, in the working CRS (openlayers/openlayers#3276: state plane
    coordinates in international feet lie a foot or two off those in US survey feet).
    """
    others = LINES if layer in STRUCTURES else STRUCTURES if layer in LINES else ()
    feet = feet_per_unit(settings.crs)
    mine = _points(frame)
    theirs = [_points(layers[name][layers[name]["source"] != source]) for name in others if name in layers]
    there = np.concatenate(theirs) if theirs else np.empty((0, 2))
    if len(mine) < AT_LEAST or len(there) < AT_LEAST:
        return ""
    distance, nearest = cKDTree(there).query(mine, distance_upper_bound=LOOK_FT / feet)
    near = np.isfinite(distance)
    shift = (there[nearest[near]] - mine[near]) * feet
    if len(shift) < AT_LEAST:
        return ""
    median = np.median(shift, axis=0)
    steady = np.hypot(*(shift - median).T) <= settings.tolerances.snap_ft
    if np.hypot(*median) <= settings.tolerances.snap_ft or steady.mean() < STEADY:
        return ""
    east, north = median
    return (
        f"{layer} would meet {' and '.join(name for name in others if name in layers)} if moved {east:+.2f} ft east and "
        f"{north:+.2f} ft north, {steady.mean():.0%} of {len(shift)} alike: US survey feet for international ones, "
        "or another datum; ask for its coordinate system"
    )


def _points(frame: gpd.GeoDataFrame) -> Points:
    """Structures as they are, lines by their ends."""
    shapes = frame.geometry.dropna().to_numpy()
    lines = shapes[shapely.get_dimensions(shapes) == 1]
    ends = [shapely.get_point(lines, 0), shapely.get_point(lines, -1)]
    return np.asarray(shapely.get_coordinates(np.concatenate([shapes[shapely.get_dimensions(shapes) == 0], *ends])))
