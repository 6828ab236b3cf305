"""The screens without a browser: what each says, what its buttons do, and that a fault is told and not thrown."""

from __future__ import annotations

import html
import os
import re
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from layers.errors import CRSError, FieldError, RegisterError, SourceError
from layers.trace import trace
from mapping import pipeline, server
from mapping.outputs import tables, uploads
from mapping.outputs.ways import say_ways
from mapping.pages.event_form import offered, payload
from mapping.pages.refusals import say_refusal
from mapping.pages.show import plain, tag
from mapping.register import KINDS
from tests.conftest import ON
from tests.map_town import HOSTILE

HOME = Path(__file__).resolve().parent.parent / "mapping" / "pages" / "home.py"
PAGES = ("findings", "cases", "routes", "report", "layers", "law")
SLOW_S = 60


@pytest.fixture
def town(sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample town as the town of the app, which only reads it."""
    return open_in_app(sample, monkeypatch)


@pytest.fixture
def own_town(own_sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample town as the town of the app, which may write to it."""
    return open_in_app(own_sample, monkeypatch)


def open_in_app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MS4_TOWN", str(folder))
    monkeypatch.setenv("MS4_ON", ON.isoformat())
    return folder


def run(page: str = "", **query: str) -> AppTest:
    app = AppTest.from_file(str(HOME), default_timeout=SLOW_S)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page:
        app.switch_page(f"{page}.py").run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """All that the page says as text."""
    pieces = [each.body for each in app.get("html")] + [each.value for each in app.caption]
    return html.unescape(re.sub(r"<[^>]+>", " ", " ".join(pieces)))


def suspected(folder: Path, rule: str) -> Any:
    report = pipeline.take_picture(folder, ON).report
    return next(each for each in report.of(rule) if each.status == "open")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(town: Path, page: str) -> None:
    assert not run(page).error


def test_the_map_asks_to_choose_something(town: Path) -> None:
    text = said(run())
    assert "Click on a thing on the map" in text
    assert "Case 2026-002" in text


def test_a_flagged_outfall_shows_its_way_its_flags_and_what_would_clear_them(town: Path) -> None:
    found = suspected(town, "ILL-01")
    text = said(run(asset=":".join(found.subject)))
    assert "Where it goes" in text
    assert "What drains here" in text
    for words in (found.title, found.facts_for[0].text, found.clears[0], f"§ {found.citation.section}"):
        assert words in text


def test_a_premises_shows_its_case_with_its_deadlines(town: Path) -> None:
    case = next(each for each in pipeline.take_picture(town, ON).cases if each.id == "2026-002")
    text = said(run(asset=case.subject))
    assert "Case 2026-002" in text
    assert any(each.title in text for each in case.deadlines if each.state in ("open", "overdue"))


def test_every_link_of_the_chain_can_be_read(town: Path) -> None:
    app = run(asset=":".join(suspected(town, "DRN-01").subject))
    app.toggle(key="links").set_value(True).run()
    shown = {"".join(each.value.columns): each.value for each in app.dataframe}
    assert any("connected to" in text for text in shown["FromToKnown byDistanceHow sureSource"]["To"])


def test_what_drains_to_an_outfall_is_listed_with_how_it_is_known(town: Path) -> None:
    app = run(asset="outfalls:OF-070")
    app.toggle(key="links").set_value(True).run()
    shown = {"".join(each.value.columns): each.value for each in app.dataframe}
    up = trace(pipeline.open_town(town), "outfalls:OF-070", direction="up")
    assert len(shown["LotKnown byDistance"]) == len(up.premises)
    assert len(shown["AssetCertaintyLength"]) == len(up.assets) - 1


def test_an_interconnection_hands_over_to_the_other_ms4(town: Path) -> None:
    text = said(run(asset="outfalls:OF-005"))
    assert "hands over to COUNTY" in text
    assert "no water is mapped" not in text


def test_each_of_two_outfalls_has_its_own_water(town: Path) -> None:
    opened = pipeline.open_town(town)
    down = trace(opened, "catch_basins:CB-203", direction="down")
    ways = say_ways(opened, pipeline.open_law(opened.settings), down, ON)
    assert [each.subject for each in ways[1:]] == ["outfalls:OF-018", "outfalls:OF-084"]
    assert all(each.under[0].text.startswith("into Pine Swamp Brook") for each in ways[1:])


def test_what_has_no_place_says_so_and_only_once(town: Path) -> None:
    text = said(run(asset="outfalls:OF-079"))
    assert "it has no place on the map" in text
    assert "no receiving water is near" not in text
    assert "no structure or line" not in text
    picture = pipeline.take_picture(town, ON)
    rows = tables.unsure_rows(picture.town, picture.report)
    assert not [each for each in rows if "OF-079" in each["About"]]


def test_an_abandoned_line_has_no_way(town: Path) -> None:
    text = said(run(asset="pipes:0000002755"))
    assert "abandoned, carries nothing" in text
    assert "Where it goes" not in text


def test_what_the_town_does_not_have_is_said(town: Path) -> None:
    assert "The town has nothing of that name" in said(run(asset="outfalls:<img src=x onerror=alert(1)>"))


def record_form(case: str) -> None:
    """A page that shows the form at once: without a browser a dialog closes with every rerun."""
    from mapping.pages.event_form import record_event

    record_event(subject="", cases=[case], case=case)


def case_form(rule: str) -> None:
    """A page that shows the form for a case about the first open finding of a rule."""
    from mapping import server
    from mapping.pages.event_form import open_case

    found = next(each for each in server.open_desk().picture.report.of(rule) if each.status == "open")
    open_case(subject=":".join(found.subject), premises=found.premises, findings=[found])


def note_in(case: str, *, by: str) -> AppTest:
    app = AppTest.from_function(record_form, args=(case,), default_timeout=SLOW_S).run()
    app.selectbox[1].set_value("note").run()
    app.text_input(key="field_note_text").set_value("Spoke with the owner")
    app.text_input(key="event_by").set_value(by)
    next(each for each in app.button if each.label == "Record").click().run()
    assert not app.exception
    return app


def test_an_event_of_a_case_is_recorded_under_the_name_given(own_town: Path) -> None:
    assert not note_in("2026-002", by="T. Exampleton").error
    newest = pipeline.open_town(own_town).records.everything[-1]
    assert (newest.kind, newest.case, newest.by, newest.on) == ("note", "2026-002", "T. Exampleton", ON)
    assert newest.data == {"text": "Spoke with the owner"}


def test_an_event_without_a_name_is_refused_in_words(own_town: Path) -> None:
    before = len(pipeline.open_town(own_town).records.everything)
    assert "Enter your name" in note_in("2026-002", by=" ").error[0].value
    assert len(pipeline.open_town(own_town).records.everything) == before


def test_a_case_is_opened_from_a_flag(own_town: Path) -> None:
    found = suspected(own_town, "DRN-01")
    app = AppTest.from_function(case_form, args=("DRN-01",), default_timeout=SLOW_S).run()
    app.text_input(key="case_by").set_value("T. Exampleton")
    next(each for each in app.button if each.label == "Open the case").click().run()
    assert not app.error
    opened = pipeline.take_picture(own_town, ON).cases[-1]
    assert opened.finding_ids == (found.id,)
    assert opened.premises == found.premises
    assert opened.state == "opened"


def test_the_buttons_of_the_panel_open_their_forms(town: Path) -> None:
    app = run(asset=":".join(suspected(town, "DRN-01").subject))
    app.button(key="open_case").click().run()
    assert "A case says nothing about anyone until an officer records an identification." in said(app)
    app.button(key="record_event").click().run()
    assert app.selectbox[1].label == "What happened"


def test_flags_can_be_filtered_by_words(town: Path) -> None:
    app = run("findings")
    whole = len(app.dataframe[0].value)
    app.text_input[0].set_value("no such thing anywhere").run()
    assert "No flag of these kinds" in said(app)
    app.text_input[0].set_value("OF-070").run()
    assert 0 < len(app.dataframe[0].value) < whole


def test_a_route_is_planned_and_its_files_are_offered(own_town: Path) -> None:
    app = run("routes")
    next(each for each in app.button if each.label == "Plan the route").click().run()
    assert not app.error
    assert "Crew 1:" in said(app)
    names = {each.name for each in (own_town / "outputs" / f"route-{ON}").iterdir()}
    assert {name.rpartition(".")[2] for name in names} >= {"gpx", "csv", "pdf"}


def send(app: AppTest, name: str, content: bytes) -> None:
    app.file_uploader[0].set_value((name, content, "application/octet-stream"))
    app.run()
    assert not app.exception


def test_a_file_is_reported_on_before_it_is_imported(own_town: Path) -> None:
    app = run("layers")
    before = len(pipeline.list_imports(own_town))
    send(app, "../../facilities 2026.csv", b"asset_id,name,latitude,longitude\nF-900,New garage,41.33,-73.6\n")
    next(each for each in app.selectbox if each.label == "As layer").set_value("facilities").run()
    app.button(key="dry_run").click().run()
    assert not app.error
    assert len(pipeline.list_imports(own_town)) == before
    app.text_input(key="import_by").set_value("T. Exampleton").run()
    app.button(key="accept").click().run()
    assert "facilities 2026" in app.success[0].value.replace("\\", "")
    assert pipeline.list_imports(own_town)[0]["by"] == "T. Exampleton"
    assert "F-900" in pipeline.open_town(own_town).layer("facilities").index
    assert not list((own_town / "outputs" / "uploads").rglob("*.csv"))


def test_a_file_that_cannot_be_read_is_told(own_town: Path) -> None:
    app = run("layers")
    send(app, "broken.zip", b"this is no zip")
    assert len(app.error) == 1
    assert "broken" in app.error[0].value.replace("\\", "")


def test_a_file_of_which_nothing_is_known_cannot_be_accepted(own_town: Path) -> None:
    app = run("layers")
    send(app, "strange.csv", b"foo,bar\n1,2\n3,4\n")
    assert "Say what the file holds" in said(app)
    next(each for each in app.selectbox if each.label == "As layer").set_value("outfalls").run()
    app.button(key="dry_run").click().run()
    assert app.error
    assert "accept" not in [each.key for each in app.button]


def test_an_upload_that_is_taken_back_is_removed(own_town: Path) -> None:
    app = run("layers")
    send(app, "one.csv", b"asset_id,latitude,longitude\nF-1,41.33,-73.6\n")
    send(app, "two.csv", b"asset_id,latitude,longitude\nF-2,41.33,-73.6\n")
    assert [each.name for each in (own_town / "outputs" / "uploads").rglob("*.csv")] == ["two.csv"]
    app.file_uploader[0].set_value(None)
    app.run()
    assert not list((own_town / "outputs" / "uploads").rglob("*.csv"))


def test_an_upload_that_nobody_accepts_stays_a_day(tmp_path: Path) -> None:
    old, new = uploads.hold(tmp_path, "old.csv", b"1"), uploads.hold(tmp_path, "new.csv", b"2")
    yesterday = time.time() - uploads.HELD_FOR.total_seconds() - 60
    os.utime(old.parent, (yesterday, yesterday))
    uploads.clear_out(tmp_path, older_than=uploads.HELD_FOR)
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.parametrize("name", ["map.exe", "", ".csv", "../..", "a/b/.zip"])
def test_only_kinds_that_can_be_imported_are_held(name: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no kind"):
        uploads.hold(tmp_path, name, b"")
    assert list(tmp_path.iterdir()) == []


def test_an_upload_never_leaves_its_folder(tmp_path: Path) -> None:
    held = uploads.hold(tmp_path, "..\\..\\C:\\evil/../x;y.csv", b"a")
    assert held.is_relative_to(tmp_path / "outputs" / "uploads")
    assert held.name == "x_y.csv"


def test_a_damaged_register_is_told_in_one_sentence(own_town: Path) -> None:
    path = own_town / "register.sqlite"
    path.write_bytes(b"not a register" * 100)
    app = AppTest.from_file(str(HOME), default_timeout=SLOW_S).run()
    assert not app.exception
    assert "register" in app.error[0].value


def test_a_town_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_in_app(tmp_path / "nowhere", monkeypatch)
    app = AppTest.from_file(str(HOME), default_timeout=SLOW_S).run()
    assert not app.exception
    assert len(app.error) == 1


def test_an_empty_town_says_what_would_fill_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = open_in_app(tmp_path / "new", monkeypatch)
    pipeline.create_town(folder, name="Newtown")
    assert "No layer is loaded yet" in said(run())
    assert "Send the boundary first" in said(run("layers"))
    assert "No case is open" in said(run("cases"))
    assert "No outfall is loaded" in said(run("routes"))


def test_the_sample_town_is_made_on_the_first_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MS4_TOWN", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(pipeline, "make_demo", lambda folder, on: pipeline.create_town(folder, name="Sample"))
    assert "No layer is loaded yet" in said(run())
    assert (server.town_folder() / "town.toml").exists()


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_file_is_escaped_in_html_and_in_markdown(text: str) -> None:
    assert "<img" not in tag("b", text)
    assert "<script" not in tag("b", text)
    assert not re.search(r"(?<!\\)[<>`\[\]!{}$]", plain(text))


def test_a_form_leaves_out_what_was_not_filled_in() -> None:
    values = {"flow": "trickle", "rain_24h_in": None, "rain_48h_in": 0.0, "odor": {}, "damage": []}
    assert payload(KINDS["inspection"], values, subject="outfalls:OF-1", on=date(2026, 12, 1)) == {
        "flow": "trickle",
        "rain_48h_in": 0.0,
        "location": "OF-1",
    }


def test_steps_of_a_case_are_offered_only_in_a_case() -> None:
    assert "notice_mailed" not in offered(subject="outfalls:OF-1", case="")
    assert offered(subject="outfalls:OF-1", case="2026-001")[0] == "identified"
    assert "inspection" not in offered(subject="", case="")


def test_a_refusal_speaks_of_the_labels_of_the_form() -> None:
    order = RegisterError("event note: the case has ended", hint="say why it comes late in data.late_entry")
    assert say_refusal(order) == (
        "Note: the case has ended",
        "say why it comes late in “Why the event was entered late or out of order”",
    )
    rain = FieldError("inspection OF-1: rain_24h_in 2 exceeds rain_48h_in 1; odor does not say its kind")
    assert say_refusal(rain)[0] == (
        f"{KINDS['inspection'].title}: “Rain in the 24 hours before” 2 exceeds “Rain in the 48 hours before” 1; "
        "“Odor: kind, severity” does not say its kind"
    )
    crs = CRSError("a layer does not say its coordinate system", hint="import it with --crs EPSG:… --crs-by NAME")
    assert "--" not in say_refusal(crs)[1]
    assert "“Coordinate system” and “Who says so”" in say_refusal(crs)[1]


def test_an_event_without_what_is_required_is_refused_by_its_label(own_town: Path) -> None:
    app = AppTest.from_function(record_form, args=("2026-002",), default_timeout=SLOW_S).run()
    app.selectbox[1].set_value("note").run()
    app.text_input(key="field_note_text").set_value("  ")
    app.text_input(key="event_by").set_value("T. Exampleton")
    next(each for each in app.button if each.label == "Record").click().run()
    assert app.error[0].value == "Fill in Text."


def test_a_case_without_a_title_is_refused(own_town: Path) -> None:
    app = AppTest.from_function(case_form, args=("DRN-01",), default_timeout=SLOW_S).run()
    app.text_input[0].set_value(" ")
    app.text_input(key="case_by").set_value("T. Exampleton")
    next(each for each in app.button if each.label == "Open the case").click().run()
    assert "Give the case a title" in app.error[0].value


def test_a_case_that_is_not_there_is_said(town: Path) -> None:
    assert "There is no case 2026-999" in said(run("cases", case="2026-999"))


def test_files_of_the_office_are_not_offered_for_the_public(town: Path) -> None:
    app = run("report")
    app.session_state["report_files"] = ((server.open_desk().version, 2026, False), [town / "town.toml"])
    assert "For the office, permit year 2026" in said(app.run())
    app.checkbox[0].check().run()
    assert "town.toml" not in [each.label for each in app.get("download_button")]
    assert "permit year 2026:" not in said(app)


def test_a_refused_route_takes_the_old_one_away(town: Path) -> None:
    app = run("routes")
    app.session_state["plan_files"] = [town / "town.toml"]
    longitude = next(each for each in app.number_input if each.label == "Start, longitude")
    west, east = float(longitude.min or 0), float(longitude.max or 0)
    assert -180 <= west < float(longitude.value or 0) < east <= 180
    longitude.set_value(east)
    next(each for each in app.button if each.label == "Plan the route").click().run()
    assert not app.exception
    assert "miles from the nearest road" in app.error[0].value.replace("\\", "")
    assert "--start" not in app.error[0].value
    assert app.session_state["plan_files"] == []
