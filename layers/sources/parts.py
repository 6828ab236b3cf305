"""Which kinds of file are read, and whether a file has come whole: a shapefile's parts, headers, archives, write-ahead logs."""

from __future__ import annotations

import codecs
import hashlib
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from layers.errors import SourceError

KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    ".shp": ("shapefile", ("ESRI Shapefile",)),
    ".dbf": ("dBASE table", ("ESRI Shapefile",)),
    ".gpkg": ("GeoPackage", ("GPKG",)),
    ".gdb": ("file geodatabase", ("OpenFileGDB",)),
    ".geojson": ("GeoJSON file", ("GeoJSON", "ESRIJSON")),
    ".json": ("GeoJSON or Esri JSON file", ("GeoJSON", "ESRIJSON", "TopoJSON")),
    ".topojson": ("TopoJSON file", ("TopoJSON",)),
    ".fgb": ("FlatGeobuf file", ("FlatGeobuf",)),
}
"""What GDAL reads here: how a file's ending is called, and the drivers that may open it."""
BEGINS = {".shp": b"\0\0\x27\x0a", ".gpkg": b"SQLite format 3\0", ".fgb": b"fgb"}
JSON = (".json", ".geojson", ".topojson")
ORDERS = b"gdal_streamed_alg"
"""GDAL takes some files for orders to open others (VRT, WFS, GDALG): no file comes near it that does not begin as its kind
does, and no JSON with this word."""
ARCHIVED = (".shp", ".gpkg", ".gdb", ".geojson", ".fgb")
"""What is looked for in a zip; a .json or .dbf in it is as likely to be something else."""
TABLES = {".csv": "CSV", ".tsv": "CSV", ".txt": "CSV", ".xlsx": "XLSX"}
SHAPEFILE = (".shp", ".shx", ".dbf", ".prj", ".cpg", ".sbn", ".sbx", ".qix", ".shp.xml")
DBF_HEADER = struct.Struct("<4xIHH")
HEAD = 100
"""Bytes at the start of a part that hold its header (100 in .shp and .shx, 32 in .dbf)."""


@dataclass(frozen=True)
class Part:
    """One file of a shapefile: its size and its first bytes."""

    size: int
    head: bytes


def check_whole(path: Path) -> None:
    """Refuses what is not there, is of a kind that is not read here, or has not come whole (SourceError)."""
    if not path.exists():
        raise SourceError(f"there is no file {path}", hint="check the path", code="source_missing")
    suffix = path.suffix.lower()
    if path.is_dir() != (suffix == ".gdb"):
        what = "a folder" if path.is_dir() else "no folder, as a file geodatabase is"
        raise SourceError(f"{path} is {what}", hint="name the file that holds the features", code="source_kind")
    if suffix not in (*KINDS, *TABLES, ".zip"):
        known = ", ".join((*KINDS, *TABLES, ".zip"))
        raise SourceError(f"{path.name} is of no kind that is read here", hint=f"kinds: {known}", code="source_kind")
    if suffix in (".shp", ".dbf"):
        found = {each.suffix: Part(each.stat().st_size, _head(each)) for each in companions(path)}
        _check_shapefile(path.name, found, table=suffix == ".dbf")
    elif suffix == ".zip":
        _check_zip(path)
    elif suffix == ".gpkg":
        _check_written(path)
    if path.is_file():
        with path.open("rb") as stream:
            _check_beginning(path.name, stream)


