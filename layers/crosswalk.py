"""Crosswalks: how a source file's fields and values become ours; a TOML file that is kept for the next import."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from layers.errors import FieldError
from layers.schema import LAYERS, Schema, schema

SOURCE_KEYS = {"layer", "crs", "crs_by", "encoding", "x", "y", "wkt"}
TARGET_KEYS = {"layer", "where", "id", "fields", "values", "set"}
SET_BY_IMPORT = {"source", "source_id", "z_drawn"}
"""Fields that every import fills by itself, with where the row comes from."""
PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
OTHERS = "*"


@dataclass(frozen=True)
class Target:
    """One layer that a source feeds: which rows, their id, ours = theirs, values, constants (`set` in the file)."""

    layer: str
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    id: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> set[str]:
        """The source's columns that the target reads."""
        return {*self.where, *self.fields.values(), *id_columns(self.id)}

    def rows(self, frame: pd.DataFrame) -> pd.Series[bool]:
        """Which rows of the source belong to this layer: text equality on every field of `where`, null is ""."""
        mine = pd.Series(True, index=frame.index)
        for name, wanted in self.where.items():
            mine &= frame[name].map(to_text).isin(wanted)
        return mine


@dataclass(frozen=True)
class Crosswalk:
    """What the source does not say by itself, and the layers that it feeds."""

    targets: tuple[Target, ...]
    layer: str | None = None
    crs: str = ""
    crs_by: str = ""
    encoding: str = ""
    x: str = ""
    y: str = ""
    wkt: str = ""

    def check(self, columns: Sequence[str], *, where: str) -> None:
        """Raises a FieldError that names every column that the source does not have."""
        missing = sorted({name for target in self.targets for name in target.columns} - set(columns))
        if missing:
            raise FieldError(
                f"{where} has no field {', '.join(missing)}", hint=f"it has: {', '.join(columns) or 'no fields'}"
            )


def to_text(value: Any) -> str:
    """A raw value as text: null is "", a whole number has no `.0`, blanks at the ends go.

    >>> to_text(12345.0), to_text("007 "), to_text(None), to_text(float("nan"))
    ('12345', '007', '', '')
    """
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).strip()


def id_columns(template: str) -> list[str]:
    """The columns that an id template reads: `CB-{OBJECTID}` reads OBJECTID, a bare name reads itself.

    >>> id_columns("CB-{OBJECTID}"), id_columns("GlobalID"), id_columns("")
    (['OBJECTID'], ['GlobalID'], [])
    """
    return PLACEHOLDER.findall(template) or ([template] if template else [])


def fill_id(template: str, row: Mapping[str, Any]) -> str:
    """The id of one row; empty where any part of it is empty."""
    parts = {name: to_text(row[name]) for name in id_columns(template)}
    if not all(parts.values()):
        return ""
    if not PLACEHOLDER.search(template):
        return parts[template]
    return PLACEHOLDER.sub(lambda found: parts[found.group(1)], template)


def load_crosswalk(path: Path) -> Crosswalk:
    """The crosswalk in a TOML file, or a FieldError that lists every fault in it."""
    if not path.is_file():
        raise FieldError(f"there is no crosswalk {path}", hint="check the path")
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise FieldError(f"crosswalk {path.name} cannot be read: {fault}", hint="mend the file") from fault
    return parse_crosswalk(raw, name=path.name)


def parse_crosswalk(raw: Mapping[str, Any], *, name: str) -> Crosswalk:
    """A crosswalk from its table, or a FieldError that lists every fault in it."""
    faults = [f"unknown part [{key}]" for key in raw if key not in ("source", "target")]
    source = raw.get("source", {})
    faults += [f"[source] knows no {key!r}" for key in source if key not in SOURCE_KEYS]
    targets = raw.get("target", [])
    if not targets:
        faults.append("there is no [[target]]")
    for number, target in enumerate(targets, start=1):
        faults += [f"[[target]] {number}: {fault}" for fault in _target_faults(target)]
    if source.get("crs") and not source.get("crs_by"):
        faults.append("[source] says crs but not crs_by, the person who vouches for it")
    if faults:
        raise FieldError(
            f"crosswalk {name}: {'; '.join(faults)}", hint="see docs/layers.md for the fields of each layer"
        )
    known = {key: str(source[key]) for key in SOURCE_KEYS & set(source) - {"layer"}}
    return Crosswalk(tuple(_target(each) for each in targets), layer=source.get("layer"), **known)


def _target(raw: Mapping[str, Any]) -> Target:
    where = {
        key: tuple(map(str, value if isinstance(value, list) else [value]))
        for key, value in raw.get("where", {}).items()
    }
    return Target(
        layer=raw["layer"],
        where=where,
        id=raw.get("id", ""),
        fields=dict(raw.get("fields", {})),
        values={key: dict(table) for key, table in raw.get("values", {}).items()},
        constants=dict(raw.get("set", {})),
    )


def _target_faults(raw: Mapping[str, Any]) -> list[str]:
    faults = [f"unknown key {key!r}" for key in raw if key not in TARGET_KEYS]
    if raw.get("layer") not in LAYERS:
        return [*faults, f"there is no layer {raw.get('layer')!r}, choose one of {', '.join(LAYERS)}"]
    target = schema(raw["layer"])
    for part in ("fields", "values", "set"):
        for name in raw.get(part, {}):
            if name in SET_BY_IMPORT:
                faults.append(f"{part}: {name} is filled by the import itself")
            elif name not in target.names:
                faults.append(f"{part}: layer {target.layer} has no field {name!r}")
    for name, table in raw.get("values", {}).items():
        faults += [f"values.{name}: {fault}" for fault in _code_faults(target, name, table.values())]
    for name, value in raw.get("set", {}).items():
        faults += [f"set.{name}: {fault}" for fault in _code_faults(target, name, [value])]
    return faults


def _code_faults(target: Schema, name: str, values: Any) -> list[str]:
    if name not in target.names or not target.field(name).codes:
        return []
    codes = target.field(name).codes
    return [f"{value!r} is not one of {', '.join(codes)}" for value in values if value and value not in codes]


def crosswalk_by_aliases(layer: str, columns: Sequence[str]) -> Crosswalk:
    """The crosswalk that a file needs none: our names and the schema's aliases, letter case and joined prefixes aside."""
    target = schema(layer)
    folded = _folded(columns)
    fields = {}
    for each in target.fields:
        found = _first(folded, (each.name, *each.aliases))
        if found and each.name not in SET_BY_IMPORT:
            fields[each.name] = found
    template = _first(folded, (target.id, *target.id_aliases)) or ""
    if not template and {"swis", "sbl"} <= set(fields):
        template = f"{{{fields['swis']}}}{{{fields['sbl']}}}"
    return Crosswalk((Target(layer=layer, id=template, fields=fields),))


def _folded(columns: Sequence[str]) -> dict[str, str]:
    """Columns by folded name: `GISADMIN.swInlet.FACILITYID` is asked for as `facilityid`."""
    return {str(column).rpartition(".")[2].strip().casefold(): str(column) for column in reversed(columns)}


def _first(folded: Mapping[str, str], names: Sequence[str]) -> str | None:
    """The first name that is there, whole or cut to the ten letters of a shapefile."""
    for name in names:
        for key in (name.casefold(), name[:10].casefold()):
            if key in folded:
                return folded[key]
    return None
