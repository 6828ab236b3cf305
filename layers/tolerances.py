"""Every distance and share that decides something about layers and joins, with its unit, bounds and reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from layers.errors import CallError


def _limit(value: float, unit: str, low: float, high: float, reason: str) -> Any:
    return field(default=value, metadata={"unit": unit, "low": low, "high": high, "reason": reason})


@dataclass(frozen=True)
class Tolerances:
    """The values in force; a town may set others in `[tolerances]` of its `town.toml`, within the bounds.

    >>> Tolerances().snap_ft
    0.5
    """

    snap_ft: float = _limit(
        0.5, "ft", 0.0, 2.0, "line ends closer than this are one place: below what a tape or a GPS pole can tell apart"
    )
    snap_doubtful_ft: float = _limit(
        5.0, "ft", 0.5, 15.0, "ends closer than this probably meet: proposed, used as doubtful, never silently joined"
    )
    recorded_id_ft: float = _limit(
        33.0, "ft", 1.0, 200.0, "a recorded id that lies further from both ends of the line is a slip, not a place"
    )
    frontage_ft: float = _limit(
        60.0,
        "ft",
        0.0,
        150.0,
        "premises include the adjacent sidewalk and parking strip (§ 194-3); half of a wide road",
    )
    frontage_tie_ft: float = _limit(
        1.0, "ft", 0.0, 10.0, "two lots whose distance differs by less than this front the structure alike: both kept"
    )
    lot_line_ft: float = _limit(
        0.5, "ft", 0.0, 5.0, "a point nearer than this to a lot line lies on it: lot lines are no better than this"
    )
    water_ft: float = _limit(
        300.0, "ft", 10.0, 1500.0, "a receiving water further away than this is not taken without a record"
    )
    water_tie_ft: float = _limit(
        50.0, "ft", 0.0, 300.0, "two waters whose distance differs by less than this are both plausible"
    )
    point_ft: float = _limit(
        30.0,
        "ft",
        1.0,
        300.0,
        "a place on the map means the nearest line or structure within this: as near as a hand points",
    )
    short_line_ft: float = _limit(
        0.1, "ft", 0.0, 1.0, "a line shorter than this is a slip of the hand, it conveys nothing"
    )
    envelope_margin_ft: float = _limit(
        10560.0, "ft", 0.0, 52800.0, "assets may lie up to two miles outside the boundary before they are not believed"
    )
    area_change_share: float = _limit(
        0.01, "share", 0.0, 0.5, "a repair that moves a lot's area by more than this is listed for a look"
    )

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Tolerances:
        """The defaults with the town's own values laid over, or a CallError that lists every fault."""
        known = {each.name: each for each in fields(cls)}
        faults = []
        for name, value in table.items():
            if name not in known:
                faults.append(f"{name} is not a tolerance")
                continue
            bounds = known[name].metadata
            if isinstance(value, bool) or not isinstance(value, int | float):
                faults.append(f"{name} must be a number, not {value!r}")
            elif not bounds["low"] <= value <= bounds["high"]:
                faults.append(f"{name} = {value} lies outside {bounds['low']} to {bounds['high']} {bounds['unit']}")
        snap, doubtful = (table.get(name, known[name].default) for name in ("snap_ft", "snap_doubtful_ft"))
        if not faults and doubtful < snap:
            faults.append(f"snap_doubtful_ft = {doubtful} is less than snap_ft = {snap}")
        if faults:
            raise CallError(
                f"town.toml, [tolerances]: {'; '.join(faults)}", hint=f"known tolerances: {', '.join(sorted(known))}"
            )
        return cls(**{name: float(value) for name, value in table.items()})
