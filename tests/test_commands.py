"""The command line as scripts outside the project call it: one object each, exit codes, and nothing changed on refusal."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from layers.errors import StoreError
from mapping import pipeline
from mapping.__main__ import main

ON = ["--on", "2026-11-30"]


def ask(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    """The object that a command prints with --json."""
    capsys.readouterr()
    code = main([*map(str, words), "--json", *ON])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert out.count("\n") == 1
    return json.loads(out)


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, str]:
    """The error that a command prints: one line, exit 2, and the same as an object."""
    capsys.readouterr()
    code = main([*map(str, words), "--json", *ON])
    out, err = capsys.readouterr()
    assert code == 2, err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    error: dict[str, str] = json.loads(out)["error"]
    assert set(error) == {"code", "text", "hint"}
    return error


def contents(folder: Path) -> dict[str, str]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


# -- a town and its layers


def test_new_makes_a_folder_that_is_a_town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "town"
    assert ask(capsys, "new", folder, "--name", "Testwick") == {"town": "Testwick", "path": str(folder)}
    assert {each.name for each in folder.iterdir()} >= {
        "town.toml",
        "register.sqlite",
        "sources",
        "crosswalks",
        "outputs",
    }
    assert ask(capsys, "layers", folder)["layers"] == []
    assert ask(capsys, "verify", folder)["ok"] is True


@pytest.mark.parametrize(
    "options",
    [
        ["--crs", "EPSG:4326"],
        ["--crs", "EPSG:3857"],
        ["--crs", "EPSG:999999"],
        ["--bounds", "1,2,3"],
        ["--bounds=-73.5,41.3,-73.6,41.4"],
        ["--law", "no_such_law"],
        ["--permit", "no_such_permit"],
    ],
)
def test_new_refuses_what_cannot_be_and_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    refused(capsys, "new", tmp_path / "town", "--name", "Testwick", *options)
    assert list(tmp_path.iterdir()) == []


def test_new_and_demo_refuse_a_folder_that_holds_something(
    own_sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(own_sample)
    assert refused(capsys, "new", own_sample, "--name", "Testwick")["code"] == "exists"
    assert refused(capsys, "demo", own_sample)["code"] == "exists"
    assert contents(own_sample) == before


def test_build_counts_links_and_seconds_and_changes_no_answer(
    own_sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = ask(capsys, "check", own_sample)
    built = ask(capsys, "build", own_sample, "--fresh")
    assert set(built) == {"links", "seconds"}
    assert built["links"]["premises"] > 0
    assert all(seconds >= 0 for seconds in built["seconds"].values())
    assert ask(capsys, "check", own_sample) == before


def test_layers_say_count_place_source_and_completeness(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layers = {each["layer"]: each for each in ask(capsys, "layers", sample)["layers"]}
    outfalls = layers["outfalls"]
    assert set(outfalls) == {"layer", "count", "unlocated", "source", "imported", "complete"}
    assert 40 <= outfalls["count"] <= 90
    assert 600 <= layers["parcels"]["count"] <= 1200
    assert 250 <= layers["catch_basins"]["count"] <= 500
    assert outfalls["unlocated"] >= 1
    assert 0 < outfalls["complete"]["recv_name"] < 1


def test_importing_the_same_file_again_changes_nothing(own_sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = next((own_sample / "sources").glob("*/roads*"))
    [report] = ask(capsys, "import", own_sample, source, "--as", "roads")["reports"]
    assert report["changes"] == {"added": 0, "changed": 0, "missing": 0}
    assert report["read"] == report["kept"] + sum(each["count"] for each in report["rejected"])


# -- questions


def test_check_prints_findings_in_the_form_agreed(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, "check", sample)
    assert set(found) >= {"town", "on", "findings", "looked_at", "not_run"}
    assert found["on"] == "2026-11-30"
    keys = {
        "id", "rule", "title", "status", "subject", "premises", "outfalls", "waters", "conditions", "confidence", "measure",
        "for", "against", "clears", "citation", "geometry",
    }  # fmt: skip
    for finding in found["findings"]:
        assert keys <= set(finding)
        assert set(finding["subject"]) == {"layer", "id"}
        assert finding["confidence"] in ("confirmed", "probable", "possible")
        assert finding["for"], f"{finding['id']} gives no fact for it"
        assert finding["clears"], f"{finding['id']} says nothing that would clear it"
        assert all(set(fact) >= {"text", "layer", "id", "source"} for fact in finding["for"] + finding["against"])
        assert set(finding["citation"]) == {"section", "numbered_by_order", "text"}
    assert {each["rule"] for each in found["findings"]} >= {"ILL-01", "DRN-01", "DRN-02", "WAT-02", "WAT-03", "NET-01"}


def test_check_of_one_rule_runs_that_rule_alone(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, "check", sample, "--rule", "NET-01")
    assert {each["rule"] for each in found["findings"]} == {"NET-01"}
    assert set(found["looked_at"]) == {"NET-01"}


def test_check_of_an_unknown_rule_is_refused(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "NET-99" in refused(capsys, "check", sample, "--rule", "NET-99")["text"]


def test_no_finding_uses_words_that_are_for_a_court(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for finding in ask(capsys, "check", sample)["findings"]:
        said = json.dumps([finding["title"], finding["for"], finding["against"], finding["clears"]]).casefold()
        assert "illegal" not in said
        assert "violat" not in said


def test_trace_goes_down_and_up(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outfall = ask(capsys, "check", sample, "--rule", "WAT-03")["findings"][0]["subject"]["id"]
    up = ask(capsys, "trace", sample, f"outfalls:{outfall}", "--direction", "up")
    assert {"assets", "premises", "outfalls", "waters", "doubts"} <= set(up)
    basins = [each for each in up["assets"] if each["layer"] == "catch_basins"]
    assert basins
    down = ask(capsys, "trace", sample, f"catch_basins:{basins[0]['id']}", "--direction", "down")
    assert outfall in down["outfalls"]


def test_a_frozen_trace_is_an_event_with_hashes(own_sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outfall = ask(capsys, "check", own_sample, "--rule", "WAT-03")["findings"][0]["subject"]["id"]
    subject = f"outfalls:{outfall}"
    first = ask(capsys, "trace", own_sample, subject, "--direction", "up", "--freeze", "--by", "A. Planner (invented)")
    ask(capsys, "build", own_sample, "--fresh")
    again = ask(capsys, "trace", own_sample, subject, "--direction", "up", "--freeze", "--by", "A. Planner (invented)")
    assert [first[key] for key in ("inputs", "rules", "result")] == [
        again[key] for key in ("inputs", "rules", "result")
    ]
    assert first["hash"] != again["hash"]
    assert ask(capsys, "verify", own_sample)["ok"] is True


def test_chain_leads_from_a_premises_to_a_water(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drains = ask(capsys, "check", sample, "--rule", "DRN-01")["findings"]
    premises = next(each["premises"][0] for each in drains if each["outfalls"])
    found = ask(capsys, "chain", sample, f"premises:{premises}")
    assert set(found) >= {"links", "reaches"}
    keys = {"from", "to", "kind", "method", "distance_ft", "confidence", "source"}
    assert all(set(link) == keys for link in found["links"])
    assert all(set(reach) >= {"outfall", "water", "conditions"} for reach in found["reaches"])
    assert found["reaches"]


# -- the register


def test_an_event_is_appended_and_verified(
    own_sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = ask(capsys, "verify", own_sample)["events"]
    given = tmp_path / "note.json"
    given.write_text(json.dumps({"data": {"text": "called the office"}, "on": "2026-11-29"}), encoding="utf-8")
    made = ask(capsys, "event", own_sample, "note", "--file", given, "--by", "A. Clerk (invented)")
    assert (made["kind"], made["on"], made["by"]) == ("note", "2026-11-29", "A. Clerk (invented)")
    assert len(made["hash"]) == 64
    assert ask(capsys, "verify", own_sample) == {"ok": True, "events": before + 1, "first_bad": None, "text": ""} | {
        "text": ask(capsys, "verify", own_sample)["text"]
    }


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("no_such_kind", {}),
        ("note", {"data": {}}),
        ("note", {"data": {"text": "x", "colour": "red"}}),
        ("note", {"data": {"text": "x"}, "subject": "outfalls:NOT-THERE"}),
        ("note", {"data": {"text": "x"}, "on": "yesterday"}),
        ("note", {"data": {"text": "x"}, "else": 1}),
        ("inspection", {"subject": "outfalls:NOT-THERE", "data": {"location": "X"}}),
    ],
)
def test_an_event_that_cannot_stand_is_refused_and_nothing_changes(
    own_sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, given: dict[str, Any]
) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(given), encoding="utf-8")
    before = ask(capsys, "verify", own_sample)["events"]
    refused(capsys, "event", own_sample, kind, "--file", file, "--by", "A. Clerk (invented)")
    assert ask(capsys, "verify", own_sample)["events"] == before


def test_a_case_is_opened_shown_and_listed(own_sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finding = ask(capsys, "check", own_sample, "--rule", "ILL-01")["findings"][0]
    subject = f"{finding['subject']['layer']}:{finding['subject']['id']}"
    words = [
        "--title",
        "Suds at the outfall",
        "--subject",
        subject,
        "--finding",
        finding["id"],
        "--by",
        "A. Officer (invented)",
    ]
    made = ask(capsys, "case", own_sample, "open", *words)
    assert ask(capsys, "case", own_sample, "show", made["id"]) == made
    assert made["id"] in [each["id"] for each in ask(capsys, "case", own_sample, "list")["cases"]]
    status = {each["id"]: each["status"] for each in ask(capsys, "check", own_sample, "--rule", "ILL-01")["findings"]}
    assert status[finding["id"]] == "in case"


def test_the_sample_case_went_from_identification_to_correction(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = ask(capsys, "case", sample, "show", "2026-001")
    kinds = [each["kind"] for each in case["events"]]
    assert kinds.index("identified") < kinds.index("notice_mailed") < kinds.index("corrected")
    assert {each["state"] for each in case["deadlines"]} <= {"met", "late", "open", "pending", "overdue"}


# -- packs


def test_clock_gives_raw_and_due_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, "clock", "--event", "identified=2026-12-01")["deadlines"]
    mailed = next(each for each in found if each["code"] == "notice_mailed")
    # five days from Tue 1 Dec end on Sun 6 Dec, kept on Mon 7 Dec (General Construction Law § 25-a)
    assert (mailed["raw"], mailed["due"]) == ("2026-12-06", "2026-12-07")
    assert "Sunday" in mailed["why"]
    keys = {"code", "who", "section", "start_event", "start", "limit", "unit", "raw", "due", "why", "state"}
    assert keys <= set(mailed)


@pytest.mark.parametrize("words", [["--event", "identified"], ["--event", "identified=soon"], ["--set", "nonsense=1"],
                                   ["--event", "nonsense=2026-01-01"], ["--law", "no_such_law"],
                                   ["--event", "identified=2026-01-01", "--event", "identified=2026-01-02"]])  # fmt: skip
def test_clock_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    refused(capsys, "clock", *words)


def test_law_rules_and_permit_list_everything_with_its_citation(capsys: pytest.CaptureFixture[str]) -> None:
    assert all(each["section"] for each in ask(capsys, "law")["parameters"])
    assert all(each["section"] for each in ask(capsys, "permit")["parameters"])
    assert {each["code"] for each in ask(capsys, "rules")["rules"]} >= {
        "ILL-01", "DRN-01", "DRN-02", "WAT-02", "WAT-03", "NET-01",
    }  # fmt: skip


# -- outputs


def test_map_writes_one_file_and_says_how_large(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "map.html"
    made = ask(capsys, "map", sample, "--out", out)
    assert made["path"] == str(out)
    assert made["bytes"] == out.stat().st_size < 8_000_000
    assert made["features"] > 1000


def test_route_orders_what_is_due(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = ask(
        capsys, "route", sample, "--start=-73.60,41.33", "--crews", "2", "--hours", "6", "--out", tmp_path / "route"
    )
    assert set(made) >= {"crews", "unreachable", "left_out", "dry_weather", "files"}
    assert made["dry_weather"] == "unknown"
    assert all(Path(each).is_file() for each in made["files"])
    for crew in made["crews"]:
        assert [each["seq"] for each in crew["stops"]] == list(range(1, len(crew["stops"]) + 1))
        assert crew["drive_min"] + crew["service_min"] <= 360.5


def test_report_counts_with_the_rows_behind_each_number(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ask(capsys, "report", sample, "--year", "2026", "--out", tmp_path / "report")
    assert (made["year"], made["from"], made["to"]) == (2026, "2026-01-03", "2027-01-02")
    assert set(made) >= {"numbers", "files", "inputs", "rules"}
    assert all({"code", "label", "value", "rows"} <= set(each) for each in made["numbers"])
    assert any(str(each).endswith(".pdf") for each in made["files"])


# -- bad calls


@pytest.mark.parametrize("words", [[], ["nonsense"], ["check"], ["layers", "/no/such/town"], ["trace", "/no/such/town", "a:b"],
                                   ["check", ".", "--on", "soon"]])  # fmt: skip
def test_a_wrong_call_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    capsys.readouterr()
    assert main(words) == 2
    _, err = capsys.readouterr()
    assert err.startswith("error: ")
    assert err.count("\n") == 1


# -- what a hostile tester found


def test_options_take_negative_numbers_with_or_without_an_equals_sign(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    apart = ask(capsys, "route", sample, "--start", "-73.60,41.33", "--out", tmp_path / "a")
    joined = ask(capsys, "route", sample, "--start=-73.60,41.33", "--out", tmp_path / "b")
    assert apart["crews"][0]["service_min"] == joined["crews"][0]["service_min"] > 0
    assert ask(capsys, "new", tmp_path / "town", "--name", "T", "--bounds", "-73.67,41.29,-73.52,41.38")["town"] == "T"


@pytest.mark.parametrize("out", ["register.sqlite", "layers.gpkg", "town.toml", "map.html", "sources/map.html"])
def test_a_map_is_never_written_over_the_towns_own_record(
    own_sample: Path, capsys: pytest.CaptureFixture[str], out: str
) -> None:
    before = contents(own_sample)
    refused(capsys, "map", own_sample, "--out", own_sample / out)
    refused(capsys, "report", own_sample, "--year", "2026", "--out", own_sample / "sources")
    refused(capsys, "route", own_sample, "--start=-73.6,41.33", "--out", own_sample)
    assert contents(own_sample) == before


def test_a_map_goes_into_the_towns_outputs(own_sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "map", own_sample, "--out", own_sample / "outputs" / "map.html")["features"] > 1000


@pytest.mark.parametrize(
    "words",
    [
        ["map", "--out", "."],
        ["map", "--out", ""],
        ["map", "--out", "/etc/passwd/x.html"],
        ["route", "--start=nan,nan", "--out", "out"],
        ["route", "--start=inf,41", "--out", "out"],
        ["route", "--start=-73.6,41.33", "--out", "/etc/passwd"],
        ["report", "--year", "2026", "--out", "/etc/passwd/x"],
        ["serve", "--port", "99999"],
        ["serve", "--port", "-1"],
    ],
)
def test_an_impossible_place_or_file_is_a_wrong_call(
    sample: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    refused(capsys, words[0], sample, *words[1:])


@pytest.mark.parametrize(
    "data",
    [
        {
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[-73.6, 41.33], [-73.59, 41.33], [-73.59, 41.34], [-73.6, 41.33]]],
            }
        },
        {"geometry": {"type": "Point", "coordinates": ["a", "b"]}},
        {"geometry": {"type": "Polygon", "coordinates": [[[-73.6, 41.33]]]}},
        {"geometry": {"type": "Point", "coordinates": [10, 10]}},
        {"geometry": {"type": "Point", "coordinates": [41.33, -73.6]}},
        {"geometry": {"type": "Nonsense"}},
        {"fields": {"bogus": 1}},
        {"fields": {"owner": "Martian"}},
        {"fields": {"diameter_in": "abc"}},
        {"layer": "basins"},
    ],
)
def test_an_asset_that_its_layer_cannot_take_is_refused(
    own_sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], data: dict[str, Any]
) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps({"data": {"layer": "outfalls", "id": "OF-NEW", **data}}), encoding="utf-8")
    refused(capsys, "event", own_sample, "asset_recorded", "--file", file, "--by", "A. Planner (invented)")
    assert "OF-NEW" not in json.dumps(ask(capsys, "check", own_sample))


def test_an_asset_recorded_on_the_map_is_there_at_once(
    own_sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    point = {"type": "Point", "coordinates": [-73.6, 41.33, 12.0]}
    fields = {"owner": "TOWN", "diameter_in": "18", "kind": "outfall", "surveyed_on": "2026-11-02"}
    file = tmp_path / "event.json"
    file.write_text(
        json.dumps({"data": {"layer": "outfalls", "id": "OF-NEW", "geometry": point, "fields": fields}}),
        encoding="utf-8",
    )
    ask(capsys, "event", own_sample, "asset_recorded", "--file", file, "--by", "A. Planner (invented)")
    assert ask(capsys, "trace", own_sample, "outfalls:OF-NEW", "--direction", "up")["outfalls"] == ["OF-NEW"]


@pytest.mark.parametrize(
    "text", ['{"subject": 5, "data": {"text": "x"}}', '{"data": []}', '{"case": 0}', "[" * 100_000, "[]", "x"]
)
def test_an_event_file_that_is_not_as_it_must_be_is_refused(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    file = tmp_path / "event.json"
    file.write_text(text, encoding="utf-8")
    refused(capsys, "event", sample, "note", "--file", file, "--by", "A. Clerk (invented)")


def test_a_sheet_about_another_location_than_its_event_is_refused(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = {"location": "OF-002", "at": "2026-11-30T10:00", "flow": "none"}
    file = tmp_path / "event.json"
    file.write_text(json.dumps({"subject": "outfalls:OF-001", "data": sheet}), encoding="utf-8")
    assert (
        "OF-002"
        in refused(capsys, "event", sample, "inspection", "--file", file, "--by", "A. Officer (invented)")["text"]
    )


def test_cases_stand_as_they_stood_on_the_day_asked_for(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["case", str(sample), "list", "--json", "--on", "2026-08-01"]) == 0
    assert json.loads(capsys.readouterr().out)["cases"] == []


def test_a_town_whose_layers_are_gone_is_not_an_empty_town(
    own_sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own_sample / "layers.gpkg").unlink()
    for words in (["layers"], ["check"], ["build"]):
        assert refused(capsys, words[0], own_sample)["code"] == "store_missing"


def test_a_file_of_which_nothing_fits_is_refused(own_sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(own_sample)
    source = next((own_sample / "sources").glob("*/roads*"))
    assert refused(capsys, "import", own_sample, source, "--as", "outfalls")["code"] == "source_unfit"
    assert contents(own_sample) == before


def test_a_town_whose_register_is_damaged_takes_nothing_in(
    own_sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own_sample / "register.sqlite").write_bytes(b"no register")
    before = contents(own_sample)
    source = next((own_sample / "sources").glob("*/roads*"))
    for words in (["import", own_sample, source, "--as", "roads"], ["check", own_sample], ["verify", own_sample]):
        assert refused(capsys, *words)["code"].startswith("register")
    assert contents(own_sample) == before


def test_an_import_that_cannot_be_written_leaves_no_source_behind(
    own_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise StoreError("the disk is full", hint="make room")

    source = tmp_path / "more.csv"
    source.write_text("OUTFALL_ID,Latitude,Longitude\nOF-NEW,41.33,-73.6\n", encoding="utf-8")
    monkeypatch.setattr(pipeline, "write_facts", full)
    before = contents(own_sample)
    refused(capsys, "import", own_sample, source, "--as", "outfalls")
    assert contents(own_sample) == before
