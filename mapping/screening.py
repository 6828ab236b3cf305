"""An inspection of a monitoring location: is it sound, how is it designated, was the weather dry."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeGuard

from layers.errors import CallError, FieldError

FOLDER = Path(__file__).resolve().parent.parent / "data" / "screening"
FILES = ("designation", "dry_weather")
RAIN_H = (24, 48, 72)
"""Hours for which an observation can say how much it rained before it."""
NO_INDICATOR = "no indicator"

Observation = Mapping[str, Any]
Limits = Mapping[str, float]


@dataclass(frozen=True)
class Parameter:
    """A number that decides something in screening: unit, bounds, reason, source, and whether the source was checked."""

    code: str
    title: str
    value: float
    unit: str
    low: float
    high: float
    reason: str
    source: str
    verified: bool
    choices: tuple[float, ...] = ()

    def fault(self, value: object) -> str:
        """What is wrong with another value for this parameter, or nothing."""
        if not _is_number(value):
            return f"{self.code} must be a number, not {value!r}"
        if self.choices and value not in self.choices:
            return f"{self.code} = {value} is not one of {', '.join(f'{each:g}' for each in self.choices)} {self.unit}"
        if not self.low <= value <= self.high:
            return f"{self.code} = {value} lies outside {self.low:g} to {self.high:g} {self.unit}"
        return ""


@dataclass(frozen=True)
class Designation:
    """How a location is designated: computed from the sheet, the inspector's own word, and what the first rests on."""

    computed: str
    inspector: str
    basis: tuple[str, ...]

    @property
    def indicators(self) -> tuple[str, ...]:
        """The basis without the word that there is none."""
        return () if self.basis == (NO_INDICATOR,) else self.basis

    @property
    def gravest(self) -> str:
        """The graver of the two words: an inspector may see what no box on the sheet is for, and the other way round."""
        words = _sheet("designation")["designations"]
        return str(max((self.computed, self.inspector or self.computed), key=words.index))

    @property
    def disagrees(self) -> bool:
        """Whether the inspector gave another word than the sheet's own rule."""
        return bool(self.inspector) and self.inspector != self.computed

    def to_json(self) -> dict[str, Any]:
        """The object `designation` that `screen --json` prints."""
        return asdict(self) | {"basis": list(self.basis)}


