"""One import from source to layers: read, map, place, clean, conform, compare; with a report, and nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from pyproj import CRS

from layers.clean import Notes, clean_geometry
from layers.conform import blank, conform
from layers.crosswalk import SET_BY_IMPORT, Crosswalk, Target, crosswalk_by_aliases, fill_id, to_text
from layers.crs import (
    Conversion,
    area_of_use,
    box_to,
    candidates,
    convert,
    feet_per_unit,
    name_crs,
    parse_crs,
)
from layers.errors import CallError, CRSError, LayerError, SourceError
from layers.schema import LAYERS, Schema, schema
from layers.settings import Settings
from layers.sources import Features, Source, SourceLayer, describe, open_source, read_features, sha256_of

SAME_PLACE_FT = 100.0
"""An id that another source already uses is the same asset only within this distance (ft): a resurvey moves less."""
MOST = 0.5
"""An asset layer of which less than this share lies in the town's envelope is not where its CRS says."""
LIST_AT_MOST = 1000
"""Ids listed for one code; the count is always whole."""


@dataclass(frozen=True)
class Request:
    """What is to be imported, as it was asked for; `layer` (by aliases) or `crosswalk`, not both."""

    path: Path
    layer: str | None = None
    crosswalk: Crosswalk | None = None
    source_layer: str | None = None
    crs: str = ""
    crs_by: str = ""
    encoding: str = ""


