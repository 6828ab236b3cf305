"""The chain: every event's hash covers its own words and the hash of the event before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from layers.errors import RegisterError
from layers.records import Record


class Row(NamedTuple):
    """One event as it is stored: all text but the number; `data` is canonical JSON, `before` the hash one row up."""

    seq: int
    kind: str
    event_date: str
    author: str
    entered_at: str
    subject: str
    case_id: str
    data: str
    before: str
    hash: str


@dataclass(frozen=True)
class Verification:
    """Whether the chain holds; `first_bad` is the number of the first event that does not follow from the one before."""

    ok: bool
    events: int
    first_bad: int | None
    text: str

    def to_json(self) -> dict[str, Any]:
        """The object that `verify --json` prints."""
        return {"ok": self.ok, "events": self.events, "first_bad": self.first_bad, "text": self.text}


def canonical(data: Mapping[str, Any]) -> str:
    """The data as JSON in the one form that is stored and hashed: keys sorted, no spaces, UTF-8 as it is.

    >>> canonical({"b": 1, "a": "§ 194"})
    '{"a":"§ 194","b":1}'
    """
    try:
        text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as fault:
        raise RegisterError(
            f"the data of the event cannot be written as JSON: {fault}", hint="give plain JSON"
        ) from fault
    return text


def link(row: Row) -> str:
    """The hash that the row must bear: SHA-256 of the JSON list of all its other values, in the order of the columns.

    >>> first = Row(1, "note", "2026-08-03", "A. Clerk", "2026-08-03T14:00:00.000000Z", "", "", '{"text":"x"}', "", "")
    >>> link(first)[:12]
    '295d94d1409d'
    """
    words = json.dumps(list(row[:-1]), ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def holds(row: Row, *, seq: int, before: str) -> bool:
    """Whether the row is the one numbered `seq`, follows the hash `before` and bears its own hash."""
    whole = all(isinstance(value, str) for value in row[1:])
    return whole and row.seq == seq and row.before == before and row.hash == link(row)


def verify(rows: Iterable[Row]) -> Verification:
    """The chain recomputed from its first event; reads every row even behind a broken link, to say how many there are."""
    before, first_bad, fault, count = "", None, "", 0
    for count, row in enumerate(rows, start=1):
        if first_bad is None and not holds(row, seq=count, before=before):
            first_bad, fault = count, _fault(row, seq=count, before=before)
        before = row.hash
    if first_bad is None:
        return Verification(True, count, None, f"{count} events, one chain, last hash {before or 'none'}")
    rest = f"; nothing from there on can be relied on ({count - first_bad + 1} events)"
    return Verification(False, count, first_bad, fault + rest)


def _fault(row: Row, *, seq: int, before: str) -> str:
    if row.seq != seq:
        return f"event {seq} is missing: event {row.seq} stands in its place"
    if row.before != before:
        return f"event {seq} does not follow from the event before it"
    return f"event {seq} was altered: its words do not give its hash"


def record_json(record: Record) -> dict[str, Any]:
    """The object that `event --json` prints; staff-only fields are in it, public outputs leave them out."""
    return {
        "seq": record.seq,
        "kind": record.kind,
        "subject": record.subject,
        "case": record.case,
        "on": record.on.isoformat(),
        "by": record.by,
        "at": entry_time(record.at),
        "data": dict(record.data),
        "hash": record.hash,
    }


def entry_time(moment: datetime) -> str:
    """The time of entry as it is stored and hashed: UTC, to the microsecond.

    >>> entry_time(datetime.fromisoformat("2026-08-03T10:00:00-04:00"))
    '2026-08-03T14:00:00.000000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def to_record(row: Row) -> Record:
    """The row as the rest of the product reads it."""
    return Record(
        seq=row.seq,
        kind=row.kind,
        on=date.fromisoformat(row.event_date),
        by=row.author,
        at=datetime.fromisoformat(row.entered_at),
        subject=row.subject,
        case=row.case_id,
        data=json.loads(row.data),
        hash=row.hash,
    )
