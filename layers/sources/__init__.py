"""Files as they are received: what a source holds (fiona), and its features in bulk with their own field names (pyogrio)."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import fiona
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyogrio
import shapely
from pyogrio.raw import read_arrow
from pyproj import CRS

from layers.crs import name_crs, parse_file_crs
from layers.errors import MS4Error, SourceError
from layers.sources.doubts import Doubt, doubt_count, doubt_drawing, doubt_reader, doubt_text, doubt_transfer
from layers.sources.parts import KINDS, TABLES, check_whole, companions, datasets, sha256_of
from layers.sources.places import find_places
from layers.sources.tables import read_tables

__all__ = ["Features", "Source", "SourceLayer", "companions", "describe", "open_source", "read_features", "sha256_of"]

Shapes = npt.NDArray[np.object_]
WIDTH = re.compile(r"str:(\d+)")
ASSUMED = "cp1252"
"""The encoding of text that nobody tells and that is no UTF-8: what Windows writes."""


@dataclass(frozen=True)
class SourceLayer:
    """What one layer of a source holds; `geometry` is empty for a table.

    `at` is the dataset in the file that holds the layer, `fid` the field that numbers its features, where it has one.
    """

    name: str
    geometry: str
    crs: CRS | None
    fields: tuple[str, ...]
    count: int
    at: str = ""
    fid: str = ""
    widths: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """A file that was received: its path, what reads it, and its layers."""

    path: Path
    driver: str
    layers: tuple[SourceLayer, ...]

    def layer(self, name: str | None) -> SourceLayer:
        """The layer of that name, or the only one; a SourceError lists what there is."""
        if not self.layers:
            raise SourceError(
                f"{self.path.name} holds no layer",
                hint="ask the sender which file has the features",
                code="source_empty",
            )
        names = ", ".join(each.name for each in self.layers)
        found = [each for each in self.layers if name is None or each.name == name]
        if len(found) == 1:
            return found[0]
        if name is None:
            raise SourceError(
                f"{self.path.name} holds {len(self.layers)} layers: {names}",
                hint="name one with --source-layer",
                code="source_layer",
            )
        what = "several layers" if found else "no layer"
        raise SourceError(f"{self.path.name} has {what} {name!r}", hint=f"it holds: {names}", code="source_layer")


@dataclass(frozen=True)
class Features:
    """The features of one layer.

    `frame` has the source's own fields, index = the number of the feature in its file; `shapes` has the drawing of every
    row as it was drawn (None = none); `unread` are the rows of which the drawing cannot be read. `fid` is the field that
    holds the number of the feature, where the file keeps it as one; `placing` are the columns of a table's places.
    """

    frame: pd.DataFrame
    shapes: Shapes
    crs: CRS | None
    crs_basis: str
    encoding: str
    fid: str = ""
    unread: tuple[int, ...] = ()
    notes: tuple[Doubt, ...] = ()
    placing: tuple[str, ...] = ()


def open_source(path: Path, *, encoding: str = "") -> Source:
    """What the file holds, or a SourceError: not there, parts missing, damaged, of a kind that nothing here reads."""
    _check_encoding(encoding)
    suffix = path.suffix.lower()
    try:
        check_whole(path)
        if suffix in TABLES:
            tables = read_tables(path, encoding=encoding)
            layers = [SourceLayer(each.name, "", None, tuple(map(str, each.frame)), len(each.frame)) for each in tables]
            return Source(path, TABLES[suffix], tuple(layers))
        with warnings.catch_warnings(action="ignore"):
            found = [each for at, drivers in datasets(path) for each in _layers(at, drivers, encoding)]
    except MS4Error:
        raise
    except Exception as fault:  # a damaged file makes fiona, pyogrio and pyproj raise nearly anything
        kind = KINDS[suffix][0] if suffix in KINDS else "file"
        raise SourceError(
            f"{path.name} cannot be read as a {kind}: it is damaged, or another kind of file ({_brief(fault, path)})",
            hint="ask the sender for the file again",
            code="source_damaged",
        ) from fault
    return Source(path, found[0][0] if found else "", tuple(layer for _, layer in found))


def _check_encoding(encoding: str) -> None:
    try:
        codecs.lookup(encoding or "utf-8")
    except (LookupError, ValueError) as fault:
        raise SourceError(
            f"{encoding!r} is no text encoding", hint="write it as cp1252 or UTF-8", code="source_encoding"
        ) from fault


def _brief(fault: Exception, path: Path) -> str:
    """What the reader said, without the folders of this machine."""
    return (
        str(fault).replace(str(path.absolute().parent) + "/", "").splitlines()[0] if str(fault) else "no reason given"
    )


def _layers(at: str, drivers: tuple[str, ...], encoding: str) -> Iterator[tuple[str, SourceLayer]]:
    """The driver and each layer of a dataset; only the drivers of its kind may open it.

    pyogrio looks first: fiona ends the whole process where GDAL's complaint quotes damaged bytes.
    """
    for name in [str(each) for each, _ in pyogrio.list_layers(at)]:
        info = pyogrio.read_info(at, layer=name)
        with fiona.open(at, layer=name, enabled_drivers=list(drivers), encoding=encoding or None) as opened:
            kinds, geometry = dict(opened.schema["properties"]), str(opened.schema["geometry"])
            fid = str(info["fid_column"])
            layer = SourceLayer(
                name=name,
                geometry="" if geometry == "None" else geometry,
                crs=parse_file_crs(opened.crs_wkt),
                fields=tuple(dict.fromkeys([*([fid] if fid else []), *kinds])),
                count=len(opened),
                at=at,
                fid=fid,
                widths={key: int(told[1]) for key, kind in kinds.items() if (told := WIDTH.fullmatch(kind))},
            )
            driver = str(opened.driver)
        yield driver, layer


# -- reading


def read_features(
    source: Source, layer: SourceLayer, *, encoding: str = "", x: str = "", y: str = "", wkt: str = ""
) -> Features:
    """All features of a layer: text as text, whole numbers as whole numbers, days and times as ISO text, drawings as drawn.

    For a table `x` and `y` (or `wkt`) name the columns of the place; without them such columns are looked for by name.
    """
    try:
        found = (
            _read_table(source, layer, encoding)
            if source.path.suffix.lower() in TABLES
            else _read_bulk(layer, encoding)
        )
    except MS4Error:
        raise
    except Exception as fault:
        raise SourceError(
            f"{source.path.name}, layer {layer.name}, cannot be read ({_brief(fault, source.path)})",
            hint="try --encoding (such as cp1252), or ask the sender for the file again",
            code="source_damaged",
        ) from fault
    notes = (*found.notes, *doubt_count(len(found.frame)), *_doubt_file(source, layer, found, encoding))
    if layer.geometry:
        return replace(found, notes=notes)
    places = find_places(found.frame, name=source.path.name, x=x, y=y, wkt=wkt)
    return replace(
        found,
        shapes=places.shapes,
        crs=places.crs,
        crs_basis=places.basis,
        unread=tuple(places.unread),
        notes=notes,
        placing=places.columns,
    )


def _doubt_file(source: Source, layer: SourceLayer, found: Features, encoding: str) -> Iterator[Doubt]:
    yield from doubt_transfer(source.path)
    told = (
        bool(encoding)
        or source.driver != "ESRI Shapefile"
        or any(each.suffix.lower() == ".cpg" for each in companions(source.path))
    )
    yield from doubt_text(found.frame, widths=layer.widths, encoding=found.encoding, told=told)


def _read_table(source: Source, layer: SourceLayer, encoding: str) -> Features:
    table = next(each for each in read_tables(source.path, encoding=encoding) if each.name == layer.name)
    none = np.full(len(table.frame), None, dtype=object)
    return Features(table.frame, none, None, "", table.encoding, notes=table.notes)


def _read_bulk(layer: SourceLayer, encoding: str) -> Features:
    """Read through arrow, which keeps whole numbers whole beside missing ones, and shows measures and arcs."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table, drawn, used = _read_arrow(layer, encoding)
    names = list(table.schema.names)
    at = len(names) - 1 - names[::-1].index(drawn) if layer.geometry else len(names)
    frame = table.select([place for place in range(1, len(names)) if place != at]).to_pandas(integer_object_nulls=True)
    frame.index = pd.Index(table.column(0).to_numpy())
    if layer.fid:
        frame[layer.fid] = frame.index
    wkb = table.column(at).to_pylist() if layer.geometry else [None] * len(frame)
    shapes, doubts = _draw(wkb, layer)
    unread = tuple(row for row, (raw, shape) in enumerate(zip(wkb, shapes, strict=True)) if raw and shape is None)
    crs = layer.crs if layer.geometry else None
    notes = (*doubt_reader(str(each.message) for each in said), *doubts)
    return Features(frame, shapes, crs, "file" if crs else "", used, layer.fid, unread, notes)


