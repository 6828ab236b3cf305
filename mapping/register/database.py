"""The file `register.sqlite`: opened through SQLAlchemy, durable, append-only by trigger, never made by accident."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, NullPool, Table, Text, create_engine, event
from sqlalchemy.exc import DBAPIError

from layers.errors import RegisterError
from mapping.register.chain import Row
from mapping.register.migrations import GUARDS, MIGRATIONS, migrate

BUSY_TIMEOUT_S = 30
"""How long a writer waits for another: an append takes milliseconds, so only a hung program keeps anyone this long."""

NETWORK_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "fuse.sshfs", "afs", "ncpfs", "davfs"}
)
MOUNTS = Path("/proc/self/mounts")

EVENTS = Table("events", MetaData(), *(Column(name, Integer if name == "seq" else Text) for name in Row._fields))

# What SQLite calls the fault → what it means for the person at the desk, and what to do.
FAULTS = {
    "SQLITE_NOTADB": ("is no register: the file is damaged or of another kind", "restore the register from a backup"),
    "SQLITE_CORRUPT": ("is damaged", "restore the register from a backup"),
    "SQLITE_READONLY": ("cannot be written", "give the town's folder write permission, or copy it to a local disk"),
    "SQLITE_CANTOPEN": ("cannot be opened", "check the folder's permissions"),
    "SQLITE_FULL": ("cannot grow: the disk is full", "free some space and enter the event again; nothing was recorded"),
    "SQLITE_BUSY": ("is held by another program", "close the other program and try again; nothing was recorded"),
    "SQLITE_LOCKED": ("is held by another program", "close the other program and try again; nothing was recorded"),
    "SQLITE_IOERR": ("cannot be read or written: the disk reports an error", "check the disk; nothing was recorded"),
}


class Database:
    """One register file; every connection is opened for one transaction and closed after it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = _engine(path)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Connection]:
        """A connection inside one transaction: committed at the end, undone on any error, faults told in plain words.

        A writer takes the lock at once (BEGIN IMMEDIATE), so what it reads cannot change before it writes.
        """
        try:
            with self.engine.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
                yield connection
                connection.commit()
        except DBAPIError as fault:
            raise explain(self.path, fault.orig) from fault


def _engine(path: Path) -> Engine:
    address = f"{path.absolute().as_uri()}?mode=rw"

    def connect() -> sqlite3.Connection:
        # mode=rw: a missing file is an error, never an empty register; no isolation level: transactions are ours.
        return sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def make_durable(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")

    return engine


def open_database(path: Path) -> Database:
    """The database of an existing register, checked and brought to the present form; changes nothing when it refuses."""
    if not path.is_file():
        raise RegisterError(
            f"{path} is not there", hint=f"make the town with: python -m mapping new {path.parent} --name …"
        )
    refuse_unsafe_place(path.parent)
    database = Database(path)
    with database.transaction(write=False) as connection:
        _refuse_damage(connection, path)
        pending = _applied(connection, path) < len(MIGRATIONS)
    if pending:
        with database.transaction(write=True) as connection:
            migrate(connection)
    return database


def create_database(path: Path) -> Database:
    """A new empty register, written beside and moved into place; refuses to replace one."""
    if path.exists():
        raise RegisterError(f"{path} is already there", hint="a register is never replaced; choose another folder")
    if not path.parent.is_dir():
        raise RegisterError(f"the folder {path.parent} is not there", hint="make the folder first")
    refuse_unsafe_place(path.parent)
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_bytes(b"")
        _fill(beside)
        beside.replace(path)
    except OSError as fault:
        raise RegisterError(
            f"{path} cannot be written: {fault.strerror}", hint="check the folder's permissions"
        ) from fault
    finally:
        beside.unlink(missing_ok=True)
    return Database(path)


def _fill(path: Path) -> None:
    database = Database(path)
    try:
        with database.engine.connect() as connection:
            mode = connection.exec_driver_sql("PRAGMA journal_mode = WAL").scalar()
    except DBAPIError as fault:
        raise explain(path, fault.orig) from fault
    if mode != "wal":
        raise RegisterError(
            f"{path.parent} cannot hold a register: its disk has no shared memory", hint="use a local disk"
        )
    with database.transaction(write=True) as connection:
        migrate(connection)


def missing_guards(connection: Connection) -> list[str]:
    """The triggers that keep the register append-only and are gone; empty in a sound register."""
    there = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars())
    return [name for name in GUARDS if name not in there]


def _refuse_damage(connection: Connection, path: Path) -> None:
    fault = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if fault != "ok":
        raise RegisterError(f"{path} is damaged: {fault}", hint="restore the register from a backup")
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    missing = sorted({"events", "migrations"} - tables)
    if missing:
        raise RegisterError(
            f"{path} is no register: it has no table {' and '.join(missing)}", hint="restore the register from a backup"
        )


def _applied(connection: Connection, path: Path) -> int:
    applied = int(connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM migrations").scalar_one())
    if applied > len(MIGRATIONS):
        raise RegisterError(f"{path} was written by a newer version of this program", hint="update the program")
    return applied


def explain(path: Path, fault: BaseException | None) -> RegisterError:
    """SQLite's fault in the words of the desk."""
    name = getattr(fault, "sqlite_errorname", "") or ""
    for code, (what, hint) in FAULTS.items():
        if name.startswith(code):
            return RegisterError(f"{path} {what}", hint=hint)
    return RegisterError(f"{path} cannot be read as a register: {fault}", hint="restore the register from a backup")


def refuse_unsafe_place(folder: Path) -> None:
    """Nothing, or a RegisterError: the register lives in a folder that can be written, on a local disk."""
    if not os.access(folder, os.W_OK):
        raise RegisterError(
            f"the folder {folder} is read-only", hint="give it write permission, or copy the town elsewhere"
        )
    mounts = MOUNTS.read_text(encoding="utf-8", errors="replace") if MOUNTS.is_file() else ""
    system = file_system(folder.resolve(), mounts)
    if system in NETWORK_SYSTEMS or str(folder.resolve()).startswith("\\\\"):
        raise RegisterError(
            f"the folder {folder} lies on a network share ({system or 'UNC path'}), where two writers can damage a register",
            hint="keep the town's folder on a local disk",
        )


def file_system(folder: Path, mounts: str) -> str:
    """The kind of file system that holds the folder, from the text of the system's mount table; "" where it does not say.

    >>> file_system(Path("/home/town"), "/dev/sda1 / ext4 rw 0 0\\n//nas/share /home cifs rw 0 0")
    'cifs'
    """
    found = ("", "")
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) > 2:
            point = parts[1].replace("\\040", " ")
            if folder.is_relative_to(point) and len(point) >= len(found[0]):
                found = (point, parts[2])
    return found[1]
