"""A case: numbered once, computed from its events and the law, and never ahead of what an officer has recorded."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from layers.errors import CallError, RegisterError
from layers.records import Record
from mapping.cases.case import Case, check_order, clock_events, find_case, list_cases, open_case
from mapping.cases.clock import Deadline
from mapping.cases.steps import STATES, STEPS
from mapping.law import load_law
from mapping.register import KINDS, Register

LAW = load_law("north_salem_194")


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register.create(tmp_path)


@pytest.fixture
def case(register: Register) -> str:
    return open_case(
        register,
        title="Milky flow at OF-014",
        subject="outfalls:OF-014",
        premises=["555089.12-1-7"],
        findings=["ILL-01:outfalls:OF-014"],
        on=date(2026, 11, 30),
        by="A. Clerk",
    )


DATA: dict[str, dict[str, Any]] = {
    "identified": {"what": "illicit discharge", "basis": "dye test"},
    "issued": {"to": "Example Owner", "orders": ["eliminate"]},
    "review": {"outcome": "accepted"},
    "authorization": {"timeline": "by 29 January 2027"},
    "corrected": {"how": "floor drain plugged", "verified_by": "SMSO"},
    "refused": {"outcome": "unclaimed"},
    "case_closed": {"reason": "nothing identified"},
    "note": {"text": "called"},
    "suspended": {"reasons": "gasoline in the basin"},
    "access_restored": {"prevention": "tank removed"},
    "corrective_access": {"of_whom": "Example Owner"},
    "access_refused": {"by_whom": "Example Owner"},
}


def record(register: Register, case: str, kind: str, on: str, **data: Any) -> Record:
    return register.append(kind, case=case, on=on, data=DATA.get(kind, {}) | data, by="A. Clerk", check=check_order)


def walk(register: Register, case: str, *steps: str) -> None:
    """Record steps written as "kind date"."""
    for step in steps:
        record(register, case, *step.split())


def read(register: Register, on: str, **readings: str) -> Case:
    (case,) = list_cases(register.records(), LAW, date.fromisoformat(on), readings=readings)
    return case


def limit(case: Case, code: str) -> Deadline:
    return next(each for each in case.deadlines if each.code == code)


def dates(case: Case, code: str) -> tuple[str, str, str]:
    found = limit(case, code)
    return str(found.raw), str(found.due), found.state


# ----------------------------------------------------------------------------------------------------- the whole way


def test_a_case_from_identification_to_correction(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01")
    now = read(register, "2026-12-05")
    assert now.state == "identified"
    # five days from a Tuesday end on Sunday the 6th: kept on Monday
    assert dates(now, "notice_mailed") == ("2026-12-06", "2026-12-07", "open")
    assert dates(now, "notice_filed") == ("2026-12-06", "2026-12-07", "open")
    assert now.next[0] == (
        "Notice by certified or registered mail, return receipt requested: SMSO, by Mon 7 Dec 2026, "
        "counted to Sun 6 Dec 2026 (§ 194-8C(1)*)."
    )
    assert "Issue the notice of violation: SMSO (§ 194-8A(1)–(2)*)." in now.next

    walk(register, case, "issued 2026-12-03", "notice_mailed 2026-12-03", "notice_filed 2026-12-07")
    now = read(register, "2026-12-07")
    assert now.state == "notice issued"
    assert limit(now, "notice_mailed").state == limit(now, "notice_filed").state == "met"
    assert dates(now, "appeal") == ("2026-12-18", "2026-12-18", "open")  # fifteen days from issuance
    assert limit(now, "brief_response").state == "pending"
    assert "Record the date on the return receipt: SMSO (§ 194-8C(1)*)." in now.next

    walk(register, case, "received 2026-12-04")
    now = read(register, "2026-12-10")
    assert now.state == "notice received"
    assert dates(now, "brief_response") == ("2026-12-09", "2026-12-09", "overdue")
    # twenty-one days end on Christmas, a Friday: kept on Monday the 28th
    assert dates(now, "detailed_response") == ("2026-12-25", "2026-12-28", "open")
    assert now.next[0].endswith("person notified, overdue, was due Wed 9 Dec 2026 (§ 194-8C(2)*).")

    walk(register, case, "brief_response 2026-12-11", "detailed_response 2026-12-28")
    now = read(register, "2026-12-29")
    assert now.state == "plans received"
    assert "appeal" not in {each.code for each in now.deadlines}  # lapsed on the 18th, and nobody is late with a right
    assert (limit(now, "brief_response").state, limit(now, "detailed_response").state) == ("late", "met")
    assert now.next[0].startswith("Review of the response and plans: SMSO, Consulting Engineer (§ 194-8C(4)*)")

    record(register, case, "review", "2027-01-05", outcome="concerns")
    assert read(register, "2027-01-05").state == "plans to be revised"
    walk(register, case, "resubmission 2027-01-12")
    assert read(register, "2027-01-12").state == "plans received"
    walk(register, case, "review 2027-01-14", "site_evaluation 2027-01-14", "authorization 2027-01-15")
    now = read(register, "2027-01-20")
    assert now.state == "remedy authorized"
    assert now.next == ("Inspection of the site during and after remediation: SMSO or delegate (§ 194-8C(9)*).",)
    assert "bond_completion" not in {each.code for each in now.deadlines}  # no bond was asked

    walk(register, case, "corrected 2027-01-28")
    now = read(register, "2027-03-01")
    assert (now.state, now.next) == ("corrected", ())
    assert [each.kind for each in now.events][-1] == "corrected"
    assert {each.state for each in now.deadlines} == {"met", "late"}


def test_a_case_as_json_has_its_thread_and_deadlines(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01")
    found = read(register, "2026-12-05").to_json()
    assert (found["id"], found["state"], found["opened_on"]) == ("2026-001", "identified", "2026-11-30")
    assert (found["premises"], found["findings"]) == (["555089.12-1-7"], ["ILL-01:outfalls:OF-014"])
    assert [each["kind"] for each in found["events"]] == ["case_opened", "identified"]
    assert found["events"][1]["hash"] == register.records().everything[1].hash
    assert found["deadlines"][0]["raw"] == "2026-12-06"


# ---------------------------------------------------------------------------------------------- words and identification


def test_nothing_says_violation_before_an_identification(register: Register, case: str) -> None:
    record(register, case, "note", "2026-12-01", text="the neighbour called")
    now = read(register, "2027-06-01")
    assert (now.state, now.deadlines) == ("opened", ())
    assert len(now.next) == 1
    assert not any(word in str(now.to_json()).lower() for word in ("violat", "illegal"))


def test_an_identification_withdrawn_opens_the_question_again(register: Register, case: str) -> None:
    identified = record(register, case, "identified", "2026-12-01")
    data = {"supersedes": identified.seq, "reason": "the dye came from elsewhere"}
    register.append("superseded", on="2026-12-02", data=data, by="A. Clerk", check=check_order)
    now = read(register, "2026-12-20")
    assert (now.state, now.deadlines) == ("opened", ())
    assert now.superseded == (identified,)


# --------------------------------------------------------------------------------------------------- the other branches


def test_an_appeal_is_heard_decided_and_leads_to_the_time_to_correct(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-11-03", "issued 2026-11-04", "notice_mailed 2026-11-04")
    walk(register, case, "received 2026-11-05", "appeal_filed 2026-11-12")
    now = read(register, "2026-11-13")
    assert now.state == "appeal pending"
    assert limit(now, "appeal").state == "met"
    # thirty days from Thursday the 12th of November: Saturday the 12th of December, kept on Monday
    assert dates(now, "appeal_hearing") == ("2026-12-12", "2026-12-14", "open")
    assert limit(now, "brief_response").state == "overdue"  # the law states no stay

    walk(register, case, "appeal_hearing 2026-11-18")
    assert "the law states no limit for deciding" in read(register, "2026-11-19").next[-1]
    record(register, case, "appeal_decided", "2026-11-20", outcome="upheld")
    now = read(register, "2026-11-23")
    assert now.state == "notice upheld on appeal"
    assert dates(now, "decision_filed") == ("2026-11-25", "2026-11-25", "open")
    # five business days from Friday the 20th: Mon, Tue, Wed, (Thanksgiving), Fri, Mon
    assert dates(now, "corrective_access") == ("None", "2026-11-30", "open")


def test_a_decision_for_the_person_ends_what_was_asked(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-11-03", "issued 2026-11-04", "notice_mailed 2026-11-04")
    walk(register, case, "received 2026-11-05", "appeal_filed 2026-11-12")
    record(register, case, "appeal_decided", "2026-11-20", outcome="reversed")
    now = read(register, "2026-12-21")
    assert now.state == "notice reversed on appeal"
    assert limit(now, "decision_filed").state == "overdue"
    assert not {"corrective_access", "brief_response", "detailed_response"} & {each.code for each in now.deadlines}
    assert now.next[-1] == "The notice does not stand: close the case."


def test_the_notices_own_deadline_starts_the_time_to_correct(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01")
    record(register, case, "issued", "2026-12-03", orders=["abate"], deadline="2027-01-08", warning="yes")
    # Friday the 8th: Mon, Tue, Wed, Thu, Fri
    now = read(register, "2027-01-11")
    assert dates(now, "corrective_access") == ("None", "2027-01-15", "open")
    walk(register, case, "corrective_access 2027-01-19", "access_refused 2027-01-20")
    now = read(register, "2027-01-21")
    assert now.state == "abatement by the Town"
    assert any(each.startswith("Seek a warrant") for each in now.next)


def test_a_notice_that_orders_abatement_must_set_a_deadline_and_warn(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01")
    record(register, case, "issued", "2026-12-03", orders=["abate"])
    said = " ".join(read(register, "2026-12-04").next)
    assert "must set a deadline" in said
    assert "must warn" in said
    record(register, case, "notice_content", "2026-12-03", orders=["abate"], deadline="2027-01-29", warning="yes")
    said = " ".join(read(register, "2026-12-04").next)
    assert "must" not in said


def test_mail_that_comes_back_leaves_the_response_pending(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01", "issued 2026-12-03", "notice_mailed 2026-12-03", "refused 2026-12-21")
    now = read(register, "2027-02-01")
    assert now.state == "notice came back"
    assert limit(now, "brief_response").state == "pending"
    assert any("Town Attorney" in each for each in now.next)
    other = read(register, "2027-02-01", receipt="refusal counts")
    assert limit(other, "brief_response").state == "overdue"


def test_access_is_suspended_until_it_is_restored(register: Register, case: str) -> None:
    walk(register, case, "suspended 2026-12-01")
    now = read(register, "2026-12-02")
    assert now.state == "access suspended"
    assert now.next[0].startswith("Written reasons for an emergency suspension")
    walk(register, case, "suspension_emergency 2026-12-03", "access_restored 2026-12-04")
    now = read(register, "2026-12-05")
    assert (now.state, limit(now, "suspension_emergency").state) == ("opened", "met")


def test_a_bond_is_completed_within_the_year(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01", "issued 2026-12-03", "detailed_response 2026-12-10")
    walk(register, case, "authorization 2026-12-15")
    record(register, case, "bond_posted", "2026-12-20", amount_usd=5000, form="surety")
    assert dates(read(register, "2027-01-01"), "bond_completion") == ("2027-12-15", "2027-12-15", "open")
    record(register, case, "bond_extended", "2027-12-01", until="2028-12-15")
    assert dates(read(register, "2028-01-01"), "bond_completion") == ("2028-12-15", "2028-12-15", "open")


# ------------------------------------------------------------------------------------------------------- numbers, order


def test_case_numbers_run_by_year_and_are_never_used_again(register: Register) -> None:
    def opened(on: str) -> str:
        day = date.fromisoformat(on)
        return open_case(register, title="x", subject="", premises=[], findings=[], on=day, by="A. Clerk")

    assert [opened("2026-05-01"), opened("2026-06-01"), opened("2027-01-04")] == ["2026-001", "2026-002", "2027-001"]
    data = {"supersedes": 2, "reason": "opened twice"}
    register.append("superseded", on="2026-06-02", data=data, by="A. Clerk")
    assert opened("2026-07-01") == "2026-003"
    cases = list_cases(register.records(), LAW, date(2027, 2, 1))
    assert [(each.id, each.state) for each in cases] == [
        ("2026-001", "opened"),
        ("2026-002", "opened in error"),
        ("2026-003", "opened"),
        ("2027-001", "opened"),
    ]
    assert find_case(cases, "2026-003").opened_on == date(2026, 7, 1)
    with pytest.raises(CallError, match="no case '2026-004'"):
        find_case(cases, "2026-004")


def test_a_case_number_is_taken_once_and_well_formed(register: Register, case: str) -> None:
    for number, text in ((case, "already there"), ("26-1", "no case number")):
        with pytest.raises(RegisterError, match=text):
            register.append("case_opened", case=number, on="2026-12-01", data={"title": "x"}, by="A. Clerk")
    with pytest.raises(RegisterError, match="no case '2026-099'"):
        record(register, "2026-099", "note", "2026-12-01")


@pytest.mark.parametrize(
    ("before", "step", "text"),
    [
        ((), "issued 2026-12-01", "no identified is recorded"),
        (("identified 2026-12-01",), "received 2026-12-04", "no notice_mailed is recorded"),
        (
            ("identified 2026-12-01", "notice_mailed 2026-12-03"),
            "received 2026-12-02",
            "its date 2026-12-02 lies before notice_mailed of 2026-12-03",
        ),
        (("identified 2026-12-01",), "appeal_filed 2026-12-04", "no issued or notice_mailed is recorded"),
        (("identified 2026-12-01", "corrected 2026-12-05"), "issued 2026-12-06", "ended on 2026-12-05"),
        (("case_closed 2026-12-05",), "identified 2026-12-06", "ended on 2026-12-05"),
    ],
)
def test_an_event_out_of_order_is_refused_with_the_reason(
    register: Register, case: str, before: tuple[str, ...], step: str, text: str
) -> None:
    walk(register, case, *before)
    count = register.verify().events
    with pytest.raises(RegisterError, match=text) as refused:
        walk(register, case, step)
    assert "late_entry" in refused.value.hint
    assert register.verify().events == count
    kind, on = step.split()
    late = record(register, case, kind, on, late_entry="found in the paper file")
    assert late.seq == count + 1


def test_a_receipt_on_the_day_of_mailing_is_in_order(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01", "notice_mailed 2026-12-03", "received 2026-12-03")


def test_a_note_follows_a_corrected_case(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01", "corrected 2026-12-05", "note 2026-12-08")
    assert read(register, "2026-12-09").state == "corrected"


def test_the_first_of_several_mailings_counts_and_the_last_deadline(register: Register, case: str) -> None:
    walk(register, case, "identified 2026-12-01", "notice_mailed 2026-12-20", "notice_mailed 2026-12-04")
    record(register, case, "issued", "2026-12-03", deadline="2027-01-08")
    record(register, case, "notice_content", "2026-12-10", orders=["abate"], deadline="2027-02-01")
    days = clock_events(read(register, "2026-12-21").events)
    assert days["notice_mailed"] == date(2026, 12, 4)
    assert days["notice_deadline"] == date(2027, 2, 1)


# ------------------------------------------------------------------------------------------------------------ the tables


def test_the_clock_knows_every_event_that_a_step_of_the_law_waits_for() -> None:
    ours = {kind.clock for kind in KINDS.values()} | {each.clock for kind in KINDS.values() for each in kind.fields}
    assert {start.event for row in LAW.parameters for start in row.starts} - ours == {"spill_record"}  # as record_made
    asked = {row.code for row in LAW.parameters if row.starts and not row.keeps and not row.repeats}
    assert {code for code in asked if not {code, *LAW.row(code).met_by} & ours} == {"condition_A", "condition_D"}


def test_every_step_that_the_law_asks_is_a_row_of_the_law() -> None:
    assert {step.code for step in STEPS if step.code} <= set(LAW.codes)
    assert all(step.text or step.code for step in STEPS)
    assert len({fact for fact, _ in STATES}) == len(STATES)
