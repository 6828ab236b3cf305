"""What each command of the command line does: the object that --json prints, and the same as text."""

from __future__ import annotations

import getpass
import json
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tqdm import tqdm

from layers.crosswalk import load_crosswalk
from layers.errors import CallError
from layers.ingest import Request
from layers.trace import trace
from mapping import pipeline
from mapping.cases.case import find_case, open_case
from mapping.cases.clock import clock
from mapping.chain import chain
from mapping.findings import RULES
from mapping.law import load_law, load_permit
from mapping.outputs.due import due_locations
from mapping.outputs.report import write_report
from mapping.outputs.route import plan_route
from mapping.outputs.stops import write_route
from mapping.outputs.webmap import write_map
from mapping.register import Register
from mapping.register.chain import record_json

Answer = tuple[dict[str, Any], str]


# -- the town and its layers


def run_new(asked: Namespace) -> Answer:
    """Makes a town folder."""
    settings = pipeline.create_town(
        asked.town, name=asked.name, crs=asked.crs, bounds=asked.bounds, law=asked.law, permit=asked.permit
    )
    return {"town": settings.name, "path": str(asked.town)}, f"{settings.name} is at {asked.town}"


def run_demo(asked: Namespace) -> Answer:
    """Makes the sample town."""
    with _progress("sample town") as tell:
        settings = pipeline.make_demo(asked.town, on=asked.on, tell=tell)
    return {"town": settings.name, "path": str(asked.town)}, f"{settings.name} is at {asked.town}"


def run_import(asked: Namespace) -> Answer:
    """Imports one file."""
    request = Request(
        asked.source,
        layer=asked.layer,
        crosswalk=load_crosswalk(asked.crosswalk) if asked.crosswalk else None,
        source_layer=asked.source_layer,
        crs=asked.crs,
        crs_by=asked.crs_by,
        encoding=asked.encoding,
    )
    with _progress("import") as tell:
        reports = pipeline.import_source(
            asked.town,
            request,
            by=asked.by or getpass.getuser(),
            on=asked.on,
            crosswalk_file=asked.crosswalk,
            dry_run=asked.dry_run,
            tell=tell,
        )
    made = [each.to_json() for each in reports]
    return {"reports": made}, "\n".join(_say_import(each) for each in made)


def _say_import(report: Mapping[str, Any]) -> str:
    lines = [f"{report['layer']}: {report['kept']} of {report['read']} kept from {report['source']['name']}"]
    for part in ("rejected", "repaired"):
        lines += [f"  {part} {each['code']}: {each['count']} ({', '.join(each['ids'][:5])})" for each in report[part]]
    if report["unlocated"]:
        lines.append(f"  not located: {report['unlocated']}")
    lines += [
        f"  {name}: {count} × {value!r} is not known"
        for name, counts in report["values"]["unknown"].items()
        for value, count in counts.items()
    ]
    lines += [f"  note {each['code']}: {each['text']}" for each in report["warnings"]]
    changes = ", ".join(f"{count} {kind}" for kind, count in report["changes"].items())
    return "\n".join([*lines, f"  {changes}"])


def run_build(asked: Namespace) -> Answer:
    """Builds the joins."""
    with _progress("build") as tell:
        made = pipeline.build(asked.town, fresh=asked.fresh, tell=tell)
    return made, _table(made["links"].items())


def run_layers(asked: Namespace) -> Answer:
    """Says what the layers hold."""
    found = pipeline.list_layers(asked.town)
    rows = [(each["layer"], each["count"], f"{each['unlocated']} not located", each["imported"]) for each in found]
    return {"layers": found}, _table(rows) or "no layer is imported yet; see: import --help"


def run_serve(asked: Namespace) -> Answer:
    """Opens the app for the town on this machine alone, until it is stopped."""
    pipeline.load_settings(asked.town)
    app = Path(__file__).resolve().parent.parent / "app.py"
    options = ["--server.address", "127.0.0.1", "--server.port", str(asked.port), "--browser.gatherUsageStats", "false"]
    environment = {**os.environ, "MS4_TOWN": str(asked.town.resolve())}
    command = [sys.executable, "-m", "streamlit", "run", str(app), *options]
    code = subprocess.run(command, env=environment, check=False).returncode
    return {"town": str(asked.town), "port": asked.port, "exit": code}, "the app has ended"


