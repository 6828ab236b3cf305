"""Everything that rules may look at: the town on a day under a law, and tables derived from it, each made once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import shapely

from layers.joins.premises import premises_of_lots
from layers.overlay import turned_lines
from layers.records import Record, Records
from layers.schema import schema
from layers.town import Town
from mapping.conditions import Condition, letters, list_conditions
from mapping.findings.finding import Subject, Water
from mapping.findings.lines import Lines
from mapping.law import Citation, Law, Parameter
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

    # -- the register and the law

    @cached_property
    def records(self) -> Records:
        """What the register says up to the day."""
        return Records.from_iterable(each for each in self.town.records.everything if each.on <= self.on)

    @cached_property
    def _by_subject(self) -> Mapping[str, list[Record]]:
        found: dict[str, list[Record]] = defaultdict(list)
        for each in self.records:
            found[each.subject].append(each)
        return found

    def records_about(self, subject: str, *kinds: str) -> list[Record]:
        """Records in force of these kinds about `layer:id`, oldest entry first."""
        return [each for each in self._by_subject.get(subject, ()) if each.kind in kinds]

    def corrected_on(self, subject: str, findings: Collection[str], *, since: date = date.min) -> date | None:
        """The last day since then of a correction on record: of the subject itself, or in a case about one of the findings."""
        opened = self.records.of("case_opened")
        cases = {each.case for each in opened if not set(each.data.get("findings") or ()).isdisjoint(findings)}
        days = [
            each.on
            for each in self.records.of("corrected")
            if each.on >= since and (each.subject == subject or each.case in cases)
        ]
        return max(days, default=None)

    @cached_property
    def limits(self) -> Limits:
        """The screening parameters in force in this town."""
        return limits_of(self.town.settings.options)

    @cached_property
    def in_force(self) -> Mapping[str, Parameter]:
        """The rows of the law in force on the day, by code."""
        return self.law.on(self.on)

    def cite(self, codes: Iterable[str]) -> Citation:
        """Rows of the law in force as one citation: sections once each, words one after the other."""
        rows = [self.in_force[code].cite() for code in codes]
        return Citation(
            section=", ".join(dict.fromkeys(row.section for row in rows)),
            numbered_by_order=any(row.numbered_by_order for row in rows),
            text=" ".join(row.text for row in rows),
        )

    # -- the assets

    @cached_property
    def _columns(self) -> dict[str, Mapping[str, Any]]:
        return {}

    def row(self, layer: str, asset: str) -> Mapping[str, Any]:
        """The fields of one asset, its geometry among them; empty where the layer has no such asset."""
        frame = self.town.layer(layer)
        if asset not in frame.index:
            return {}
        if layer not in self._columns:
            self._columns[layer] = {str(name): frame[name].array for name in frame.columns}
        place = frame.index.get_loc(asset)
        return {name: values[place] for name, values in self._columns[layer].items()}

    def lots_of(self, premises: str) -> list[str]:
        """The lots of a premises: itself, or every unit of its stack; empty where it is no lot."""
        return self._lots.get(premises, [])

    @cached_property
    def _lots(self) -> dict[str, list[str]]:
        lots: dict[str, list[str]] = {}
        for lot, premises in premises_of_lots(self.town.layer("parcels")).items():
            lots.setdefault(str(premises), []).append(str(lot))
        return lots

    def place(self, layer: str, asset: str) -> shapely.Geometry | None:
        """Where an asset is, in the town's CRS; None where it is not located."""
        return self.row(layer, asset).get("geometry")

    @cached_property
    def _ms4(self) -> dict[str, Mapping[Any, Any]]:
        return {}

    def ms4(self, layer: str, asset: str) -> Mapping[str, str]:
        """The answers of the MS4 test of § 194-3 for one asset: is_ms4, owned and the others, and basis."""
        if layer not in self._ms4:
            self._ms4[layer] = ms4_test(self.town, layer).to_dict("index")
        answers: Mapping[str, str] = self._ms4[layer][asset]
        return answers

    @cached_property
    def systems_at(self) -> Mapping[int, set[str]]:
        """For each node of the network where lines meet, the systems of these."""
        edges, met = self.town.network.edges, defaultdict(set)
        for end in ("tail", "head"):
            for node, system in zip(edges[end], edges["system"], strict=True):
                met[int(node)].add(str(system))
        return met

    @cached_property
    def lines(self) -> Lines:
        """The lines of the network as drawn, and what meets where."""
        return Lines(self.town)

    @cached_property
    def drained(self) -> frozenset[str]:
        """Ids that records of private drains name as what they are connected to."""
        return frozenset(self.town.layer("drains")["to_id"].astype(str)) - {""}

    @cached_property
    def turned(self) -> frozenset[Subject]:
        """The lines of which the Town has accepted that water runs the other way than record and drawing say."""
        return frozenset(turned_lines(self.town.records))

    # -- the waters

    @cached_property
    def _conditions(self) -> Mapping[str, list[Condition]]:
        found: dict[str, list[Condition]] = defaultdict(list)
        for each in list_conditions(self.town, self.law, self.on):
            found[each.outfall_id].append(each)
        return found

    def conditions_of(self, outfall: str) -> list[Condition]:
        """What is known of the waters of one outfall, perhaps nothing."""
        return self._conditions.get(outfall, [])

    def waters_of(self, outfalls: Iterable[str]) -> tuple[Water, ...]:
        """Every water that any of the outfalls reaches, once for each basis."""
        return waters_in(row for outfall in outfalls for row in self.conditions_of(outfall))


def waters_in(rows: Iterable[Condition]) -> tuple[Water, ...]:
    """The waters of some conditions, once for each basis, in the order of the rows."""
    groups: dict[tuple[str, str, str], list[Condition]] = defaultdict(list)
    for row in rows:
        groups[row.segment_id, row.name, row.basis].append(row)
    return tuple(
        Water(
            id=segment,
            name=name,
            ir_category=group[0].ir_category,
            basis=basis,
            conditions=letters(row.condition for row in group),
            pollutants=tuple(dict.fromkeys(each for row in group for each in split_list(row.pollutants))),
        )
        for (segment, name, basis), group in groups.items()
    )


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
