"""What a town has set in its town.toml, and what is refused there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layers.errors import CRSError, MS4Error, StoreError
from layers.settings import FILE, Settings, load_settings, parse_bounds, parse_settings, render_settings
from tests.received import untimed

LEAST = {"name": "Testwick", "crs": "EPSG:2260"}


def refused(raw: dict[str, Any], told: str) -> MS4Error:
    with pytest.raises(MS4Error, match=told) as caught:
        parse_settings(raw)
    assert caught.value.hint
    return caught.value


def test_a_name_and_a_crs_are_enough() -> None:
    made = parse_settings(LEAST)
    assert (made.name, made.crs.to_epsg(), made.bounds) == ("Testwick", 2260, None)
    assert (made.law, made.permit) == ("north_salem_194", "gp_0_24_001")
    assert made.tolerances.snap_ft == 0.5


def test_everything_that_can_be_set() -> None:
    made = parse_settings(
        {
            **LEAST,
            "law": "other",
            "permit": "gp_x",
            "bounds": [-73.67, 41.29, -73.52, 41.38],
            "readings": {"weekend": "forward"},
            "tolerances": {"frontage_ft": 50},
            "options": {"commercial_classes": ["4", "7"]},
        }
    )
    assert made.bounds == (-73.67, 41.29, -73.52, 41.38)
    assert (made.law, made.permit, made.tolerances.frontage_ft) == ("other", "gp_x", 50.0)
    assert (made.readings, made.options) == ({"weekend": "forward"}, {"commercial_classes": ["4", "7"]})


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"crs": "EPSG:2260"}, r"town\.toml: name is missing"),
        ({}, r"town\.toml: crs, name is missing"),
        ({**LEAST, "name": "  "}, r"town\.toml: the name is empty"),
        ({**LEAST, "name": 7}, r"town\.toml: name must be text"),
        ({**LEAST, "law": ["a"]}, r"town\.toml: law must be text"),
        ({**LEAST, "crz": 1, "bound": 2}, r"town\.toml: unknown key bound, crz"),
        ({**LEAST, "readings": "weekend"}, r"town\.toml: \[readings\] must be a table"),
        ({**LEAST, "tolerances": 3}, r"town\.toml: \[tolerances\] must be a table"),
        ({**LEAST, "options": []}, r"town\.toml: \[options\] must be a table"),
        ({**LEAST, "tolerances": {"snap_ft": 99}}, r"\[tolerances\]: snap_ft = 99 lies outside 0\.0 to 2\.0 ft"),
        ({**LEAST, "bounds": "-73,41,-72,42"}, "bounds must be four numbers"),
    ],
)  # fmt: skip
def test_what_is_refused(raw: dict[str, Any], told: str) -> None:
    assert refused(raw, told).code == "call"


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:0", "", True, ["EPSG:2260"]])
def test_a_crs_in_which_nothing_can_be_measured_is_refused(crs: Any) -> None:
    with pytest.raises(CRSError):
        parse_settings({**LEAST, "crs": crs})


@pytest.mark.parametrize(
    "bounds",
    [
        ["-73.67", "41.29", "-73.52", "41.38"],
        (-180, -90, 180, 90),
    ],
)
def test_bounds_that_are_a_box(bounds: Any) -> None:
    assert len(parse_bounds(bounds, where="--bounds")) == 4


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ([1, 2, 3], "four numbers"),
        ([1, 2, 3, 4, 5], "four numbers"),
        (["a", 2, 3, 4], "four numbers"),
        (None, "four numbers"),
        ([-73.5, 41.3, -73.6, 41.4], "no box on earth"),  # west beyond east
        ([-73.6, 41.4, -73.5, 41.3], "no box on earth"),  # north below south
        ([-73.6, 41.3, -73.6, 41.4], "no box on earth"),  # nothing between
        ([739_000, 910_000, 740_000, 911_000], "no box on earth"),  # feet
        ([float("nan"), 41.3, -73.5, 41.4], "no box on earth"),
        ([-73.6, 41.3, float("inf"), 41.4], "no box on earth"),
    ],
)
def test_bounds_that_are_none(bounds: Any, told: str) -> None:
    with pytest.raises(MS4Error, match=told) as caught:
        parse_bounds(bounds, where="--bounds")
    assert caught.value.text.startswith("--bounds: ")


@pytest.mark.parametrize("bounds", [[41.3, -73.6, 41.4, -73.5], [-120.5, 41.3, -120.4, 41.4]])  # latitude first, Oregon
def test_bounds_where_the_crs_may_not_be_used(bounds: list[float]) -> None:
    assert "longitude first" in refused({**LEAST, "bounds": bounds}, r"lie where EPSG:2260 may not be used").hint


# -- the file


def test_a_folder_without_a_town(tmp_path: Path) -> None:
    with pytest.raises(
        StoreError, match=r"is no town folder: it has no town\.toml; make one with: python -m mapping new"
    ):
        load_settings(tmp_path)


@pytest.mark.parametrize("raw", [b"name = ", b"\xff\xfe", b"name = 'x'\nname = 'y'"])
def test_a_file_that_cannot_be_read(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / FILE).write_bytes(raw)
    with pytest.raises(StoreError, match=r"town\.toml cannot be read: .*; mend the file or restore it"):
        load_settings(tmp_path)


def test_a_fault_in_the_file_names_the_file(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('name = "x"\ncrs = "EPSG:2260"\ncolour = 1\n')
    with pytest.raises(MS4Error, match=r".*/town\.toml: unknown key colour"):
        load_settings(tmp_path)


NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1).filter(str.strip)


@given(name=NAMES, bounded=st.booleans())
@untimed
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, name: str, bounded: bool) -> None:
    folder = tmp_path_factory.mktemp("town")
    bounds = (-73.67, 41.29, -73.52, 41.38) if bounded else None
    made = Settings(name=name, crs=parse_settings(LEAST).crs, law="a", permit="b", bounds=bounds)
    (folder / FILE).write_text(render_settings(made, crs="EPSG:2260"), encoding="utf-8", newline="")
    assert load_settings(folder) == made
