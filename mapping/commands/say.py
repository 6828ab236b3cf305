"""How commands say what they did: tables of text, and a bar for long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from tqdm import tqdm

Answer = tuple[dict[str, Any], str]
"""The object for --json, and the text."""


def table(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of cells as lines of text."""
    return "\n".join("  ".join("" if cell is None else str(cell) for cell in row) for row in rows)


class Progress:
    """A bar on a terminal that names each step; silent elsewhere."""

    def __init__(self, what: str) -> None:
        self.bar = tqdm(desc=what, unit=" steps", disable=not sys.stderr.isatty(), leave=False)

    def __enter__(self) -> Callable[[str], None]:
        return self._tell

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def _tell(self, step: str) -> None:
        self.bar.set_postfix_str(step)
        self.bar.update()
