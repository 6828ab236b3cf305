"""The map file: all in one page, nothing asked of the network, text from files never markup nor script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from layers.town import make_town
from mapping.outputs.webmap import inert_json, render_page, write_map
from tests.browser import new_page, open_browser
from tests.map_town import HOSTILE, ON, SETTINGS, small_cases, small_report, small_town


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    path = tmp_path_factory.mktemp("map") / "town.html"
    return path, write_map(small_town(), small_report(), small_cases(), path, public=False, on=ON)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


def features_in(path: Path) -> dict[str, Any]:
    found = re.search(
        r'<script type="application/json" id="ms4-data">(.*?)</script>', path.read_text("utf-8"), re.DOTALL
    )
    assert found is not None
    return dict(json.loads(found[1])["features"])


def test_it_says_what_it_wrote(made: tuple[Path, dict[str, Any]]) -> None:
    path, said = made
    drawn = features_in(path)
    assert said == {
        "path": str(path),
        "features": sum(len(each["features"]) for each in drawn.values()),
        "bytes": path.stat().st_size,
    }


def test_no_address_on_the_internet_is_asked_for(made: tuple[Path, dict[str, Any]]) -> None:
    text = made[0].read_text("utf-8")
    assert re.findall(r"""<[a-z]+[^<>]*(?:src|href)\s*=\s*["']?(?!data:)[^"'>\s]+""", text) == []
    assert "cdn" not in text.casefold()
    assert re.findall(r"@import|url\((?!data:)", text) == []


def test_the_same_town_gives_the_same_file(made: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    again = tmp_path / "again.html"
    write_map(small_town(), small_report(), small_cases(), again, public=False, on=ON)
    assert again.read_bytes() == made[0].read_bytes()


def test_a_public_file_has_no_case_and_no_personal_data(tmp_path: Path) -> None:
    path = tmp_path / "public.html"
    write_map(small_town(), small_report(), small_cases(), path, public=True, on=ON)
    assert "cases" not in features_in(path)
    assert "Invented" not in path.read_text("utf-8")


@pytest.mark.parametrize("text", [*HOSTILE, "<!--<script>", "]]>", "\u2028", "${7*7}"])
def test_no_text_of_a_file_stands_in_the_page_as_markup(text: str) -> None:
    page = render_page({"title": text, "bounds": None, "layers": [], "features": {}, "style": {}, "note": text})
    plain = render_page({"title": "", "bounds": None, "layers": [], "features": {}, "style": {}, "note": ""})
    assert re.findall(r"<[a-z!/]+", page) == re.findall(r"<[a-z!/]+", plain)
    assert json.loads(inert_json(text)) == text


def test_a_name_in_any_script_is_read_as_it_is_written(tmp_path: Path) -> None:
    page = render_page({"title": "Ağrı · 東", "bounds": None, "layers": [], "features": {}, "style": {}, "note": ""})
    assert "charset=UTF-8" in page[:200]
    assert "Ağrı · 東" in page


def test_a_town_without_layers_still_gives_a_map(tmp_path: Path) -> None:
    said = write_map(make_town(SETTINGS, {}), None, [], tmp_path / "empty.html", public=False, on=ON)
    assert said["features"] == 0


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "map.html"
    out.write_text("old")
    monkeypatch.setattr(Path, "write_text", _fail)
    with pytest.raises(OSError, match="full"):
        write_map(make_town(SETTINGS, {}), None, [], out, public=False, on=ON)
    assert out.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["map.html"]


def _fail(*args: Any, **kwargs: Any) -> int:
    raise OSError("the disk is full")


@pytest.mark.browser
def test_the_map_draws_and_hostile_text_stays_text(made: tuple[Path, dict[str, Any]], browser: Any) -> None:
    page, seen = new_page(browser, width=1200, height=800)
    page.goto(made[0].as_uri())
    page.get_by_text("Layers (").wait_for()
    page.get_by_label("Search id, address or section-block-lot").fill("2.-1-")
    page.locator(".ms4-hits button").first.wait_for()
    texts = page.locator(".ms4-hits button span").all_inner_texts()
    assert f"{HOSTILE[0]} · 2.-1-0" in texts
    assert f"{HOSTILE[3]} · 2.-1-3" in texts
    assert f"{HOSTILE[5]} · 2.-1-5" in texts
    assert page.locator("img[src=x]").count() == 0
    seen.assert_quiet()


@pytest.mark.browser
def test_a_layer_can_be_switched_off_and_a_chip_pressed(made: tuple[Path, dict[str, Any]], browser: Any) -> None:
    page, seen = new_page(browser, width=1200, height=800)
    page.goto(made[0].as_uri())
    page.get_by_role("button", name="Layers (15 of 15)").click()
    page.get_by_label("Lots").uncheck()
    page.get_by_role("button", name="Layers (14 of 15)").wait_for()
    assert "Commercial lot" not in page.locator(".ms4-keys").inner_text()
    chip = page.get_by_role("button", name="Undocumented or unapproved drain: 2 in view")
    chip.click()
    assert chip.get_attribute("aria-pressed") == "false"
    seen.assert_quiet()
