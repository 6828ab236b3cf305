"""Every row under one text id: from the source, made where it has none, told apart where two rows have the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely

from layers.clean import Notes, free_id
from layers.crosswalk import Target, fill_id, id_columns, to_text
from layers.sources import Features

EXACT = 2**53
"""Whole numbers from here on are not exact in a floating-point column."""


@dataclass(frozen=True)
class Identity:
    """The rows of a source that are kept (places in its frame), their unique ids, and the ids as they stood there."""

    rows: npt.NDArray[np.intp]
    ids: pd.Index
    said: pd.Series


def identify(features: Features, mine: npt.NDArray[np.bool_], target: Target, *, stem: str, notes: Notes) -> Identity:
    """The target's rows under unique text ids; rows that are the same to the last value and vertex are kept once.

    `stem` begins the ids that are made for rows without one. The index of `said` is the unique ids.
    """
    rows = np.flatnonzero(mine)
    frame = features.frame.iloc[rows]
    said = [fill_id(target.id, row) for row in _id_rows(frame, target)] if target.id else [""] * len(rows)
    made = [f"{stem}-{number}" for number in frame.index]
    notes.repair("id_made", [new for old, new in zip(said, made, strict=True) if not old])
    wanted = np.array([old or new for old, new in zip(said, made, strict=True)], dtype=object)
    again = _repeated(features, rows, wanted)
    notes.reject("duplicate", wanted[again])
    rows, wanted = rows[~again], wanted[~again]
    ids = pd.Index(_told_apart(list(wanted)), dtype="str")
    notes.repair("id_doubled", [old for old, new in zip(wanted, ids, strict=True) if old != new])
    return Identity(rows, ids, pd.Series(wanted, index=ids, dtype="str"))


def _id_rows(frame: pd.DataFrame, target: Target) -> list[dict[str, object]]:
    columns = list(dict.fromkeys(id_columns(target.id)))
    cells = [frame[name].to_list() for name in columns]
    return [dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)]


def _repeated(features: Features, rows: npt.NDArray[np.intp], ids: npt.NDArray[np.object_]) -> npt.NDArray[np.bool_]:
    """Which rows say again what a row before them says, id, values and drawing; the feature's own number aside."""
    shared = pd.Index(ids).duplicated(keep=False)
    again = np.zeros(len(rows), dtype=bool)
    if not shared.any():
        return again
    values = features.frame.drop(columns=features.fid, errors="ignore").iloc[rows[shared]]
    said = ["\x1f".join(map(to_text, row)) for row in values.itertuples(index=False, name=None)]
    drawn = [wkb or b"" for wkb in shapely.to_wkb(features.shapes[rows[shared]])]
    again[shared] = pd.DataFrame({"id": ids[shared], "said": said, "drawn": drawn}).duplicated().to_numpy()
    return again


def _told_apart(ids: Sequence[str]) -> list[str]:
    taken, seen, made = set(ids), Counter[str](), []
    for each in ids:
        seen[each] += 1
        made.append(each if seen[each] == 1 else free_id(f"{each}#{seen[each]}", taken))
    return made


def inexact_ids(features: Features, target: Target) -> list[str]:
    """The id columns that hold numbers too long for their column."""
    columns = [name for name in id_columns(target.id) if features.frame[name].dtype.kind == "f"]
    return [name for name in columns if (features.frame[name].abs() >= EXACT).any()]


def alike(ids: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of ids that differ only in zeros, capitals, marks or blanks, as spreadsheets and hands change them.

    >>> alike(["2.1", "2.10", "CB-7", "cb 007", "10", "1", "100"])
    [('2.1', '2.10'), ('CB-7', 'cb 007')]
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for each in dict.fromkeys(ids):
        groups[_folded(each)].append(each)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _folded(text: str) -> str:
    """The id without what a spreadsheet or a hand changes: zeros before a number and after its point, capitals, marks."""
    numbers = re.sub(r"(?<![\d.])(\d+)\.(\d*?)0*(?![\d.])", r"\1.\2", text.casefold())
    return re.sub(r"[\W_]+", "-", re.sub(r"(?<![\d.])0+(?=\d)", "", numbers)).strip("-")
