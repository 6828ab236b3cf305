"""The list of what was planted, as `planted.toml` and as the table in the sample's README."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from maker.planted import Planted

START, END = "<!-- planted: from planted.toml -->", "<!-- end of planted -->"
TITLES = {"suspected": "Suspected illicit connections", "control": "Look like a fault and are none", "fault": "Faults"}


def write_planted(planted: Iterable[Planted], path: Path) -> None:
    """Writes `planted.toml`, one table an item in the order of the codes; empty fields are left out."""
    parts = ["# What is planted in the sample town. Written by make_sample.py; the table in README.md is made from it."]
    for each in sorted(planted, key=lambda item: item.code):
        lines = [f"{name} = {_quoted(str(value))}" for name, value in asdict(each).items() if value]
        parts.append("\n".join(["[[planted]]", *lines]))
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def render_table(planted: Iterable[Mapping[str, str]]) -> str:
    """The README's tables, one a kind."""
    items = list(planted)
    parts = []
    for kind, title in TITLES.items():
        lines = [f"### {title}", "", "| code | what | where | the product says |", "|---|---|---|---|"]
        for each in (item for item in items if item["kind"] == kind):
            where = f"{each['file']}, `{each.get('layer') or 'in no layer'}:{each['id']}`"
            lines.append(f"| {each['code']} | {_cell(each['what'])} | {where} | {_cell(_says(each))} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _says(each: Mapping[str, str]) -> str:
    silent = "not " if each["kind"] == "control" else ""
    rules = " and ".join(f"{silent}`{code}`" for code in each.get("finding", "").split())
    reports = f"import report `{each['report']}`" if each.get("report") else ""
    return "; ".join(part for part in (each["says"], rules, reports) if part)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def fill_readme(path: Path, table: str) -> None:
    """Puts the table between the README's two marks."""
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{START}\n\n{table}\n\n{END}{after}", encoding="utf-8")
