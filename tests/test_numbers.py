from __future__ import annotations

from datetime import date

import pytest

from layers.errors import CallError
from mapping.findings.report import Report
from mapping.law import load_law
from mapping.outputs.completeness import completeness
from mapping.outputs.numbers import annual_numbers, permit_year
from tests.outputs_town import DRY, ON, PERMIT, inspection, layer, line, outfalls, point, record, town

LAW = load_law("north_salem_194")
NOTHING_FLAGGED = Report("Sampleton", ON, (), {}, (), (), {})


def numbers(layers=None, records=(), *, year=2026, on=ON):
    place = town(layers or {"outfalls": outfalls(OF_1=(0, 0), OF_2=(50, 0))}, records)
    return annual_numbers(place, LAW, PERMIT, cases=[], report=NOTHING_FLAGGED, year=year, on=on)


def complaint(on, seq=1):
    return record("complaint", on, seq=seq, data={"text": "Suds"})


def step(kind, on, seq, case="2026-001"):
    return record(kind, on, seq=seq, case=case, subject="premises:55.1-1")


def seqs(number):
    return [row["event"] for row in number.rows]


# -- the permit year: 3 January to 2 January, both included


@pytest.mark.parametrize(
    ("day", "year"),
    [
        (date(2026, 1, 1), 2025),
        (date(2026, 1, 2), 2025),
        (date(2026, 1, 3), 2026),
        (date(2026, 12, 31), 2026),
        (date(2027, 1, 2), 2026),
        (date(2027, 1, 3), 2027),
    ],
)
def test_an_event_belongs_to_one_permit_year(day, year):
    later = date(2028, 1, 1)
    counted = [
        y for y in (2024, 2025, 2026, 2027) if numbers(records=[complaint(day)], year=y, on=later)["complaints"].value
    ]
    assert counted == [year] == [permit_year(PERMIT, day)]


def test_the_window_is_given_with_both_ends():
    said = numbers(year=2025).to_json()
    assert (said["year"], said["from"], said["to"]) == (2025, "2025-01-03", "2026-01-02")


def test_events_after_the_day_of_the_report_are_not_counted():
    records = [complaint(date(2026, 11, 30), 1), complaint(date(2026, 12, 1), 2)]
    assert seqs(numbers(records=records)["complaints"]) == [1]


def test_there_is_no_permit_year_before_the_permit():
    with pytest.raises(CallError, match="no reporting year 2023"):
        numbers(year=2023)


# -- what is counted


def test_a_count_is_the_number_of_its_rows_and_codes_are_used_once():
    made = numbers(records=[inspection("OF-1", date(2026, 5, 4), **DRY), step("case_opened", date(2026, 5, 5), 2)])
    counts = [each for each in made.numbers if not each.code.startswith(("complete_", "days_"))]
    assert all(each.value == len(each.rows) for each in counts)
    codes = [each.code for each in made.numbers]
    assert len(codes) == len(set(codes))


def test_monitoring_locations_are_counted_by_kind():
    kinds = {"a": "outfall", "b": "outfall", "c": "interconnection", "d": "intraconnection", "e": "unknown"}
    rows = {name: (point(0, 0), {"owner": "Town", "kind": kind}) for name, kind in kinds.items()}
    rows["f"] = (None, {"owner": "Town", "kind": "outfall"})
    made = numbers({"outfalls": layer("outfalls", rows)})
    assert {kind: made[f"locations_{kind}"].value for kind in ("outfall", "interconnection", "intraconnection")} == {
        "outfall": 3,
        "interconnection": 1,
        "intraconnection": 1,
    }
    assert made["locations_undecided"].rows == ({"layer": "outfalls", "id": "e"},)
    assert made["locations_unlocated"].rows == ({"layer": "outfalls", "id": "f"},)


def test_inspections_count_events_and_locations_apart():
    records = [
        inspection("OF-1", date(2026, 5, 4), seq=1),
        inspection(
            "OF-1", date(2026, 6, 4), seq=2, flow="trickle", turbidity={"severity": 3}, samples={"ph": 7}, **DRY
        ),
        inspection("OF-9", date(2026, 6, 4), seq=3, **DRY),
    ]
    made = numbers(records=records)
    assert seqs(made["inspections"]) == [1, 2]
    assert (
        made["locations_inspected"].rows
        == made["locations_inspected_dry"].rows
        == ({"layer": "outfalls", "id": "OF-1"},)
    )
    assert made["locations_sampled"].value == 1
    assert (seqs(made["rated_unlikely"]), seqs(made["rated_suspect"])) == ([1], [2])


