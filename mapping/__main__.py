"""The command line: `python -m mapping COMMAND TOWN_DIR …`; answers as text or, with --json, as one object."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import traceback
from collections.abc import Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from layers.errors import CallError, MS4Error
from mapping.words import read_day

DONE, FAULT, WRONG = 0, 1, 2
NEGATIVE = re.compile(r"-[\d.]")
COMMANDS = {
    "town": ("new", "demo", "import", "layers", "sewersheds", "serve"),
    "build": ("build",),
    "ask": ("check", "trace", "chain"),
    "record": ("event", "case", "verify"),
    "output": ("map", "route", "report", "worklist"),
    "packs": ("clock", "law", "rules", "permit"),
}
"""The modules of `mapping.commands` and the commands in each."""
ROOMS = {command: room for room, commands in COMMANDS.items() for command in commands}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0 done, 2 the input or the call is wrong, 1 a fault of the program."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    try:
        asked = make_parser().parse_args(_join_negative(given))
        asked.until, asked.on = asked.on, asked.on or date.today()  # noqa: DTZ011 - the day on the wall of the town hall
        room = import_module(f"mapping.commands.{ROOMS[asked.command]}")  # late, so that --help need not wait for GDAL
        answer, text = getattr(room, f"run_{asked.command}")(asked)
    except MS4Error as error:
        return _refuse(error.code, error.text, error.hint, as_json=as_json)
    except OSError as fault:
        return _refuse(
            "file", f"{fault.filename or 'a file'}: {fault.strerror or fault}", "check the path", as_json=as_json
        )
    except KeyboardInterrupt:
        return _refuse("stopped", "stopped before it was done", "nothing half-written is left", as_json=as_json)
    except Exception as fault:
        if os.environ.get("MS4_DEBUG"):
            traceback.print_exc()
        hint = "set MS4_DEBUG=1 to see where, and report it"
        _refuse("fault", f"the program failed with {type(fault).__name__}: {fault}", hint, as_json=as_json)
        return FAULT
    sys.stdout.write(
        json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n" if as_json else text.rstrip("\n") + "\n"
    )
    return DONE


def _refuse(code: str, text: str, hint: str, *, as_json: bool) -> int:
    line = " ".join(f"error: {code}: {text}{'; ' + hint if hint else ''}".split())
    sys.stderr.write(line + "\n")
    if as_json:
        sys.stdout.write(json.dumps({"error": {"code": code, "text": text, "hint": hint}}, ensure_ascii=False) + "\n")
    return WRONG


def _join_negative(words: Sequence[str]) -> list[str]:
    """`--start -73.6,41.3` as `--start=-73.6,41.3`: every longitude here is negative and looks like an option."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1].startswith("--") and "=" not in joined[-1] and NEGATIVE.match(word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


