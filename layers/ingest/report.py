"""What is asked of an import, and what it answers: the report that the command line prints and the town keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from layers.clean import Notes
from layers.crosswalk import Crosswalk

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

    def warn(self, code: str, text: str) -> None:
        """Adds something that a person should look at."""
        self.warnings.append((code, text))

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


def shorten(ids: list[str], *, most: int = 5) -> str:
    """The first ids, for a sentence.

    >>> shorten(["CB-1", "CB-2", "CB-3"], most=2)
    'CB-1, CB-2 and 1 more'
    """
    return ", ".join(ids[:most]) + (f" and {len(ids) - most} more" if len(ids) > most else "")
