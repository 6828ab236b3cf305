"""The joins of a town made anew, from `layers.gpkg` into `layers.gpkg`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from layers.settings import load_settings
from layers.store import locked, read_facts, write_joins
from layers.town import READ_BY_JOINS, Joins, join_makers

Step = Callable[[str], None]
"""Told the name of each step of long work as it begins."""


def build(folder: Path, *, fresh: bool = False, tell: Step = lambda step: None) -> dict[str, Any]:
    """How many links of each kind there are now, and the seconds of each stage.

    Every build makes every join anew; there is no cache yet that `fresh` could forget.
    """
    settings, seconds = load_settings(folder), _Seconds(tell)
    with locked(folder):
        facts = seconds("read", lambda: read_facts(folder, settings.crs, fields=READ_BY_JOINS))
        made = {name: seconds(name, make) for name, make in join_makers(facts.layers, settings).items()}
        joins = Joins(**made)
        seconds("write", lambda: write_joins(folder, joins, settings.crs))
    return {"links": count_links(joins), "seconds": seconds.taken}


class _Seconds:
    """Runs stages, tells of each, and keeps how long it took."""

    def __init__(self, tell: Step) -> None:
        self.tell = tell
        self.taken: dict[str, float] = {}

    def __call__(self, stage: str, work: Callable[[], Any]) -> Any:
        self.tell(stage)
        start = time.perf_counter()
        done = work()
        self.taken[stage] = round(time.perf_counter() - start, 3)
        return done


def count_links(joins: Joins) -> dict[str, int]:
    """How many links of each kind there are."""
    return {
        "premises": len(joins.premises_links),
        "waters": len(joins.water_links),
        "watersheds": len(joins.watershed_links),
        "nodes": len(joins.network.nodes),
        "edges": len(joins.network.edges),
    }