def test_the_graver_of_sheet_and_inspector_is_counted():
    records = [inspection("OF-1", date(2026, 5, 4), inspector_designation="obvious")]
    made = numbers(records=records)
    assert (made["rated_unlikely"].value, made["rated_obvious"].value) == (0, 1)


def test_what_is_due_and_what_is_overdue():
    made = numbers(records=[inspection("OF-1", date(2021, 11, 29), **DRY)])
    assert [row["id"] for row in made["locations_due"].rows] == ["OF-1", "OF-2"]
    assert [row["id"] for row in made["locations_overdue"].rows] == ["OF-1"]


def test_what_is_due_stands_as_of_the_end_of_a_year_that_is_over():
    made = numbers(records=[inspection("OF-1", date(2021, 11, 29), **DRY)], year=2025, on=date(2026, 11, 30))
    assert made.as_of == date(2026, 1, 2)
    assert made["locations_overdue"].value == 0


def test_a_superseded_event_is_not_counted():
    gone = record("superseded", date(2026, 5, 6), seq=2, data={"supersedes": 1, "reason": "entered twice"})
    assert numbers(records=[complaint(date(2026, 5, 4)), gone])["complaints"].value == 0


def test_a_case_is_counted_in_the_year_of_each_step():
    records = [
        step("case_opened", date(2026, 1, 2), 1),
        step("identified", date(2026, 1, 3), 2),
        step("identified", date(2026, 2, 3), 3),
        step("corrected", date(2026, 1, 13), 4),
    ]
    made = numbers(records=records)
    assert made["cases_detected"].value == 0  # 2 January 2026 is in the year 2025
    assert (seqs(made["cases_identified"]), seqs(made["cases_eliminated"])) == ([2], [4])
    assert made["days_to_correct"].value == 10.0
    assert numbers(records=records, year=2025)["cases_detected"].value == 1


def test_without_a_correction_there_is_no_mean():
    assert numbers()["days_to_correct"].value is None


def test_steps_of_enforcement_are_counted_by_kind():
    made = numbers(records=[step("notice_mailed", date(2026, 3, 2), 1), step("notice_mailed", date(2026, 4, 2), 2)])
    assert (made["step_notice_mailed"].value, made["step_notice_filed"].value) == (2, 0)


def test_in_public_somebodys_premises_are_counted_but_not_listed():
    number = numbers(records=[step("notice_mailed", date(2026, 3, 2), 1)])["step_notice_mailed"]
    assert (number.to_json(public=True)["value"], number.to_json(public=True)["rows"]) == (1, [])
    assert number.to_json()["rows"] == [
        {
            "event": 1,
            "kind": "notice_mailed",
            "on": "2026-03-02",
            "layer": "premises",
            "id": "55.1-1",
            "case": "2026-001",
        }
    ]


def test_locations_are_counted_under_the_condition_of_their_water():
    lake = layer("waters", {"lake": (line((0, -50), (100, -50)), {"name": "Peach Lake", "ir_category": "5"})})
    made = numbers({"outfalls": outfalls(OF_1=(0, 0)), "waters": lake})
    assert {letter: made[f"condition_{letter}"].value for letter in "BCD"} == {"B": 1, "C": 0, "D": 0}


# -- how complete the map is


def test_completeness_is_the_share_of_the_towns_assets_in_use():
    pipes = {
        "P-1": {"material": "RCP", "diameter_in": 12.0},
        "P-2": {"material": "unknown", "diameter_in": 15.0},
        "P-3": {"material": "PVC"},
        "state": {"owner": "State"},
        "gone": {"status": "abandoned"},
        "sewer": {"system": "sanitary"},
    }
    rows = {
        name: (line((0, 0), (9, 9)), {"owner": "Town", "system": "storm", **fields}) for name, fields in pipes.items()
    }
    made = numbers({"pipes": layer("pipes", rows)})
    assert (made["complete_pipes_material"].value, made["complete_pipes_size"].value) == (0.6666, 0.6666)
    assert made["complete_pipes_material"].rows == ({"layer": "pipes", "id": "P-2"},)
    assert made["complete_pipes_located"].value == 1.0
    assert made["complete_ditches_lining"].value is None


def test_any_one_dimension_says_the_size():
    rows = {"OF-1": (point(0, 0), {"owner": "Town", "width_in": 24.0}), "OF-2": (None, {"owner": "Town"})}
    shares = {
        (each.asked.layer, each.asked.code): each for each in completeness(town({"outfalls": layer("outfalls", rows)}))
    }
    assert shares["outfalls", "size"].without == shares["outfalls", "located"].without == ("OF-2",)
