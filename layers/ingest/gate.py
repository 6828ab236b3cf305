"""The gate: no layer enters whose coordinate system is unknown, or whose places are not in the town."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import shapely
from pyproj import CRS

from layers.clean import Shapes, is_finite
from layers.crosswalk import Crosswalk
from layers.crs import (
    LONLAT,
    area_of_use,
    box_to,
    candidates,
    convert,
    feet_per_unit,
    name_crs,
    parse_crs,
    share_inside,
)
from layers.errors import CRSError
from layers.ingest.report import Report
from layers.schema import Schema
from layers.settings import Settings
from layers.sources import Features

MOST = 0.5
"""An asset layer of which less than this share lies in the town's envelope is not where its CRS says."""
TURN = 360.0
"""No longitude or latitude is beyond it."""
WORTH_NAMING = 0.01
"""A system that puts a smaller share of a file inside the town is no candidate."""
GIVE = "import again with --crs EPSG:… --crs-by NAME"


@dataclass(frozen=True)
class Gate:
    """One source before the town: its name, what it and the crosswalk say of its CRS, and where the town lies."""

    name: str
    features: Features
    crosswalk: Crosswalk
    settings: Settings
    layers: Mapping[str, gpd.GeoDataFrame]

    def place(self, drawn: gpd.GeoSeries, wanted: Schema, report: Report) -> gpd.GeoSeries:
        """The shapes (2-D, CRS not set) in the working CRS, None where the place is not believed; or a CRSError."""
        crs, report.source["crs_used"], report.source["crs_basis"] = self._crs(drawn)
        if crs is None:
            return drawn.set_crs(self.settings.crs)
        if self.features.crs is not None and crs != self.features.crs:
            said = f"the file says {name_crs(self.features.crs)}, {self.crosswalk.crs_by} says {name_crs(crs)}"
            report.warn("crs_overruled", said)
        shapes = drawn.to_numpy().copy()
        there = ~shapely.is_missing(shapes)
        strange = there & (~is_finite(shapes) | (shapely.bounds(shapes) == 0).all(axis=1))
        report.notes.repair("not_finite_or_zero", drawn.index[strange])
        shapes[strange] = None
        if crs.is_geographic:
            self._refuse_units(crs, shapes)
        known = gpd.GeoSeries(shapes, index=drawn.index, crs=crs)
        placed, conversion = convert(known, self.settings.crs, what=self.name)
        report.source["crs_operation"] = str(conversion)
        return self._inside(placed, shapes, wanted, report)

    def _crs(self, drawn: gpd.GeoSeries) -> tuple[CRS | None, str, str]:
        """The CRS, its name, and on whose word."""
        if drawn.isna().all():
            return None, "none", "no geometry"
        if self.crosswalk.crs:
            crs = parse_crs(self.crosswalk.crs, where="the CRS given")
            return crs, name_crs(crs), f"given by {self.crosswalk.crs_by}"
        if self.features.crs is not None:
            return self.features.crs, name_crs(self.features.crs), self.features.crs_basis
        raise CRSError(
            f"{self.name} does not say its coordinate system",
            hint=self._likely(drawn.to_numpy()),
            code="crs_missing",
        )

    def _refuse_units(self, crs: CRS, shapes: Shapes) -> None:
        """Refuses degrees whose numbers are feet or metres; a slip in a few rows is for the envelope to find."""
        bounds = np.abs(shapely.bounds(shapes[~shapely.is_missing(shapes)]))
        if len(bounds) and (bounds > TURN).any(axis=1).mean() > MOST:
            raise CRSError(
                f"{self.name} says degrees ({name_crs(crs)}), its numbers reach {bounds.max():,.0f}: feet or metres",
                hint=self._likely(shapes),
                code="crs_units",
            )

    def _inside(self, placed: gpd.GeoSeries, drawn: Shapes, wanted: Schema, report: Report) -> gpd.GeoSeries:
        """The shapes that lie in the town's envelope; an asset's whole drawing must, a lot or a brook may reach out."""
        shapes, (envelope, basis) = placed.to_numpy(), town_envelope(self.settings, self.layers)
        there = ~shapely.is_missing(shapes)
        if not there.any():
            return placed
        finite = is_finite(shapes)
        touching = finite & shapely.intersects(envelope, np.where(finite, shapes, None))
        share = touching[there].mean()
        if share == 0 or (wanted.asset and share < MOST):
            raise CRSError(
                f"{self.name}: {share:.0%} of {there.sum():,} features lie in the town's envelope ({basis}) "
                f"when read as {report.source['crs_used']}",
                hint=self._likely(drawn),
                code="crs_outside",
            )
        if basis == "area of use" and wanted.layer != "boundary":
            report.warn(
                "envelope_unknown",
                f"no boundary or bounds are known, so places were only held against the use of {name_crs(placed.crs)}",
            )
        limit = envelope if wanted.asset else area_of_use(self.settings.crs)
        fits = shapely.covers if wanted.asset else shapely.intersects
        outside = there & ~(finite & fits(limit, np.where(finite, shapes, None)))
        report.notes.repair("outside_envelope", placed.index[outside])
        return gpd.GeoSeries(np.where(outside, None, shapes), index=placed.index, crs=placed.crs)

    def _likely(self, shapes: Shapes) -> str:
        """Where the bare coordinates would lie under the usual systems, and with the usual slips."""
        points = shapely.get_coordinates(shapely.centroid(shapes[is_finite(shapes)]))[:1000]
        if not len(points):
            return "no feature has a place: ask the sender"
        envelope, crs = town_envelope(self.settings, self.layers)[0], self.settings.crs
        found = [each for each in candidates(points, envelope, crs) if each["share"] >= WORTH_NAMING]
        listed = [f"{each['crs']} puts {each['share']:.0%} inside the town" for each in found]
        for slip, mended in _slips(points).items():
            share = share_inside(mended, LONLAT, envelope, crs)
            if share >= WORTH_NAMING:
                listed.append(f"{slip} would put {share:.0%} inside as EPSG:4326")
        if not listed:
            return f"none of the usual systems puts it inside the town: ask the sender, then {GIVE}"
        return f"as candidates: {', '.join(listed)}; if one is right, {GIVE}"


def town_envelope(settings: Settings, layers: Mapping[str, gpd.GeoDataFrame]) -> tuple[shapely.Geometry, str]:
    """The boundary, else the bounds given, else what is there already, within the CRS's area of use; and which."""
    crs = settings.crs
    margin = settings.tolerances.envelope_margin_ft / feet_per_unit(crs)
    use, boundary = area_of_use(crs), layers.get("boundary")
    there = [frame.total_bounds for frame in layers.values() if frame.geometry.notna().any()]
    if boundary is not None and boundary.geometry.notna().any():
        box, basis = shapely.box(*boundary.total_bounds), "boundary"
    elif settings.bounds:
        box, basis = box_to(crs, settings.bounds), "bounds"
    elif there:
        low, high = np.min(there, axis=0)[:2], np.max(there, axis=0)[2:]
        box, basis, margin = shapely.box(*low, *high), "the layers already there", 10 * margin
    else:
        return use, "area of use"
    return shapely.intersection(use, box.buffer(margin, join_style="mitre")), basis


def _slips(points: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[Any]]:
    """What hands do to longitudes and latitudes, undone."""
    if np.abs(points).max() > 180:
        return {}
    return {
        "longitude and latitude exchanged": points[:, ::-1],
        "a minus sign before the longitude": points * (-1, 1),
        "a minus sign before the longitude, exchanged with the latitude,": points[:, ::-1] * (-1, 1),
    }
