from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from layers.errors import CallError
from layers.town import Town
from mapping.findings.report import Report
from mapping.outputs.report import write_report
from tests.outputs_town import DRY, ON, box, inspection, layer, point, record, town

FORMULA = "=cmd|' /C calc'!A0"
FIELDS = {"owner": "Town", "status": "active", "kind": "outfall", "road": "@Titicus Road"}


@dataclass(frozen=True)
class Picture:
    town: Town
    report: Report
    cases: tuple[Any, ...] = ()
    on: date = ON


def picture():
    layers = {
        "outfalls": layer("outfalls", {FORMULA: (point(0, 0), FIELDS), "007": (point(500, 0), FIELDS)}),
        "parcels": layer(
            "parcels", {"55.1-1": (box(0, 50, 100, 150), {"address": "1 Main", "owner_name": "Jane Invented"})}
        ),
    }
    records = [
        inspection(FORMULA, date(2026, 5, 4), seq=1, **DRY),
        record("complaint", date(2026, 5, 5), seq=2, data={"text": "Suds", "from_name": "John Invented"}),
        record("case_opened", date(2026, 6, 1), seq=3, case="2026-001", subject="premises:55.1-1", data={"title": "x"}),
        record("identified", date(2026, 6, 2), seq=4, case="2026-001", subject="premises:55.1-1"),
    ]
    return Picture(town(layers, records), Report("Sampleton", ON, (), {"ILL-01": 2}, (), (), {}))


@pytest.fixture(scope="module", params=[False, True], ids=["office", "public"])
def made(request, tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "2026"
    return request.param, out, write_report(picture(), year=2026, out=out, public=request.param)


def test_the_answer_is_as_the_design_says(made):
    _, out, said = made
    assert {"year", "from", "to", "numbers", "files", "inputs", "rules"} <= set(said)
    assert (said["year"], said["from"], said["to"]) == (2026, "2026-01-03", "2027-01-02")
    assert all(set(each) == {"code", "label", "value", "rows"} for each in said["numbers"])
    assert said["inputs"] == {"layers.gpkg": "", "register": "h4"}
    assert [name.rpartition("/")[2] for name in said["files"]] == [
        "numbers.json",
        "numbers.csv",
        "rows.xlsx",
        "mapbook.pdf",
    ]
    assert sorted(each.name for each in out.iterdir()) == sorted(name.rpartition("/")[2] for name in said["files"])


def test_the_json_file_says_the_same(made):
    _, out, said = made
    kept = json.loads((out / "numbers.json").read_text(encoding="utf-8"))
    assert kept == {name: value for name, value in said.items() if name != "files"}


def test_the_csv_has_a_line_for_every_number(made):
    _, out, said = made
    with (out / "numbers.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["code"] for line in lines] == [each["code"] for each in said["numbers"]]
    assert next(line["value"] for line in lines if line["code"] == "inspections") == "1"


def test_every_row_is_in_the_workbook_as_text(made):
    public, out, said = made
    book = load_workbook(out / "rows.xlsx")
    rows = list(book["Rows"].iter_rows(min_row=2))
    assert len(rows) == sum(len(each["rows"]) for each in said["numbers"])
    cells = [cell for row in rows for cell in row if cell.value is not None]
    assert not any(str(cell.value).startswith(("=", "+", "-", "@")) for cell in cells)
    assert all(cell.data_type in ("s", "n") for cell in cells)
    ids = {row[3].value for row in rows}
    assert {f"'{FORMULA}", "007"} <= ids
    assert ("55.1-1" in ids) is not public


def test_personal_data_is_in_no_file(made):
    _, out, _ = made
    text = "\n".join(page.extract_text() for page in PdfReader(out / "mapbook.pdf").pages)
    cells = [
        str(cell)
        for sheet in load_workbook(out / "rows.xlsx")
        for row in sheet.iter_rows(values_only=True)
        for cell in row
    ]
    everything = [text, (out / "numbers.json").read_text(), (out / "numbers.csv").read_text(), *cells]
    assert not any("Invented" in each for each in everything)


def test_in_public_somebodys_premises_are_counted_but_not_listed(made):
    public, _, said = made
    identified = next(each for each in said["numbers"] if each["code"] == "cases_identified")
    assert (identified["value"], len(identified["rows"])) == (1, 0 if public else 1)


def test_a_year_before_the_permit_leaves_no_file(tmp_path):
    with pytest.raises(CallError, match="no reporting year 2020"):
        write_report(picture(), year=2020, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
