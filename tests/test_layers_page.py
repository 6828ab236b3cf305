"""docs/layers.md says what the schemas, the tolerances and the import say, and nothing is left out."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from layers.crosswalk import parse_crosswalk
from layers.document import CROSSWALK, document
from layers.ingest.codes import REFUSED, REJECTED, REPAIRED, WARNINGS
from layers.schema import LAYERS, schema
from layers.tolerances import Tolerances

ROOT = Path(__file__).resolve().parent.parent
PAGE = document()


def test_the_page_is_current() -> None:
    written = (ROOT / "docs" / "layers.md").read_text(encoding="utf-8")
    assert written == PAGE, "docs/layers.md is out of date: python -m tests.make_docs makes it anew"


@pytest.mark.parametrize("name", LAYERS)
def test_every_field_stands_there_with_its_names(name: str) -> None:
    section = PAGE.partition(f": `{name}`\n")[2].partition("\n### ")[0]
    for each in schema(name).fields:
        assert f"| `{each.name}` | {each.title}" in section
        assert all(f"`{alias}`" in section for alias in each.aliases)
        assert ("(*staff*)" in section.partition(f"| `{each.name}` |")[2].split("\n")[0]) is each.staff_only


@pytest.mark.parametrize("each", fields(Tolerances), ids=lambda each: each.name)
def test_every_tolerance_stands_there_with_its_reason(each: object) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{each.name}` |"))  # type: ignore[attr-defined]
    assert row.endswith(f" | {each.metadata['unit']} | {each.metadata['reason']} |")  # type: ignore[attr-defined]


def test_the_crosswalk_shown_is_one_that_is_read() -> None:
    shown = CROSSWALK.partition("```toml\n")[2].partition("```")[0]
    target = parse_crosswalk(tomllib.loads(shown), name="page").targets[0]
    assert target.values == {"owner": {"UK": "Town", "*": "unknown"}}


def codes_in(*patterns: str) -> set[str]:
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "layers").rglob("*.py") if "joins" not in path.parts
    )
    return {code for pattern in patterns for code in re.findall(pattern, text)}


def test_every_code_that_an_import_gives_is_explained() -> None:
    assert codes_in(r'code="((?:source|crs|store)_\w+)"') <= set(REFUSED)
    assert codes_in(r'\.reject\("(\w+)"') == set(REJECTED)
    assert codes_in(r'\.repair\(\s*"(\w+)"') == set(REPAIRED)
    assert codes_in(r'\.warn\(\s*"(\w+)"', r'yield \(?\s*"(\w+)",', r'\(\("(short_rows)"') == set(WARNINGS)


@pytest.mark.parametrize("table", [REFUSED, REJECTED, REPAIRED, WARNINGS])
def test_every_code_is_explained_in_a_sentence(table: dict[str, str]) -> None:
    assert all(re.fullmatch(r"[a-z_]+", code) for code in table)
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in table.values())
