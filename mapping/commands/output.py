"""The commands map, route, report, worklist: what leaves the office."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from layers.errors import CallError
from mapping import pipeline
from mapping.commands.say import Answer
from mapping.outputs.due import due_locations
from mapping.outputs.report import write_report
from mapping.outputs.route import plan_route
from mapping.outputs.stops import write_route
from mapping.outputs.webmap import write_map
from mapping.outputs.worklist import write_worklist


def run_map(asked: Namespace) -> Answer:
    """Writes the map file."""
    _check_file(asked.town, asked.out, (".html", ".htm"))
    picture = pipeline.take_picture(asked.town, asked.on)
    made = write_map(picture.town, picture.report, picture.cases, asked.out, public=asked.public, on=asked.on)
    return made, f"{made['path']}: {made['features']:,} features, {made['bytes']:,} bytes"


def run_route(asked: Namespace) -> Answer:
    """Orders what is due and writes the route."""
    _check_out(asked.town, asked.out)
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


def run_worklist(asked: Namespace) -> Answer:
    """Writes what a field crew or a student can take in hand."""
    _check_out(asked.town, asked.out)
    picture = pipeline.take_picture(asked.town, asked.on)
    made = write_worklist(picture.town, picture.report, asked.out, on=asked.on)
    counts = ", ".join(f"{count} {word}" for word, count in made["severity"].items())
    return made, "\n".join([f"{made['items']} items: {counts}", *made["files"]])


def _place(text: str) -> tuple[float, float]:
    try:
        lon, lat = (float(part) for part in text.split(","))
    except ValueError as fault:
        raise CallError(f"--start {text!r} is no place", hint="write LON,LAT such as -73.60,41.33") from fault
    if not (abs(lon) <= 180 and abs(lat) <= 90):
        raise CallError(f"--start {text!r} is no place on earth", hint="write LON,LAT such as -73.60,41.33")
    return lon, lat


def _check_out(town: Path, out: Path) -> None:
    """Refuses to write over the town's own record: within its folder only `outputs/` is for what leaves the office."""
    home, target = town.resolve(), out.resolve()
    if target == home or (home in target.parents and home / "outputs" not in [target, *target.parents]):
        raise CallError(
            f"{out} lies in the town's own record", hint=f"write to {town / 'outputs'}, or outside the town"
        )


def _check_file(town: Path, out: Path, suffixes: tuple[str, ...]) -> None:
    """Refuses a file that is a folder or is of another kind than what would be written."""
    _check_out(town, out)
    if out.suffix.lower() not in suffixes or out.is_dir():
        raise CallError(
            f"--out {str(out)!r} is no {' or '.join(suffixes)} file", hint=f"give a path that ends in {suffixes[0]}"
        )


def run_report(asked: Namespace) -> Answer:
    """Writes the annual report's numbers and map book."""
    _check_out(asked.town, asked.out)
    picture = pipeline.take_picture(asked.town, asked.on)
    made = write_report(picture, year=asked.year, out=asked.out, public=asked.public)
    lines = [f"{each['code']}  {each['label']}: {each['value']}" for each in made["numbers"]]
    return made, "\n".join([*lines, *map(str, made["files"])])
