"""The work list: which findings are on it, in which order, and that its files are safe and whole."""

from __future__ import annotations

import csv
import re
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from layers.town import Town
from mapping.findings import Report, check
from mapping.law import load_law
from mapping.outputs.worklist import HEADER, work_items, write_worklist
from tests.findings_town import town_of

LAW = load_law("north_salem_194")
ON = date(2026, 11, 30)


def faulty_town(**more: Any) -> Town:
    """Two dead ends with one and with two basins behind, a gap of 3 ft, a ditch without length, an outfall that is nowhere."""
    return town_of(
        {
            "catch_basins": [
                {"id": "CB-1", "owner": "Town", "at": "POINT (0 0)"},
                {"id": "CB-2", "owner": "Town", "at": "POINT (0 900)"},
                {"id": "CB-3", "owner": "Town", "at": "POINT (100 900)"},
                {"id": "=HYPERLINK(1)", "owner": "Town", "at": "POINT (900 0)"},
            ],
            "pipes": [
                {"id": "P-1", "owner": "Town", "system": "storm", "at": "LINESTRING (0 0, 100 0)"},
                {"id": "P-2", "owner": "Town", "system": "storm", "at": "LINESTRING (0 900, 100 900)"},
                {"id": "P-3", "owner": "Town", "system": "storm", "at": "LINESTRING (100 900, 200 900)"},
            ],
            "ditches": [
                {"id": "D-1", "owner": "Town", "at": "LINESTRING (800 0, 897 0)"},
                {"id": "D-2", "owner": "Town", "at": "LINESTRING (500 500, 500 500)"},
                {"id": "D-3", "owner": "Town", "at": "LINESTRING (1500 500, 1600 500)"},
            ],
            "outfalls": [{"id": "OF-1", "owner": "Town", "kind": "outfall"}],
        },
        **more,
    )


def report(town: Town) -> Report:
    return check(town, LAW, ON)


def test_the_gravest_stand_first_and_dead_ends_in_the_order_in_which_to_mend_them() -> None:
    town = faulty_town()
    items = work_items(town, report(town))
    grave = [(each.rule, each.id, each.value) for each in items if each.severity == "error"]
    assert grave == [
        ("NET-02", "P-3", 2),
        ("NET-02", "P-1", 1),
        ("NET-02", "=HYPERLINK(1)", 1),
        ("NET-10", "D-2", 0),
        ("OUT-05", "OF-1", None),
    ]
    assert [each.no for each in items] == list(range(1, len(items) + 1))
    order = ["error", "warning", "note"]
    assert [each.severity for each in items] == sorted((each.severity for each in items), key=order.index)


def test_an_item_says_where_why_and_what_next() -> None:
    town = faulty_town()
    gap = next(each for each in work_items(town, report(town)) if each.rule == "NET-03")
    assert (gap.measure, gap.value, gap.unit, gap.take) == ("gap", 3.0, "ft", "field")
    assert gap.what.startswith("an end lies 3.0 ft from catch basin")
    assert gap.next_action.startswith("see whether it meets")
    assert gap.longitude is not None
    assert gap.latitude is not None
    assert (round(gap.longitude, 2), round(gap.latitude, 2)) == (-73.6, 41.33)


def test_what_is_nowhere_has_no_coordinates() -> None:
    town = faulty_town()
    lost = next(each for each in work_items(town, report(town)) if each.rule == "OUT-05")
    assert (lost.longitude, lost.latitude, lost.value) == (None, None, None)


def test_dismissed_findings_and_other_families_are_no_work() -> None:
    gone = {
        "kind": "finding_dismissed",
        "on": "2026-07-01",
        "data": {"finding": "NET-10:ditches:D-2", "reason": "seen"},
    }
    town = faulty_town(records=[gone])
    items = work_items(town, report(town))
    assert "NET-10:ditches:D-2" not in {each.finding for each in items}
    assert {each.rule[:3] for each in items} <= {"NET", "OUT"}


@pytest.mark.parametrize(("take", "rule", "other"), [("desk", "NET-10", "NET-02"), ("field", "NET-02", "NET-10")])
def test_a_list_for_the_field_or_for_the_desk(take: str, rule: str, other: str) -> None:
    town = faulty_town()
    rules = {each.rule for each in work_items(town, report(town), take=take)}
    assert rule in rules
    assert other not in rules


def test_notes_can_be_left_out() -> None:
    town = faulty_town()
    assert "note" in {each.severity for each in work_items(town, report(town))}
    assert "note" not in {each.severity for each in work_items(town, report(town), notes=False)}


def test_the_files_are_whole_and_no_cell_is_a_formula(tmp_path: Path) -> None:
    town = faulty_town()
    made = write_worklist(town, report(town), tmp_path, on=ON)
    assert made["files"] == [str(tmp_path / "worklist.csv"), str(tmp_path / "worklist.pdf")]
    assert sum(made["severity"].values()) == made["items"]
    with (tmp_path / "worklist.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == HEADER
    assert len(rows) == made["items"]
    assert "'=HYPERLINK(1)" in {row[header.index("id")] for row in rows}
    assert not [cell for row in rows for cell in row if re.match(r"[=+@\t]", cell)]


def test_the_printed_list_names_every_item(tmp_path: Path) -> None:
    town = faulty_town()
    made = write_worklist(town, report(town), tmp_path, on=ON)
    try:
        text = subprocess.run(
            ["pdftotext", "-layout", str(tmp_path / "worklist.pdf"), "-"], capture_output=True, text=True, check=True
        ).stdout
    except FileNotFoundError:
        pytest.skip("pdftotext is not installed")
    assert "Work list · Testwick" in text
    assert "Mon 30 Nov 2026" in text
    assert "pipe P-3" in text
    assert "2 basins" in text
    assert f"page 1 of {-(-made['items'] // 11)}" in text


def test_a_town_without_faults_has_an_empty_list(tmp_path: Path) -> None:
    town = town_of({"manholes": [{"id": "MH-1", "owner": "Town", "at": "POINT (0 0)"}]})
    made = write_worklist(town, report(town), tmp_path, on=ON)
    assert made["items"] == 0
    assert (tmp_path / "worklist.pdf").stat().st_size > 500
