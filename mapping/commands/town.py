"""The commands new, demo, import, layers, sewersheds, serve: a town and its layers."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from layers.crosswalk import load_crosswalk
from layers.errors import CallError
from layers.ingest import Request
from layers.joins.fixes import reach_shares
from layers.settings import load_settings
from mapping import pipeline
from mapping.commands.say import Answer, Progress, table


def run_new(asked: Namespace) -> Answer:
    """Makes a town folder."""
    settings = pipeline.create_town(
        asked.town, name=asked.name, crs=asked.crs, bounds=asked.bounds, law=asked.law, permit=asked.permit
    )
    return {"town": settings.name, "path": str(asked.town)}, f"{settings.name} is at {asked.town}"


def run_demo(asked: Namespace) -> Answer:
    """Makes the sample town."""
    with Progress("sample town") as tell:
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
    with Progress("import") as tell:
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


def run_layers(asked: Namespace) -> Answer:
    """Says what the layers hold."""
    found = pipeline.list_layers(asked.town)
    rows: list[tuple[object, ...]] = [
        (each["layer"], each["count"], f"{each['unlocated']} not located", each["imported"]) for each in found
    ]
    reach = reach_shares(pipeline.open_town(asked.town)).to_dict("records") if found else []
    reach = [{name: None if value != value else value for name, value in row.items()} for row in reach]
    rows += [
        (f"{each['share']:.1%} of {each['of']} {each['what']} reach a mapped {each['reaches']}, {each['certainty']}",)
        for each in reach
        if each["share"] is not None
    ]
    return {"layers": found, "reach": reach}, table(rows) or "no layer is imported yet; see: import --help"


def run_sewersheds(asked: Namespace) -> Answer:
    """Makes the preliminary sewersheds."""
    made = pipeline.make_town_sewersheds(asked.town, dem=asked.dem, height_unit=asked.heights)
    lines = [f"{len(each.layer)} sewersheds, preliminary" for each in made]
    lines += [f"  {doubt}" for each in made for doubt in each.doubts]
    return {"sewersheds": [each.to_json() for each in made]}, "\n".join(lines)


def run_serve(asked: Namespace) -> Answer:
    """Opens the app for the town on this machine alone, until it is stopped."""
    load_settings(asked.town)
    if not 1 <= asked.port <= 65535:
        raise CallError(f"--port {asked.port} is no port", hint="choose one from 1024 to 65535, such as 8501")
    app = Path(__file__).resolve().parents[2] / "app.py"
    options = ["--server.address", "127.0.0.1", "--server.port", str(asked.port), "--browser.gatherUsageStats", "false"]
    environment = {**os.environ, "MS4_TOWN": str(asked.town.resolve())}
    command = [sys.executable, "-m", "streamlit", "run", str(app), *options]
    code = subprocess.run(command, env=environment, check=False).returncode
    if code == 1:  # Streamlit's own refusal; stopped by a signal it has ended as it should
        raise CallError(f"the app could not be opened on port {asked.port}", hint="try another --port")
    return {"town": str(asked.town), "port": asked.port}, "the app has ended"
