"""Crosswalks: how a source file's fields and values become ours; a TOML file that is kept for the next import."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
SHAPEFILE_NAME = 10
"""Letters of a field's name that a shapefile keeps."""
PLAIN = (str, int, float, bool)


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
    """A raw value as text: null is "", a whole number has no `.0`, blanks at the ends and NUL characters go.

    >>> to_text(12345.0), to_text("007 "), to_text(None), to_text(float("nan"))
    ('12345', '007', '', '')
    """
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).replace("\0", "").strip()


def id_columns(template: str) -> list[str]:
    """The columns that an id template reads: `CB-{OBJECTID}` reads OBJECTID, a bare name reads itself.

    >>> id_columns("CB-{OBJECTID}"), id_columns("GlobalID"), id_columns("")
    (['OBJECTID'], ['GlobalID'], [])
    """
    return PLACEHOLDER.findall(template) or ([template] if template else [])


def fill_id(template: str, row: Mapping[str, Any]) -> str:
    """The id of one row, on one line; empty where any part of it is empty.

    >>> fill_id("CB-{N}", {"N": 7.0}), fill_id("CB-{N}", {"N": None}), fill_id("ID", {"ID": "0246 SW"})
    ('CB-7', '', '0246 SW')
    """
    parts = {name: " ".join(to_text(row[name]).split()) for name in id_columns(template)}
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
    source, targets = raw.get("source", {}), raw.get("target", [])
    faults += _source_faults(source)
    if not (isinstance(targets, list) and targets and all(isinstance(each, dict) for each in targets)):
        faults.append("there is no [[target]]")
    else:
        faults += [f"[[target]] {at}: {fault}" for at, each in enumerate(targets, 1) for fault in _target_faults(each)]
    if faults:
        raise FieldError(
            f"crosswalk {name}: {'; '.join(faults)}", hint="see docs/layers.md for the fields of each layer"
        )
    known = {key: to_text(source[key]) for key in SOURCE_KEYS & set(source) - {"layer"}}
    return Crosswalk(tuple(_target(each) for each in targets), layer=source.get("layer"), **known)


def _target(raw: Mapping[str, Any]) -> Target:
    where = {
        key: tuple(map(to_text, value if isinstance(value, list) else [value]))
        for key, value in raw.get("where", {}).items()
    }
    return Target(
        layer=raw["layer"],
        where=where,
        id=raw.get("id", ""),
        fields=dict(raw.get("fields", {})),
        values={
            key: {to_text(theirs): ours for theirs, ours in table.items()}
            for key, table in raw.get("values", {}).items()
        },
        constants={key: to_text(value) for key, value in raw.get("set", {}).items()},
    )


# -- faults, all told at once


def _source_faults(source: Any) -> Iterator[str]:
    if not isinstance(source, dict):
        yield "[source] is no table"
        return
    yield from (f"[source] knows no {key!r}" for key in source if key not in SOURCE_KEYS)
    yield from (f"[source] {key} must be text" for key, value in source.items() if not isinstance(value, str))
    if source.get("crs") and not source.get("crs_by"):
        yield "[source] says crs but not crs_by, the person who vouches for it"
    if bool(source.get("x")) != bool(source.get("y")):
        yield "[source] needs both x and y"


def _target_faults(raw: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"unknown key {key!r}" for key in raw if key not in TARGET_KEYS)
    if raw.get("layer") not in LAYERS:
        yield f"there is no layer {raw.get('layer')!r}, choose one of {', '.join(LAYERS)}"
        return
    formed = list(_form_faults(raw))
    yield from formed
    if formed:
        return
    target = schema(raw["layer"])
    for part in ("fields", "values", "set"):
        yield from (f"{part}: {fault}" for name in raw.get(part, {}) for fault in _field_faults(target, name))
    for name in set(raw.get("fields", {})) & set(raw.get("set", {})):
        yield f"{name} stands in fields and in set"
    for name, table in raw.get("values", {}).items():
        yield from (f"values.{name}: {fault}" for fault in _code_faults(target, name, table.values()))
    for name, value in raw.get("set", {}).items():
        yield from (f"set.{name}: {fault}" for fault in _code_faults(target, name, [value]))


def _form_faults(raw: Mapping[str, Any]) -> Iterator[str]:
    """Parts that are not of the form of docs/layers.md, so that nothing else can be said of them."""
    if not isinstance(raw.get("id", ""), str):
        yield "id must be text"
    for part, what in (("where", (*PLAIN, list)), ("fields", (str,)), ("set", PLAIN), ("values", (dict,))):
        table = raw.get(part, {})
        if not isinstance(table, dict):
            yield f"{part} must be a table"
            continue
        yield from (f"{part}.{name} is of a wrong form" for name, value in table.items() if not isinstance(value, what))
    for name, value in raw.get("where", {}).items() if isinstance(raw.get("where", {}), dict) else ():
        if isinstance(value, list) and not all(isinstance(each, PLAIN) for each in value):
            yield f"where.{name} must list texts"
    for name, table in raw.get("values", {}).items() if isinstance(raw.get("values", {}), dict) else ():
        if isinstance(table, dict) and not all(isinstance(each, str) for each in table.values()):
            yield f"values.{name} must map texts to texts"


def _field_faults(target: Schema, name: str) -> Iterator[str]:
    if name in SET_BY_IMPORT:
        yield f"{name} is filled by the import itself"
    elif name not in target.names:
        yield f"layer {target.layer} has no field {name!r}"


def _code_faults(target: Schema, name: str, values: Iterable[Any]) -> Iterator[str]:
    codes = target.field(name).codes if name in target.names else ()
    if codes:
        yield from (f"{value!r} is not one of {', '.join(codes)}" for value in values if value and value not in codes)


# -- without a crosswalk


def crosswalk_by_aliases(layer: str, columns: Sequence[str]) -> Crosswalk:
    """The crosswalk of a file without one: our names and the schema's aliases, letter case and joined prefixes aside.

    A name may be cut to the ten letters of a shapefile, where only one of the layer's fields can be meant by it.
    """
    target = schema(layer)
    folded = {_fold(column): str(column) for column in reversed(columns)}
    names = {each.name: (each.name, *each.aliases) for each in target.fields if each.name not in SET_BY_IMPORT}
    cuts = Counter(cut for each in names.values() for cut in {name[:SHAPEFILE_NAME].casefold() for name in each})
    fields = {}
    for name, spellings in names.items():
        whole = [each.casefold() for each in spellings]
        cut = [each[:SHAPEFILE_NAME] for each in whole if cuts[each[:SHAPEFILE_NAME]] == 1]
        found = next((folded[each] for each in (*whole, *cut) if each in folded), None)
        if found:
            fields[name] = found
    ids = [each.casefold() for each in (target.id, *target.id_aliases)]
    template = next((folded[each] for each in (*ids, *(each[:SHAPEFILE_NAME] for each in ids)) if each in folded), "")
    if not template and {"swis", "sbl"} <= set(fields):
        template = f"{{{fields['swis']}}}{{{fields['sbl']}}}"
    return Crosswalk((Target(layer=layer, id=template, fields=fields),))


def columns_alike(columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Columns with one name but for letter case or a joined table's name in front; the first is the one that is read.

    >>> columns_alike(["Owner", "a.ID", "OWNER", "b.ID", "SIZE"])
    [('Owner', 'OWNER'), ('a.ID', 'b.ID')]
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for each in columns:
        groups[_fold(each)].append(each)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _fold(column: str) -> str:
    """A column as it is asked for: `GISADMIN.swInlet.FACILITYID` is `facilityid`."""
    return str(column).rpartition(".")[2].strip().casefold()
