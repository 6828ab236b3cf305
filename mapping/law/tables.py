"""TOML tables read into dataclasses: unknown, missing and wrongly typed keys are all collected before anyone complains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def read_table(kind: type[T], raw: Any, where: str, faults: list[str]) -> T | None:
    """The table as an instance of the dataclass `kind`, or None with every fault added to `faults`.

    Fields whose metadata say `derived` are not read: such a key in a file is unknown.
    """
    if not isinstance(raw, Mapping):
        faults.append(f"{where} must be a table, not {raw!r}")
        return None
    known = {each.name: each for each in fields(kind) if not each.metadata.get("derived")}  # type: ignore[arg-type]
    needed = [name for name, each in known.items() if each.default is MISSING and each.default_factory is MISSING]
    before = len(faults)
    faults += [f"{where} has the unknown key {key!r}" for key in raw if key not in known]
    faults += [f"{where} lacks the key {key!r}" for key in needed if key not in raw]
    hints = get_type_hints(kind)
    values = {key: read_value(hints[key], raw[key], f"{where}, {key}", faults) for key in known if key in raw}
    return kind(**values) if len(faults) == before else None


def read_value(hint: Any, raw: Any, where: str, faults: list[str]) -> Any:
    """The value as its type hint asks, or None with the fault added to `faults`.

    Types are exact: true is no integer, and a date with a time is no date.
    """
    inner = get_args(hint)
    if get_origin(hint) is tuple and isinstance(raw, list):
        return tuple(read_value(inner[0], each, f"{where} {number}", faults) for number, each in enumerate(raw, 1))
    if get_origin(hint) is Mapping and isinstance(raw, dict):
        return {key: read_value(inner[1], each, f"{where} {key}", faults) for key, each in raw.items()}
    allowed = inner if inner and get_origin(hint) not in (tuple, Mapping) else (hint,)
    tables = [each for each in allowed if is_dataclass(each)]
    if tables and isinstance(raw, dict):
        return read_table(tables[0], raw, where, faults)  # type: ignore[arg-type]
    if hint is Any or type(raw) in allowed:
        return raw
    faults.append(f"{where} must be {_said(allowed)}, not {raw!r}")
    return None


def _said(allowed: tuple[Any, ...]) -> str:
    """The allowed types in plain words."""
    words = {"str": "text", "int": "a whole number", "bool": "true or false", "tuple": "a list", "Mapping": "a table"}
    names = [each.__name__ for each in allowed if each is not type(None)]
    return " or ".join(words.get(name, f"a {name.lower()}") for name in names)