@dataclass
class Report:
    """What one import did to one layer; `to_json` is the contract of the command line."""

    layer: str
    source: dict[str, str]
    read: int = 0
    kept: int = 0
    unlocated: int = 0
    notes: Notes = field(default_factory=Notes)
    mapped: dict[str, str] = field(default_factory=dict)
    unmapped: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unknown: dict[str, Counter[str]] = field(default_factory=dict)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    changes: dict[str, list[str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The report as one plain object."""
        return {
            "layer": self.layer,
            "source": self.source,
            "read": self.read,
            "kept": self.kept,
            "rejected": _listed(self.notes.rejected),
            "repaired": _listed(self.notes.repaired),
            "exploded": {"parents": len(self.notes.parents), "children": len(self.notes.children)},
            "unlocated": self.unlocated,
            "fields": {"mapped": self.mapped, "unmapped": self.unmapped, "missing": self.missing},
            "values": {"unknown": {name: dict(counts) for name, counts in self.unknown.items() if counts}},
            "warnings": [{"code": code, "text": text} for code, text in self.warnings],
            "changes": {kind: len(ids) for kind, ids in self.changes.items()},
        }


def _listed(table: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    return [{"code": code, "count": len(ids), "ids": ids[:LIST_AT_MOST]} for code, ids in table.items()]


def ingest(
    request: Request, layers: Mapping[str, gpd.GeoDataFrame], settings: Settings
) -> tuple[dict[str, gpd.GeoDataFrame], list[Report]]:
    """The layers as they are after the import, and one report a target layer. Nothing is written.

    Raises SourceError, CRSError, FieldError or CallError; then nothing has been imported.
    """
    source = open_source(request.path)
    layer, crosswalk = _crosswalk(request, source)
    features = read_features(
        source, layer, encoding=crosswalk.encoding or None, x=crosswalk.x, y=crosswalk.y, wkt=crosswalk.wkt
    )
    if not len(features.frame):
        raise SourceError(
            f"{source.path.name}, layer {layer.name}, is empty",
            hint="ask the sender for the features",
            code="source_empty",
        )
    crosswalk.check(list(map(str, features.frame.columns)), where=f"{source.path.name}, layer {layer.name},")
    importer = _Import(source, layer, features, crosswalk, settings, dict(layers))
    reports = [importer.take(target) for target in crosswalk.targets]
    return importer.layers, reports


def _crosswalk(request: Request, source: Source) -> tuple[SourceLayer, Crosswalk]:
    if (request.layer is None) == (request.crosswalk is None):
        raise CallError("an import needs one layer or one crosswalk", hint="give --as LAYER or --crosswalk FILE")
    if request.crs and not request.crs_by:
        raise CallError("--crs needs the person who vouches for it", hint="add --crs-by NAME")
    named = request.source_layer or (request.crosswalk.layer if request.crosswalk else None)
    layer = source.layer(named)
    crosswalk = request.crosswalk
    if crosswalk is None:
        if request.layer not in LAYERS:
            raise LayerError(f"there is no layer {request.layer!r}", hint=f"choose one of {', '.join(LAYERS)}")
        crosswalk = crosswalk_by_aliases(str(request.layer), layer.fields)
    crs, by = (request.crs, request.crs_by) if request.crs else (crosswalk.crs, crosswalk.crs_by)
    return layer, replace(crosswalk, crs=crs, crs_by=by, encoding=request.encoding or crosswalk.encoding)


class _Import:
    """One source on its way in; `layers` grows target by target."""

    def __init__(
        self,
        source: Source,
        layer: SourceLayer,
        features: Features,
        crosswalk: Crosswalk,
        settings: Settings,
        layers: dict[str, gpd.GeoDataFrame],
    ) -> None:
        self.source, self.features, self.crosswalk = source, features, crosswalk
        self.settings, self.layers = settings, layers
        self.name = source.path.name if len(source.layers) == 1 else f"{source.path.name}/{layer.name}"
        self.stem = layer.name if len(source.layers) > 1 else source.path.stem
        self.said = describe(source, layer) | {"sha256": sha256_of(source.path), "encoding": features.encoding}

    def take(self, target: Target) -> Report:
        """Imports one target into `layers` and says what happened."""
        wanted = schema(target.layer)
        raw = self.features.frame[target.rows(self.features.frame)]
        report = Report(target.layer, dict(self.said), read=len(raw))
        report.warnings += self.features.notes
        self._fields(target, wanted, report)
        raw = self._with_ids(raw, target, wanted, report.notes)
        placed = self._place(raw, wanted, report)
        clean = clean_geometry(placed, wanted, self.settings.tolerances, report.notes)
        self._warn(clean, report)
        frame = self._conformed(clean, target, wanted, report)
        self.layers[target.layer] = self._merged(frame, wanted, report)
        rejected = sum(len(ids) for ids in report.notes.rejected.values())
        report.kept = report.read - rejected
        report.unlocated = int(frame.geometry.isna().sum())
        return report

    # -- fields and ids

    def _fields(self, target: Target, wanted: Schema, report: Report) -> None:
        report.mapped = {wanted.id: target.id} if target.id else {}
        report.mapped |= dict(target.fields)
        columns = [str(each) for each in self.features.frame.columns if each != "geometry"]
        used = target.columns | {self.crosswalk.x, self.crosswalk.y, self.crosswalk.wkt}
        report.unmapped = [each for each in columns if each not in used]
        filled = {*target.fields, *target.constants, *SET_BY_IMPORT}
        report.missing = [name for name in wanted.names if name not in filled]

    def _with_ids(self, raw: gpd.GeoDataFrame, target: Target, wanted: Schema, notes: Notes) -> gpd.GeoDataFrame:
        """The rows under unique text ids; rows that are the same to the last value are kept once."""
        records = raw.drop(columns="geometry").to_dict("records")
        given = pd.Series(
            [fill_id(target.id, row) if target.id else "" for row in records], index=raw.index, dtype="str"
        )
        made = given == ""
        ids = given.where(~made, pd.Series([f"{self.stem}-{fid}" for fid in raw.index], index=raw.index, dtype="str"))
        notes.repair("id_made", ids[made])
        text = pd.Series(["\x1f".join(map(to_text, row.values())) for row in records], index=raw.index, dtype="str")
        same = pd.DataFrame({"id": ids, "text": text, "shape": shapely.to_wkb(raw.geometry.to_numpy())}).duplicated()
        same &= ids.duplicated(keep=False) & ~made
        notes.reject("duplicate", ids[same])
        raw, ids = raw[~same].copy(), ids[~same]
        count = ids.groupby(ids).cumcount()
        doubled = count > 0
        notes.repair("id_doubled", ids[doubled])
        raw["__id"] = ids
        ids = ids.where(~doubled, ids + "#" + (count + 1).astype("str"))
        raw.index = pd.Index(ids.to_numpy(object), dtype="str", name=wanted.id)
        return raw

    def _conformed(self, clean: gpd.GeoDataFrame, target: Target, wanted: Schema, report: Report) -> gpd.GeoDataFrame:
        columns: dict[str, Any] = {}
        for each in wanted.fields:
            counts: Counter[str] = Counter()
            if each.name == "source":
                columns[each.name] = pd.Series(self.name, index=clean.index, dtype="str")
            elif each.name == "source_id":
                columns[each.name] = clean["__id"].astype("str")
            elif each.name == "z_drawn":
                columns[each.name] = clean["z_drawn"].astype(float)
            elif each.name in target.constants:
                columns[each.name] = conform(
                    pd.Series(target.constants[each.name], index=clean.index), each, target, counts
                )
            elif each.name in target.fields:
                columns[each.name] = conform(clean[target.fields[each.name]], each, target, counts)
            else:
                columns[each.name] = conform(
                    pd.Series(blank(each), index=clean.index, dtype=object), each, Target(""), counts
                )
            report.unknown[each.name] = counts
        return gpd.GeoDataFrame(columns, geometry=clean.geometry, crs=self.settings.crs)

    # -- where on earth

    def _place(self, raw: gpd.GeoDataFrame, wanted: Schema, report: Report) -> gpd.GeoDataFrame:
        """The rows in the working CRS; refused where the CRS is not known or the result cannot be the town."""
        crs, report.source["crs_used"], report.source["crs_basis"] = self._crs(raw)
        if crs is None:
            return raw.set_crs(self.settings.crs)
        if self.features.crs is not None and crs != self.features.crs:
            text = f"the file says {name_crs(self.features.crs)}, {self.crosswalk.crs_by} says {name_crs(crs)}"
            report.warnings.append(("crs_overruled", text))
        raw = gpd.GeoDataFrame(raw, geometry=raw.geometry.to_numpy(), crs=None).set_crs(crs)
        shapes = raw.geometry.to_numpy()
        bounds = shapely.bounds(shapes)
        strange = ~np.isfinite(bounds).all(axis=1) | (bounds == 0).all(axis=1)
        self._refuse_units(crs, bounds[~strange], report)
        hidden = pd.Series(shapes, index=raw.index, dtype=object)
        hidden[strange] = None
        report.notes.repair(
            "not_finite_or_zero", raw.index[strange & ~shapely.is_missing(shapes) & ~shapely.is_empty(shapes)]
        )
        placed, conversion = convert(
            raw.set_geometry(gpd.GeoSeries(hidden, crs=crs)), self.settings.crs, what=self.name
        )
        report.source["crs_operation"] = _operation(conversion)
        return self._inside(placed, raw, wanted, report)

    def _crs(self, raw: gpd.GeoDataFrame) -> tuple[CRS | None, str, str]:
        said = self.crosswalk
        if said.crs:
            return parse_crs(said.crs, where="the CRS given"), said.crs, f"given by {said.crs_by}"
        if self.features.crs is not None:
            return self.features.crs, name_crs(self.features.crs), self.features.crs_basis
        if raw.geometry.isna().all():
            return None, "none", "no geometry"
        raise CRSError(
            f"{self.name} does not say its coordinate system",
            hint=f"{self._likely(raw.geometry.to_numpy())} Import again with --crs EPSG:… --crs-by NAME",
            code="crs_missing",
        )

    def _refuse_units(self, crs: CRS, bounds: np.ndarray[Any, Any], report: Report) -> None:
        if crs.is_geographic and len(bounds) and np.abs(bounds).max() > 360:
            raise CRSError(
                f"{self.name} says degrees ({name_crs(crs)}), its numbers reach {np.abs(bounds).max():,.0f}: feet or metres",
                hint="ask the sender for the right coordinate system, then import with --crs EPSG:… --crs-by NAME",
                code="crs_units",
            )

    def _likely(self, shapes: Any) -> str:
        points = shapely.get_coordinates(shapely.centroid(shapes))
        points = points[np.isfinite(points).all(axis=1)][:1000]
        found = [each for each in candidates(points, self._envelope(), self.settings.crs) if each["share"] > 0]
        listed = ", ".join(f"{each['crs']} puts {each['share']:.0%} inside the town" for each in found)
        return f"As candidates: {listed}." if listed else "None of the usual systems puts it inside the town."

    def _envelope(self) -> shapely.Geometry:
        """The boundary, else the bounds given, else what is already there, always within the CRS's area of use."""
        crs, margin = self.settings.crs, self.settings.tolerances.envelope_margin_ft / feet_per_unit(self.settings.crs)
        use = area_of_use(crs)
        boundary = self.layers.get("boundary")
        if boundary is not None and boundary.geometry.notna().any():
            return shapely.intersection(use, shapely.box(*boundary.total_bounds).buffer(margin, join_style="mitre"))
        if self.settings.bounds:
            return shapely.intersection(use, box_to(crs, self.settings.bounds).buffer(margin, join_style="mitre"))
        there = [frame.total_bounds for frame in self.layers.values() if frame.geometry.notna().any()]
        if there:
            low, high = np.min(there, axis=0)[:2], np.max(there, axis=0)[2:]
            return shapely.intersection(use, shapely.box(*low, *high).buffer(10 * margin, join_style="mitre"))
        return use

    def _inside(
        self, placed: gpd.GeoDataFrame, raw: gpd.GeoDataFrame, wanted: Schema, report: Report
    ) -> gpd.GeoDataFrame:
        shapes = placed.geometry.to_numpy()
        there = ~shapely.is_missing(shapes) & ~shapely.is_empty(shapes)
        if not there.any():
            return placed
        finite = np.isfinite(shapely.bounds(shapes)).all(axis=1)
        inside = finite & shapely.intersects(np.where(finite, shapes, None), self._envelope())
        share = inside[there].mean()
        if share == 0 or (wanted.asset and share < MOST):
            raise CRSError(
                f"{self.name}: only {share:.0%} of {there.sum():,} features lie in the town's envelope "
                f"when read as {report.source['crs_used']}",
                hint=f"{self._likely(raw.geometry.to_numpy()[there])} If one is right: --crs EPSG:… --crs-by NAME",
                code="crs_outside",
            )
        outside = there & (~inside if wanted.asset else ~finite)
        if outside.any():
            report.notes.repair("outside_envelope", placed.index[outside])
            placed = placed.set_geometry(
                gpd.GeoSeries(np.where(outside, None, shapes), index=placed.index, crs=placed.crs)
            )
        return placed

    # -- what changes

    def _warn(self, clean: gpd.GeoDataFrame, report: Report) -> None:
        lengths = clean.geometry.length.to_numpy() * feet_per_unit(self.settings.crs)
        short = (clean.geom_type == "LineString").to_numpy() & (lengths < self.settings.tolerances.short_line_ft)
        if short.any():
            ids = ", ".join(map(str, clean.index[short][:5]))
            report.warnings.append(
                ("zero_length", f"{int(short.sum())} lines have no length and convey nothing: {ids}")
            )

    def _merged(self, frame: gpd.GeoDataFrame, wanted: Schema, report: Report) -> gpd.GeoDataFrame:
        """The layer with these rows added or put in the place of their former selves; what is not in the file stays."""
        before = self.layers.get(wanted.layer, wanted.empty(self.settings.crs))
        common = frame.index.intersection(before.index)
        taken = self._taken(frame.loc[common], before.loc[common])
        report.notes.reject("id_taken", taken)
        frame = frame.drop(index=taken)
        common = common.drop(taken)
        mine = before.index[before["source"] == self.name]
        report.changes = {
            "added": list(frame.index.difference(before.index)),
            "changed": _changed(frame.loc[common], before.loc[common]),
            "missing": list(mine.difference(frame.index)),
        }
        if not len(before):
            return frame
        return gpd.GeoDataFrame(pd.concat([before.drop(index=common), frame]), crs=frame.crs) if len(frame) else before

    def _taken(self, new: gpd.GeoDataFrame, old: gpd.GeoDataFrame) -> list[str]:
        """Ids that another source already uses for something elsewhere: a conflict to decide, not to overwrite."""
        apart = new.distance(old).to_numpy() * feet_per_unit(self.settings.crs) > SAME_PLACE_FT
        return list(new.index[apart & (old["source"] != self.name).to_numpy()])


def _operation(conversion: Conversion) -> str:
    accuracy = "unknown" if conversion.accuracy_m is None else f"{conversion.accuracy_m:g} m"
    return f"{conversion.operation} (accuracy {accuracy})"


def _changed(new: gpd.GeoDataFrame, old: gpd.GeoDataFrame) -> list[str]:
    if not len(new):
        return []
    columns = [name for name in new.columns if name != "geometry"]
    moved = ~shapely.equals_exact(new.geometry.to_numpy(), old.geometry.to_numpy(), 1e-6)
    moved &= ~(new.geometry.isna() & old.geometry.isna()).to_numpy()
    plain = [frame[columns].map(to_text) for frame in (new, old)]
    edited = (plain[0].to_numpy() != plain[1].to_numpy()).any(axis=1)
    return list(new.index[moved | edited])
