"""The law pack and the permit pack: every number, word and reading of the law as dated, cited data."""

from __future__ import annotations

from mapping.law.document import document
from mapping.law.load import load_law, load_permit
from mapping.law.pack import Law, Permit
from mapping.law.rows import Citation, EventName, Fact, Parameter, Reading, Requirement, Section, Start, Stay

__all__ = [
    "Citation",
    "EventName",
    "Fact",
    "Law",
    "Parameter",
    "Permit",
    "Reading",
    "Requirement",
    "Section",
    "Start",
    "Stay",
    "document",
    "load_law",
    "load_permit",
]