# -- questions


def run_check(asked: Namespace) -> Answer:
    """Findings of all rules or some."""
    town = pipeline.open_town(asked.town)
    found = pipeline.check_town(town, asked.on, rules=asked.rule).to_json()
    lines = [f"{each['id']}  {each['title']}  ({each['confidence']})" for each in found["findings"]]
    lines += [f"{rule}: {count} looked at" for rule, count in found["looked_at"].items()]
    lines += [f"{each['rule']} not run: needs {each['needs']}" for each in found["not_run"]]
    return found, "\n".join(lines)


def run_trace(asked: Namespace) -> Answer:
    """Traces up or down, and keeps the trace where that is asked for."""
    town = pipeline.open_town(asked.town)
    found = trace(town, asked.subject, direction=asked.direction)
    answer = found.to_json()
    if asked.freeze:
        answer |= pipeline.freeze_trace(asked.town, found, on=asked.on, by=asked.by or getpass.getuser())
    lines = [f"{each.layer}:{each.id}  {each.certainty}  {each.length_ft:g} ft" for each in found.assets]
    lines += [f"premises:{each.key}  {each.method}  {each.distance_ft:g} ft" for each in found.premises]
    lines += [f"outfall {each}" for each in found.outfalls] + [f"water {each}" for each in found.waters]
    lines += [f"doubt {each.code}: {each.layer}:{each.id} {each.text}" for each in found.doubts]
    return answer, "\n".join(lines)


def run_chain(asked: Namespace) -> Answer:
    """The evidence chain of a premises or asset."""
    town = pipeline.open_town(asked.town)
    found = chain(town, pipeline.open_law(town.settings), asked.subject, asked.on).to_json()
    lines = [
        f"{each['from']} → {each['to']}  {each['kind']}  {each['method']}  {each['confidence']}"
        for each in found["links"]
    ]
    lines += [f"reaches {each['outfall']} → {each['water']} {each['conditions']}" for each in found["reaches"]]
    return found, "\n".join(lines) or "no link is known"


# -- the register


def run_event(asked: Namespace) -> Answer:
    """Appends the event in a file."""
    given = _read_event(asked.file)
    if given.pop("kind", asked.kind) != asked.kind:
        raise CallError(f"{asked.file.name} is of another kind than {asked.kind}", hint="name the kind of the file")
    unknown = sorted(set(given) - {"subject", "case", "on", "data"})
    if unknown:
        raise CallError(
            f"{asked.file.name} has the unknown key {', '.join(unknown)}", hint="known: subject, case, on, data"
        )
    event = {"subject": given.get("subject") or "", "case": given.get("case") or "", "data": given.get("data") or {}}
    record = pipeline.record_event(asked.town, asked.kind, on=given.get("on", asked.on), by=asked.by, **event)
    return record_json(record), f"event {record.seq} {record.kind} {record.hash}"


