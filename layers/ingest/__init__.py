"""One import from source to layers: read, map, place, clean, conform, compare; with a report, and nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd

from layers.clean import Cleaned, clean_shapes, flatten
from layers.conform import blank, conform
from layers.crosswalk import SET_BY_IMPORT, Crosswalk, Target, columns_alike, crosswalk_by_aliases
from layers.errors import CallError, SourceError
from layers.ingest.changes import merge
from layers.ingest.doubts import doubt_acres, doubt_heights, doubt_ids, doubt_lengths
from layers.ingest.gate import Gate
from layers.ingest.identity import Identity, identify, inexact_ids
from layers.ingest.offset import find_offset
from layers.ingest.report import Report, Request, shorten
from layers.schema import Schema, schema
from layers.settings import Settings
from layers.sources import Features, Source, SourceLayer, describe, open_source, read_features, sha256_of

__all__ = ["Report", "Request", "ingest"]

OURS = Target("")
"""Says nothing of values: they are ours already."""
Frames = Mapping[str, gpd.GeoDataFrame]


def ingest(request: Request, layers: Frames, settings: Settings) -> tuple[dict[str, gpd.GeoDataFrame], list[Report]]:
    """The layers as they are after the import, and one report a target layer. Nothing is written.

    Raises SourceError, CRSError, FieldError, LayerError or CallError; then nothing has been imported.
    """
    _check_request(request)
    with np.errstate(invalid="ignore"):  # a coordinate that is no number is found and told, numpy need not warn of it
        return _ingest(request, layers, settings)


def _ingest(request: Request, layers: Frames, settings: Settings) -> tuple[dict[str, gpd.GeoDataFrame], list[Report]]:
    source = open_source(request.path, encoding=_encoding(request))
    layer = source.layer(request.source_layer or (request.crosswalk.layer if request.crosswalk else None))
    crosswalk = _crosswalk(request, layer)
    features = read_features(
        source, layer, encoding=_encoding(request), x=crosswalk.x, y=crosswalk.y, wkt=crosswalk.wkt
    )
    where = f"{source.path.name}, layer {layer.name},"
    if not len(features.frame):
        raise SourceError(f"{where} is empty", hint="ask the sender for the features", code="source_empty")
    crosswalk.check(list(map(str, features.frame.columns)), where=where)
    said = describe(source, layer) | {"sha256": sha256_of(source.path), "encoding": features.encoding}
    importer = _Import(source, layer, features, crosswalk, settings, dict(layers), said)
    return importer.layers, importer.take_all()


def _check_request(request: Request) -> None:
    if (request.layer is None) == (request.crosswalk is None):
        raise CallError("an import needs one layer or one crosswalk", hint="give --as LAYER or --crosswalk FILE")
    if request.crs and not request.crs_by.strip():
        raise CallError("--crs needs the person who vouches for it", hint="add --crs-by NAME")
    if request.layer is not None:
        schema(request.layer)


def _encoding(request: Request) -> str:
    return request.encoding or (request.crosswalk.encoding if request.crosswalk else "")


def _crosswalk(request: Request, layer: SourceLayer) -> Crosswalk:
    """The crosswalk that was given or follows from the names of the fields, with the CRS of the call before its own."""
    crosswalk = request.crosswalk or crosswalk_by_aliases(str(request.layer), layer.fields)
    return replace(crosswalk, crs=request.crs, crs_by=request.crs_by) if request.crs else crosswalk


@dataclass
class _Import:
    """One source on its way in; `layers` grows target by target."""

    source: Source
    layer: SourceLayer
    features: Features
    crosswalk: Crosswalk
    settings: Settings
    layers: dict[str, gpd.GeoDataFrame]
    said: dict[str, str]
    seen: dict[str, set[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the rows say of where they come from."""
        several = len(self.source.layers) > 1
        return f"{self.said['name']}/{self.layer.name}" if several else self.said["name"]

    def take_all(self) -> list[Report]:
        """Every target in its order; the first report also tells of features that no target takes, or two."""
        mine = [target.rows(self.features.frame).to_numpy() for target in self.crosswalk.targets]
        before = dict(self.layers)
        reports = [self.take(target, rows) for target, rows in zip(self.crosswalk.targets, mine, strict=True)]
        self._tell_missing(reports, before)
        times = np.sum(mine, axis=0)
        if (times == 0).any():
            reports[0].warn(
                "taken_by_none", f"{(times == 0).sum():,} of {len(times):,} features are taken by no target"
            )
        if (times > 1).any():
            reports[0].warn("taken_twice", f"{(times > 1).sum():,} features are taken by more than one target")
        return reports

    def take(self, target: Target, mine: np.ndarray[Any, Any]) -> Report:
        """Imports one target into `layers` and says what happened."""
        wanted = schema(target.layer)
        report = Report(target.layer, dict(self.said), read=int(mine.sum()), warnings=list(self.features.notes))
        self._map_fields(target, wanted, report)
        stem = self.layer.name if len(self.source.layers) > 1 else PurePath(self.said["name"]).stem
        identity = identify(self.features, mine, target, stem=stem, notes=report.notes)
        z, flat = flatten(self.features.shapes[identity.rows])
        unread = np.isin(identity.rows, self.features.unread)
        report.notes.repair("geometry_unread", identity.ids[unread])
        gate = Gate(self.name, self.features, self.crosswalk, self.settings, self.layers)
        placed = gate.place(gpd.GeoSeries(flat, index=identity.ids), wanted, report)
        clean = clean_shapes(placed, wanted, self.settings.tolerances, report.notes)
        frame = self._conform(clean, identity, z, target, wanted, report)
        self._warn(frame, identity, target, wanted, report)
        self._merge(frame, clean, wanted, report)
        return report

    # -- fields

    def _map_fields(self, target: Target, wanted: Schema, report: Report) -> None:
        report.mapped = ({wanted.id: target.id} if target.id else {}) | dict(target.fields)
        columns = [str(each) for each in self.features.frame.columns if each != self.features.fid]
        used = target.columns | set(self.features.placing)
        report.unmapped = [each for each in columns if each not in used]
        filled = {*target.fields, *target.constants, *SET_BY_IMPORT}
        report.missing = [name for name in wanted.names if name not in filled]
        for group in columns_alike(columns):
            read = [each for each in group if each in target.columns]
            if read:
                report.warn("columns_alike", f"the columns {', '.join(group)} have one name; {', '.join(read)} is read")

    def _conform(
        self, clean: Cleaned, identity: Identity, z: Any, target: Target, wanted: Schema, report: Report
    ) -> gpd.GeoDataFrame:
        """The rows as the schema wants them, a row of the source for every one of its parts."""
        at = pd.Series(range(len(identity.ids)), index=identity.ids).loc[clean.parents].to_numpy(dtype=np.intp)
        rows = self.features.frame.iloc[identity.rows[at]].set_axis(clean.shapes.index)
        filled: dict[str, Any] = {"source": self.name, "source_id": identity.said.to_numpy()[at], "z_drawn": z[at]}
        columns = {}
        for each in wanted.fields:
            counts = report.unknown[each.name] = Counter()
            if each.name in target.fields:
                columns[each.name] = conform(rows[target.fields[each.name]], each, target, counts)
            else:
                known: Any = filled.get(each.name, target.constants.get(each.name, blank(each)))
                columns[each.name] = conform(_column(known, rows.index), each, OURS, counts)
        frame = gpd.GeoDataFrame(columns, geometry=clean.shapes, crs=self.settings.crs)
        return frame.rename_axis(wanted.id)

    # -- what a person should look at

    def _warn(
        self, frame: gpd.GeoDataFrame, identity: Identity, target: Target, wanted: Schema, report: Report
    ) -> None:
        if not report.read:
            report.warn("nothing_selected", f"no feature has {_said(target)}")
        inexact = inexact_ids(self.features, target)
        if inexact:
            report.warn("id_inexact", f"{', '.join(inexact)} came as numbers too long to be exact: ask for text")
        report.warnings += doubt_ids(frame, identity.said, wanted)
        report.warnings += doubt_heights(self.features.shapes[identity.rows])
        report.warnings += doubt_lengths(frame, self.settings)
        report.warnings += doubt_acres(frame, report.notes, self.settings)

    # -- what changes

    def _merge(self, frame: gpd.GeoDataFrame, clean: Cleaned, wanted: Schema, report: Report) -> None:
        before = self.layers.get(wanted.layer, wanted.empty(self.settings.crs))
        merged = merge(frame, before, wanted, parents=clean.parents, source=self.name)
        report.notes.reject("id_taken", merged.taken)
        if merged.shared:
            text = f"{len(merged.shared):,} rows of another source with the same id and place were replaced"
            report.warn("id_shared", f"{text}: {shorten(merged.shared)}")
        offset = find_offset(merged.kept, wanted.layer, self.layers, self.settings, source=self.name)
        if offset:
            report.warn("offset", offset)
        report.kept = clean.parents.loc[merged.kept.index].nunique()
        report.unlocated = int(merged.kept.geometry.isna().sum())
        report.changes = {"added": merged.added, "changed": merged.changed, "missing": []}
        self.layers[wanted.layer] = merged.layer
        self.seen.setdefault(wanted.layer, set()).update(frame.index)

    def _tell_missing(self, reports: Sequence[Report], before: Frames) -> None:
        """What this source once brought and no longer has, told once a layer; it stays where it is."""
        for report in {each.layer: each for each in reversed(reports)}.values():
            old = before.get(report.layer)
            if old is not None:
                mine = old.index[old["source"] == self.name]
                report.changes["missing"] = [each for each in mine if each not in self.seen[report.layer]]


def _column(values: Any, index: pd.Index) -> pd.Series:
    return pd.Series(values, index=index, dtype=object)


def _said(target: Target) -> str:
    return " and ".join(f"{name} = {' or '.join(map(repr, wanted))}" for name, wanted in target.where.items())
