"""What the documents say is what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mapping.__main__ import COMMANDS
from tests.make_docs import DOCS, PAGES

ROOT = DOCS.parent
WRITTEN = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *(ROOT / "data").rglob("*.md")]


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), f"docs/{name} is out of date: run make docs"


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_in_a_document_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    inside = [link for link in links if "://" not in link]
    assert [link for link in inside if not (page.parent / link).exists()] == []


def test_the_readme_begins_with_the_two_commands() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[1]
    assert [line.split("#")[0].split() for line in first.strip().splitlines()] == [["make", "run"], ["make", "test"]]


def test_the_readme_names_only_commands_that_there_are() -> None:
    known = {command for commands in COMMANDS.values() for command in commands}
    named = set(re.findall(r"python -m mapping (\w+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert named <= known


def test_ci_runs_the_readmes_test_command() -> None:
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().endswith("make test")


def test_every_requirement_is_bounded() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in wanted if "<" not in line or ">=" not in line] == []
