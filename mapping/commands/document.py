"""docs/commands.md, made from the parser itself so that it cannot say anything else."""

from __future__ import annotations

import argparse

HEAD = """# Commands

Made from the parser by `make docs`; do not edit. `python -m mapping COMMAND TOWN_DIR …`

Every command takes `--json` (one object on stdout) and `--on DATE` (the day to answer for, today if left out). Exit 0: done.
Exit 2: the input or the call is wrong: one line on stderr, `error: CODE: what, where; what to do`, with `--json` also
`{"error": {"code", "text", "hint"}}` on stdout, and nothing in the folder has changed. Exit 1: a fault of the program itself.
"""
ON_EVERY_COMMAND = {"help", "json", "on"}


def document(parser: argparse.ArgumentParser) -> str:
    """The page: one part a command with its arguments and options."""
    chosen = next(each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return "\n".join([HEAD, *(_part(name, command) for name, command in chosen.choices.items())])


def _part(name: str, command: argparse.ArgumentParser) -> str:
    own = [each for each in command._actions if each.dest not in ON_EVERY_COMMAND]
    usage = " ".join([name, *(_usage(each) for each in own)])
    rows = [f"| `{_words(each).replace('|', ' or ')}` | {each.help or ''} |" for each in own if each.option_strings]
    table = ["", "| option | meaning |", "|---|---|", *rows] if rows else []
    return "\n".join([f"## {name}", "", f"{(command.description or '').capitalize()}: `{usage}`", *table, ""])


def _usage(action: argparse.Action) -> str:
    words = _words(action)
    return words if action.required else f"[{words}]"


def _words(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    if not action.option_strings:
        return str(value)
    return action.option_strings[0] if action.nargs == 0 else f"{action.option_strings[0]} {value}"
