"""Files as they are received: what a source holds (fiona), and its features in bulk with their own field names (pyogrio)."""

from __future__ import annotations

import csv
import hashlib
import json
import struct
import warnings
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import fiona
import geopandas as gpd
import numpy as np
import openpyxl
import pandas as pd
import pyogrio
import shapely
from fiona.errors import FionaError
from pyogrio.errors import DataLayerError, DataSourceError, FieldError
from pyproj import CRS

from layers.crs import name_crs, parse_crs
from layers.errors import SourceError

LOCAL = ZoneInfo("America/New_York")
TABLES = {".csv", ".tsv", ".xlsx"}
X_NAMES = ("longitude", "lon", "long", "lng")
Y_NAMES = ("latitude", "lat")
XY_NAMES = (("x", "y"), ("easting", "northing"), ("x_coord", "y_coord"), ("xcoord", "ycoord"))
SERVICE_LIMITS = (1000, 2000)
"""Map services stop at these counts and say nothing (Esri's default record limits)."""
DBF_HEADER = struct.Struct("<4xIHH")


@dataclass(frozen=True)
class SourceLayer:
    """What one layer of a source holds; `geometry` and `crs` are empty for a table, `count` is -1 where it is not said."""

    name: str
    geometry: str
    crs: CRS | None
    fields: tuple[str, ...]
    count: int


@dataclass(frozen=True)
class Source:
    """A file that was received: its path, what reads it, and its layers."""

    path: Path
    driver: str
    layers: tuple[SourceLayer, ...]

    def layer(self, name: str | None) -> SourceLayer:
        """The layer of that name, or the only one; a SourceError lists what there is."""
        names = ", ".join(each.name for each in self.layers) or "none"
        if name is None:
            if len(self.layers) == 1:
                return self.layers[0]
            raise SourceError(
                f"{self.path.name} holds {len(self.layers)} layers: {names}", hint="name one with --source-layer"
            )
        for each in self.layers:
            if each.name == name:
                return each
        raise SourceError(f"{self.path.name} has no layer {name!r}", hint=f"it holds: {names}", code="source_layer")


