"""How text comes onto the screen: one builder that escapes everything, dates and errors in plain words.

Text from files is hostile: Streamlit's markdown would load its pictures and follow its links, so values go through
`tag` (HTML, escaped) or `plain` (markdown, escaped) and nowhere else.
"""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from layers.errors import MS4Error
from mapping.outputs.places import shown
from mapping.pages.refusals import NAME_LABEL, say_refusal

STYLE_SHEET = Path(__file__).resolve().parent / "page.css"
MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")
LONG = 2000


class Html(str):
    """Markup of our own making; everything else is text."""

    __slots__ = ()


def tag(name: str, *children: object, cls: str = "") -> Html:
    """An element; children that are not Html are text and are escaped.

    >>> tag("b", "<img src=x>", cls="name")
    '<b class="name">&lt;img src=x&gt;</b>'
    """
    inner = "".join(each if isinstance(each, Html) else _text(each) for each in children)
    attribute = f' class="{html.escape(cls)}"' if cls else ""
    return Html(f"<{name}{attribute}>{inner}</{name}>")


def link(address: str, text: object) -> Html:
    """A link to a place in this app: `?asset=…` on the map, `cases?case=…`; the address is built with `address_of`."""
    return Html(f'<a href="{html.escape(address)}" target="_self">{_text(text)}</a>')


def address_of(page: str, **asked: str) -> str:
    """The address of a page in this app with what it is asked for.

    >>> address_of("", asset='outfalls:O F"1')
    '?asset=outfalls%3AO+F%221'
    """
    return f"{page}?{urlencode(asked)}"


def join(parts: Sequence[Html]) -> Html:
    """Elements one after the other."""
    return Html("".join(parts))


def bullets(texts: Sequence[object], *, cls: str = "") -> Html:
    """A list, or nothing where there is nothing to list."""
    return tag("ul", *(tag("li", each) for each in texts), cls=cls) if texts else Html("")


def put(*parts: Html) -> None:
    """Shows elements, one below the other."""
    st.html(tag("div", *parts, cls="ms4-page"))


def plain(value: Any) -> str:
    """A value as markdown that shows it as it is: no markup, no pictures, no links.

    >>> plain("![x](http://a.b)")
    '\\\\!\\\\[x\\\\]\\\\(http\\\\://a\\\\.b\\\\)'
    """
    return MARKDOWN.sub(r"\\\1", shown(value, length=LONG))


@contextmanager
def faults() -> Iterator[None]:
    """Tells a fault that a person can mend in words and lets the page end there."""
    try:
        yield
    except MS4Error as error:
        text, advice = say_refusal(error)
        hint = f"  \n{plain(_sentence(advice))}" if advice else ""
        st.error(f"{plain(_sentence(text))}{hint}")


def tell_unexpected(error: Exception) -> bool:
    """Tells a fault of ours without its details, which go into the log; the record is untouched by it."""
    logging.getLogger(__name__).error("a page failed", exc_info=error)
    st.error("This page has failed. What is on record is not touched. Reload the page; the details are in the log.")
    return True


def ask_name(key: str) -> str:
    """The name that goes into the record with what is entered; kept for the session."""
    name = str(st.text_input(NAME_LABEL, value=st.session_state.get("by", ""), key=key, max_chars=80))
    if name.strip():
        st.session_state["by"] = name.strip()
    return name.strip()


def downloads(files: Sequence[Path | str]) -> None:
    """A button for each file that was written."""
    for path in map(Path, files):
        st.download_button(path.name, path.read_bytes(), file_name=path.name, on_click="ignore", key=f"get_{path}")


def empty(text: str, step: str = "") -> None:
    """What an empty page says: what would fill it, and the step that does."""
    put(tag("div", tag("p", text), tag("p", step) if step else Html(""), cls="ms4-empty"))


def is_named(name: str) -> bool:
    """Whether there is a name for the record; says what to do where there is none."""
    if not name:
        st.error("Enter your name: the record says who entered what.")
    return bool(name)


def heading(title: str, note: str = "") -> None:
    """The title of a page and one line about it."""
    put(tag("h1", title), tag("p", note, cls="ms4-note") if note else Html(""))


def _sentence(text: str) -> str:
    """The text as a sentence; a name at its beginning stays as it is written."""
    first = text.partition(" ")[0]
    return (text[:1].upper() + text[1:] if first.isalpha() else text) + ("" if text.endswith((".", "?", "…")) else ".")


def _text(value: object) -> str:
    return html.escape(shown(value, length=LONG))