def _read_arrow(layer: SourceLayer, encoding: str) -> tuple[Any, str, str]:
    """The arrow table, the name of its column of drawings, and the encoding of its text: as told, else as it is sound."""
    meta, table = read_arrow(
        layer.at, layer=layer.name, encoding=encoding or None, return_fids=True, datetime_as_string=True
    )
    drawn, used = meta["geometry_name"] or "wkb_geometry", encoding or str(meta["encoding"])
    try:
        table.validate(full=True)
    except ValueError:
        if encoding or used.upper() == "UTF-8":
            raise
        return _read_arrow(layer, ASSUMED)
    return table, drawn, used if encoding else "UTF-8"


def _draw(wkb: list[bytes | None], layer: SourceLayer) -> tuple[Shapes, tuple[Doubt, ...]]:
    """The shapes of well-known bytes, arcs stroked; None where there is none or it cannot be read."""
    kinds = np.array([int.from_bytes(each[1:5], "little" if each[0] else "big") for each in wkb if each], np.uint32)
    doubts = tuple(doubt_drawing(kinds))
    if any(code == "curves_stroked" for code, _ in doubts):
        with warnings.catch_warnings(action="ignore"):
            stroked = pyogrio.read_dataframe(layer.at, layer=layer.name, columns=[], on_invalid="ignore")
        return stroked.geometry.to_numpy(), doubts
    return shapely.from_wkb(np.array(wkb, dtype=object), on_invalid="ignore"), doubts


def describe(source: Source, layer: SourceLayer) -> dict[str, str]:
    """The source as the import report names it; a name in no encoding is shown with question marks."""
    name = source.path.name.encode(errors="replace").decode()
    return {"name": name, "driver": source.driver, "layer": layer.name, "crs_read": name_crs(layer.crs)}
