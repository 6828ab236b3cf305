"""What a town has set in its `town.toml`: name, packs, working CRS, bounds, tolerances, readings, options."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import shapely
from pyproj import CRS

from layers.crs import name_crs, parse_working_crs
from layers.errors import CallError, StoreError
from layers.tolerances import Tolerances

FILE = "town.toml"
TEXTS, TABLES = ("name", "law", "permit"), ("readings", "tolerances", "options")
KEYS = {*TEXTS, "crs", "bounds", *TABLES}
Bounds = tuple[float, float, float, float]


@dataclass(frozen=True)
class Settings:
    """The settings of one town; `bounds` is west, south, east, north in degrees, or None."""

    name: str
    crs: CRS
    law: str = "north_salem_194"
    permit: str = "gp_0_24_001"
    bounds: Bounds | None = None
    tolerances: Tolerances = field(default_factory=Tolerances)
    readings: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        use = self.crs.area_of_use
        if self.bounds and use and not shapely.box(*self.bounds).intersects(shapely.box(*use.bounds)):
            raise CallError(
                f"bounds {','.join(map(str, self.bounds))} lie where {name_crs(self.crs)} may not be used",
                hint="write west,south,east,north in degrees, longitude first, or choose the CRS of the place",
            )


def load_settings(folder: Path) -> Settings:
    """The settings in the town's folder, or a StoreError that says what is missing and how to make a town."""
    path = folder / FILE
    if not path.is_file():
        raise StoreError(
            f"{folder} is no town folder: it has no {FILE}",
            hint=f"make one with: python -m mapping new {folder} --name …",
        )
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as fault:
        raise StoreError(f"{path} cannot be read: {fault}", hint="mend the file or restore it") from fault
    return parse_settings(raw, where=str(path))


def parse_settings(raw: Mapping[str, Any], *, where: str = FILE) -> Settings:
    """Settings from a table as it stands in `town.toml`; raises CallError with every fault, CRSError for its CRS."""
    faults = [f"unknown key {', '.join(unknown)}"] if (unknown := sorted(set(raw) - KEYS)) else []
    faults += [f"{', '.join(missing)} is missing"] if (missing := sorted({"name", "crs"} - set(raw))) else []
    faults += [f"{key} must be text" for key in TEXTS if not isinstance(raw.get(key, ""), str)]
    faults += [f"[{key}] must be a table" for key in TABLES if not isinstance(raw.get(key, {}), Mapping)]
    if not faults and not raw["name"].strip():
        faults.append("the name is empty")
    if faults:
        raise CallError(f"{where}: {'; '.join(faults)}", hint=f"known keys: {', '.join(sorted(KEYS))}")
    return Settings(
        name=raw["name"],
        crs=parse_working_crs(raw["crs"]),
        law=raw.get("law", "north_salem_194"),
        permit=raw.get("permit", "gp_0_24_001"),
        bounds=parse_bounds(raw["bounds"], where=where) if raw.get("bounds") else None,
        tolerances=Tolerances.from_table(raw.get("tolerances", {})),
        readings=dict(raw.get("readings", {})),
        options=dict(raw.get("options", {})),
    )


def parse_bounds(values: Any, *, where: str) -> Bounds:
    """West, south, east, north in degrees, or a CallError."""
    try:
        west, south, east, north = (float(value) for value in values)
    except (TypeError, ValueError) as fault:
        raise CallError(
            f"{where}: bounds must be four numbers", hint="write west,south,east,north in degrees"
        ) from fault
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        raise CallError(
            f"{where}: bounds {west},{south},{east},{north} are no box on earth",
            hint="write west,south,east,north in degrees, such as -73.67,41.29,-73.52,41.38",
        )
    return west, south, east, north


def render_settings(settings: Settings, *, crs: str) -> str:
    """The text of a new `town.toml`."""
    bounds = f"bounds = [{', '.join(str(v) for v in settings.bounds)}]\n" if settings.bounds else ""
    return (
        f"name = {_quote(settings.name)}\nlaw = {_quote(settings.law)}\npermit = {_quote(settings.permit)}\n"
        f"crs = {_quote(crs)}\n{bounds}"
        "\n[readings]\n\n[tolerances]\n\n[options]\n"
    )


def _quote(text: str) -> str:
    kept = "".join(
        f"\\u{ord(char):04x}" if ord(char) < 32 or ord(char) == 127 else char
        for char in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{kept}"'
