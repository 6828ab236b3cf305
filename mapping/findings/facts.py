"""Everything that rules may look at: the town on a day under a law, and tables derived from it, each made once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import pandas as pd
import shapely

from layers.records import Record, Records
from layers.schema import schema
from layers.town import Town
from mapping.conditions import letters, outfall_conditions
from mapping.findings.finding import Water
from mapping.law import Citation, Law
from mapping.ms4 import ms4_test
from mapping.screening import Limits, limits_of

DEAD = frozenset({"abandoned", "proposed", "not_found"})
"""Standings of an asset that discharges nothing."""


@dataclass(frozen=True)
class Facts:
    """The town as it stands on the day `on`: records of later days are not seen."""

    town: Town
    law: Law
    on: date

    @cached_property
    def records(self) -> Records:
        """What the register says up to the day."""
        return Records.from_iterable(each for each in self.town.records.everything if each.on <= self.on)

    @cached_property
    def limits(self) -> Limits:
        """The screening parameters in force in this town."""
        return limits_of(self.town.settings.options)

    @cached_property
    def conditions(self) -> pd.DataFrame:
        """The table of `outfall_conditions`."""
        return outfall_conditions(self.town, self.law, self.on)

    @cached_property
    def _conditions_of(self) -> Mapping[str, pd.DataFrame]:
        return {str(outfall): rows for outfall, rows in self.conditions.groupby("outfall_id")}

    def conditions_of(self, outfall: str) -> pd.DataFrame:
        """The rows of one outfall, perhaps none."""
        return self._conditions_of.get(outfall, self.conditions.iloc[:0])

    def waters_of(self, outfalls: Iterable[str]) -> tuple[Water, ...]:
        """Every water that any of the outfalls reaches, once for each basis."""
        return waters_in(pd.concat([self.conditions.iloc[:0], *(self.conditions_of(each) for each in outfalls)]))

    def row(self, layer: str, asset: str) -> Mapping[str, Any]:
        """The fields of one asset; empty where the layer has no such asset."""
        frame = self.town.layer(layer)
        if asset not in frame.index:
            return {}
        return dict(frame.loc[asset])

    def place(self, layer: str, asset: str) -> shapely.Geometry | None:
        """Where an asset is, in the town's CRS; None where it is not located."""
        return self.row(layer, asset).get("geometry")

    def records_about(self, subject: str, *kinds: str) -> list[Record]:
        """Records in force of these kinds about `layer:id`, oldest entry first."""
        return self.records.of(*kinds, subject=subject)

    def cite(self, codes: Iterable[str]) -> Citation:
        """The rows of the law in force on the day, as one citation: sections once each, words one after the other."""
        rows = [self.law.on(self.on)[code].cite() for code in codes]
        return Citation(
            section=", ".join(dict.fromkeys(row.section for row in rows)),
            numbered_by_order=any(row.numbered_by_order for row in rows),
            text=" ".join(row.text for row in rows),
        )

    @cached_property
    def _ms4(self) -> dict[str, pd.DataFrame]:
        return {}

    def ms4(self, layer: str, asset: str) -> Mapping[str, str]:
        """The answers of the MS4 test of § 194-3 for one asset: is_ms4, owned and the others, and basis."""
        if layer not in self._ms4:
            self._ms4[layer] = ms4_test(self.town, layer)
        return dict(self._ms4[layer].loc[asset])

    @cached_property
    def systems_at(self) -> Mapping[int, frozenset[str]]:
        """For each node of the network the systems of the lines that meet there."""
        edges = self.town.network.edges
        ends = pd.concat([edges[["tail", "system"]].rename(columns={"tail": "node"}),
                          edges[["head", "system"]].rename(columns={"head": "node"})])  # fmt: skip
        return {int(node): frozenset(group) for node, group in ends.groupby("node")["system"]}


def waters_in(rows: pd.DataFrame) -> tuple[Water, ...]:
    """The waters of some rows of `outfall_conditions`, once for each basis, in the order of the rows."""
    found = []
    for (segment, name, basis), group in rows.groupby(["segment_id", "name", "basis"], sort=False):
        pollutants = dict.fromkeys(each for text in group["pollutants"] for each in split_list(text))
        category = str(group["ir_category"].iloc[0])
        found.append(
            Water(str(segment), str(name), category, str(basis), letters(group["condition"]), tuple(pollutants))
        )
    return tuple(found)


def split_list(text: str) -> list[str]:
    """The entries of a text that lists several.

    >>> split_list("phosphorus; pathogens, silt/sediment")
    ['phosphorus', 'pathogens', 'silt/sediment']
    """
    return [part.strip() for part in re.split(r"[;,]", text) if part.strip()]


def name_asset(layer: str, asset: str) -> str:
    """An asset in words.

    >>> name_asset("catch_basins", "CB-3")
    'catch basin CB-3'
    """
    return f"{schema(layer).one} {asset}"


def count_assets(layers: Iterable[str]) -> str:
    """How many assets of each layer, in words.

    >>> count_assets(["pipes", "ditches", "pipes", "catch_basins", "ditches"])
    '2 pipes, 2 ditches and 1 catch basin'
    """
    words = []
    for layer, count in Counter(layers).items():
        one = schema(layer).one
        words.append(f"{count} {one if count == 1 else one + ('es' if one.endswith('ch') else 's')}")
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
