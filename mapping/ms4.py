"""The MS4 test of § 194-3: is an asset the Town's, for stormwater, no combined sewer, and no part of a POTW."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from layers.town import Town

LAYERS = ("outfalls", "catch_basins", "manholes", "pipes", "ditches", "culverts")
OPEN_DRAINAGE = ("ditches", "culverts")
QUESTIONS = ("owned", "stormwater", "not_combined", "not_potw")
BY_SYSTEM = {
    "storm": ("yes", "yes", "yes"),
    "combined": ("yes", "no", "no"),
    "sanitary": ("no", "yes", "no"),
    "unknown": ("unknown", "unknown", "unknown"),
}
"""For each system the answers to stormwater, not_combined and not_potw (40 CFR 122.2: a POTW takes in its sewers)."""


def ms4_test(town: Town, layer: str, ids: Collection[str] | None = None) -> pd.DataFrame:
    """The four answers of § 194-3 (MS4, A–D) for each asset of a layer (or for those given), and what follows from them.

    Index = asset id; columns owned, stormwater, not_combined, not_potw and is_ms4, each `yes`, `no` or `unknown`, and
    basis, the facts that they rest on. One `no` makes an asset no MS4 asset; without one, an `unknown` leaves it open.
    """
    frame = town.layer(layer) if ids is None else town.layer(layer).loc[list(ids)]
    owner = frame["owner"].replace("", "unknown")
    system = _system(frame, layer)
    answers = pd.DataFrame(
        [BY_SYSTEM[each] for each in system], columns=list(QUESTIONS[1:]), index=frame.index, dtype="str"
    )
    answers.insert(0, "owned", owner.map(lambda who: {"Town": "yes", "unknown": "unknown"}.get(who, "no")))
    answers["is_ms4"] = [_together(row) for row in answers[list(QUESTIONS)].itertuples(index=False)]
    answers["basis"] = [f"owner {who}, system {what}" for who, what in zip(owner, system, strict=True)]
    return answers


def is_ms4(town: Town, layer: str, asset_id: str) -> str:
    """`yes`, `no` or `unknown` for one asset; `unknown` for a layer that the test does not reach."""
    if layer not in LAYERS or asset_id not in town.layer(layer).index:
        return "unknown"
    return str(ms4_test(town, layer, [asset_id]).at[asset_id, "is_ms4"])


def _system(frame: pd.DataFrame, layer: str) -> list[str]:
    if layer in OPEN_DRAINAGE:
        return ["storm"] * len(frame)
    recorded = frame["system"].replace("", "unknown")
    if layer == "catch_basins":  # a catch basin takes in what runs off the road; what it leads to is not asked here
        return list(recorded.replace("unknown", "storm"))
    if layer == "outfalls":  # who records a kind of monitoring location says that it is one of the storm system
        return list(recorded.where((recorded != "unknown") | (frame["kind"] == "unknown"), "storm"))
    return list(recorded)


def _together(answers: tuple[str, ...]) -> str:
    return "no" if "no" in answers else "unknown" if "unknown" in answers else "yes"
