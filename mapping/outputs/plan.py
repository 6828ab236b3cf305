"""A day's routes as planned: crews, their stops, and every due location that is no stop, with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import shapely


@dataclass(frozen=True)
class Stop:
    """One stop: `eta` as HH:MM, minutes driven to it and spent there, where it is, how far from the road, what to know."""

    seq: int
    layer: str
    id: str
    eta: str
    drive_min: float
    service_min: float
    reasons: tuple[str, ...]
    lon: float
    lat: float
    snap_ft: float
    leg_mi: float = 0.0
    facts: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The stop as `route --json` gives it."""
        names = ("seq", "layer", "id", "eta", "drive_min", "service_min", "reasons", "lon", "lat", "snap_ft")
        return {name: getattr(self, name) for name in names} | {"reasons": list(self.reasons)}


@dataclass(frozen=True)
class Crew:
    """One crew's day, the way back included; `path` is what it drives, in the town's CRS."""

    stops: tuple[Stop, ...]
    drive_min: float
    service_min: float
    length_mi: float
    back_at: str
    path: shapely.Geometry

    def to_json(self) -> dict[str, Any]:
        """The crew's day as `route --json` gives it."""
        return {
            "stops": [stop.to_json() for stop in self.stops],
            "drive_min": self.drive_min,
            "service_min": self.service_min,
            "length_mi": self.length_mi,
        }


@dataclass(frozen=True)
class Left:
    """A due location that is not on the route, and why."""

    id: str
    why: str


@dataclass(frozen=True)
class Plan:
    """A day's routes: every location that was due is a stop, or in `unreachable`, or in `left_out`."""

    town: str
    on: date
    start: tuple[float, float]
    start_at: str
    crews: tuple[Crew, ...]
    unreachable: tuple[Left, ...]
    left_out: tuple[Left, ...]
    dry_weather: str
    basis: str
    notes: tuple[str, ...]

    def to_json(self, files: Sequence[Path] = ()) -> dict[str, Any]:
        """The plan as `route --json` gives it; `notes` says what the times rest on."""
        return {
            "crews": [crew.to_json() for crew in self.crews],
            "unreachable": [{"id": left.id, "why": left.why} for left in self.unreachable],
            "left_out": [{"id": left.id, "why": left.why} for left in self.left_out],
            "dry_weather": self.dry_weather,
            "files": [str(file) for file in files],
            "notes": list(self.notes),
        }


def say_minute(minute: float) -> str:
    """A minute of the day as a clock shows it.

    >>> say_minute(485.4)
    '08:05'
    """
    whole = round(minute)
    return f"{whole // 60 % 24:02d}:{whole % 60:02d}"