def companions(path: Path) -> list[Path]:
    """The source and the files that belong to it (a shapefile's parts), as they are to be kept."""
    if path.suffix.lower() not in (".shp", ".dbf"):
        return [path]
    with_it = path.parent.glob(f"{_literal(path.stem)}.*")
    return sorted(each for each in with_it if each.name[len(path.stem) :].lower() in SHAPEFILE and each.is_file())


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file; of a folder or a shapefile, that of the names and contents of all its parts."""
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else companions(path)
    digest = hashlib.sha256()
    for each in files:
        if len(files) > 1 or path.is_dir():
            digest.update(str(each.relative_to(path if path.is_dir() else path.parent)).encode())
        with each.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def datasets(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    """What GDAL is to open, and the drivers that may: the file itself, or every dataset in a zip."""
    whole = path.absolute()
    if path.suffix.lower() != ".zip":
        return [(str(whole), KINDS[path.suffix.lower()][1])]
    with zipfile.ZipFile(path) as archive:
        members = {_dataset_of(name) for name in _members(archive)}
    found = sorted(each for each in members if PurePosixPath(each).suffix.lower() in ARCHIVED)
    if not found:
        raise SourceError(
            f"{path.name} holds no file that is read here",
            hint="unpack it and import the file that holds the features",
            code="source_kind",
        )
    return [(f"/vsizip/{{{whole}}}/{each}", KINDS[PurePosixPath(each).suffix.lower()][1]) for each in found]


def _dataset_of(member: str) -> str:
    """The dataset in an archive that a member is or belongs to: itself, or the file geodatabase it lies in."""
    folders = [parent for parent in PurePosixPath(member).parents if parent.suffix.lower() == ".gdb"]
    return str(folders[-1]) if folders else member


def _members(archive: zipfile.ZipFile) -> list[str]:
    """The names of the files in an archive, without what a Mac adds."""
    names = [each.filename for each in archive.infolist() if not each.is_dir()]
    return [name for name in names if "__MACOSX" not in name and not PurePosixPath(name).name.startswith("._")]


def _literal(stem: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in stem)


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(HEAD)


def _check_beginning(name: str, stream: IO[bytes]) -> None:
    """Refuses a file that does not begin as its ending says, and JSON that is no text or gives orders."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in JSON:
        raw = stream.read()
        sound = raw.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{" and ORDERS not in raw
        sound = sound and _is_utf8(raw)
    else:
        sound = stream.read(len(BEGINS.get(suffix, b""))) == BEGINS.get(suffix, b"")
    if not sound:
        text = " or is not in UTF-8" if suffix in JSON else ""
        raise SourceError(
            f"{name} is no {KINDS[suffix][0]}: it does not begin as one{text}",
            hint="ask the sender for the file again, under its right name",
            code="source_damaged",
        )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_written(path: Path) -> None:
    for ending in ("-wal", "-journal"):
        pending = path.with_name(path.name + ending)
        if pending.exists() and pending.stat().st_size:
            raise SourceError(
                f"{path.name} has changes that are not yet written into it ({pending.name})",
                hint="close it in the program that has it open, then import it",
                code="source_unwritten",
            )


def _check_zip(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = _members(archive)
            _check_names(path.name, names)
            if any(each.flag_bits & 1 for each in archive.infolist()):
                raise SourceError(f"{path.name} is locked with a password", hint="unpack it", code="source_locked")
            for name in names:
                if name.lower().endswith(ARCHIVED):
                    with archive.open(name) as stream:
                        _check_beginning(name, stream)
                if name.lower().endswith(".shp"):
                    _check_shapefile(name, _parts_in(archive, name, names))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as fault:
        raise SourceError(
            f"{path.name} is no zip file, or is damaged", hint="ask the sender for it again", code="source_damaged"
        ) from fault


def _check_names(name: str, members: list[str]) -> None:
    leaving = [each for each in members if each.startswith(("/", "\\")) or ".." in each.replace("\\", "/").split("/")]
    if leaving:
        raise SourceError(
            f"{name} holds {leaving[0]!r}, a name that leads out of the archive",
            hint="do not trust it: ask the sender what it is",
            code="source_hostile",
        )


def _parts_in(archive: zipfile.ZipFile, shp: str, names: list[str]) -> dict[str, Part]:
    found = {}
    for name in names:
        if name.startswith(shp[:-4] + "."):
            with archive.open(name) as stream:
                found[name[len(shp) - 4 :]] = Part(archive.getinfo(name).file_size, stream.read(HEAD))
    return found


def _check_shapefile(name: str, parts: Mapping[str, Part], *, table: bool = False) -> None:
    """Refuses a shapefile without .shx or .dbf, or one whose headers promise more than its files hold.

    GDAL finds a part only where its ending is in small or in capital letters throughout.
    """
    known = {ending.lower(): part for ending, part in parts.items() if ending in (ending.lower(), ending.upper())}
    missing = [] if table else [ending for ending in (".shx", ".dbf") if ending not in known]
    if missing:
        raise SourceError(
            f"shapefile {name} came without its {' and '.join(missing)}, so its attributes or places are incomplete",
            hint="ask the sender for all parts (.shp .shx .dbf .prj)",
            code="source_parts",
        )
    records = _check_dbf(name, known[".dbf"])
    if not table:
        _check_shapes(name, known[".shp"], known[".shx"], records)


def _check_dbf(name: str, dbf: Part) -> int:
    """The number of records in a .dbf that holds as many as its header says."""
    if len(dbf.head) >= 32:
        records, header, width = DBF_HEADER.unpack(dbf.head[: DBF_HEADER.size])
        if header + records * width <= dbf.size:
            return int(records)
        raise _cut_short(f"the table of {name} says that it has {records:,} records and the file ends before them")
    raise _cut_short(f"the table of {name} ends in its header")


def _check_shapes(name: str, shp: Part, shx: Part, records: int) -> None:
    if len(shp.head) < HEAD or int.from_bytes(shp.head[24:28], "big") * 2 > shp.size:
        raise _cut_short(f"{name} ends before its last shape")
    shapes = (shx.size - HEAD) // 8
    if shapes != records:
        raise _cut_short(f"{name} has {shapes:,} shapes and {records:,} records, so they cannot be matched")


def _cut_short(text: str) -> SourceError:
    return SourceError(text, hint="ask the sender for the file again, as a GeoPackage", code="source_truncated")
