"""The register of a town: append an event, read the events, verify the chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select

from layers.errors import RegisterError
from layers.records import Record, Records
from mapping.register.chain import Row, Verification, canonical, entry_time, holds, link, to_record, verify
from mapping.register.database import EVENTS, Database, create_database, missing_guards, open_database
from mapping.register.kinds import check_payload, find_kind, is_iso_date
from mapping.register.places import place_draft

FILE = "register.sqlite"

Check = Callable[[Records, Record], None]
"""A further check of an event before it is recorded: given what stands and what is to be added, it raises or is silent."""


@dataclass(frozen=True)
class _Known:
    """The events read and verified so far, so that a long-lived register reads only what is new."""

    records: tuple[Record, ...] = ()
    tip: str = ""


class Register:
    """The events of one town, in `register.sqlite` of its folder; safe to use from several threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known = _Known()

    @classmethod
    def open(cls, folder: Path) -> Register:
        """The register that is in the folder; RegisterError when it is missing, damaged, read-only or on a network share."""
        return cls(open_database(Path(folder) / FILE))

    @classmethod
    def create(cls, folder: Path) -> Register:
        """A new empty register in the folder, which must be there; RegisterError when there is one already."""
        return cls(create_database(Path(folder) / FILE))

    def append(
        self,
        kind: str,
        *,
        subject: str = "",
        case: str = "",
        on: date | str,
        data: Mapping[str, Any] | None = None,
        by: str,
        at: datetime | None = None,
        check: Check | None = None,
    ) -> Record:
        """The event as it now stands on the disk, numbered and chained.

        `on` is the legal date of the act, `by` the author, `at` the time of entry (now). A `case_opened` without a case
        gets the next number of its year. A RegisterError names every fault at once, and nothing is recorded.
        """
        draft = _draft(kind, subject=subject, case=case, on=on, data=data or {}, by=by, at=at)
        check_payload(find_kind(kind), draft.data, subject=subject, case=case)
        with self._database.transaction(write=True) as connection:
            known = self._catch_up(connection)
            self._refuse_unguarded(connection)
            records = Records(known.records)
            placed = place_draft(records, draft)
            if check is not None:
                check(records, placed)
            row = _row(placed, before=known.tip)
            connection.execute(insert(EVENTS), row._asdict())
        return to_record(row)

    def records(self) -> Records:
        """Every event in the order of entry; RegisterError where the chain is broken."""
        with self._database.transaction(write=False) as connection:
            return Records(self._catch_up(connection).records)

    def verify(self) -> Verification:
        """The whole chain recomputed from the file, and whether the guards against change are in place."""
        with self._database.transaction(write=False) as connection:
            rows = connection.execute(select(EVENTS).order_by(EVENTS.c.seq))
            result = verify(Row(*row) for row in rows)
            gone = missing_guards(connection)
        if result.ok and gone:
            return Verification(False, result.events, None, f"{result.text}; the guard {', '.join(gone)} was taken out")
        return result

    def _catch_up(self, connection: Connection) -> _Known:
        known = self._still_known(connection)
        fresh, tip = [], known.tip
        rows = connection.execute(select(EVENTS).where(EVENTS.c.seq > len(known.records)).order_by(EVENTS.c.seq))
        for seq, raw in enumerate(rows, start=len(known.records) + 1):
            row = Row(*raw)
            if not holds(row, seq=seq, before=tip):
                raise RegisterError(
                    f"{self._database.path} is damaged: event {seq} does not follow from the one before",
                    hint="run verify, and restore the register from a backup",
                )
            fresh.append(to_record(row))
            tip = row.hash
        self._known = caught_up = _Known(known.records + tuple(fresh), tip)
        return caught_up

    def _still_known(self, connection: Connection) -> _Known:
        """What is known, or nothing where the file was meanwhile exchanged, as by a restored backup."""
        known = self._known
        tip = connection.execute(select(EVENTS.c.hash).where(EVENTS.c.seq == len(known.records))).scalar()
        return known if tip == (known.tip or None) else _Known()

    def _refuse_unguarded(self, connection: Connection) -> None:
        gone = missing_guards(connection)
        if gone:
            raise RegisterError(
                f"{self._database.path} was altered from outside: its guard {', '.join(gone)} is gone",
                hint="run verify, and restore the register from a backup",
            )


def _draft(
    kind: str, *, subject: str, case: str, on: date | str, data: Mapping[str, Any], by: str, at: datetime | None
) -> Record:
    find_kind(kind)
    for name, value, wanted in (
        ("subject", subject, str),
        ("case", case, str),
        ("by", by, str),
        ("data", data, Mapping),
    ):
        if not isinstance(value, wanted):
            raise RegisterError(
                f"event {kind}: {name} cannot be {value!r}", hint="subject, case and by are texts, data a table"
            )
    day = on.isoformat() if isinstance(on, date) else str(on)
    if not is_iso_date(day):
        raise RegisterError(
            f"event {kind}: on must be a date written YYYY-MM-DD, not {day!r}", hint="give the day of the act"
        )
    if not by.strip() or not by.isprintable():
        raise RegisterError(f"event {kind}: the author {by!r} is no name", hint="say who enters it, with --by NAME")
    moment = at or datetime.now(UTC)
    if moment.tzinfo is None:
        raise RegisterError(f"event {kind}: the time of entry has no time zone", hint="give it in UTC")
    return Record(0, kind, date.fromisoformat(day), by.strip(), moment.astimezone(UTC), subject, case, dict(data))


def _row(record: Record, *, before: str) -> Row:
    moment, data = entry_time(record.at), canonical(record.data)
    words = (record.kind, record.on.isoformat(), record.by, moment, record.subject, record.case, data)
    row = Row(record.seq, *words, before, "")
    return row._replace(hash=link(row))
