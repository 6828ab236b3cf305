"""The law pack as a page to read: what the Town Attorney checks, and what every deadline and finding points to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mapping.law.pack import Law
from mapping.law.rows import Parameter

STAR = "\\*"


def document(law: Law) -> str:
    """The pack as Markdown: rows with a limit or an amount, then every row with its words, readings and events.

    `docs/law.md` is this page for the Town's own law; a section whose number follows from the order only has a star.
    """
    blocks = [
        f"# {law.title}",
        f"{law.municipality}. {law.history}. This page is made from the law pack `{law.name}`; do not edit it, edit "
        "the pack. How days are counted is in `mapping/cases/counting.py`, after the General Construction Law.",
        "## Limits and amounts",
        *_lines(_limits(law)),
        "## Every row and its words",
        *_rows(law),
        "## Readings",
        "Where the text allows more than one reading the Town chooses in `[readings]` of its `town.toml`; the default "
        "stands first. Each is shown beside the deadlines that it moves. Confirm them with the Town Attorney.",
        *_lines(_readings(law)),
        "## Events",
        "The clock takes these events, and the code of any row as the event that the duty was carried out.",
        *_lines(_events(law)),
    ]
    if any(section.numbered_by_order for section in law.sections):
        blocks.append(
            f"{STAR} The text does not number this section; the number follows from the order of the sections."
        )
    return "\n\n".join(blocks) + "\n"


def _limits(law: Law) -> Iterator[str]:
    yield "| code | what | limit or amount | runs from | who | section |"
    yield "|---|---|---|---|---|---|"
    for row in law.parameters:
        if row.amount:
            starts = " or ".join(start.event for start in row.starts)
            yield _cells(f"`{row.code}`", row.title, row.amount, starts, row.who, _section(row))


def _rows(law: Law) -> Iterator[str]:
    for row in law.parameters:
        until = f" to {row.until}" if row.until else ""
        yield f"### `{row.code}`"
        yield f"{row.title}. {_section(row)}, in force from {row.since}{until}."
        yield f"> {row.quotation}"
        yield from _lines(f"- `{key}`: {text}" for key, text in row.items.items())


def _readings(law: Law) -> Iterator[str]:
    yield "| key | what | choices | moves | why |"
    yield "|---|---|---|---|---|"
    for each in law.readings.values():
        choices = [f"**{choice}**" if choice == each.default else choice for choice in each.choices]
        yield _cells(f"`{each.key}`", each.title, "; ".join(choices), _codes(each.moves), each.text)


def _events(law: Law) -> Iterator[str]:
    yield "| event | what it is | also called |"
    yield "|---|---|---|"
    yield from (_cells(f"`{each.name}`", each.title, _codes(each.aliases)) for each in law.events)


def _section(row: Parameter) -> str:
    return row.cite().label.replace("*", STAR)


def _codes(codes: Iterable[str]) -> str:
    return ", ".join(f"`{code}`" for code in codes)


def _cells(*cells: str) -> str:
    """One row of a table; a bar inside a cell would end it."""
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _lines(lines: Iterable[str]) -> list[str]:
    """The lines as one block, or no block where there are none."""
    return ["\n".join(found)] if (found := list(lines)) else []
