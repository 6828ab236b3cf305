"""The one module that knows where on earth coordinates are: units, the gate for imports, every reprojection."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError as ProjCRSError
from pyproj.exceptions import ProjError
from pyproj.transformer import TransformerGroup

from layers.errors import CRSError

Frame = TypeVar("Frame", gpd.GeoDataFrame, gpd.GeoSeries)

LONLAT = CRS.from_epsg(4326)
US_FOOT_M = 1200 / 3937
"""One US survey foot in metres, exact by definition; every `_ft` in this project is this foot."""
CANDIDATES = ("EPSG:2260", "EPSG:26918", "EPSG:4326", "EPSG:3857", "EPSG:2263", "EPSG:32115")
"""What New York towns' files without a CRS turn out to be in, the likely first."""


@dataclass(frozen=True)
class Conversion:
    """How coordinates came into the working CRS: the operation PROJ chose and its accuracy in metres."""

    operation: str
    accuracy_m: float | None

    def __str__(self) -> str:
        accuracy = "unknown" if self.accuracy_m is None else f"{self.accuracy_m:g} m"
        return f"{self.operation} (accuracy {accuracy})"


def parse_crs(text: Any, *, where: str = "CRS") -> CRS:
    """A CRS from `EPSG:2260`, WKT or a pyproj CRS, or a CRSError that says where it stood."""
    try:
        return CRS.from_user_input(text)
    except ProjCRSError as fault:
        raise CRSError(f"{where}: {text!r} is no coordinate system", hint="write it as EPSG:2260") from fault


def parse_file_crs(wkt: str) -> CRS | None:
    """The CRS that a file says, without heights; None where it says none, or one that is nowhere on earth."""
    if not wkt:
        return None
    try:
        crs = CRS.from_user_input(wkt)
    except ProjCRSError:
        return None
    flat = crs.sub_crs_list[0] if crs.is_compound else crs.to_2d() if len(crs.axis_info) == 3 else crs
    return flat if (flat.is_projected or flat.is_geographic) and "undefined" not in flat.name.casefold() else None


def parse_working_crs(text: Any) -> CRS:
    """A projected CRS in feet or metres, fit to measure distances in, or a CRSError."""
    crs = parse_crs(text, where="working CRS")
    if not crs.is_projected:
        raise CRSError(
            f"working CRS {name_crs(crs)} is in degrees, distances cannot be measured in it",
            hint="choose a projected one such as EPSG:2260 (New York East, US ft) or EPSG:26918 (UTM 18N, m)",
        )
    if len(crs.axis_info) > 2:
        raise CRSError(f"working CRS {name_crs(crs)} has heights", hint="choose one of two axes such as EPSG:2260")
    method = crs.coordinate_operation.method_name if crs.coordinate_operation else ""
    if method.startswith("Mercator") or "Pseudo Mercator" in method:
        raise CRSError(
            f"working CRS {name_crs(crs)} stretches distances (by a third at 41° N)",
            hint="choose a state plane or UTM zone such as EPSG:2260",
        )
    return crs


def name_crs(crs: CRS | None) -> str:
    """`EPSG:2260` where there is a code, else the CRS's own name, `none` for none."""
    if crs is None:
        return "none"
    code = crs.to_authority(min_confidence=70)
    return ":".join(code) if code else str(crs.name)


def feet_per_unit(crs: CRS) -> float:
    """US survey feet in one unit of a projected CRS; raises CRSError for degrees.

    >>> feet_per_unit(CRS.from_epsg(2260))
    1.0
    >>> round(feet_per_unit(CRS.from_epsg(26918)), 4)
    3.2808
    """
    if not crs.is_projected:
        raise CRSError(f"{name_crs(crs)} is in degrees, which have no length", hint="choose one such as EPSG:2260")
    factor = crs.axis_info[0].unit_conversion_factor / US_FOOT_M
    return 1.0 if math.isclose(factor, 1.0, rel_tol=1e-9) else factor


def to_crs(frame: Frame, crs: CRS) -> Frame:
    """The frame in another CRS; raises CRSError for a frame that does not say its own."""
    if frame.crs is None:
        raise CRSError("a layer does not say its coordinate system", hint="import it with --crs EPSG:… --crs-by NAME")
    if frame.crs == crs:
        return frame
    return frame.to_crs(crs)


def to_lonlat(frame: Frame) -> Frame:
    """The frame in EPSG:4326, longitude first, for maps and exports."""
    return to_crs(frame, LONLAT)


