"""Premises as the law asks about them: their property classes, and whether these are commercial or industrial."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mapping.findings.facts import Facts

FILE = Path(__file__).resolve().parent.parent.parent / "data" / "codes" / "property_classes.csv"
COMMERCIAL_CLASSES = ("4", "7")
"""First digits of the classes that are commercial or industrial unless the town's option `commercial_classes` says others."""


@dataclass(frozen=True)
class PropertyClass:
    """One class of the State's list; `generating_site` names the kind of site that often generates pollutants."""

    code: str
    title: str
    group: str
    generating_site: str
    source: str


@dataclass(frozen=True)
class Use:
    """What a premises is used for: `commercial` is yes, no or unknown, in words in `text`."""

    key: str
    commercial: str
    text: str


@cache
def property_classes() -> dict[str, PropertyClass]:
    """The State's property classes by code."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["code"]: PropertyClass(**row) for row in csv.DictReader(file)}


def class_code(text: str) -> str:
    """The three-digit class in what a roll says; empty where there is none.

    >>> class_code("432"), class_code("432.0"), class_code("4320W"), class_code("")
    ('432', '432', '432', '')
    """
    found = re.match(r"\s*(\d{3})", text)
    return found.group(1) if found else ""


def say_class(code: str) -> str:
    """A class in words.

    >>> say_class("432")
    'class 432, service and gas station'
    """
    known = property_classes().get(code)
    return f"class {code}, {known.title[0].lower()}{known.title[1:]}" if known else f"class {code}"


def use_of(facts: Facts, key: str) -> Use:
    """Whether the premises is a commercial or industrial land use (§ 194-3, illicit connections B).

    The law does not define the term: by default classes 400 to 499 and 700 to 799, else the prefixes in the town's
    option `commercial_classes`. A stack of lots is one premises, and commercial if any of its lots is. A premises that is
    no lot, or a lot without a class, is unknown and never commercial.
    """
    rows = [facts.row("parcels", lot) for lot in facts.lots_of(key)]
    if not rows:
        return Use(key, "unknown", f"premises {key} is no lot of the parcels layer")
    codes = sorted({class_code(str(row["property_class"])) for row in rows})
    where = f"premises {key} ({rows[0]['address']})" if rows[0]["address"] else f"premises {key}"
    commercial = [code for code in codes if code.startswith(commercial_classes(facts))]
    if commercial:
        units = f", in a stack of {len(rows)} lots" if len(rows) > 1 else ""
        return Use(key, "yes", f"{where} is {' and '.join(map(say_class, commercial))}{units}")
    if "" in codes:
        return Use(key, "unknown", f"the property class of {where} is not recorded")
    return Use(key, "no", f"{where} is {' and '.join(map(say_class, codes))}")


def uses_of_asset(facts: Facts, layer: str, asset: str) -> dict[str, tuple[Use, str]]:
    """The premises linked to an asset, by key: what each is used for, and the confidence of the link."""
    links = facts.town.premises_links
    mine = links[(links["layer"] == layer) & (links["asset_id"] == asset)]
    sure = dict(zip(mine["premises_key"].astype(str), mine["confidence"], strict=True))
    return {key: (use_of(facts, key), confidence) for key, confidence in sure.items()}


def commercial_classes(facts: Facts) -> tuple[str, ...]:
    """The class prefixes that count as commercial or industrial in this town."""
    chosen: Iterable[object] = facts.town.settings.options.get("commercial_classes", COMMERCIAL_CLASSES)
    return tuple(str(each) for each in chosen)
