"""The law's clock: deadlines, readings and states, on both sides of every limit, under two towns' laws."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from layers.errors import CallError
from mapping.cases.clock import Deadline, clock, deadlines
from mapping.law import Law, load_law

LAW = load_law("north_salem_194")
OTHER = load_law(Path(__file__).parent / "packs" / "other_town.toml")


def day(text: str) -> date:
    return date.fromisoformat(text)


def ask(
    code: str, *, law: Law = LAW, on: str = "2026-12-01", settings: dict[str, str] | None = None, **events: str
) -> Deadline:
    """The one deadline of that code, from events given as name="YYYY-MM-DD"."""
    found = deadlines(law, {k: day(v) for k, v in events.items()}, settings=settings or {}, on=day(on))
    (only,) = [each for each in found if each.code == code]
    return only


# --- deadlines of Chapter 194


def test_a_notice_found_on_tuesday_is_due_on_the_monday_after_its_sunday() -> None:
    found = ask("notice_mailed", identified="2026-12-01")
    assert found.to_json() == {
        "code": "notice_mailed",
        "title": "Notice by certified or registered mail, return receipt requested",
        "who": "SMSO",
        "section": "194-8C(1)",
        "numbered_by_order": True,
        "start_event": "identified",
        "start": "2026-12-01",
        "limit": 5,
        "unit": "days",
        "raw": "2026-12-06",
        "due": "2026-12-07",
        "why": "Sunday 2026-12-06 is no business day, so the time ends on the next business day, Monday 2026-12-07.",
        "state": "open",
        "reading": "Five days: calendar days; Five days for the notice: mailing and filing",
        "periods": None,
    }


@pytest.mark.parametrize(
    ("on", "state"),
    [("2026-11-30", "pending"), ("2026-12-01", "open"), ("2026-12-07", "open"), ("2026-12-08", "overdue")],
)
def test_a_deadline_is_pending_then_open_until_its_due_date_then_overdue(on: str, state: str) -> None:
    assert ask("notice_mailed", identified="2026-12-01", on=on).state == state


@pytest.mark.parametrize(("mailed", "state"), [("2026-12-07", "met"), ("2026-12-08", "late")])
def test_an_event_of_its_own_code_meets_a_deadline_or_comes_late(mailed: str, state: str) -> None:
    assert ask("notice_mailed", identified="2026-12-01", notice_mailed=mailed, on="2027-01-01").state == state


def test_without_its_start_event_a_deadline_waits() -> None:
    found = ask("brief_response", identified="2026-12-01", issued="2026-12-03")
    assert (found.start_event, found.start, found.raw, found.due, found.state) == (
        "received",
        None,
        None,
        None,
        "pending",
    )


def test_issued_and_received_start_different_clocks() -> None:
    events = {"issued": "2026-12-02", "received": "2026-12-09"}
    assert ask("appeal", **events).due == day("2026-12-17")
    assert ask("brief_response", **events).due == day("2026-12-14")
    assert ask("detailed_response", **events).due == day("2026-12-30")


def test_the_appeal_runs_from_issuance_even_where_it_is_received_later() -> None:
    assert ask("appeal", received="2026-12-09").state == "pending"
    found = ask("appeal", issued="2026-12-02", received="2026-12-09", settings={"appeal_from": "received"})
    assert (found.start_event, found.due) == ("received", day("2026-12-24"))


def test_filing_the_appeal_meets_its_deadline_and_starts_the_hearing() -> None:
    events = {"issued": "2026-12-02", "appeal_filed": "2026-12-18"}
    assert ask("appeal", **events).state == "late"
    assert ask("appeal_hearing", **events).due == day("2027-01-19")  # 17 January is a Sunday, the 18th Dr. King's day


def test_five_days_may_be_read_as_business_days() -> None:
    found = ask("notice_mailed", identified="2026-12-01", settings={"five_days": "business days"})
    assert (found.raw, found.due, found.unit) == (None, day("2026-12-08"), "business days")
    assert found.reading.startswith("Five days: business days")
    assert ask("detailed_response", received="2026-12-01", settings={"five_days": "business days"}).unit == "days"


def test_only_filing_may_be_read_to_fall_under_the_five_days() -> None:
    settings = {"notice_limit": "filing only", "five_days": "business days"}
    mailed, filed = (
        ask(code, identified="2026-12-01", settings=settings) for code in ("notice_mailed", "notice_filed")
    )
    assert (mailed.limit, mailed.unit, mailed.due, mailed.state) == (None, "none stated", None, "open")
    assert filed.due == day("2026-12-08")


def test_refused_mail_leaves_the_responses_pending_until_the_town_decides() -> None:
    assert ask("brief_response", refused="2026-12-09").state == "pending"
    found = ask("brief_response", unclaimed="2026-12-09", settings={"receipt": "refusal counts"})
    assert (found.start_event, found.due) == ("refused", day("2026-12-14"))


def test_no_stay_while_an_appeal_is_pending_unless_the_town_reads_one() -> None:
    events = {"received": "2026-12-01", "appeal_filed": "2026-12-10"}
    assert ask("detailed_response", **events).due == day("2026-12-22")
    stayed = ask("detailed_response", **events, settings={"stay": "yes"}, on="2027-02-01")
    assert (stayed.raw, stayed.due, stayed.state) == (None, None, "pending")
    assert stayed.why == "The time stands still since Thursday 2026-12-10."


def test_after_the_appeal_the_time_to_correct_runs_only_if_the_decision_is_upheld() -> None:
    upheld = ask("corrective_access", appeal_decided="2026-11-20", settings={"outcome": "upheld"})
    assert (upheld.start_event, upheld.due) == ("decided", day("2026-11-30"))
    reversed_ = ask("corrective_access", decided="2026-11-20", settings={"outcome": "reversed"}, on="2027-01-01")
    assert (reversed_.start, reversed_.due, reversed_.state) == (None, None, "pending")
    assert reversed_.reading.endswith("decided on the appeal: reversed")


def test_a_decision_whose_outcome_nobody_recorded_starts_no_time_to_correct() -> None:
    found = ask("corrective_access", decided="2026-11-20", notice_deadline="2026-11-02")
    assert found.state == "pending"
    assert found.reading.endswith("decided on the appeal: not recorded")


def test_without_an_appeal_the_notices_own_deadline_starts_the_time_to_correct() -> None:
    found = ask("corrective_access", notice_deadline="2026-11-20")
    assert (found.start_event, found.due) == ("notice_deadline", day("2026-11-30"))
    assert ask("corrective_access", notice_deadline="2026-11-20", appeal_filed="2026-11-12").state == "pending"


def test_the_time_to_correct_may_be_read_to_run_from_the_filing() -> None:
    settings = {"outcome": "upheld", "corrective_from": "decision_filed"}
    assert ask("corrective_access", decided="2026-11-18", settings=settings).state == "pending"
    found = ask("corrective_access", decided="2026-11-18", decision_filed="2026-11-20", settings=settings)
    assert (found.start_event, found.due) == ("decision_filed", day("2026-11-30"))


def test_correcting_in_time_meets_the_deadline() -> None:
    events = {"notice_deadline": "2026-11-20"}
    assert ask("corrective_access", **events, corrected="2026-11-30").state == "met"
    assert ask("corrective_access", **events, corrected="2026-12-01").state == "late"


def test_the_decision_is_filed_and_mailed_within_five_days_of_it_whatever_the_outcome() -> None:
    for code in ("decision_filed", "decision_mailed"):
        assert ask(code, decided="2026-12-01").due == day("2026-12-07")


def test_the_written_confirmation_of_a_spill_runs_from_the_notice_by_telephone() -> None:
    events = {"knowledge": "2026-10-29", "spill_other": "2026-10-30"}
    assert ask("spill_other", **events).state == "met"
    written = ask("spill_written", **events)
    assert (written.start_event, written.due) == ("spill_other", day("2026-11-05"))


def test_the_next_business_day_after_2_july_2026_is_3_july() -> None:
    assert ask("spill_other", knowledge="2026-07-02", on="2026-07-03").state == "open"
    assert ask("spill_other", knowledge="2026-07-02", on="2026-07-06").state == "overdue"


def test_what_has_no_number_is_open_and_never_overdue() -> None:
    found = ask("spill_hazardous", knowledge="2020-01-01")
    assert (found.limit, found.unit, found.due, found.state) == (None, "immediately", None, "open")
    assert ask("suspension_emergency", suspended="2020-01-01").unit == "none stated"
    assert ask("spill_hazardous", knowledge="2020-01-01", spill_hazardous="2020-01-01").state == "met"


@pytest.mark.parametrize(("told", "state"), [("2026-11-20", "met"), ("2026-11-21", "late")])
def test_the_smso_is_told_before_a_dye_test(told: str, state: str) -> None:
    assert ask("dye_test", test="2026-11-20", dye_test=told).state == state


@pytest.mark.parametrize(("on", "state"), [("2026-12-04", "open"), ("2026-12-08", "met")])
def test_a_record_that_was_kept_long_enough_is_not_overdue(on: str, state: str) -> None:
    found = ask("spill_record", spill_record="2023-12-05", on=on)
    assert (found.raw, found.due, found.state) == (day("2026-12-05"), day("2026-12-07"), state)


def test_a_bond_runs_for_a_year_and_one_more_when_extended() -> None:
    assert ask("bond_completion", authorization="2026-03-02").raw == day("2027-03-02")
    extended = ask("bond_completion", authorization="2026-03-02", bond_extended="2027-02-01")
    assert (extended.limit, extended.raw, extended.due) == (2, day("2028-03-02"), day("2028-03-02"))


def test_a_tmdl_of_2000_is_older_than_the_law_and_starts_nothing() -> None:
    found = deadlines(LAW, {"tmdl_approved": day("2000-06-01")}, settings={}, on=day("2026-12-01"))
    assert "condition_D" not in [each.code for each in found]
    assert ask("condition_D", tmdl_approved="2026-08-31").due == day("2027-03-01")


@pytest.mark.parametrize(("on", "weeks"), [("2026-12-08", 0), ("2026-12-09", 1), ("2026-12-15", 1), ("2026-12-16", 2)])
def test_a_continuing_week_counts_when_its_seven_days_are_complete(on: str, weeks: int) -> None:
    found = ask("continuing", violation="2026-11-01", notice_deadline="2026-12-01", on=on)
    assert (found.start_event, found.periods) == ("notice_deadline", weeks)


def test_weeks_end_with_the_correction_and_may_be_counted_from_the_violation() -> None:
    events = {"violation": "2026-11-01", "notice_deadline": "2026-12-01", "corrected": "2026-12-09"}
    assert (ask("continuing", **events, on="2027-06-01").periods, ask("continuing", **events).state) == (1, "late")
    found = ask("continuing", **events, settings={"weeks_from": "violation"})
    assert (found.start_event, found.periods) == ("violation", 5)
    assert ask("continuing", violation="2026-11-01", on="2026-11-08").start_event == "violation"


def test_unknown_events_are_refused_with_those_there_are() -> None:
    with pytest.raises(CallError, match=r"no event 'sneezed'; .*no event 'yawned'; its events are identified, issued"):
        ask("appeal", sneezed="2026-12-01", yawned="2026-12-01")


def test_one_event_with_two_days_is_refused() -> None:
    with pytest.raises(CallError, match="decided is given two days, 2026-12-01 and 2026-12-02"):
        ask("appeal", decided="2026-12-01", appeal_decided="2026-12-02")


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(CallError, match="no setting 'weather'"):
        ask("appeal", settings={"weather": "dry"})


def test_the_clock_prints_every_deadline_of_the_pack_ready_for_json() -> None:
    printed = clock(LAW, {"identified": day("2026-12-01")}, settings={}, on=day("2026-12-01"))
    assert list(printed) == ["deadlines"]
    assert [each["code"] for each in printed["deadlines"]] == [row.code for row in LAW.parameters if row.starts]
    assert {type(value) for each in printed["deadlines"] for value in each.values()} == {str, int, bool, type(None)}


# --- another town's law is a data file alone


def test_another_towns_law_has_its_own_events_days_and_fines() -> None:
    assert ask("notice", law=OTHER, found="2026-06-01").due == day("2026-06-11")
    assert ask("correction", law=OTHER, ruled="2026-12-31", settings={"ruling": "confirmed"}).due == day("2027-03-01")
    assert OTHER.row("fine_1").amount == "$100 to $1500"


def test_a_duty_follows_the_law_in_force_on_the_day_that_starts_it() -> None:
    before, after = (ask("notice", law=OTHER, found=found) for found in ("2026-06-30", "2026-07-01"))
    assert (before.limit, before.unit, before.due) == (10, "days", day("2026-07-10"))
    assert (after.limit, after.unit, after.due) == (3, "business days", day("2026-07-06"))


def test_where_the_law_stays_a_time_the_appeal_stops_it_and_the_ruling_lets_it_go_on() -> None:
    events = {"delivered": "2026-09-01", "appealed": "2026-09-11"}
    assert ask("response", law=OTHER, **events).state == "pending"
    response = ask("response", law=OTHER, **events, ruled="2026-10-01")
    # ten days had run, twenty are left from 1 October: 21 October, a Wednesday
    assert (response.raw, response.due) == (day("2026-10-21"), day("2026-10-21"))
    assert response.why == "The time stood still from Friday 2026-09-11 to Thursday 2026-10-01."


def test_a_stay_stops_business_days_too() -> None:
    events = {"delivered": "2026-09-01", "appealed": "2026-09-03"}
    assert ask("sampling", law=OTHER, **events).due is None
    # two business days had run, two are left from Thursday 1 October: Friday 2 and Monday 5 October
    assert ask("sampling", law=OTHER, **events, ruled="2026-10-01").due == day("2026-10-05")


def test_an_appeal_after_the_time_is_over_stays_nothing() -> None:
    late = ask("response", law=OTHER, delivered="2026-09-01", appealed="2026-10-05")
    assert (late.due, late.why) == (day("2026-10-01"), "")
    assert ask("sampling", law=OTHER, delivered="2026-09-01", appealed="2026-10-05").due == day("2026-09-08")


def test_a_reading_of_another_law_moves_its_deadline() -> None:
    found = ask(
        "correction", law=OTHER, ruled="2026-12-31", settings={"ruling": "confirmed", "correction_days": "days"}
    )
    assert (found.limit, found.unit, found.due) == (60, "days", day("2027-03-01"))
