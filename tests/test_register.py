"""The register: its chain holds, damage is found and named, and it lives only where it is safe."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import sqlite3
import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.event import listen

from layers.errors import RegisterError
from layers.records import Record
from mapping.register import Register, database

AUGUST = date(2026, 8, 3)
FORGED = "UPDATE events SET author = 'nobody', hash = 'FORGED' WHERE seq = 1"
OUT_OF_TURN = (
    "INSERT INTO events "
    "SELECT seq + 7, kind, event_date, author, entered_at, subject, case_id, data, before, hash FROM events"
)


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register.create(tmp_path)


def note(register: Register, text: str = "walked the brook", **more: Any) -> Record:
    return register.append("note", on=AUGUST, data={"text": text}, by="A. Clerk", **more)


def tamper(folder: Path, *statements: str) -> None:
    """Alter the file as someone with a database tool would: the guards taken out, the change made, the guards put back."""
    connection = sqlite3.connect(folder / "register.sqlite", isolation_level=None)
    guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for statement in [*(f"DROP TRIGGER {name}" for name, _ in guards), *statements, *(sql for _, sql in guards)]:
        connection.execute(statement)
    connection.close()


def chained(values: list[Any]) -> str:
    """The hash as docs/register.md tells a stranger to compute it."""
    return hashlib.sha256(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8")).hexdigest()


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


# ------------------------------------------------------------------------------------------------------ the chain


def test_the_chain_is_what_an_independent_recomputation_gives(register: Register, tmp_path: Path) -> None:
    note(register, "§ 194-8, “quoted”\nand a second line")
    register.append(
        "complaint", on="2026-08-04", data={"text": "milky water"}, by="B. Clerk", subject="outfalls:OF-014"
    )
    note(register, "last")
    connection = sqlite3.connect(tmp_path / "register.sqlite")
    before = ""
    for *values, stored in connection.execute("SELECT * FROM events ORDER BY seq"):
        assert values[-1] == before
        assert chained(values) == stored
        before = stored
    connection.close()
    verification = register.verify()
    assert (verification.ok, verification.events, verification.first_bad) == (True, 3, None)
    assert before in verification.text


def test_an_event_comes_back_as_it_was_appended(register: Register, tmp_path: Path) -> None:
    at = datetime(2026, 8, 3, 14, 30, tzinfo=UTC)
    appended = note(register, at=at, subject="premises:555089.12-1-7")
    assert Register.open(tmp_path).records().everything == (appended,)
    assert (appended.seq, appended.on, appended.at, appended.subject_id) == (1, AUGUST, at, "555089.12-1-7")


def test_two_registers_on_one_file_see_each_other(register: Register, tmp_path: Path) -> None:
    other = Register.open(tmp_path)
    note(register, "one")
    note(other, "two")
    note(register, "three")
    assert [each.data["text"] for each in other.records()] == ["one", "two", "three"]
    assert register.verify().ok


def append_notes(folder: Path, name: str, count: int) -> None:
    register = Register.open(folder)
    for number in range(count):
        register.append("note", on=AUGUST, data={"text": f"{name} {number}"}, by=name)


def test_two_processes_appending_at_once_make_one_chain(register: Register, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=append_notes, args=(tmp_path, name, 200)) for name in ("one", "two")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    verification = register.verify()
    assert (verification.ok, verification.events) == (True, 400)
    texts = {each.data["text"] for each in register.records()}
    assert texts == {f"{name} {number}" for name in ("one", "two") for number in range(200)}


def append_and_tell(folder: Path, told: Path) -> None:
    register = Register.open(folder)
    with told.open("a", encoding="utf-8") as out:
        while True:
            print(note(register).seq, file=out, flush=True)


def test_a_killed_process_leaves_every_event_it_told_of_and_none_by_half(register: Register, tmp_path: Path) -> None:
    told = tmp_path / "told.txt"
    told.touch()
    spawn = multiprocessing.get_context("spawn")
    for wait in (0.0, 0.05):
        before = told.stat().st_size
        writer = spawn.Process(target=append_and_tell, args=(tmp_path, told))
        writer.start()
        while told.stat().st_size == before:
            time.sleep(0.005)
        time.sleep(wait)
        writer.kill()
        writer.join()
        survivor = Register.open(tmp_path)
        assert survivor.verify().ok
        assert {int(line) for line in told.read_text().split()} <= {each.seq for each in survivor.records()}
        note(survivor)


# --------------------------------------------------------------------------------------------------------- damage


def test_an_altered_event_is_found_and_named(register: Register, tmp_path: Path) -> None:
    for number in range(5):
        note(register, f"number {number}")
    tamper(tmp_path, """UPDATE events SET data = '{"text":"nothing was seen"}' WHERE seq = 3""")
    verification = Register.open(tmp_path).verify()
    assert (verification.ok, verification.events, verification.first_bad) == (False, 5, 3)
    assert verification.text == (
        "event 3 was altered: its words do not give its hash; nothing from there on can be relied on (3 events)"
    )


def test_an_event_taken_out_is_found_and_named(register: Register, tmp_path: Path) -> None:
    for number in range(5):
        note(register, f"number {number}")
    tamper(tmp_path, "DELETE FROM events WHERE seq = 2")
    verification = Register.open(tmp_path).verify()
    assert (verification.ok, verification.first_bad) == (False, 2)
    assert verification.text.startswith("event 2 is missing: event 3 stands in its place")


def test_an_event_altered_together_with_its_hash_is_found_at_the_next(register: Register, tmp_path: Path) -> None:
    for number in range(3):
        note(register, f"number {number}")
    connection = sqlite3.connect(tmp_path / "register.sqlite")
    *values, _ = connection.execute("SELECT * FROM events WHERE seq = 1").fetchone()
    connection.close()
    values[3] = "nobody"
    tamper(tmp_path, FORGED.replace("FORGED", chained(values)))
    verification = Register.open(tmp_path).verify()
    assert (verification.first_bad, verification.text[:48]) == (2, "event 2 does not follow from the event before it")


def test_blobs_in_place_of_text_are_found(register: Register, tmp_path: Path) -> None:
    note(register)
    tamper(tmp_path, "UPDATE events SET author = x'ff00' WHERE seq = 1")
    assert Register.open(tmp_path).verify().first_bad == 1


def test_a_broken_chain_is_neither_read_nor_continued(register: Register, tmp_path: Path) -> None:
    note(register)
    note(register)
    tamper(tmp_path, "UPDATE events SET author = 'nobody' WHERE seq = 2")
    broken = Register.open(tmp_path)
    before = contents(tmp_path)
    for act in (broken.records, lambda: note(broken)):
        with pytest.raises(RegisterError, match="event 2 does not follow") as refused:
            act()
        assert "backup" in refused.value.hint
    assert contents(tmp_path) == before


def test_guards_taken_out_are_noticed(register: Register, tmp_path: Path) -> None:
    note(register)
    connection = sqlite3.connect(tmp_path / "register.sqlite")
    connection.execute("DROP TRIGGER events_are_not_changed")
    connection.close()
    assert not register.verify().ok
    assert "events_are_not_changed" in register.verify().text
    with pytest.raises(RegisterError, match="altered from outside"):
        note(register)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET author = 'nobody'",
        "DELETE FROM events WHERE seq = 1",
        "INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 1",
        OUT_OF_TURN,
    ],
)
def test_the_file_itself_refuses_changes(register: Register, tmp_path: Path, statement: str) -> None:
    note(register)
    connection = sqlite3.connect(tmp_path / "register.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()
    assert register.verify().ok


def without_table(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE something (x)")
    connection.close()


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda path: path.write_bytes(b"PK\x03\x04" + b"no register" * 500), "is no register"),
        (lambda path: path.write_bytes(path.read_bytes()[:6000]), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:60]), "is damaged"),
        (lambda path: path.write_bytes(b""), "has no table"),
        (without_table, "has no table events and migrations"),
    ],
    ids=["another file", "cut short", "cut to almost nothing", "empty", "another database"],
)
def test_a_damaged_register_is_refused_and_left_as_it_is(
    register: Register, tmp_path: Path, damage: Any, text: str
) -> None:
    for number in range(30):
        note(register, "a long story " * 20 + str(number))
    damage(tmp_path / "register.sqlite")
    before = contents(tmp_path)
    with pytest.raises(RegisterError, match=text):
        Register.open(tmp_path)
    assert contents(tmp_path) == before


def test_a_register_from_a_newer_program_is_refused(register: Register, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "register.sqlite")
    connection.execute("INSERT INTO migrations VALUES (99, 'of tomorrow', '2031-01-01T00:00:00+00:00')")
    connection.commit()
    connection.close()
    with pytest.raises(RegisterError, match="newer version"):
        Register.open(tmp_path)


# --------------------------------------------------------------------------------------------------- where it lives


def test_opening_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="is not there"):
        Register.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_register_is_never_replaced(register: Register, tmp_path: Path) -> None:
    note(register)
    with pytest.raises(RegisterError, match="already there"):
        Register.create(tmp_path)
    assert len(Register.open(tmp_path).records().everything) == 1


def test_a_new_register_is_durable_and_records_its_form(register: Register, tmp_path: Path) -> None:
    assert [each.name for each in tmp_path.iterdir()] == ["register.sqlite"]
    connection = sqlite3.connect(tmp_path / "register.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("SELECT number, title FROM migrations").fetchall() == [
        (1, "events, append-only and chained")
    ]
    connection.close()
    with register._database.transaction(write=False) as ours:
        assert ours.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert ours.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000


def test_a_read_only_folder_is_refused(register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RegisterError, match="read-only"):
        Register.open(tmp_path)


def test_a_network_share_is_refused(register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/vda / ext4 rw 0 0\n//nas/town {tmp_path} cifs rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(database, "MOUNTS", mounts)
    with pytest.raises(RegisterError, match="network share"):
        Register.open(tmp_path)


def test_a_full_disk_is_told_and_nothing_is_recorded(register: Register) -> None:
    note(register)
    listen(register._database.engine, "connect", lambda plain, _: plain.execute("PRAGMA max_page_count = 1"))
    with pytest.raises(RegisterError, match="the disk is full") as refused:
        note(register, "a long story " * 1000)
    assert "nothing was recorded" in refused.value.hint
    assert register.verify().ok
    assert len(register.records().everything) == 1


def test_a_restored_backup_is_read_anew(register: Register, tmp_path: Path) -> None:
    note(register, "one")
    backup = (tmp_path / "register.sqlite").read_bytes()
    note(register, "two")
    assert len(register.records().everything) == 2
    (tmp_path / "register.sqlite").write_bytes(backup)
    assert [each.data["text"] for each in register.records()] == ["one"]
    assert note(register, "another two").seq == 2
    assert register.verify().ok
