"""The law pack and the permit pack: every row of the law is there, quoted word for word, and a faulty pack is refused."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from layers.errors import CallError, LawError
from mapping.law import Law, document, load_law, load_permit

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
OTHER = ROOT / "tests" / "packs" / "other_town.toml"
STARTS = {
    "record made": "record_made",
    "before test": "test",
    "telephone or in-person notice": "spill_other",
    "decided (upheld); without an appeal the notice's own deadline": "decided",
}


@pytest.fixture(scope="module")
def law() -> Law:
    return load_law("north_salem_194")


@pytest.fixture(scope="module")
def chapter() -> str:
    path = SHARED / "chapter_194.txt"
    if not path.is_file():
        pytest.skip("the text of the chapter is not beside the repository")
    return one_line(path.read_text(encoding="utf-8"))


def one_line(text: str) -> str:
    return " ".join(text.split())


def table_of_duties() -> list[list[str]]:
    """The cells of every row of the table of duties in LAW.md; a row with several codes counts for each."""
    path = SHARED / "LAW.md"
    if not path.is_file():
        pytest.skip("LAW.md is not beside the repository")
    lines = path.read_text(encoding="utf-8").split("## How days are counted")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [[code, *row[1:]] for row in rows[1:] for code in re.split(r"[,/ ]+", row[0])]


def pack(tmp_path: Path, old: str, new: str) -> Path:
    """The other town's pack with one passage changed."""
    text = OTHER.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "changed.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_every_duty_of_the_law_is_a_row_with_its_limit_unit_and_start(law: Law) -> None:
    for code, _duty, start, limit, unit, _who, _section in table_of_duties():
        row = law.row(code)
        if limit.isdigit():
            assert (str(row.limit), row.unit) == (limit, unit), code
        elif limit in ("immediately", "none stated"):
            assert (row.limit, row.unit) == (None, limit), code
        if start not in ("–", ""):
            assert STARTS.get(start, start) in [each.event for each in row.starts], code


def test_every_duty_names_the_section_of_the_law(law: Law) -> None:
    rows = table_of_duties()
    alone = [row for row in rows if sum(other[6] == row[6] and other[1] == row[1] for other in rows) == 1]
    assert {row[0]: law.row(row[0]).section for row in alone} == {row[0]: f"194-{row[6]}" for row in alone}


def test_quotations_and_lists_stand_word_for_word_in_the_chapter(law: Law, chapter: str) -> None:
    words = {(row.code, text) for row in law.parameters for text in (row.quotation, *row.items.values())}
    assert {(code, text) for code, text in words if text not in chapter} == set()


def test_a_quotation_is_at_most_a_sentence(law: Law) -> None:
    assert [row.code for row in law.parameters if re.search(r"[.!?] [A-Z]", row.quotation)] == []


def test_sections_that_the_text_does_not_number_have_a_star(law: Law) -> None:
    assert {each.number for each in law.sections if not each.numbered_by_order} == {"194-3", "194-6", "194-7"}
    assert law.cite("appeal").label == "§ 194-14*"
    assert law.cite("exempt").label == "§ 194-6A(1)"


def test_section_10_is_not_taken_for_section_1() -> None:
    other = load_law(OTHER)
    assert (other.cite("fine_1").numbered_by_order, other.cite("response").numbered_by_order) == (True, False)


def test_the_law_holds_from_its_date_on(law: Law) -> None:
    assert law.on(date(2007, 12, 25)) == {}
    assert set(law.on(date(2007, 12, 26))) == set(law.codes)


def test_an_amendment_closes_one_row_and_opens_the_next() -> None:
    other = load_law(OTHER)
    before, after = (other.on(day)["notice"].amount for day in (date(2026, 6, 30), date(2026, 7, 1)))
    assert (before, after, other.row("notice").amount) == ("10 days", "3 business days", "3 business days")


def test_fines_are_ranges(law: Law) -> None:
    amounts = [law.row(code).amount for code in ("fine_1", "fine_2", "fine_3")]
    assert amounts == ["up to $350", "$350 to $700", "$700 to $1000"]


def test_seventeen_flows_are_exempt_and_five_conditions_open_the_alternative_remedies(law: Law) -> None:
    assert (len(law.row("exempt").items), len(law.row("alternative_remedies").items)) == (17, 5)


def test_a_row_without_a_number_says_so_when_asked_for_one(law: Law) -> None:
    with pytest.raises(LawError, match="spill_hotline has no number"):
        _ = law.row("spill_hotline").number


def test_an_unknown_code_is_refused_with_the_codes_there_are(law: Law) -> None:
    with pytest.raises(LawError, match=r"no row 'notice_sung'.*notice_mailed"):
        law.cite("notice_sung")


def test_every_reading_has_a_default_and_says_what_it_moves(law: Law) -> None:
    for reading in law.readings.values():
        assert reading.default == reading.choices[0]
        assert reading.moves
        assert reading.text


def test_settings_that_the_law_does_not_know_are_listed_together(law: Law) -> None:
    with pytest.raises(CallError, match=r"no setting 'moon'.*five_days = six is none of: calendar days"):
        law.settle({"moon": "full", "five_days": "six"})


