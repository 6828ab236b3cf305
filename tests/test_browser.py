"""The app as it is used, in Debian's chromium: choose, trace, switch, open a case, record an event; nothing leaves here."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from layers.store import Facts, write_facts
from layers.town import make_joins
from mapping import pipeline
from tests.browser import Seen, new_page, open_browser
from tests.conftest import ON
from tests.map_town import HOSTILE, SETTINGS, small_layers

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parent.parent
GALLERY = ROOT / "docs" / "gallery"
PAGES = ("map", "asset", "findings", "cases", "routes", "report", "layers", "law")
SEARCH = "Search id, address or section-block-lot"
MAPS = {"map": "", "asset": "outfalls:OF-070"}
WAIT_MS = 30_000
START_S = 60
VIEW_JS = """(work) => {
  const host = [...document.querySelectorAll('*')].find((each) => each.shadowRoot?.querySelector('.ms4-root'));
  return host.shadowRoot.ms4.started.then(({ view }) => new Function('view', work)(view));
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def town(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(sample, tmp_path_factory.mktemp("app") / "sample"))


@pytest.fixture(scope="module")
def address(town: Path, browser: Any) -> Iterator[str]:
    with serve(town) as started:
        yield started


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The app for a town on a free port of 127.0.0.1, as a person starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"MS4_TOWN": str(folder), "MS4_ON": ON.isoformat()}
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(START_S * 5):
        assert process.poll() is None, "the app ended before it answered"
        try:
            with urllib.request.urlopen(url) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the app did not answer")


@pytest.fixture
def page(browser: Any) -> Iterator[tuple[Any, Seen]]:
    opened, seen = new_page(browser)
    opened.set_default_timeout(WAIT_MS)
    yield opened, seen
    opened.close()


def open_map(page: Any, address: str, subject: str = "") -> None:
    page.goto(f"{address}/?asset={subject}" if subject else address)
    page.get_by_role("button", name="Layers (").wait_for()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stStatusWidget\"]')")


def ask_view(page: Any, work: str) -> Any:
    """Runs `work` with the map's view of the page as `view`."""
    return page.evaluate(VIEW_JS, work)


def panel(page: Any) -> str:
    return str(page.locator(".st-key-panel").inner_text())


def test_a_thing_is_found_by_search_and_told_in_the_panel(page: tuple[Any, Seen], address: str) -> None:
    opened, seen = page
    open_map(opened, address)
    opened.get_by_label(SEARCH).fill("of-070")
    opened.get_by_role("option", name="OF-070").click()
    opened.get_by_role("heading", name="OF-070").wait_for()
    opened.get_by_role("heading", name="Where it goes").wait_for()
    assert "asset=outfalls" in opened.url
    seen.assert_quiet()


def test_a_click_on_the_map_selects(page: tuple[Any, Seen], address: str) -> None:
    opened, seen = page
    open_map(opened, address, "outfalls:OF-070")
    opened.get_by_role("heading", name="OF-070").wait_for()
    spot = ask_view(
        opened,
        """
        let found = null;
        view.groups.get('catch_basins').eachLayer((path) => {
          const point = view.map.latLngToContainerPoint(path.getLatLng());
          const free = point.x > 320 && point.y > 120 && point.x < 850 && point.y < 560;
          if (free && !found) found = { subject: path.options.feature.subject, x: point.x, y: point.y };
        });
        const box = view.map.getContainer().getBoundingClientRect();
        return { ...found, x: found.x + box.x, y: found.y + box.y };
        """,
    )
    opened.mouse.click(spot["x"], spot["y"])
    opened.get_by_role("heading", name=spot["subject"].partition(":")[2]).wait_for()
    seen.assert_quiet()


def test_the_view_stays_over_reruns_and_over_pages(page: tuple[Any, Seen], address: str) -> None:
    opened, seen = page
    open_map(opened, address, "outfalls:OF-070")
    opened.get_by_role("heading", name="OF-070").wait_for()
    ask_view(opened, "view.map.setView(view.map.getCenter(), 15, { animate: false });")
    opened.get_by_text("what drains here", exact=True).click()
    opened.wait_for_timeout(1500)
    assert ask_view(opened, "return view.map.getZoom();") == 15
    opened.get_by_role("link", name="Cases").click()
    opened.get_by_role("heading", name="Thread").wait_for()
    opened.get_by_role("link", name="Map").click()
    opened.get_by_role("button", name="Layers (").wait_for()
    assert ask_view(opened, "return view.map.getZoom();") == 15
    seen.assert_quiet()