def lonlat_to(crs: CRS, lon: float, lat: float) -> tuple[float, float]:
    """One point's coordinates in a projected CRS.

    >>> [round(value, 2) for value in lonlat_to(CRS.from_epsg(2260), -73.6, 41.33)]
    [739288.57, 910705.22]
    """
    x, y = Transformer.from_crs(LONLAT, crs, always_xy=True).transform(lon, lat)
    return float(x), float(y)


def box_to(crs: CRS, bounds: tuple[float, float, float, float]) -> shapely.Polygon:
    """A longitude/latitude box (west, south, east, north) as its bounding box in a projected CRS."""
    transformer = Transformer.from_crs(LONLAT, crs, always_xy=True)
    return shapely.box(*transformer.transform_bounds(*bounds, densify_pts=21))


def area_of_use(crs: CRS) -> shapely.Polygon:
    """The box in which the CRS may be used, in its own coordinates."""
    use = crs.area_of_use
    if use is None:
        raise CRSError(f"{name_crs(crs)} does not say where it may be used", hint="choose an EPSG-coded system")
    return box_to(crs, (use.west, use.south, use.east, use.north))


def convert(frame: Frame, crs: CRS, *, what: str) -> tuple[Frame, Conversion]:
    """The frame in the working CRS and how it came there.

    Refuses (CRSError, code `crs_accuracy`) where the datum shift is only a guess on this machine, as for NAD27 without
    its grid: such coordinates are off by tens of metres and nobody would see it.
    """
    if frame.crs is None:
        raise CRSError(f"{what} does not say its coordinate system", hint="import it with --crs EPSG:… --crs-by NAME")
    source = CRS.from_user_input(frame.crs)
    if source == crs:
        return frame, Conversion("none needed", 0.0)
    try:
        with warnings.catch_warnings(action="ignore"):
            best = TransformerGroup(source, crs, always_xy=True).transformers[0]
    except (ProjError, IndexError) as fault:
        raise CRSError(
            f"{what}: no way is known from {name_crs(source)} to {name_crs(crs)}", hint="check the CRS"
        ) from fault
    accuracy = best.accuracy if best.accuracy is not None and best.accuracy >= 0 else None
    if accuracy is None and _datum_differs(source, crs):
        raise CRSError(
            f"{what} is in {name_crs(source)}, and the grid that shifts its datum to {name_crs(crs)} is not installed, "
            "so the places would be off by tens of metres",
            hint="ask the sender for NAD83 coordinates, or install PROJ's grid for this datum",
            code="crs_accuracy",
        )
    return frame.to_crs(crs), Conversion(str(best.description), accuracy)


def _datum_differs(one: CRS, other: CRS) -> bool:
    geodetic = [crs.geodetic_crs for crs in (one, other)]
    datums = [str(crs.datum.name) if crs is not None and crs.datum is not None else "" for crs in geodetic]
    modern = ("1983", "WGS", "World Geodetic", "NAD83", "ITRF")
    return datums[0] != datums[1] and not all(any(word in datum for word in modern) for datum in datums)


def candidates(points: Iterable[tuple[float, float]], envelope: shapely.Geometry, crs: CRS) -> list[dict[str, Any]]:
    """Where bare coordinates would lie under each candidate CRS: `crs`, `share` inside the envelope, best first.

    The envelope is in `crs`; the candidates are `crs` itself and CANDIDATES.
    """
    xy = np.asarray(list(points), dtype=float)
    systems = {name_crs(crs): crs} | {code: CRS.from_user_input(code) for code in CANDIDATES}
    found = [
        {"crs": code, "share": round(share_inside(xy, system, envelope, crs), 4)}
        for code, system in systems.items()
        if len(xy)
    ]
    return sorted(found, key=lambda each: -float(str(each["share"])))


def share_inside(xy: npt.NDArray[np.float64], source: CRS, envelope: shapely.Geometry, crs: CRS) -> float:
    """The share of points, read in the CRS `source`, that lie inside the envelope, which is in `crs`.

    A point counts only where `source` may be used: degrees that are read as feet lie near a false origin, and nowhere else.
    """
    inside = _contains(envelope, xy, source, crs)
    if source.area_of_use is not None:
        inside &= _contains(shapely.box(*source.area_of_use.bounds), xy, source, LONLAT)
    return float(np.mean(inside))


def _contains(area: shapely.Geometry, xy: npt.NDArray[np.float64], source: CRS, crs: CRS) -> npt.NDArray[np.bool_]:
    """Which points, read in `source`, lie in an area that is in `crs`."""
    x, y = Transformer.from_crs(source, crs, always_xy=True).transform(xy[:, 0], xy[:, 1])
    finite = np.isfinite(x) & np.isfinite(y)
    return np.asarray(finite & shapely.contains_xy(area, np.where(finite, x, 0), np.where(finite, y, 0)), bool)
