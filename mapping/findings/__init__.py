"""The rule book: cards, what rules found with what speaks for and against, and the check that runs them all."""

from __future__ import annotations

from mapping.findings import (
    drains,
    illicit,
    network,
    network_ends,
    network_flow,
    network_meetings,
    network_records,
    network_shapes,
    outfalls,
    waters,
)
from mapping.findings.finding import CannotSay, Fact, Finding, Fine, Found, Measure, Water
from mapping.findings.report import NotRun, Report, check
from mapping.findings.rule import RULES, Card, Rule, rule

__all__ = [
    "RULES",
    "CannotSay",
    "Card",
    "Fact",
    "Finding",
    "Fine",
    "Found",
    "Measure",
    "NotRun",
    "Report",
    "Rule",
    "Water",
    "check",
    "rule",
]

FAMILIES = (
    illicit, drains, waters, network, network_ends, network_shapes, network_flow, network_meetings, network_records, outfalls,
)  # fmt: skip
"""Importing a family registers its rules."""
