"""Pieces that several screens show: a flag, a deadline, a case and its thread, each as escaped HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from layers.records import Record
from mapping.cases.case import Case
from mapping.cases.clock import Deadline
from mapping.findings.finding import Fact, Finding
from mapping.law import Citation
from mapping.outputs.mapdata import case_sign
from mapping.outputs.style import flag_symbol
from mapping.outputs.ways import Way
from mapping.pages.show import Html, address_of, bullets, join, link, tag
from mapping.register import KINDS
from mapping.words import say_day

LAW_NOTE = "* The section's number follows from the order of the sections; the Town has yet to confirm it."
STATE_CLASS = {"overdue": "ms4-late", "late": "ms4-late"}
CASE_CLASS = {"case_late": "ms4-late", "case_soon": "ms4-soon"}
HIDDEN_DATA = frozenset({"attachments"})


def finding(found: Finding) -> Html:
    """A flag: what was seen, what speaks for and against it, what would clear it, and the law."""
    against = _facts(found.facts_against) or ["none on record"]
    status = "" if found.status == "open" else f" · {found.status}"
    return tag(
        "div",
        tag("b", found.title),
        tag("span", f"{found.confidence} · {found.rule}{status}", cls="ms4-note"),
        _labelled("for", _facts(found.facts_for)),
        _labelled("against", against),
        _labelled("would clear it", found.clears),
        citation(found.citation),
        cls=f"ms4-flag {flag_symbol(found.rule)}",
    )


def cannot_say(texts: Sequence[str]) -> Html:
    """What cannot be judged and what is missing for it, as loud as a flag."""
    if not texts:
        return Html("")
    return tag("div", tag("b", "We cannot say"), bullets(texts), cls="ms4-flag flag_unsure")


def citation(cited: Citation) -> Html:
    """The section and its words."""
    words = f"{cited.label} {cited.text}" if cited.text else cited.label
    return tag("p", words, cls="ms4-note")


def deadline(limit: Deadline) -> Html:
    """One duty: who must do what by when, with the counted day where it differs from the due day."""
    who = f" · {limit.who}" if limit.who else ""
    return tag("li", f"{limit.title}{who} · ", when(limit), section(limit))


def when(limit: Deadline) -> Html:
    """The day of a deadline in words: `due Mon 7 Dec 2026`, with the counted day and the reason where they differ."""
    if limit.due is None:
        return tag(
            "span", limit.state if limit.state in ("met", "late") else f"{limit.state}, {limit.unit or 'no limit'}"
        )
    was = "was due" if limit.state in ("met", "late", "overdue") else "due"
    days = tag(
        "span", limit.state, " · ", tag("b", f"{was} {say_day(limit.due)}"), cls=STATE_CLASS.get(limit.state, "")
    )
    rolled = "" if limit.raw is None or limit.raw == limit.due else say_day(limit.raw)
    raw = tag("span", f" (raw {rolled}: {limit.why.rstrip('.')})", cls="ms4-note") if rolled else Html("")
    return join([days, raw])


def section(limit: Deadline) -> Html:
    """The section of the law, starred where its number follows from the order."""
    star = "*" if limit.numbered_by_order else ""
    return tag("span", f" · § {limit.section}{star}", cls="ms4-note")


def deadlines(limits: Iterable[Deadline]) -> Html:
    """Deadlines as a list, what is late first, then by day."""
    ordered = sorted(limits, key=lambda each: (each.state != "overdue", each.due is None, each.due or date.max))
    return (
        tag("ul", *(deadline(each) for each in ordered)) if ordered else tag("p", "No deadline runs.", cls="ms4-note")
    )


def case_summary(case: Case, on: date) -> Html:
    """A case in a few lines: its state, its next day, the deadlines that run, and what else the law asks next."""
    symbol, words = case_sign(case, on)
    running = [each for each in case.deadlines if each.state in ("open", "overdue")]
    dated = tuple(f"{each.title}:" for each in running)
    undated = [each for each in case.next if not each.startswith(dated)]
    next_day = tag("span", f" · {words}", cls=CASE_CLASS.get(symbol, "")) if words else ""
    state = tag("p", tag("b", case.state), next_day)
    title = tag("h2", link(address_of("cases", case=case.id), f"Case {case.id}"), f" · {case.title}")
    return join([title, state, deadlines(running), _labelled("what the law asks next", undated)])


def thread(records: Sequence[Record]) -> Html:
    """The events of a case, the newest last: day, what, who entered it, and what was said."""
    return tag("div", *(_event(each) for each in records), cls="ms4-thread")


def ways(lines: Iterable[Way]) -> Html:
    """Lines of a way one below the other, what is under each below it; what a line names is opened by it."""
    listed = [tag("li", _named(each), ways(each.under)) for each in lines]
    return tag("ul", *listed, cls="ms4-ways") if listed else Html("")


def _named(way: Way) -> Html:
    return link(address_of("", asset=way.subject), way.text) if way.subject else tag("span", way.text)


def fields(rows: Sequence[tuple[str, str]]) -> Html:
    """Titles and values as a table."""
    return tag("table", *(tag("tr", tag("th", title), tag("td", value)) for title, value in rows)) if rows else Html("")


def _event(record: Record) -> Html:
    kind = KINDS[record.kind]
    said = [
        f"{each.title}: {_value(record.data[each.name], is_date=each.type == 'date')}"
        for each in kind.fields
        if _is_said(each.name, record.data.get(each.name))
    ]
    return tag(
        "div",
        tag("b", f"{say_day(record.on)} · {kind.title}"),
        tag("p", f"entered by {record.by} on {say_day(record.at.date())}", cls="ms4-note"),
        bullets(said),
    )


def _is_said(name: str, value: Any) -> bool:
    return name not in HIDDEN_DATA and value not in (None, "", [], {})


def _value(value: Any, *, is_date: bool = False) -> str:
    if is_date:
        return say_day(date.fromisoformat(value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(each)}" for name, each in value.items() if _is_said(name, each))
    if isinstance(value, list | tuple):
        return ", ".join(_value(each) for each in value)
    return str(value)


def _facts(facts: Sequence[Fact]) -> list[str]:
    return [f"{each.text} ({each.source})" if each.source else each.text for each in facts]


def _labelled(label: str, texts: Sequence[str]) -> Html:
    return join([tag("p", label, cls="ms4-label"), bullets(texts)]) if texts else Html("")
