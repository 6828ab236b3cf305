"""Makes the generated pages in `docs/` anew: `python -m tests.make_docs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from layers.document import document as layers_page
from mapping.__main__ import make_parser
from mapping.commands.document import document as commands_page
from mapping.findings.document import document as rules_page
from mapping.law import load_law
from mapping.law.document import document as law_page

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES: Mapping[str, Callable[[], str]] = {
    "commands.md": lambda: commands_page(make_parser()),
    "law.md": lambda: law_page(load_law("north_salem_194")),
    "layers.md": layers_page,
    "rules.md": rules_page,
}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")