def test_layers_switch_on_and_off_and_stay_so(page: tuple[Any, Seen], address: str) -> None:
    opened, seen = page
    open_map(opened, address)
    opened.get_by_role("button", name="Layers (").click()
    opened.get_by_label("Lots").uncheck()
    assert ask_view(opened, "return view.map.hasLayer(view.groups.get('parcels'));") is False
    opened.get_by_label(SEARCH).fill("of-070")
    opened.get_by_role("option", name="OF-070").click()
    opened.get_by_role("heading", name="OF-070").wait_for()
    assert ask_view(opened, "return view.isOn('parcels');") is False
    seen.assert_quiet()


def test_the_trace_is_drawn_with_its_certainty(page: tuple[Any, Seen], address: str) -> None:
    opened, seen = page
    open_map(opened, address, "outfalls:OF-070")
    opened.get_by_text("what drains here", exact=True).click()
    opened.wait_for_timeout(1500)
    drawn = ask_view(opened, "return { marked: view.trace.length, dimmed: view.map.getContainer().className };")
    assert drawn["marked"] > 5
    assert "ms4-dimmed" in drawn["dimmed"]
    seen.assert_quiet()


def test_a_case_is_opened_and_a_step_recorded(page: tuple[Any, Seen], address: str, town: Path) -> None:
    opened, seen = page
    report = pipeline.take_picture(town, ON).report
    found = next(each for each in report.of("DRN-01") if each.status == "open")
    open_map(opened, address, ":".join(found.subject))
    opened.get_by_role("button", name="Open case").click()
    opened.get_by_label("Your name, for the record").fill("T. Exampleton")
    opened.get_by_role("button", name="Open the case").click()
    opened.locator(".st-key-panel").get_by_text("Case 2026-").first.wait_for()
    case = pipeline.take_picture(town, ON).cases[-1]
    assert case.finding_ids == (found.id,)

    opened.get_by_role("button", name="Record event").click()
    opened.get_by_label("What is observed").or_(opened.get_by_label("What happened")).click()
    opened.keyboard.type("Note")
    opened.keyboard.press("Enter")
    opened.get_by_label("Text (required)").fill("Spoke with the owner")
    opened.get_by_label("Your name, for the record").fill("T. Exampleton")
    opened.get_by_role("button", name="Record", exact=True).click()
    opened.get_by_role("dialog").wait_for(state="detached")
    newest = pipeline.open_town(town).records.everything[-1]
    assert (newest.kind, newest.case, newest.data["text"]) == ("note", case.id, "Spoke with the owner")
    seen.assert_quiet()


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768)])
def test_every_page_fits_and_asks_nothing_of_the_network(
    browser: Any, address: str, size: tuple[int, int], tmp_path: Path
) -> None:
    """Takes the pictures of docs/gallery where MS4_GALLERY is set."""
    width, height = size
    page, seen = new_page(browser, width=width, height=height)
    for name in PAGES:
        open_page(page, address, name)
        too_wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, name
        keep = os.environ.get("MS4_GALLERY") and (width > 1100 or name in MAPS)
        page.screenshot(path=str((GALLERY if keep else tmp_path) / f"{name}-{width}.png"))
    page.close()
    seen.assert_quiet()


def open_page(page: Any, address: str, name: str) -> None:
    if name in MAPS:
        open_map(page, address, MAPS[name])
    else:
        page.goto(f"{address}/{name}")
    page.locator(".ms4-page h1").first.wait_for()
    page.wait_for_timeout(1000)


@pytest.fixture(scope="module")
def hostile_address(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[str]:
    """A town in whose names stands all that has ever broken a map."""
    folder = tmp_path_factory.mktemp("hostile") / "town"
    pipeline.create_town(folder, name=HOSTILE[0])
    layers = small_layers()
    write_facts(folder, Facts(layers, make_joins(layers, SETTINGS), []), SETTINGS.crs)
    for text in HOSTILE:
        pipeline.record_event(
            folder, "case_opened", subject="outfalls:OF-3", on=ON, data={"title": text}, by="T. Exampleton"
        )
    with serve(folder) as started:
        yield started


def test_no_text_of_a_town_is_ever_markup_or_code(hostile_address: str, page: tuple[Any, Seen]) -> None:
    opened, seen = page
    open_map(opened, hostile_address, "outfalls:OF-3")
    opened.get_by_role("heading", name="OF-3").wait_for()
    assert HOSTILE[0] in panel(opened)
    for number in range(len(HOSTILE)):
        opened.goto(f"{hostile_address}/?asset=parcels:055089 2.-1-{number}")
        opened.get_by_role("heading", name=f"2.-1-{number}").wait_for()
    for name in PAGES[2:]:
        opened.goto(f"{hostile_address}/{name}")
        opened.locator(".ms4-page h1").first.wait_for()
    assert opened.locator("img[src=x]").count() == 0
    seen.assert_quiet()