@dataclass(frozen=True)
class Features:
    """The features of one layer: a frame with the source's field names, geometry (None for a bare table), CRS and notes."""

    frame: gpd.GeoDataFrame
    crs: CRS | None
    crs_basis: str
    encoding: str
    notes: tuple[tuple[str, str], ...] = ()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, or of the names and contents of a folder (FileGDB)."""
    digest = hashlib.sha256()
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    for each in files:
        if path.is_dir():
            digest.update(str(each.relative_to(path)).encode())
        with each.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def companions(path: Path) -> list[Path]:
    """The source and the files that belong to it (a shapefile's parts), as they are to be kept."""
    if path.suffix.lower() != ".shp":
        return [path]
    kept = (".shp", ".shx", ".dbf", ".prj", ".cpg", ".sbn", ".sbx", ".qix", ".shp.xml")
    return sorted(each for each in path.parent.iterdir() if each.stem == path.stem and each.suffix.lower() in kept)


def open_source(path: Path) -> Source:
    """What the file holds, or a SourceError: not there, parts missing, damaged, of a kind that nothing here reads."""
    if not path.exists():
        raise SourceError(f"there is no file {path}", hint="check the path", code="source_missing")
    _check_parts(path)
    if path.suffix.lower() in TABLES:
        return Source(path, path.suffix.lower().strip(".").upper(), tuple(_table_layers(path)))
    try:
        names = fiona.listlayers(_gdal_path(path))
        layers = tuple(_describe(path, name) for name in names)
    except (FionaError, DataSourceError, DataLayerError) as fault:
        raise SourceError(f"{path.name} cannot be read: {fault}", hint="ask the sender for the file again") from fault
    if not layers:
        raise SourceError(f"{path.name} holds no layer", hint="ask the sender which file holds the features")
    with fiona.open(_gdal_path(path), layer=layers[0].name) as opened:
        driver = str(opened.driver)
    return Source(path, driver, layers)


def _describe(path: Path, name: str) -> SourceLayer:
    with fiona.open(_gdal_path(path), layer=name) as opened:
        crs = parse_crs(opened.crs_wkt, where=path.name) if opened.crs_wkt else None
        geometry = opened.schema["geometry"]
        fields = tuple(opened.schema["properties"])
        count = len(opened)
    return SourceLayer(name, "" if geometry == "None" else str(geometry), crs, fields, count)


def _gdal_path(path: Path) -> str:
    return f"/vsizip/{path}" if path.suffix.lower() == ".zip" else str(path)


def _check_parts(path: Path) -> None:
    """Refuses sources of which a part is missing, truncated or not yet written out."""
    suffix = path.suffix.lower()
    if suffix == ".shp":
        _check_shapefile(path.name, {each.suffix.lower() for each in companions(path)}, _dbf_bytes(path))
    elif suffix == ".zip":
        _check_zip(path)
    elif suffix in (".gpkg", ".sqlite"):
        wal = path.with_name(path.name + "-wal")
        if wal.exists() and wal.stat().st_size:
            raise SourceError(
                f"{path.name} has changes that are not yet written into it ({wal.name})",
                hint="close it in the program that has it open, or copy all three files",
            )


def _dbf_bytes(path: Path) -> tuple[bytes, int] | None:
    for each in companions(path):
        if each.suffix.lower() == ".dbf":
            with each.open("rb") as stream:
                return stream.read(32), each.stat().st_size
    return None


def _check_zip(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            for name in names:
                if name.lower().endswith(".shp"):
                    stem = name[:-4]
                    parts = {Path(each).suffix.lower() for each in names if each[: each.rfind(".")] == stem}
                    dbf = next((each for each in names if each.lower() == f"{stem}.dbf".lower()), None)
                    head = (archive.open(dbf).read(32), archive.getinfo(dbf).file_size) if dbf else None
                    _check_shapefile(name, parts, head)
    except zipfile.BadZipFile as fault:
        raise SourceError(f"{path.name} is no zip file, or is damaged", hint="ask the sender for it again") from fault


def _check_shapefile(name: str, parts: set[str], dbf: tuple[bytes, int] | None) -> None:
    missing = [part for part in (".shx", ".dbf") if part not in parts]
    if missing:
        raise SourceError(
            f"shapefile {name} came without its {' and '.join(missing)}, so its attributes or places are incomplete",
            hint="ask the sender for all parts (.shp .shx .dbf .prj)",
            code="source_parts",
        )
    if dbf and len(dbf[0]) == 32:
        records, header, width = DBF_HEADER.unpack(dbf[0][:12])
        if header + records * width > dbf[1]:
            raise SourceError(
                f"the table of {name} says it has {records:,} records and the file ends before them",
                hint="ask the sender for the file again, as a GeoPackage",
                code="source_truncated",
            )


# -- reading


def read_features(
    source: Source, layer: SourceLayer, *, encoding: str | None = None, x: str = "", y: str = "", wkt: str = ""
) -> Features:
    """All features of a layer, text as text, whole numbers as whole numbers, dates as ISO text.

    For a table `x` and `y` (or `wkt`) name the columns of the place; without them longitude and latitude are looked for.
    """
    if source.path.suffix.lower() in TABLES:
        return _read_table(source, layer, encoding=encoding, x=x, y=y, wkt=wkt)
    path, notes = _gdal_path(source.path), list(_service_notes(source.path, layer.count))
    info = pyogrio.read_info(path, layer=layer.name, encoding=encoding)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            frame = pyogrio.read_dataframe(
                path,
                layer=layer.name,
                encoding=encoding,
                datetime_as_string=True,
                fid_as_index=True,
                on_invalid="ignore",
            )
        except (DataSourceError, DataLayerError, FieldError, UnicodeDecodeError, ValueError) as fault:
            raise SourceError(
                f"{source.path.name}, layer {layer.name}, cannot be read: {fault}",
                hint="try --encoding (such as cp1252), or ask the sender for the file again",
            ) from fault
    notes += [("reader", str(each.message)) for each in said]
    if not isinstance(frame, gpd.GeoDataFrame):
        frame = gpd.GeoDataFrame(frame, geometry=[None] * len(frame))
    frame = _restore_integers(frame, info).rename_axis("fid")
    if len(frame) and "M" in _dimensions(frame):
        notes.append(("m_dropped", "measures (M) were dropped"))
    crs = parse_crs(frame.crs, where=source.path.name) if frame.crs is not None else None
    if layer.geometry and crs is None:
        notes.append(("crs_missing", "the file does not say its coordinate system"))
    return Features(frame, crs, "file" if crs else "", str(info.get("encoding") or ""), tuple(notes))


def _dimensions(frame: gpd.GeoDataFrame) -> str:
    has_m = getattr(shapely, "has_m", None)
    shapes = frame.geometry.to_numpy()
    return "M" if has_m is not None and bool(np.any(has_m(shapes))) else ""


def _restore_integers(frame: gpd.GeoDataFrame, info: dict[str, Any]) -> gpd.GeoDataFrame:
    """Whole numbers that pandas made floats because some are missing, as whole numbers again (12345, not 12345.0)."""
    kinds = dict(zip(info["fields"], info["dtypes"], strict=True))
    for name, kind in kinds.items():
        if name in frame and str(kind).startswith(("int", "uint")) and frame[name].dtype.kind == "f":
            frame[name] = frame[name].astype("Int64")
    return frame


def _service_notes(path: Path, count: int) -> Iterable[tuple[str, str]]:
    if count in SERVICE_LIMITS:
        yield "round_count", f"exactly {count:,} features: a map service may have stopped there, ask for the rest"
    if path.suffix.lower() in (".json", ".geojson") and path.stat().st_size < 1 << 28:
        text = path.read_bytes()
        if b"exceededTransferLimit" in text:
            raw = json.loads(text)
            flags = [raw.get("exceededTransferLimit"), (raw.get("properties") or {}).get("exceededTransferLimit")]
            if any(flag is True for flag in flags):
                yield "transfer_limit", "the map service says that it did not send all features, ask for the rest"


# -- tables


def _table_layers(path: Path) -> Iterable[SourceLayer]:
    if path.suffix.lower() == ".xlsx":
        for name, rows in _sheets(path).items():
            header = tuple(str(cell) for cell in rows[0] if cell is not None) if rows else ()
            yield SourceLayer(name, "", None, header, max(0, len(rows) - 1))
    else:
        with path.open("rb") as stream:
            start = stream.read(1 << 16)
        line = _decode(start, None)[0].splitlines()[:1]
        header = tuple(next(csv.reader(line, delimiter=_delimiter(path)), ()))
        yield SourceLayer(path.stem, "", None, header, -1)


def _sheets(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of styles that it does not keep
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            return {sheet.title: [tuple(row) for row in sheet.iter_rows(values_only=True)] for sheet in book.worksheets}
        finally:
            book.close()
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as fault:
        raise SourceError(f"{path.name} is no spreadsheet, or is damaged", hint="save it again as .xlsx") from fault


def _delimiter(path: Path) -> str:
    return "\t" if path.suffix.lower() == ".tsv" else ","


def _decode(raw: bytes, encoding: str | None) -> tuple[str, str]:
    """Text and the encoding it was in: as told, else UTF-8, else Windows-1252 (what spreadsheets save)."""
    for name in [encoding] if encoding else ["utf-8-sig", "cp1252"]:
        try:
            return raw.decode(str(name)), str(name)
        except (UnicodeDecodeError, LookupError):
            continue
    raise SourceError(f"the text is not in {encoding or 'UTF-8 or Windows-1252'}", hint="name it with --encoding")


def _read_table(source: Source, layer: SourceLayer, *, encoding: str | None, x: str, y: str, wkt: str) -> Features:
    if source.path.suffix.lower() == ".xlsx":
        header, rows, used = _sheet_rows(source.path, layer.name)
    else:
        text, used = _decode(source.path.read_bytes(), encoding)
        parsed = list(csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(source.path)))
        header, rows = (parsed[0], parsed[1:]) if parsed else ([], [])
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        raise SourceError(f"{source.path.name}: column {', '.join(doubled)} is there twice", hint="rename one of them")
    filled = [row for row in rows if any(str(cell).strip() for cell in row)]
    ragged = [number for number, row in enumerate(rows, start=2) if len(row) > len(header) and any(row[len(header) :])]
    if ragged:
        raise SourceError(
            f"{source.path.name}: row {ragged[0]} has more cells than the header",
            hint="mend the row, or quote its commas",
        )
    cells = [dict(zip(header, [*row, *[""] * (len(header) - len(row))], strict=False)) for row in filled]
    frame = pd.DataFrame(cells, columns=header, dtype="str").fillna("")
    shapes, crs, basis = _places(source.path.name, frame, x=x, y=y, wkt=wkt)
    placed = gpd.GeoDataFrame(frame, geometry=shapes).rename_axis("fid")
    return Features(placed, crs, basis, used, ())


def _sheet_rows(path: Path, sheet: str) -> tuple[list[str], list[list[str]], str]:
    rows = _sheets(path)[sheet]
    header = [str(cell) for cell in rows[0] if cell is not None] if rows else []
    return header, [[_cell_text(cell) for cell in row[: len(header)]] for row in rows[1:]], "UTF-8"


def _cell_text(value: Any) -> str:
    """A cell as text: dates as ISO, whole numbers without `.0`."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _places(
    name: str, frame: pd.DataFrame, *, x: str, y: str, wkt: str
) -> tuple[list[shapely.Geometry | None], CRS | None, str]:
    """The geometry of a table's rows, the CRS if the column names tell it, and on what basis."""
    absent = [each for each in (x, y, wkt) if each and each not in frame]
    if absent:
        raise SourceError(
            f"{name} has no column {', '.join(absent)}",
            hint=f"it has {', '.join(map(str, frame.columns))}",
            code="field",
        )
    if wkt:
        return [_from_wkt(name, row, text) for row, text in enumerate(frame[wkt], start=2)], None, ""
    degrees = not (x and y)
    if degrees:
        x, y, degrees = _guess_columns(frame)
    if not x:
        return [None] * len(frame), None, ""
    at = np.stack([pd.to_numeric(frame[each], errors="coerce").to_numpy(float) for each in (x, y)], axis=1)
    sound = np.isfinite(at).all(axis=1)
    places = [shapely.Point(*xy) if fine else None for xy, fine in zip(at, sound, strict=True)]
    degrees = degrees and bool(np.all(np.abs(at[sound]) <= (180, 90)))
    return places, CRS.from_epsg(4326) if degrees else None, f"columns {x}, {y}" if degrees else ""


def _guess_columns(frame: pd.DataFrame) -> tuple[str, str, bool]:
    """The columns that hold the place, and whether their names say that it is in degrees."""
    folded = {str(column).strip().casefold(): str(column) for column in frame}
    lon = next((folded[each] for each in X_NAMES if each in folded), "")
    lat = next((folded[each] for each in Y_NAMES if each in folded), "")
    if lon and lat:
        return lon, lat, True
    pair = next(((folded[a], folded[b]) for a, b in XY_NAMES if a in folded and b in folded), ("", ""))
    return *pair, False


def _from_wkt(name: str, row: int, text: str) -> shapely.Geometry | None:
    if not text.strip():
        return None
    try:
        return shapely.from_wkt(text)
    except shapely.errors.GEOSException as fault:
        raise SourceError(f"{name}, row {row}: {text[:60]!r} is no WKT geometry", hint="mend the row") from fault


def local_date_text(text: str) -> str:
    """The plain local day of a time stamp as it stands in a file, as ISO text; other text stays as it is.

    A stamp with its own offset is a day there; one in UTC is a day in New York, save at midnight, when it is a bare date.

    >>> local_date_text("2024-07-02T03:30:00Z"), local_date_text("2024-07-01T00:00:00Z")
    ('2024-07-01', '2024-07-01')
    """
    try:
        stamp = datetime.fromisoformat(text.strip().replace("/", "-"))
    except ValueError:
        return text
    if stamp.tzinfo is UTC and stamp.time() != datetime.min.time():
        stamp = stamp.astimezone(LOCAL)
    return stamp.date().isoformat()


def describe(source: Source, layer: SourceLayer) -> dict[str, str]:
    """The source as the import report names it."""
    return {"name": source.path.name, "driver": source.driver, "layer": layer.name, "crs_read": name_crs(layer.crs)}
