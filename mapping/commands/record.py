"""The commands event, case, verify: the register."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from layers.errors import CallError
from mapping import pipeline
from mapping.cases.case import find_case
from mapping.commands.say import Answer, table
from mapping.register import Register
from mapping.register.chain import record_json

KINDS_OF_KEYS = {"kind": str, "subject": str, "case": str, "on": str, "data": dict}
"""The keys of an event's file."""


def run_event(asked: Namespace) -> Answer:
    """Appends the event in a file."""
    given = _read_event(asked.file)
    if given.pop("kind", asked.kind) != asked.kind:
        raise CallError(f"{asked.file.name} is of another kind than {asked.kind}", hint="name the kind of the file")
    record = pipeline.record_event(
        asked.town,
        asked.kind,
        subject=given.get("subject") or "",
        case=given.get("case") or "",
        on=given.get("on") or asked.on,
        data=given.get("data") or {},
        by=asked.by,
    )
    return record_json(record), f"event {record.seq} {record.kind} {record.hash}"


def _read_event(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise CallError(f"there is no file {path}", hint="check the path") from fault
    except (ValueError, RecursionError) as fault:
        raise CallError(f"{path.name} is no JSON: {fault}", hint="mend the file") from fault
    if not isinstance(given, dict):
        raise CallError(f"{path.name} must hold one object", hint='such as {"subject": "outfalls:OF-1", "data": {}}')
    wrong = [name for name, kind in KINDS_OF_KEYS.items() if not isinstance(given.get(name), kind | None)]
    wrong += sorted(set(given) - set(KINDS_OF_KEYS))
    if wrong:
        raise CallError(
            f"{path.name}: {', '.join(wrong)} is not as it must be",
            hint="known: kind, subject, case, on as text, data as an object",
        )
    return given


def run_case(asked: Namespace) -> Answer:
    """Opens, shows or lists cases."""
    town = pipeline.open_town(asked.town)
    if asked.action == "open":
        number = _open_case(asked)
        town = pipeline.open_town(asked.town)
        asked.id = number
    cases = pipeline.town_cases(town, asked.on, until=asked.until)
    if asked.action == "list":
        rows = [(each.id, each.state, each.title) for each in cases]
        return {"cases": [each.to_json() for each in cases]}, table(rows) or "no case is recorded"
    found = find_case(cases, asked.id).to_json()
    lines = [f"{found['id']}  {found['title']}", found["state"], *found["next"]]
    lines += [f"{each['code']}  raw {each['raw']}  due {each['due']}  {each['state']}" for each in found["deadlines"]]
    return found, "\n".join(lines)


def _open_case(asked: Namespace) -> str:
    if not asked.title or not asked.by:
        raise CallError("a case needs a title and the one who opens it", hint="give --title and --by")
    return pipeline.open_town_case(
        asked.town,
        title=asked.title,
        subject=asked.subject,
        premises=asked.premises,
        findings=asked.finding,
        on=asked.on,
        by=asked.by,
    )


def run_verify(asked: Namespace) -> Answer:
    """Checks the register's chain."""
    found = Register.open(asked.town).verify()
    answer = {"ok": found.ok, "events": found.events, "first_bad": found.first_bad, "text": found.text}
    return answer, found.text or f"{found.events} events, one whole chain"
