"""Packs read from `data/law` and `data/permit`: whatever is wrong with one is said in one complaint."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, get_type_hints

from layers.errors import LawError
from mapping.law.check import CHANGEABLE, check_law, check_rows, find_twice
from mapping.law.pack import Law, Permit, listed
from mapping.law.rows import EventName, Fact, Parameter, Reading, Requirement, Section
from mapping.law.tables import read_table, read_value

FOLDER = Path(__file__).resolve().parent.parent.parent / "data"
LAW_TABLES = {"section": Section, "event": EventName, "fact": Fact, "parameter": Parameter, "reading": Reading}
PERMIT_TABLES = {"parameter": Requirement}


@dataclass(frozen=True)
class LawHead:
    """The table `[law]` of a law pack."""

    title: str
    municipality: str
    adopted: date
    since: date
    history: str = ""


@dataclass(frozen=True)
class PermitHead:
    """The table `[permit]` of a permit pack."""

    title: str
    operator: str
    since: date


def load_law(pack: str | Path) -> Law:
    """The law pack of that name in `data/law`, or at that path; a LawError lists everything that is wrong with it."""
    name, raw = _open(pack, "law")
    faults: list[str] = []
    head, rows = _read(raw, "law", LawHead, LAW_TABLES, faults)
    _refuse(name, faults)
    faults += find_twice("setting", [each.key for each in (*rows["fact"], *rows["reading"])])
    faults += find_twice("section", [each.number for each in rows["section"]])
    law = Law(
        **asdict(head),
        name=name,
        parameters=tuple(_numbered(row, rows["section"]) for row in rows["parameter"]),
        sections=rows["section"],
        events=rows["event"],
        facts={fact.key: fact for fact in rows["fact"]},
        readings={each.key: _with_changes(each, faults) for each in rows["reading"]},
    )
    _refuse(name, faults)
    _refuse(name, [*check_rows(law.parameters), *check_law(law)])
    return law


def load_permit(pack: str | Path) -> Permit:
    """The permit pack of that name in `data/permit`, or at that path; a LawError lists everything wrong with it."""
    name, raw = _open(pack, "permit")
    faults: list[str] = []
    head, rows = _read(raw, "permit", PermitHead, PERMIT_TABLES, faults)
    _refuse(name, faults)
    permit = Permit(**asdict(head), name=name, parameters=rows["parameter"])
    _refuse(name, check_rows(permit.parameters))
    return permit


def _open(pack: str | Path, folder: str) -> tuple[str, dict[str, Any]]:
    """The pack's name and its tables as the file has them, or a LawError with the packs there are."""
    path = Path(pack) if str(pack).endswith(".toml") else FOLDER / folder / f"{Path(pack).name}.toml"
    if not path.is_file():
        there = listed(sorted(each.stem for each in (FOLDER / folder).glob("*.toml")))
        raise LawError(f"there is no {folder} pack {str(pack)!r}", hint=f"name one of {there}, or a .toml file")
    try:
        return path.stem, tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as fault:
        raise LawError(f"{path} cannot be read: {fault}", hint="mend the file or restore it") from fault


def _read(
    raw: Mapping[str, Any], head: str, head_kind: type[Any], kinds: Mapping[str, type[Any]], faults: list[str]
) -> tuple[Any, dict[str, tuple[Any, ...]]]:
    """The head and the rows of every kind of table, or None in the place of what cannot be read."""
    faults += [f"there is the unknown table {key!r}" for key in raw if key not in (head, *kinds)]
    rows: dict[str, tuple[Any, ...]] = {}
    for name, kind in kinds.items():
        tables = raw.get(name, [])
        if not isinstance(tables, list):
            faults.append(f"{name} must be a list of tables: write [[{name}]]")
            continue
        rows[name] = tuple(
            read_table(kind, each, f"{name} {_called(each, number)}", faults) for number, each in enumerate(tables, 1)
        )
    return read_table(head_kind, raw.get(head), f"[{head}]", faults), rows


def _called(raw: Any, number: int) -> str:
    """What a row is called in a complaint: its code, name, key or number, else its place in the file."""
    names = [raw[key] for key in ("code", "name", "key", "number") if key in raw] if isinstance(raw, Mapping) else []
    return str(names[0]) if names else str(number)


def _numbered(row: Parameter, sections: Sequence[Section]) -> Parameter:
    """The row with what its section's entry says of the number; `check_law` complains where there is no entry."""
    return replace(row, numbered_by_order=any(each.numbered_by_order for each in sections if each.holds(row.section)))


def _with_changes(reading: Reading, faults: list[str]) -> Reading:
    """The reading with the values of its changes read as the rows' own fields are."""
    hints = get_type_hints(Parameter)
    changes: dict[str, dict[str, dict[str, Any]]] = {}
    for choice, rows in reading.changes.items():
        for code, change in rows.items():
            where = f"reading {reading.key}, {choice}, {code}"
            faults += [f"{where} has the unknown key {key!r}" for key in change if key not in CHANGEABLE]
            values = {
                key: read_value(hints[key], raw, f"{where}, {key}", faults)
                for key, raw in change.items()
                if key in CHANGEABLE
            }
            changes.setdefault(choice, {})[code] = values
    return replace(reading, changes=changes)


def _refuse(name: str, faults: Sequence[str]) -> None:
    if faults:
        raise LawError(
            f"pack {name}: {'; '.join(faults)}", hint="mend the pack: nothing of it is used until it is whole"
        )
