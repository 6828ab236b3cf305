"""Debian's chromium through playwright for tests; a request to any host but this machine is kept and fails the test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HERE = {"127.0.0.1", "localhost", ""}


@dataclass
class Seen:
    """What a page did that it must not do."""

    abroad: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def assert_quiet(self) -> None:
        assert self.abroad == []
        assert self.errors == []
        assert self.dialogs == []


@contextmanager
def open_browser() -> Iterator[Any]:
    """A headless chromium; skips the test with the reason where it cannot be had."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def new_page(browser: Any, *, width: int = 1440, height: int = 900) -> tuple[Any, Seen]:
    """A page, and what it does that it must not: requests off this machine, script errors, dialogs."""
    page, seen = browser.new_page(viewport={"width": width, "height": height}), Seen()

    def watch(route: Any) -> None:
        if (urlsplit(route.request.url).hostname or "") in HERE:
            route.continue_()
        else:
            seen.abroad.append(route.request.url)
            route.abort()

    def dismiss(dialog: Any) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    page.route("**/*", watch)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("dialog", dismiss)
    return page, seen
