"""The town's `layers.gpkg`: layers and joins, written beside, checked, swapped in; GDAL's alone, never sqlite3's."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import filelock
import geopandas as gpd
import pandas as pd
import pyogrio
from pyogrio.errors import DataLayerError, DataSourceError
from pyproj import CRS

from layers.conform import blank
from layers.errors import StoreError
from layers.joins.network import EDGE_COLUMNS, NODE_COLUMNS, Network
from layers.schema import LAYERS, Field, Schema, dtype, schema
from layers.town import Joins

FILE = "layers.gpkg"
TABLES = ("premises_links", "water_links", "watershed_links")
NETWORK = ("network_nodes", "network_edges")
IMPORTS = "imports"
WAIT_S = 60.0
"""Seconds to wait for another import into the same town to end."""
FAULTS = (OSError, DataSourceError, DataLayerError, KeyError, ValueError, AttributeError)
"""What GDAL, pandas and json raise over a file that is not what it must be, or a disk that is full."""


@dataclass(frozen=True)
class Facts:
    """All that `layers.gpkg` holds; `joins` is None where the town has not been built."""

    layers: Mapping[str, gpd.GeoDataFrame]
    joins: Joins | None = None
    imports: Sequence[Mapping[str, Any]] = field(default_factory=tuple)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One writer at a time for a town's folder; the lock lies outside it, so that the folder holds the record alone."""
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    lock = filelock.FileLock(Path(tempfile.gettempdir()) / f"ms4-{name}.lock", timeout=WAIT_S, mode=0o666)
    try:
        lock.acquire()
    except filelock.Timeout as fault:
        raise StoreError(f"{folder} is being written by another program", hint="try again when it is done") from fault
    except OSError as fault:
        raise StoreError(f"{folder} cannot be locked: {fault}", hint="check who may write there") from fault
    try:
        yield
    finally:
        lock.release()


def read_facts(folder: Path, crs: CRS, *, fields: Mapping[str, Sequence[str]] | None = None) -> Facts:
    """The layers, joins and import reports of a town, or a StoreError; a town without imports has no layers.

    With `fields` only those layers come, with those fields alone, and no joins: what `make_joins` needs.
    """
    path = folder / FILE
    if not path.exists():
        _refuse_lost(folder)
        return Facts({})
    try:
        with warnings.catch_warnings(action="ignore"):
            return _read_facts(path, crs, fields)
    except FAULTS as fault:
        raise StoreError(
            f"{path} is damaged: {_first_line(fault)}",
            hint="restore it from a copy, or move it away and import the kept sources again",
            code="store_damaged",
        ) from fault


def _refuse_lost(folder: Path) -> None:
    """A town that has taken sources in has layers; where they are gone it is not an empty town."""
    kept = folder / "sources"
    if kept.is_dir() and any(kept.iterdir()):
        raise StoreError(
            f"{folder / FILE} is missing, though files were imported into this town",
            hint="restore it from a copy, or make a new town and import the kept sources again",
            code="store_missing",
        )


def _read_facts(path: Path, crs: CRS, fields: Mapping[str, Sequence[str]] | None) -> Facts:
    sound = pyogrio.read_dataframe(path, sql="PRAGMA quick_check", read_geometry=False).iloc[0, 0]
    if sound != "ok":
        raise ValueError(str(sound))
    names = {str(name) for name, _ in pyogrio.list_layers(path)}
    chosen = {name: schema(name).names for name in LAYERS} if fields is None else fields
    layers = {
        name: _read_layer(path, schema(name), crs, chosen[name]) for name in LAYERS if {name} <= names & set(chosen)
    }
    joins = _read_joins(path, crs) if fields is None and {*TABLES, *NETWORK} <= names else None
    imports = [json.loads(text) for text in _read(path, IMPORTS)["report"]] if IMPORTS in names else []
    return Facts(layers, joins, imports)


def write_joins(folder: Path, joins: Joins, crs: CRS) -> None:
    """Writes the joins into a copy of `layers.gpkg` beside, checks them, and swaps it in whole; the layers stay as they are."""
    with _swapped(folder) as beside:
        if (folder / FILE).exists():
            shutil.copyfile(folder / FILE, beside)
        _write_tables(beside, _join_tables(joins), crs)


def write_facts(folder: Path, facts: Facts, crs: CRS) -> None:
    """Writes `layers.gpkg` beside, checks that it reads back with the same counts, and swaps it in whole."""
    with _swapped(folder) as beside:
        _write_tables(beside, _tables(facts), crs)


@contextmanager
def _swapped(folder: Path) -> Iterator[Path]:
    """A path beside `layers.gpkg` to write to; what is there at the end takes its place, all at once."""
    path = folder / FILE
    _refuse_open(path)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=f".{FILE}.") as room:
            beside = Path(room) / FILE
            yield beside
            with beside.open("rb+") as stream:
                os.fsync(stream.fileno())
            beside.replace(path)
    except FAULTS as fault:
        raise StoreError(
            f"{path} cannot be written: {_first_line(fault)}",
            hint="check the disk and who may write there; what was there before is untouched",
        ) from fault


