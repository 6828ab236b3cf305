"""The command build, apart from the others: it needs no more than the layers, and starts the sooner for it."""

from __future__ import annotations

from argparse import Namespace

from layers.build import build
from mapping.commands.say import Answer, Progress, table


def run_build(asked: Namespace) -> Answer:
    """Builds the joins."""
    with Progress("build") as tell:
        made = build(asked.town, fresh=asked.fresh, tell=tell)
    return made, table(made["links"].items())
