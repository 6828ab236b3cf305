"""Network: records of structures and lines that lack a place, name what is not there, or give a date that cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pandas as pd

from mapping.findings.facts import Facts, name_asset
from mapping.findings.finding import Fact, Fine, Found, Measure, Subject
from mapping.findings.lines import ASSETS, LINES, STRUCTURES
from mapping.findings.rule import Outcome, rule
from mapping.words import say_day

FIRST_YEAR, FIRST_SURVEY = 1850, date(1950, 1, 1)
"""No drain in use is older, and no survey of one is: what says otherwise is a filler."""
IN_TIME = Fine("its dates can be")
LOCATED = Fine("it has a place")
KNOWN = Fine("the structures that its record names are known")


@dataclass(frozen=True)
class Dated:
    """An asset with a date on record."""

    subject: Subject
    surveyed_on: date | None
    year: int | None


def dated_assets(facts: Facts) -> Iterator[Dated]:
    """Every asset of which the day of survey or the year laid is recorded."""
    for layer in ASSETS:
        frame = facts.town.layer(layer)
        years = frame["year"] if "year" in frame else pd.Series(pd.NA, index=frame.index, dtype="Int64")
        known = frame["surveyed_on"].notna() | years.notna()
        rows = zip(frame.index[known], frame["surveyed_on"][known], years[known], strict=True)
        for key, day, year in rows:
            yield Dated((layer, str(key)), day if isinstance(day, date) else None, None if pd.isna(year) else int(year))


@rule(
    "NET-19",
    "Date that cannot be",
    cites=("ms4",),
    needs=("pipes.year|" + "|".join(f"{layer}.surveyed_on" for layer in ASSETS),),
    subjects=dated_assets,
    severity="note",
    fine=(IN_TIME,),
    bad="A basin surveyed on 1 January 1900, or a pipe laid in 2062.",
    good="A pipe laid in 1962 and surveyed in 2019.",
)
def date_that_cannot_be(facts: Facts, asset: Dated) -> Outcome:
    """A pipe was laid before 1850 or in a year to come, or an asset was surveyed before 1950, on a day to come, or unlaid."""
    wrong = _wrong_date(asset, facts.on)
    if not wrong:
        return IN_TIME
    text, year = wrong
    return Found(
        subject=asset.subject,
        confidence="probable",
        facts_for=(Fact(text, *asset.subject, str(facts.row(*asset.subject)["source"])),),
        clears=("look up the date in the source and correct it, or record it as not known",),
        measure=Measure("year", year, "year"),
    )


def _wrong_date(asset: Dated, on: date) -> tuple[str, int] | None:
    """What is wrong with the dates of an asset, and the year in question."""
    day, year = asset.surveyed_on, asset.year
    if year is not None and not FIRST_YEAR <= year <= on.year:
        return f"recorded as laid in {year}", year
    if day is not None and not FIRST_SURVEY <= day <= on:
        return f"recorded as surveyed on {say_day(day)}", day.year
    if day is not None and year is not None and day.year < year:
        return f"recorded as surveyed on {say_day(day)} and laid in {year}", day.year
    return None


def network_assets(facts: Facts) -> Iterator[tuple[Subject, bool]]:
    """Every structure and line, and whether it has a place; outfalls are OUT-05's matter."""
    for layer in (*STRUCTURES, *LINES):
        frame = facts.town.layer(layer)
        yield from (
            ((layer, str(key)), bool(has)) for key, has in zip(frame.index, frame.geometry.notna(), strict=True)
        )


@rule(
    "NET-20",
    "Asset without a place",
    cites=("ms4",),
    needs=("|".join((*STRUCTURES, *LINES)),),
    subjects=network_assets,
    severity="note",
    fine=(LOCATED,),
    bad="A catch basin of the table whose coordinates are blank.",
    good="The same with coordinates.",
)
def asset_without_place(facts: Facts, asset: tuple[Subject, bool]) -> Outcome:
    """A structure or line is on record and not on the map: it is kept and counted, where it leads cannot be said."""
    subject, located = asset
    if located:
        return LOCATED
    return Found(
        subject=subject,
        confidence="probable",
        facts_for=(Fact("it has no geometry, so it is on no map", *subject, str(facts.row(*subject)["source"])),),
        clears=(f"find {name_asset(*subject)} in the field or on a plan and record its place",),
    )


@dataclass(frozen=True)
class Named:
    """A line that records its ends, and those of them that are no structure's."""

    subject: Subject
    unknown: tuple[str, ...]


def naming_lines(facts: Facts) -> Iterator[Named]:
    """Every line that records the id of at least one of its ends."""
    known = {""}
    for layer in (*STRUCTURES, "outfalls"):
        frame = facts.town.layer(layer)
        known |= set(frame.index.astype(str)) | set(frame["source_id"].astype(str))
    for layer in LINES:
        frame = facts.town.layer(layer)
        for key, up, down in zip(frame.index, frame["from_id"], frame["to_id"], strict=True):
            if up or down:
                yield Named((layer, str(key)), tuple(each for each in dict.fromkeys((up, down)) if each not in known))


@rule(
    "NET-21",
    "Recorded end that is on no layer",
    cites=("ms4",),
    needs=("|".join(f"{layer}.{end}" for layer in LINES for end in ("from_id", "to_id")),),
    subjects=naming_lines,
    severity="note",
    fine=(KNOWN,),
    bad="A ditch is recorded to lead to CB-999, and no structure has that id.",
    good="A ditch recorded to lead to CB-99, which is a catch basin on the map.",
)
def recorded_end_unknown(facts: Facts, line: Named) -> Outcome:
    """A line's record names a structure that is on no layer: it was renamed or left out, or the words say that there is none.

    The line is joined by its place instead, and its direction is then inferred.
    """
    if not line.unknown:
        return KNOWN
    return Found(
        subject=line.subject,
        confidence="probable",
        facts_for=(
            Fact(
                f"no structure has the id {' or '.join(line.unknown)}",
                *line.subject,
                str(facts.row(*line.subject)["source"]),
            ),
        ),
        clears=("find the structure under its new id, or record it",),
        measure=Measure("ends not known", len(line.unknown), "ends"),
    )
