"""Heights of the ground from a GeoTIFF, as they are in the file: its own grid, its own CRS, nothing warped."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import geopandas as gpd
import numpy as np
import numpy.typing as npt
from pyproj import CRS

from layers.crs import parse_file_crs, to_crs
from layers.errors import CRSError, SourceError

if TYPE_CHECKING:
    from affine import Affine

MOST_CELLS = 16_000_000
"""Of a grid that is worked on at once, some 1.5 GB of memory; larger ones are averaged to coarser cells, and it is said."""
LOWEST, HIGHEST = -1500.0, 30_000.0
"""No ground lies beyond these, neither in metres nor in feet: such a value is a filler."""
UNITS = {"metre": 1200 / 3937, "foot": 1.0}
"""What a US survey foot measures in each unit of height."""
SPELT = {"metre": ("metre", "meter", "m"), "foot": ("foot", "feet", "ft")}
PACKAGES = "pip install -r requirements-terrain.txt"


@dataclass(frozen=True)
class Heights:
    """A grid of heights, float32, the north-most row first, NaN where nothing is known.

    `transform` leads from column and row to x and y in `crs`; `foot` is a foot in the unit of the heights; a cell is the
    mean of `averaged` × `averaged` cells of the file called `name`.
    """

    name: str
    values: npt.NDArray[np.float32]
    transform: Affine
    crs: CRS
    foot: float
    averaged: int = 1

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell in one measure; of degrees, those of latitude."""
        width, height = abs(self.transform.a), abs(self.transform.e)
        if self.crs.is_geographic:
            width *= math.cos(math.radians(self.transform.f + self.transform.e * len(self.values) / 2))
        return width, height


def read_heights(path: Path, around: gpd.GeoSeries, *, height_unit: str = "", most_cells: int = MOST_CELLS) -> Heights:
    """The heights of the cells that touch the bounds of `around` (in any CRS), from the one band of a GeoTIFF.

    `height_unit` (`metre` or `foot`) is asked for only where the file does not say it. Raises SourceError for a file that
    is no grid of heights, lies elsewhere or leaves its unit open, and CRSError for one that does not say where it lies.
    """
    rasterio = _import_rasterio()
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            rasterio.Env(GTIFF_REPORT_COMPD_CS=True),
            rasterio.open(path, driver="GTiff") as source,
        ):
            return _read(rasterio, source, path.name, around, height_unit, most_cells)
    except rasterio.errors.RasterioError as fault:
        raise SourceError(
            f"{path.name} cannot be read as a GeoTIFF: {fault}", hint="give a GeoTIFF of heights"
        ) from fault


def _import_rasterio() -> Any:
    try:
        import rasterio
        import rasterio.windows
    except ImportError as fault:
        raise SourceError("reading heights needs rasterio", hint=PACKAGES, code="terrain_packages") from fault
    return rasterio


def _read(rasterio: Any, source: Any, name: str, around: gpd.GeoSeries, height_unit: str, most_cells: int) -> Heights:
    crs = _crs_of(source, name)
    foot = UNITS[_unit_of(source, name, height_unit)]
    if source.count != 1 or source.transform.b or source.transform.d or source.transform.e >= 0:
        raise SourceError(f"{name} is no grid of heights with one band and north at the top", hint="give a plain DEM")
    window = _window(rasterio, source, to_crs(around, crs).total_bounds)
    if window is None:
        raise SourceError(f"{name} does not cover any of the town's drains", hint="give the DEM of this town")
    averaged = max(1, math.ceil(math.sqrt(window.width * window.height / most_cells)))
    shape = (math.ceil(window.height / averaged), math.ceil(window.width / averaged))
    found = source.read(1, window=window, out_shape=shape, masked=True, resampling=rasterio.enums.Resampling.average)
    values = found.astype(np.float32).filled(np.nan) * np.float32(source.scales[0]) + np.float32(source.offsets[0])
    values[~((values > LOWEST) & (values < HIGHEST))] = np.nan  # also -9999 where nobody declared it
    scale = rasterio.Affine.scale(window.width / shape[1], window.height / shape[0])
    return Heights(name, values, source.window_transform(window) * scale, crs, foot, averaged)


def _crs_of(source: Any, name: str) -> CRS:
    crs = parse_file_crs(source.crs.to_wkt() if source.crs else "")
    if crs is None:
        raise CRSError(
            f"{name} does not say its coordinate system", hint="have it written into the file (gdal_edit -a_srs)"
        )
    return crs


def _unit_of(source: Any, name: str, given: str) -> str:
    """`metre` or `foot`: of the band, else of the CRS's heights, else as given."""
    whole = CRS.from_user_input(source.crs.to_wkt())
    axes = whole.sub_crs_list[1].axis_info if whole.is_compound else whole.axis_info[2:]
    for said in (source.units[0] or "", *(axis.unit_name for axis in axes), given):
        words = said.casefold().replace("_", " ").split()
        found = [unit for unit, spellings in SPELT.items() if set(words) & set(spellings)]
        if found:
            return found[0]
    raise SourceError(
        f"{name} does not say in which unit its heights are", hint="say metre or foot", code="height_unit"
    )


def _window(rasterio: Any, source: Any, bounds: npt.NDArray[np.float64]) -> Any:
    """The whole cells of the file that touch the bounds, None where there is none."""
    wanted = rasterio.windows.from_bounds(*bounds, transform=source.transform)
    top, left = max(0, math.floor(wanted.row_off)), max(0, math.floor(wanted.col_off))
    bottom = min(source.height, math.ceil(wanted.row_off + wanted.height))
    right = min(source.width, math.ceil(wanted.col_off + wanted.width))
    return rasterio.windows.Window(left, top, right - left, bottom - top) if bottom > top and right > left else None
