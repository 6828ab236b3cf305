"""The check as a whole: its JSON, what was looked at, what the register says of a finding, and what cannot be said."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from layers.errors import CallError
from layers.town import Town
from mapping.findings import RULES, Fine, Report, check, rule
from mapping.findings.finding import weakest
from mapping.findings.premises import property_classes, say_class
from mapping.law import Law, load_law
from tests.findings_town import town_of

LAW = load_law("north_salem_194")
ON = date(2026, 8, 4)
SHOP = "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))"
FLAG = "DRN-01:drains:DR-1"


def shop_town(*, records: tuple[dict[str, Any], ...] = (), address: str = "1 Main Street") -> Town:
    """A shop with an unrecorded drain to a basin that a pipe connects with an outfall beside a listed brook."""
    drain = {
        "premises_key": "KEY",
        "to_id": "CB-1",
        "records_searched": "building files",
        "at": "LINESTRING (90 50, 150 50)",
    }
    brook = {"name": "Crook Brook", "ir_category": "5", "pollutants": "silt", "at": "LINESTRING (0 20, 1000 20)"}
    return town_of(
        {
            "parcels": [
                {"id": "KEY", "property_class": "484", "address": address, "owner_name": "A. Madeup", "at": SHOP}
            ],
            "drains": [{"id": "DR-1", **drain}],
            "catch_basins": [{"id": "CB-1", "owner": "Town", "at": "POINT (150 50)"}],
            "pipes": [{"id": "P-1", "owner": "Town", "system": "storm", "at": "LINESTRING (150 50, 350 50)"}],
            "outfalls": [{"id": "OF-1", "kind": "outfall", "owner": "Town", "at": "POINT (350 50)"}],
            "waters": [{"id": "BROOK", **brook}],
        },
        records=records,
    )


def report(*records: dict[str, Any], on: date = ON, rules: list[str] | None = None) -> Report:
    return check(shop_town(records=records), LAW, on, rules)


def drain_flag(*records: dict[str, Any], on: date = ON) -> Any:
    return report(*records, on=on, rules=["DRN-01"]).findings[0]


DISMISSED = {"kind": "finding_dismissed", "on": "2026-07-01", "data": {"finding": FLAG, "reason": "plugged"}}
OPENED = {"kind": "case_opened", "on": "2026-07-02", "case": "2026-001", "data": {"title": "Drain", "findings": [FLAG]}}


def test_a_finding_is_printed_with_the_keys_of_the_contract() -> None:
    found = drain_flag().to_json()
    assert list(found) == [
        "id", "rule", "title", "status", "subject", "premises", "outfalls", "waters", "conditions", "confidence", "severity",
        "measure", "for", "against", "clears", "citation", "geometry",
    ]  # fmt: skip
    assert found["subject"] == {"layer": "drains", "id": "DR-1"}
    assert found["outfalls"] == ["OF-1"]
    assert found["waters"] == [
        {
            "id": "BROOK",
            "name": "Crook Brook",
            "ir_category": "5",
            "basis": "discharges_to",
            "conditions": ["B"],
            "pollutants": ["silt"],
        }
    ]
    assert found["conditions"] == ["B"]
    assert {key for fact in found["for"] for key in fact} == {"text", "layer", "id", "source"}
    assert set(found["citation"]) == {"section", "numbered_by_order", "text"}
    json.dumps(found)


def test_its_geometry_is_longitude_and_latitude() -> None:
    # the corner of the test towns, 739000 E 910000 N in EPSG:2260, lies at about 73.60 W, 41.33 N
    lon, lat = drain_flag().to_json()["geometry"]["coordinates"][0]
    assert (round(lon, 2), round(lat, 2)) == (-73.6, 41.33)


def test_a_finding_that_is_nowhere_has_no_geometry() -> None:
    sign = {"location": "OF-9", "at": "2026-08-01T09:00", "rain_48h_in": 0.0, "flow": "trickle"}
    found = report(
        {"kind": "inspection", "on": "2026-08-01", "subject": "outfalls:OF-9", "data": sign}, rules=["ILL-01"]
    )
    assert found.to_json()["findings"][0]["geometry"] is None


def test_the_report_counts_what_was_looked_at_and_says_what_was_not_run() -> None:
    told = report().to_json()
    assert set(told) == {"town", "on", "findings", "looked_at", "passed", "not_run", "cannot_say"}
    assert list(told["looked_at"]) == list(RULES)
    counted = {"ILL-01": 0, "DRN-01": 1, "DRN-02": 1, "WAT-02": 1, "WAT-03": 1, "NET-01": 1, "NET-10": 1, "OUT-01": 1}
    assert told["looked_at"].items() >= counted.items()
    assert {"rule": "ILL-01", "needs": ["inspection records"]} in told["not_run"]
    assert told["on"] == "2026-08-04"


def test_every_subject_looked_at_is_found_fine_or_not_to_be_said() -> None:
    told = report()
    for code, count in told.looked_at.items():
        said = sum(each.rule == code for each in told.cannot_say)
        assert count == len(told.of(code)) + sum(told.fine[code].values()) + said


def test_only_the_rules_asked_for_are_run() -> None:
    assert set(report(rules=["drn-01", "NET-01"]).looked_at) == {"DRN-01", "NET-01"}
    with pytest.raises(CallError, match="there is no rule DRN-99"):
        report(rules=["DRN-99"])


def test_a_dismissed_finding_stays_dismissed_until_a_case_takes_it_up() -> None:
    assert drain_flag(DISMISSED).status == "dismissed"
    assert drain_flag(DISMISSED, OPENED).status == "in case"
    assert drain_flag(OPENED, DISMISSED).status == "dismissed"


def test_a_case_opened_later_than_the_day_of_the_check_is_not_seen() -> None:
    assert drain_flag(OPENED, on=date(2026, 7, 1)).status == "open"
    assert drain_flag(OPENED, on=date(2026, 7, 2)).status == "in case"


def test_a_superseded_dismissal_is_none() -> None:
    replaced = {"kind": "superseded", "on": "2026-07-03", "data": {"supersedes": 1}}
    assert drain_flag(DISMISSED, replaced).status == "open"


def test_the_owner_of_a_premises_is_in_no_finding() -> None:
    assert "A. Madeup" not in json.dumps(report().to_json())


def test_hostile_text_of_a_file_stays_text() -> None:
    told = check(shop_town(address="<script>alert(1)</script>"), LAW, ON, ["DRN-01"]).to_json()
    assert any("<script>alert(1)</script>" in fact["text"] for fact in told["findings"][0]["for"])


def test_a_law_without_the_provision_leaves_the_rule_not_run() -> None:
    kept = tuple(row for row in LAW.parameters if row.code != "illicit_connection_B")
    other = Law(**{**LAW.__dict__, "name": "elsewhere_88", "parameters": kept})
    told = check(shop_town(), other, ON, ["DRN-01"])
    assert [(each.rule, each.needs) for each in told.not_run] == [
        ("DRN-01", ("row illicit_connection_B of elsewhere_88",))
    ]


def test_a_rules_code_is_taken_once() -> None:
    again = rule("DRN-01", "Again", cites=(), needs=(), subjects=lambda _: [], fine=(), bad="", good="")
    with pytest.raises(ValueError, match="taken or malformed"):
        again(lambda _, __: Fine("fine"))


def test_the_rules_stand_family_by_family() -> None:
    network = [f"NET-{number:02}" for number in range(1, 22)]
    inventory = [f"OUT-{number:02}" for number in range(1, 7)]
    assert list(RULES) == ["ILL-01", "DRN-01", "DRN-02", "WAT-02", "WAT-03", *network, *inventory]


def test_rules_that_found_everything_fine_are_told_as_passed() -> None:
    told = report()
    assert told.to_json()["passed"] == [{"rule": code, "looked_at": count} for code, count in told.passed.items()]
    assert told.passed["NET-10"] == 1  # one pipe, and it has a length
    assert not {"ILL-01", "DRN-01", "WAT-02"} & set(told.passed)  # one not run, two with a flag


def test_a_rule_that_looked_at_nothing_has_not_passed() -> None:
    told = check(shop_town(), LAW, ON, ["NET-13", "NET-16", "ILL-01"])
    assert told.looked_at == {"ILL-01": 0, "NET-13": 0, "NET-16": 1}
    assert told.passed == {"NET-16": 1}


def test_a_rule_that_cannot_say_of_one_has_not_passed() -> None:
    pipe = {"id": "P-1", "at": "LINESTRING (0 0, 10 0)", "invert_up_ft": 0.0, "invert_dn_ft": 300.0}
    told = check(town_of({"pipes": [pipe]}), LAW, ON, ["NET-06"])
    assert (told.findings, told.passed) == ((), {})


def test_a_finding_is_as_grave_as_its_rule_unless_it_says_so_itself() -> None:
    ditches = [{"id": "D-1", "owner": "Town", "at": "LINESTRING (0 0, 10 0)"}]
    basins = [{"id": "CB-1", "owner": "Town", "at": "POINT (500 0)"}]
    pipes = [{"id": "P-1", "owner": "Town", "at": "LINESTRING (500 0, 600 0)"}]
    told = check(town_of({"ditches": ditches, "catch_basins": basins, "pipes": pipes}), LAW, ON, ["NET-02"])
    assert RULES["NET-02"].card.severity == "error"
    assert [(each.subject[1], each.severity) for each in told.findings] == [("P-1", "error"), ("D-1", "note")]


def test_a_card_is_printed_with_the_words_that_it_cites() -> None:
    card = RULES["DRN-01"].to_json(LAW)
    assert card["citation"]["section"] == "194-3"
    assert [each["code"] for each in card["cites"]] == ["illicit_connection_B", "past_connections"]
    assert RULES["DRN-01"].to_json() == card


def test_a_flag_is_as_sure_as_its_weakest_link() -> None:
    assert weakest(["confirmed", "probable"]) == "probable"


def test_every_property_class_has_title_group_and_source() -> None:
    groups = {each.code[0]: each.group for each in property_classes().values()}
    assert len(groups) == 9
    for code, each in property_classes().items():
        assert len(code) == 3
        assert code.isdigit()
        assert each.group == groups[code[0]]
        assert each.title
        assert each.source


@pytest.mark.parametrize(
    ("code", "site"),
    [("432", "fuel and vehicles"), ("421", "food"), ("485", "small commercial"), ("117", "landscape and animals"),
     ("560", "water and recreation"), ("651", "institutional"), ("853", "industry and waste"), ("210", "septic system"),
     ("464", "")],
)  # fmt: skip
def test_the_generating_site_of_a_class(code: str, site: str) -> None:
    assert property_classes()[code].generating_site == site


def test_a_class_that_the_state_does_not_list_is_named_by_its_number() -> None:
    assert say_class("498") == "class 498"