def test_an_event_may_be_written_in_other_ways(law: Law) -> None:
    names = ["appeal_decided", "record made", "Before test", " notice-mailed ", "condition_d"]
    assert [law.event_name(name) for name in names] == [
        "decided",
        "record_made",
        "test",
        "notice_mailed",
        "condition_D",
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('who = "court"', 'judge = "court"', r"parameter fine_1 has the unknown key 'judge'"),
        ('title = "Fine for a first offense"', "", r"parameter fine_1 lacks the key 'title'"),
        ("value = 30", "value = true", r"parameter response, value must be .*, not True"),
        ("value = 30", "value = 0", r"response needs a number of days above zero, not 0"),
        ("value = 30", "", r"response needs a number of days above zero, not None"),
        ('unit = "USD"', 'unit = "shells"', r"fine_1 has the unknown unit 'shells'"),
        ('event = "delivered"', 'event = "sent"', r"response names the unknown event 'sent'"),
        ('ends = "ruled"', 'ends = "never"', r"response names the unknown event 'never'"),
        ('ruling = "confirmed"', 'ruling = "maybe"', r"correction asks for ruling = maybe"),
        ("since = 2026-07-01", "since = 2026-06-30", r"two rows of notice are in force on 2026-06-30"),
        ("until = 2026-06-30", "until = 2010-01-01", r"notice ends before it begins"),
        ("since = 2026-07-01", "since = 2026-07-01T08:00:00", r"parameter notice, since must be a date"),
        ('section = "88-40"', 'section = "88-400"', r"fine_1 is in section 88-400, which no \[\[section\]\] holds"),
        ('name = "ruled"', 'name = "notice"', r"the event 'notice' is there twice"),
        ('default = "months"', 'default = "weeks"', r"reading correction_days has no choice 'weeks'"),
        ('default = "months"', 'default = "days"', r"reading correction_days changes rows by its default"),
        ("[reading.changes.days]", "[reading.changes.hours]", r"reading correction_days has no choice 'hours'"),
        ("correction = { value", "fine_1 = { value", r"changes fine_1, which it does not move"),
        ('moves = ["correction"]', 'moves = ["correction", "x"]', r"moves the unknown row 'x'"),
        ("value = 60, unit", "value = 60, who", r"reading correction_days, days, correction has the unknown key 'who'"),
        ('unit = "days" }', 'unit = "moons" }', r"reading correction_days, days: correction has the unknown unit"),
        ("[[fact]]", "[[facts]]", r"there is the unknown table 'facts'"),
        ("adopted = 2011-04-05", "", r"\[law\] lacks the key 'adopted'"),
        ('key = "ruling"', 'key = "correction_days"', r"the setting 'correction_days' is there twice"),
        ('met_by = ["remedied"]', 'extended_by = "fine_1"', r"extended by 'fine_1', which is no row in months"),
        ('met_by = ["remedied"]', 'met_by = "remedied"', r"parameter correction, met_by must be a list"),
        ('met_by = ["remedied"]', "repeats = true", r"correction repeats and must be counted in days"),
    ],
)
def test_a_faulty_pack_is_refused_and_says_where(tmp_path: Path, old: str, new: str, fault: str) -> None:
    with pytest.raises(LawError, match=fault):
        load_law(pack(tmp_path, old, new))


def test_all_faults_of_a_pack_are_said_at_once(tmp_path: Path) -> None:
    path = pack(tmp_path, 'who = "court"', 'judge = "court"')
    path.write_text(
        path.read_text(encoding="utf-8").replace("value = 30", 'value = 30\nmoon = "full"'), encoding="utf-8"
    )
    with pytest.raises(LawError, match=r"pack changed: .*unknown key 'moon'.*unknown key 'judge'"):
        load_law(path)


def test_a_pack_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(LawError, match=r"no law pack 'atlantis'.*north_salem_194"):
        load_law("atlantis")


def test_a_pack_name_never_leaves_its_folder() -> None:
    with pytest.raises(LawError, match="no law pack"):
        load_law("../permit/gp_0_24_001")


def test_a_damaged_pack_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("[law\n", encoding="utf-8")
    with pytest.raises(LawError, match="cannot be read"):
        load_law(path)


def test_the_page_about_the_law_is_current(law: Law) -> None:
    page = (ROOT / "docs" / "law.md").read_text(encoding="utf-8")
    assert page == document(law), "docs/law.md is not what document(load_law('north_salem_194')) gives: write it anew"


def test_the_page_of_another_law_needs_no_star_where_every_section_is_numbered(tmp_path: Path) -> None:
    path = pack(tmp_path, "numbered_by_order = true", "numbered_by_order = false")
    assert "\\*" not in document(load_law(path))
    assert "§ 88-40\\*" in document(load_law(OTHER))


def test_the_law_as_json_has_every_row_with_its_dates_as_text(law: Law) -> None:
    rows = law.to_json()["parameters"]
    assert [row["code"] for row in rows] == [row.code for row in law.parameters]
    assert next(row for row in rows if row["code"] == "condition_C")["value"] == "2003-09-10"


def test_the_reporting_year_of_the_permit_runs_from_3_january_to_2_january() -> None:
    permit = load_permit("gp_0_24_001")
    assert permit.reporting_year(2026) == (date(2026, 1, 3), date(2027, 1, 2))


def test_what_no_source_confirms_of_the_permit_is_marked() -> None:
    permit = load_permit("gp_0_24_001")
    interval, program = permit.row("inspection_interval"), permit.row("inspection_program")
    assert (interval.amount, interval.verified) == ("5 years", False)
    assert (program.value, program.verified) == (date(2026, 1, 3), True)
    assert permit.cite("inspection_interval").section == "Part VI.C.1.e"


def test_a_permit_row_must_say_whether_it_is_verified(tmp_path: Path) -> None:
    text = (ROOT / "data" / "permit" / "gp_0_24_001.toml").read_text(encoding="utf-8")
    path = tmp_path / "permit.toml"
    path.write_text(text.replace("verified = true", "", 1), encoding="utf-8")
    with pytest.raises(LawError, match="parameter effective lacks the key 'verified'"):
        load_permit(path)
