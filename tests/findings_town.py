"""Small towns from plain tables, as the cases in tests/rulebook write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from layers.records import Record, Records
from layers.town import Town
from tests.support import settings, town

Row = Mapping[str, Any]


def town_of(layers: Mapping[str, Iterable[Row]], *, records: Iterable[Row] = (), options: Row | None = None) -> Town:
    """A town in feet; a row has `id`, `at` (WKT, left out: not located) and any fields of the schema."""
    tables = {name: {row["id"]: _asset(row) for row in rows} for name, rows in layers.items() if rows}
    return town(list(records_of(records).everything), with_settings=settings(options=dict(options or {})), **tables)


def _asset(row: Row) -> tuple[str, Row]:
    return row.get("at", ""), {key: value for key, value in row.items() if key not in ("id", "at")}


def records_of(rows: Iterable[Row]) -> Records:
    """Records in the order given; a row has kind, on, data and what else a record has."""
    return Records.from_iterable(
        Record(
            seq=number,
            kind=row["kind"],
            on=row["on"] if isinstance(row["on"], date) else date.fromisoformat(row["on"]),
            by="A. Officer",
            at=datetime(2026, 1, 1, 12, number % 60, tzinfo=UTC),
            subject=row.get("subject", ""),
            case=row.get("case", ""),
            data=row.get("data", {}),
        )
        for number, row in enumerate(rows, start=1)
    )
