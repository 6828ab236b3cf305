"""A refusal in the words of the form that it is told in: titles of fields and labels of controls, no names of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from layers.errors import MS4Error
from mapping.register import KINDS

CRS_LABEL, CRS_BY_LABEL = "Coordinate system", "Who says so"
LAYER_LABEL, READ_LABEL, INSIDE_LABEL = "As layer", "How its fields are read", "Layer in the file"
NAME_LABEL = "Your name, for the record"
OPTIONS: tuple[tuple[str, str], ...] = (
    (r", such as --\S+ \S+", ""),
    (
        r"(import (it|again) with |add )?(--crs EPSG:\S* )?--crs-by NAME",
        f"give “{CRS_LABEL}” and “{CRS_BY_LABEL}” under “The file does not say where it lies”",
    ),
    (r"--crs\b", f"“{CRS_LABEL}”"),
    (r"give --as LAYER or --crosswalk FILE", f"choose “{LAYER_LABEL}” or “{READ_LABEL}”"),
    (r"name one with --source-layer", f"choose one under “{INSIDE_LABEL}”"),
    (r"(try|name its encoding with) --encoding( \([^)]*\))?", "save it as UTF-8"),
    (r": import again with --encoding UTF-8", ": save the file as UTF-8 and send it again"),
    (r"say who enters it, with --by NAME", f"fill in “{NAME_LABEL}”"),
)
"""What the command line calls a thing, and what to do on the page instead."""
KIND = re.compile(r"^event (\w+): |^(inspection) [^:]*: ")
DATA = re.compile(r"\bdata\.(\w+)( is missing) \([^)]*\)|\bdata\.(\w+)")
FIRST = re.compile(r"(^|; )(\w+)(?= )")
OURS = re.compile(r"\b\w*_\w*\b")
CLERKS = "it takes "
"""How a hint begins that lists the fields of an event for a caller who sees no form."""
ON_FORM = {"at": "At what time", "on": "On which day", "by": NAME_LABEL}
"""Labels of a form that are not the title of the field behind them."""


def say_refusal(error: MS4Error) -> tuple[str, str]:
    """The text and the hint of an error as the reader of a page can act on them.

    >>> from layers.errors import RegisterError
    >>> say_refusal(RegisterError("event note: data.text is missing (Text)", hint="it takes text (text, required)"))
    ('Note: “Text” is missing', 'fill in what is marked as required')
    """
    found = KIND.match(error.text)
    kind = (found[1] or found[2]) if found else ""
    titles = _titles(kind)
    text, head = error.text, ""
    if found and kind in KINDS:
        head, text = f"{KINDS[kind].title}: ", FIRST.sub(lambda part: _named(part, titles), error.text[found.end() :])
    hint = "fill in what is marked as required" if error.hint.startswith(CLERKS) else error.hint
    return head + _on_page(text, titles), _on_page(hint, titles)


def _titles(kind: str) -> Mapping[str, str]:
    """The label of every field, those of the kind at hand before those of other kinds."""
    every = {each.name: each.title for other in KINDS.values() for each in other.fields}
    own = {each.name: each.title for each in KINDS[kind].fields} if kind in KINDS else {}
    return {**every, **own, **ON_FORM}


def _on_page(text: str, titles: Mapping[str, str]) -> str:
    said = DATA.sub(lambda part: f"“{titles.get(part[1] or part[3], part[1] or part[3])}”{part[2] or ''}", text)
    for option, words in OPTIONS:
        said = re.sub(option, words, said)
    return OURS.sub(lambda part: f"“{titles[part[0]]}”" if part[0] in titles else part[0], said)


def _named(part: re.Match[str], titles: Mapping[str, str]) -> str:
    return f"{part[1]}“{titles[part[2]]}”" if part[2] in titles else part[0]