def _refuse_open(path: Path) -> None:
    """QGIS keeps changes beside a file that it has open; SQLite would lay them over the file that takes its place."""
    for ending in ("-wal", "-journal"):
        pending = path.with_name(path.name + ending)
        if pending.exists() and pending.stat().st_size:
            raise StoreError(
                f"{path} is open in another program, which keeps changes in {pending.name}",
                hint="close it there (QGIS shows the layers, it must not edit them), then try again",
                code="store_open",
            )


def _write_tables(path: Path, tables: Mapping[str, pd.DataFrame], crs: CRS) -> None:
    for name, frame in tables.items():
        _write(path, name, frame, crs)
    for name, frame in tables.items():
        count = pyogrio.read_info(path, layer=name, force_feature_count=True)["features"]
        if count != len(frame):
            raise StoreError(
                f"{name} reads back with {count} of {len(frame)} rows", hint="check the disk; nothing was changed"
            )


def _first_line(fault: BaseException) -> str:
    return (str(fault).splitlines() or [type(fault).__name__])[0][:200]


def digest(folder: Path) -> str:
    """The SHA-256 of `layers.gpkg`, empty where there is none yet."""
    path = folder / FILE
    if not path.exists():
        return ""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _tables(facts: Facts) -> dict[str, pd.DataFrame]:
    tables: dict[str, pd.DataFrame] = {name: facts.layers[name] for name in LAYERS if name in facts.layers}
    if facts.joins is not None:
        tables |= _join_tables(facts.joins)
    reports = [json.dumps(each, ensure_ascii=False) for each in facts.imports]
    tables[IMPORTS] = pd.DataFrame({"report": pd.Series(reports, dtype="str")})
    return tables


def _join_tables(joins: Joins) -> dict[str, pd.DataFrame]:
    links = {name: getattr(joins, name) for name in TABLES}
    return links | {"network_nodes": joins.network.nodes, "network_edges": joins.network.edges}


def _write(path: Path, name: str, frame: pd.DataFrame, crs: CRS) -> None:
    plain = frame.reset_index() if frame.index.name else frame.copy()
    for column in plain.columns:
        if column != "geometry" and plain[column].dtype == object:
            plain[column] = plain[column].map(lambda value: None if value is None else str(value))
    options: dict[str, Any] = {"driver": "GPKG", "layer": name, "append": False, "layer_options": {"FID": "row"}}
    if isinstance(frame, gpd.GeoDataFrame):
        plain = gpd.GeoDataFrame(plain, geometry="geometry", crs=crs)
        options["geometry_type"] = _geometry_type(name)
        options["layer_options"]["SPATIAL_INDEX"] = "NO" if name in NETWORK else "YES"  # nobody asks it by place
    pyogrio.write_dataframe(plain, path, use_arrow=True, **options)


def _geometry_type(name: str) -> str:
    if name in LAYERS:
        kinds = schema(name).geometry
        return kinds[0] if len(kinds) == 1 else "Unknown"
    return "Point" if name == "network_nodes" else "LineString"


def _read(path: Path, name: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
    frame: pd.DataFrame = pyogrio.read_dataframe(path, layer=name, columns=columns, use_arrow=True)
    return frame


def _read_layer(path: Path, wanted: Schema, crs: CRS, names: Sequence[str]) -> gpd.GeoDataFrame:
    raw = _read(path, wanted.layer, [wanted.id, *names])
    ids = pd.Index(raw[wanted.id], dtype="str", name=wanted.id)
    columns = {name: _restored(raw, wanted.field(name), ids) for name in names}
    return gpd.GeoDataFrame(columns, index=ids, geometry=raw.geometry.to_numpy(), crs=crs)


def _restored(raw: pd.DataFrame, each: Field, ids: pd.Index) -> pd.Series:
    """A column in the type of its field; blank where the file is older than the field."""
    kind: Any = dtype(each.type)
    values = raw[each.name] if each.name in raw else pd.Series([blank(each)] * len(ids), dtype=kind)
    if each.type == "date":
        days = {text: date.fromisoformat(text) for text in values.dropna().unique()}
        values = pd.Series([days.get(text) for text in values], dtype=object)
    else:
        values = values.astype(kind)
    if each.type in ("text", "yesno"):
        values = values.fillna("")
    return values.set_axis(ids).rename(each.name)


def _read_joins(path: Path, crs: CRS) -> Joins | None:
    """The joins, or None where an older version wrote them with other columns: they are to be made anew."""
    links = {name: _with_text(_read(path, name)) for name in TABLES}
    nodes, edges = (_with_text(_read(path, name)) for name in NETWORK)
    if {*NODE_COLUMNS} - {*nodes} or {*EDGE_COLUMNS} - {*edges}:
        return None
    return Joins(network=Network(gpd.GeoDataFrame(nodes, crs=crs), gpd.GeoDataFrame(edges, crs=crs)), **links)


def _with_text(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with "" where GeoPackage has no text."""
    texts = [name for name in frame if name != "geometry" and not pd.api.types.is_numeric_dtype(frame[name])]
    return frame.assign(**{str(name): frame[name].astype("str").fillna("") for name in texts})