def _read_event(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise CallError(f"there is no file {path}", hint="check the path") from fault
    except ValueError as fault:
        raise CallError(f"{path.name} is no JSON: {fault}", hint="mend the file") from fault
    if not isinstance(given, dict):
        raise CallError(f"{path.name} must hold one object", hint='such as {"subject": "outfalls:OF-1", "data": {}}')
    return given


def run_case(asked: Namespace) -> Answer:
    """Opens, shows or lists cases."""
    town = pipeline.open_town(asked.town)
    if asked.action == "open":
        number = _open_case(asked)
        town = pipeline.open_town(asked.town)
        asked.id = number
    cases = pipeline.town_cases(town, asked.on)
    if asked.action == "list":
        rows = [(each.id, each.state, each.title) for each in cases]
        return {"cases": [each.to_json() for each in cases]}, _table(rows) or "no case is recorded"
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


# -- outputs


def run_map(asked: Namespace) -> Answer:
    """Writes the map file."""
    picture = pipeline.take_picture(asked.town, asked.on)
    made = write_map(picture.town, picture.report, picture.cases, asked.out, public=asked.public, on=asked.on)
    return made, f"{made['path']}: {made['features']:,} features, {made['bytes']:,} bytes"


def run_route(asked: Namespace) -> Answer:
    """Orders what is due and writes the route."""
    town = pipeline.open_town(asked.town)
    due = due_locations(town, pipeline.open_permit(town.settings), asked.on)
    plan = plan_route(town, start=_place(asked.start), due=due, on=asked.on, crews=asked.crews, hours=asked.hours)
    answer = plan.to_json(write_route(plan, asked.out))
    lines = [
        f"crew {number}: {stop['seq']} {stop['id']} at {stop['eta']}"
        for number, crew in enumerate(answer["crews"], start=1)
        for stop in crew["stops"]
    ]
    lines += [f"left out {each['id']}: {each['why']}" for each in [*answer["unreachable"], *answer["left_out"]]]
    return answer, "\n".join([*lines, *map(str, answer["files"])])


def _place(text: str) -> tuple[float, float]:
    try:
        lon, lat = (float(part) for part in text.split(","))
    except ValueError as fault:
        raise CallError(f"--start {text!r} is no place", hint="write LON,LAT such as -73.60,41.33") from fault
    return lon, lat


def run_report(asked: Namespace) -> Answer:
    """Writes the annual report's numbers and map book."""
    picture = pipeline.take_picture(asked.town, asked.on)
    made = write_report(picture, year=asked.year, out=asked.out, public=asked.public)
    lines = [f"{each['code']}  {each['label']}: {each['value']}" for each in made["numbers"]]
    return made, "\n".join([*lines, *map(str, made["files"])])


# -- packs


def run_clock(asked: Namespace) -> Answer:
    """Deadlines that the given events start."""
    events = {name: _day(text) for name, text in _pairs(asked.event, "--event")}
    found = clock(load_law(asked.law), events, settings=dict(_pairs(asked.set, "--set")), on=asked.on)
    rows = [
        (each["code"], each["raw"] or "–", each["due"] or "–", each["state"], each["why"])
        for each in found["deadlines"]
    ]
    return found, _table(rows)


def _pairs(given: Iterable[str], option: str) -> list[tuple[str, str]]:
    pairs = [text.partition("=") for text in given]
    wrong = [name for name, equals, value in pairs if not (name and equals and value)]
    if wrong:
        raise CallError(
            f"{option} {', '.join(wrong)} is not NAME=VALUE", hint=f"such as {option} identified=2026-11-30"
        )
    return [(name, value) for name, _, value in pairs]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as fault:
        raise CallError(f"{text!r} is no date", hint="write it as 2026-11-30") from fault


def run_law(asked: Namespace) -> Answer:
    """Every parameter of the law."""
    law = load_law(asked.law).to_json()
    rows = [(each["code"], each["section"], each["value"], each["unit"], each["title"]) for each in law["parameters"]]
    return law, _table(rows)


def run_permit(asked: Namespace) -> Answer:
    """Every parameter of the permit."""
    permit = load_permit(asked.permit).to_json()
    rows = [
        (each["code"], each["section"], each["value"], each["unit"], each["title"]) for each in permit["parameters"]
    ]
    return permit, _table(rows)


def run_rules(_: Namespace) -> Answer:
    """Every rule as its card."""
    cards = [each.to_json() for each in RULES.values()]
    return {"rules": cards}, _table((each["code"], each["title"]) for each in cards)


# -- how it is said


def _table(rows: Iterable[Iterable[Any]]) -> str:
    return "\n".join("  ".join("" if cell is None else str(cell) for cell in row) for row in rows)


class _progress:
    """A bar on a terminal that names each step; silent elsewhere."""

    def __init__(self, what: str) -> None:
        self.bar = tqdm(desc=what, unit=" steps", disable=not sys.stderr.isatty(), leave=False)

    def __enter__(self) -> pipeline.Step:
        return self._tell

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def _tell(self, step: str) -> None:
        self.bar.set_postfix_str(step)
        self.bar.update()
