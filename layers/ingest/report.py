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
REJECTED: Mapping[str, str] = {
    "duplicate": "The row is the same as another, to the last value and vertex; one of them is kept.",
    "geometry_type": "The drawing is of a kind that the layer does not take, such as an area where a point must be.",
    "id_taken": "Another source uses the id for something elsewhere: which of the two is right is for a person to say.",
}
REPAIRED: Mapping[str, str] = {
    "geometry_unread": "The drawing of the row cannot be read: it is kept and counted as not located.",
    "id_made": "The row had no id and got one from its file's name and its number there.",
    "id_doubled": "The id is there twice for different things: the second became `ID#2`.",
    "made_valid": "The outline crossed itself and was mended; its area stayed.",
    "made_valid_area_changed": "The outline crossed itself, and mending it changed the area: look at it.",
    "made_valid_collapsed": "The outline encloses nothing: the row is kept and counted as not located.",
    "not_finite_or_zero": "The place was no number, or the point 0, 0: the row is kept and counted as not located.",
    "outside_envelope": "The place is not in the town: the row is kept and counted as not located.",
    "parts_dropped": "Of a mixed drawing only the parts that the layer takes were kept.",
    "repeated_vertices": "Vertices that stood twice in a row were made one.",
}
WARNINGS: Mapping[str, str] = {
    "acreage": "A lot whose outline was mended is not as large as the roll says.",
    "columns_alike": "Two columns have the same name but for capitals or a table's name in front; the first is used.",
    "crs_overruled": "The person who gave the coordinate system overruled what the file says.",
    "curves_stroked": "Arcs became short straight lines, so neighbours no longer share every vertex.",
    "encoding_assumed": "The file does not tell how its letters are written; look at the names.",
    "envelope_unknown": "The town has no boundary and no bounds yet, so a wrong place may not have been noticed.",
    "formula_unread": "Formulas without a stored value were read as empty.",
    "id_inexact": "Ids came as numbers too long to be exact: ask for them as text.",
    "id_shared": "Rows of another source were replaced, because they have the same id and lie at the same place.",
    "ids_alike": "Ids differ only in zeros, capitals or marks, such as 2.1 and 2.10; they are kept apart.",
    "m_dropped": "Measures (M) were dropped.",
    "merged_cells": "Only the first of merged cells holds their value.",
    "nothing_selected": "The crosswalk's `where` selects no feature of the file.",
    "number_cut": "A spreadsheet keeps 15 digits of a number; longer ones are not exact.",
    "offset": "The layer lies a constant way off its neighbours: another foot, or another datum.",
    "reader": "What the reader of the file said.",
    "round_count": "A round number of features: a map service may have stopped there.",
    "short_rows": "Rows have fewer cells than the header; the missing ones were read as empty.",
    "taken_by_none": "Features that no target of the crosswalk takes are in no layer.",
    "taken_twice": "Features that two targets of the crosswalk take are in two layers.",
    "text_cut": "Texts fill their field to the end and may have been cut.",
    "text_misread": "Letters look as if they were read in the wrong encoding.",
    "transfer_limit": "The map service says that it did not send all features.",
    "z_dropped": "Heights along lines and outlines were dropped; those of points are in `z_drawn`.",
    "zero_length": "Lines without length convey nothing.",
}
"""Every code of a report with what it means; `docs/layers.md` lists them."""


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