class _Parser(argparse.ArgumentParser):
    """Complains as everything else here does: one line, exit 2."""

    def error(self, message: str) -> NoReturn:
        raise CallError(message, hint=f"see {self.prog} --help")


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands; `docs/commands.md` is made from it."""
    parser = _Parser(
        prog="python -m mapping", description="A town's outfalls on one map, under its law and its permit."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for add in (
        _add_town_commands,
        _add_question_commands,
        _add_register_commands,
        _add_output_commands,
        _add_pack_commands,
    ):
        add(commands)
    return parser


def _command(commands: Any, name: str, text: str, *, town: bool = True) -> Any:
    command = commands.add_parser(name, help=text, description=text)
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.add_argument("--on", type=read_day, metavar="DATE", help="the day to answer for (today)")
    if town:
        command.add_argument("town", type=Path, metavar="TOWN_DIR", help="the town's folder")
    return command


def _add_town_commands(commands: Any) -> None:
    new = _command(commands, "new", "make a new town folder")
    new.add_argument("--name", required=True, help="the town's name")
    new.add_argument("--crs", default="EPSG:2260", help="projected CRS to work in (EPSG:2260, New York East, US ft)")
    new.add_argument("--bounds", default="", metavar="W,S,E,N", help="where the town lies, in degrees")
    new.add_argument("--law", default="", metavar="PACK", help="law pack (north_salem_194)")
    new.add_argument("--permit", default="", metavar="PACK", help="permit pack (gp_0_24_001)")
    _command(commands, "demo", "make the sample town")
    take = _command(commands, "import", "import a file and build the joins")
    take.add_argument("source", type=Path, metavar="SOURCE", help="the file as it was received")
    what = take.add_mutually_exclusive_group(required=True)
    what.add_argument("--as", dest="layer", metavar="LAYER", help="the layer that it is, fields by the names known")
    what.add_argument("--crosswalk", type=Path, metavar="FILE", help="the crosswalk that maps it")
    take.add_argument("--source-layer", metavar="NAME", help="which layer of the source")
    take.add_argument("--crs", default="", metavar="EPSG", help="its CRS where the file does not say")
    take.add_argument("--crs-by", default="", metavar="NAME", help="who vouches for that CRS")
    take.add_argument("--encoding", default="", help="its text encoding where the file does not say")
    take.add_argument("--by", default="", metavar="NAME", help="who brings the file (the login name)")
    take.add_argument("--dry-run", action="store_true", help="say what would happen and change nothing")
    make = _command(commands, "build", "build the joins")
    make.add_argument("--fresh", action="store_true", help="forget every cache")
    _command(commands, "layers", "what the layers hold")
    sheds = _command(commands, "sewersheds", "make the preliminary storm sewersheds")
    sheds.add_argument("--dem", type=Path, metavar="F.tif", help="a terrain model as GeoTIFF, in any CRS")
    sheds.add_argument(
        "--heights", default="", choices=("", "metre", "foot"), help="unit of its heights where it does not say"
    )
    serve = _command(commands, "serve", "open the app on 127.0.0.1")
    serve.add_argument("--port", type=int, default=8501, help="the port to listen on (8501)")


def _add_question_commands(commands: Any) -> None:
    check = _command(commands, "check", "findings: suspected connections, special conditions, network faults")
    check.add_argument("--rule", metavar="CODE", action="append", help="only this rule (may be given again)")
    trace = _command(commands, "trace", "where water goes from an asset, or what drains to it")
    trace.add_argument("subject", metavar="LAYER:ID", help="or premises:KEY, or point:LON,LAT")
    trace.add_argument("--direction", choices=("up", "down"), default="down", help="with the flow (down) or against it")
    trace.add_argument("--freeze", action="store_true", help="keep the result in the register with hashes")
    trace.add_argument("--again", type=int, metavar="EVENT", help="make a frozen trace again and say what has changed")
    trace.add_argument("--by", default="", metavar="NAME", help="who freezes it (the login name)")
    chain = _command(commands, "chain", "link by link from a premises or asset to the waters")
    chain.add_argument("subject", metavar="premises:KEY")


def _add_register_commands(commands: Any) -> None:
    event = _command(commands, "event", "append an event to the register")
    event.add_argument("kind", metavar="KIND")
    event.add_argument("--file", type=Path, required=True, metavar="F.json", help="subject, case, on, data")
    event.add_argument("--by", required=True, metavar="NAME", help="who asserts it")
    case = _command(commands, "case", "open, show or list cases")
    case.add_argument("action", choices=("open", "show", "list"))
    case.add_argument("id", nargs="?", default="", metavar="CASE", help="which case to show")
    case.add_argument("--title", default="", help="what the case is about, in a few words")
    case.add_argument("--subject", default="", metavar="LAYER:ID", help="the asset that it is about")
    case.add_argument("--premises", action="append", default=[], metavar="KEY", help="a premises (may be given again)")
    case.add_argument("--finding", action="append", default=[], metavar="ID", help="a finding (may be given again)")
    case.add_argument("--by", default="", metavar="NAME", help="who opens it")
    _command(commands, "verify", "check that the register is whole")


def _add_output_commands(commands: Any) -> None:
    web = _command(commands, "map", "write the map as one HTML file")
    web.add_argument("--out", type=Path, required=True, metavar="F.html", help="the file to write")
    web.add_argument("--public", action="store_true", help="leave out what is for staff alone")
    route = _command(commands, "route", "order the locations that are due over the town's roads")
    route.add_argument("--start", required=True, metavar="LON,LAT", help="where the crews set out and come back to")
    route.add_argument("--crews", type=int, default=1, help="how many crews go out (1)")
    route.add_argument("--hours", type=float, default=7.0, help="hours a crew has, driving and visits together (7)")
    route.add_argument("--out", type=Path, required=True, metavar="OUT", help="folder for GPX, CSV and the stop list")
    report = _command(commands, "report", "the annual report's numbers and map book")
    report.add_argument("--year", type=int, required=True, help="the reporting year, by the year in which it begins")
    report.add_argument("--out", type=Path, required=True, metavar="OUT", help="folder for the files")
    report.add_argument("--public", action="store_true", help="leave out what is for staff alone")

    work = _command(commands, "worklist", "write the network's faults as a list to work through")
    work.add_argument("--out", type=Path, required=True, metavar="OUT", help="folder for CSV and PDF")


def _add_pack_commands(commands: Any) -> None:
    clock = _command(commands, "clock", "deadlines that events start", town=False)
    clock.add_argument("--law", default="north_salem_194", metavar="PACK", help="law pack, by name or path")
    clock.add_argument("--event", action="append", default=[], metavar="NAME=DATE", help="what happened and when")
    clock.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a reading or a fact of the matter"
    )
    law = _command(commands, "law", "every parameter of the law, with citation", town=False)
    law.add_argument("--law", default="north_salem_194", metavar="PACK", help="law pack, by name or path")
    _command(commands, "rules", "every rule, with citation", town=False)
    permit = _command(commands, "permit", "every parameter of the permit", town=False)
    permit.add_argument("--permit", default="gp_0_24_001", metavar="PACK", help="permit pack, by name or path")


if __name__ == "__main__":
    sys.exit(main())