@cache
def _sheet(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def parameters() -> Mapping[str, Parameter]:
    """Every parameter of `data/screening`, by code."""
    rows = [row for name in FILES for row in _sheet(name)["parameter"]]
    return {row["code"]: Parameter(**row | {"choices": tuple(row.get("choices", ()))}) for row in rows}


def limits_of(options: Mapping[str, Any]) -> Limits:
    """The values in force: the shipped ones with the town's own `[options]` laid over.

    Raises CallError that lists every value outside its bounds; options of other names are not ours and are passed over.
    """
    known = parameters()
    own = {code: value for code, value in options.items() if code in known}
    faults = [fault for code, value in own.items() if (fault := known[code].fault(value))]
    if faults:
        raise CallError(f"town.toml, [options]: {'; '.join(faults)}", hint="see docs/rules.md for the bounds")
    return {code: float(own.get(code, each.value)) for code, each in known.items()}


def designate(observation: Observation, *, limits: Limits | None = None) -> Designation:
    """The designation of one observation, by the rule of the field sheet.

    Any indicator in the flow of the severity `suspect_severity` makes it `suspect`; else `potential_indicators` of any
    kind, each line of the sheet counted once, make it `potential`; else it is `unlikely`. `obvious` is the inspector's
    call alone: it is kept beside, never computed. Raises FieldError with every fault of the observation.
    Laboratory chemistry is not read here.
    Source: ORI sheet, sections 4 to 6 (EPA 833-B-04-002).
    """
    validate_observation(observation)
    limits = limits or limits_of({})
    flowing, standing = _in_flow(observation), _standing(observation)
    worst = max((severity for _, severity in flowing), default=0)
    if worst >= limits["suspect_severity"]:
        computed = "suspect"
    elif len(flowing) + len(standing) >= limits["potential_indicators"]:
        computed = "potential"
    else:
        computed = "unlikely"
    basis = (*(text for text, _ in flowing), *standing) or (NO_INDICATOR,)
    return Designation(computed, str(observation.get("inspector_designation") or ""), basis)


def is_flowing(observation: Observation) -> bool:
    """Whether water ran."""
    return bool(observation["flow"] != "none")


def dry_weather(observation: Observation, *, limits: Limits | None = None) -> str:
    """Whether it was dry before the inspection: `yes`, `no`, or `unknown` where rain is not known.

    Dry means less rain than `dry_weather_threshold_in` in the last `dry_weather_window_h`. A longer time without rain
    proves it, rain in a shorter one disproves it; null is not known and never taken as dry.
    """
    limits = limits or limits_of({})
    window, threshold = limits["dry_weather_window_h"], limits["dry_weather_threshold_in"]
    known = {hours: rain for hours in RAIN_H if (rain := observation.get(f"rain_{hours}h_in")) is not None}
    if any(rain >= threshold for hours, rain in known.items() if hours <= window):
        return "no"
    if any(rain < threshold for hours, rain in known.items() if hours >= window):
        return "yes"
    return "unknown"


def validate_observation(observation: Observation) -> None:
    """Refuses an observation that cannot be as it says, with one FieldError that tells every fault."""
    faults = [
        *_who_and_when(observation),
        *_flow_faults(observation),
        *_indicator_faults(observation),
        *_rain_faults(observation),
        *_sample_faults(observation),
    ]
    if faults:
        where = observation.get("location") or "without a location"
        raise FieldError(f"inspection {where}: {'; '.join(faults)}", hint="mend the fields named and record it again")


def _in_flow(observation: Observation) -> list[tuple[str, int]]:
    """Indicators seen in the flow, each in words with its severity."""
    found = []
    for line in _sheet("designation")["flowing"]:
        entry = observation.get(line["name"])
        if entry is None or _says_nothing(entry.get("kind")):
            continue
        severity = int(entry["severity"])
        kind = f" {entry['kind']}" if line["kind"] and entry.get("kind") else ""
        found.append((f"{line['name']}{kind}, severity {severity} ({line['severity'][severity - 1]})", severity))
    return found


def _standing(observation: Observation) -> list[str]:
    """Indicators that need no flow, in words, each line of the sheet once."""
    found = []
    for line in _sheet("designation")["standing"]:
        seen = [str(each) for each in observation.get(line["name"]) or () if not _says_nothing(each)]
        if seen:
            found.append(f"{line['title']}: {', '.join(seen)}")
    growth = observation.get("vegetation")
    if growth and not _says_nothing(growth):
        found.append(f"vegetation {growth}")
    return found


def _says_nothing(word: object) -> bool:
    return isinstance(word, str) and word.strip().casefold() in _sheet("designation")["no_indicator"]["words"]


def _who_and_when(observation: Observation) -> Iterator[str]:
    if not isinstance(observation.get("location"), str) or not observation["location"].strip():
        yield "location is missing"
    at = observation.get("at")
    try:
        datetime.fromisoformat(at if isinstance(at, str) else "")
    except ValueError:
        yield f"at is {at!r}, write the local date and time as 2026-08-04T09:30"
    words = _sheet("designation")["designations"]
    given = observation.get("inspector_designation")
    if given and given not in words:
        yield f"inspector_designation {given!r} is not one of {', '.join(words)}"


def _flow_faults(observation: Observation) -> Iterator[str]:
    words = _sheet("designation")["flows"]
    flow = observation.get("flow")
    if flow not in words:
        yield f"flow {flow!r} is not one of {', '.join(words)}"
    for line in _sheet("designation")["flowing"]:
        if flow == "none" and observation.get(line["name"]) is not None:
            yield f"{line['name']} is given though nothing flows"


def _indicator_faults(observation: Observation) -> Iterator[str]:
    for line in _sheet("designation")["flowing"]:
        entry = observation.get(line["name"])
        if entry is not None:
            yield from _entry_faults(line["name"], entry, needs_kind=line["kind"])
    for line in _sheet("designation")["standing"]:
        seen = observation.get(line["name"])
        if seen is not None and not (isinstance(seen, list | tuple) and all(isinstance(each, str) for each in seen)):
            yield f"{line['name']} must be a list of words"
    words = _sheet("designation")["vegetation"]
    growth = observation.get("vegetation")
    if growth and growth not in words:
        yield f"vegetation {growth!r} is not one of {', '.join(words)}"


def _entry_faults(name: str, entry: object, *, needs_kind: bool) -> Iterator[str]:
    if not isinstance(entry, Mapping):
        yield f'{name} must say its severity as {{"severity": 1}}'
        return
    kind, severity = entry.get("kind"), entry.get("severity")
    if needs_kind and not (isinstance(kind, str) and kind.strip()):
        yield f"{name} does not say its kind"
    if not _says_nothing(kind) and (
        not isinstance(severity, int) or isinstance(severity, bool) or severity not in (1, 2, 3)
    ):
        yield f"{name} has the severity {severity!r}, it must be 1, 2 or 3"


def _rain_faults(observation: Observation) -> Iterator[str]:
    known: list[tuple[int, float]] = []
    for hours in RAIN_H:
        rain = observation.get(f"rain_{hours}h_in")
        if rain is None:
            continue
        if not _is_number(rain) or rain < 0:
            yield f"rain_{hours}h_in is {rain!r}, it must be a number of inches or null"
            continue
        known.append((hours, rain))
    for (shorter, less), (longer, more) in pairwise(known):
        if less > more:
            yield f"rain_{shorter}h_in {less:g} exceeds rain_{longer}h_in {more:g}"


def _sample_faults(observation: Observation) -> Iterator[str]:
    samples = observation.get("samples")
    if samples is None:
        return
    if not isinstance(samples, Mapping):
        yield "samples must be a table of readings"
        return
    for name, reading in samples.items():
        value, qualifier = reading, "<"
        if isinstance(reading, Mapping):
            value, qualifier = reading.get("value"), reading.get("qualifier") or "<"
        if value is None and not isinstance(reading, Mapping):
            continue
        if not _is_number(value) or value < 0:
            yield f"sample {name} is {value!r}, it must be a number that is not negative"
        elif qualifier != "<":
            yield f"sample {name} has the qualifier {qualifier!r}, only < is known"


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
