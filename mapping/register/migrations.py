"""The form of the register file and every change of it, in order, each recorded in the file with its time."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection

_EVENTS = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    event_date TEXT NOT NULL,
    author TEXT NOT NULL,
    entered_at TEXT NOT NULL,
    subject TEXT NOT NULL,
    case_id TEXT NOT NULL,
    data TEXT NOT NULL,
    before TEXT NOT NULL,
    hash TEXT NOT NULL
)"""
_NO_UPDATE = """
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the register is append-only: enter an event that supersedes'); END"""
_NO_DELETE = """
CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the register is append-only: enter an event that supersedes'); END"""
# INSERT OR REPLACE deletes without firing the trigger above, so a new row must be the next one.
_ONLY_NEXT = """
CREATE TRIGGER events_follow_one_another BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN SELECT RAISE(ABORT, 'the register is append-only: an event takes the next number'); END"""

GUARDS = ("events_are_not_changed", "events_are_not_deleted", "events_follow_one_another")

MIGRATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("events, append-only and chained", (_EVENTS, _NO_UPDATE, _NO_DELETE, _ONLY_NEXT)),
)


def migrate(connection: Connection) -> None:
    """Apply what the file does not have yet, inside the caller's transaction, and record it in the table `migrations`."""
    connection.exec_driver_sql(
        "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, title TEXT NOT NULL, applied_at TEXT NOT NULL)"
    )
    done = int(connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM migrations").scalar_one())
    for number, (title, statements) in enumerate(MIGRATIONS[done:], start=done + 1):
        for statement in statements:
            connection.exec_driver_sql(statement)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        connection.exec_driver_sql("INSERT INTO migrations VALUES (?, ?, ?)", (number, title, now))
