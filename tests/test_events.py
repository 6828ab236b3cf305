"""Events: what each kind must say, and how a faulty one is refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from layers.errors import RegisterError
from layers.records import Record, Records
from layers.schema import schema
from mapping.register import KINDS, EventKind, Register
from mapping.register.kinds import WANTED

AUGUST = date(2026, 8, 3)


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register.create(tmp_path)


def note(register: Register, text: str = "walked the brook", **more: Any) -> Record:
    return register.append("note", on=AUGUST, data={"text": text}, by="A. Clerk", **more)


def test_an_unknown_kind_is_refused_with_the_nearest(register: Register) -> None:
    with pytest.raises(RegisterError, match="no kind of event 'notice_mail'") as refused:
        register.append("notice_mail", on=AUGUST, data={}, by="A. Clerk")
    assert "notice_mailed" in refused.value.hint


def test_all_faults_of_a_payload_are_told_at_once(register: Register) -> None:
    data = {"orders": ["eliminate", "hang"], "deadline": "9/1/2026", "warning": True, "colour": "red"}
    with pytest.raises(RegisterError) as refused:
        register.append("issued", on=AUGUST, data=data, by="A. Clerk")
    assert refused.value.text == (
        "event issued: case is missing; data.to is missing (To whom); "
        "data.orders must be one of eliminate, cease, abate, monitor, fine, bmp, not 'hang'; "
        "data.deadline must be a date written YYYY-MM-DD, not '9/1/2026'; "
        'data.warning must be "yes", "no" or "unknown", not True; '
        "data.colour is no field of this event"
    )
    assert "to (text, required)" in refused.value.hint
    assert register.records().everything == ()


@pytest.mark.parametrize(
    ("field", "value", "taken"),
    [
        ("rain_24h_in", 0, True),
        ("rain_24h_in", -0.1, False),
        ("rain_24h_in", None, True),
        ("rain_24h_in", float("nan"), False),
        ("rain_24h_in", True, False),
        ("rain_24h_in", "0.1", False),
        ("flow", "none", True),
        ("flow", "some", False),
        ("damage", [], True),
        ("damage", "cracked", False),
        ("samples", {"ph": 7.1, "ammonia_mg_l": {"value": 0.1, "qualifier": "<"}}, True),
        ("samples", [7.1], False),
    ],
)
def test_a_value_is_taken_only_in_its_type(register: Register, field: str, value: Any, taken: bool) -> None:
    data = {"location": "OF-014", "at": "2026-08-03T10:00", field: value}
    if taken:
        inspected = register.append("inspection", subject="outfalls:OF-014", on=AUGUST, data=data, by="A. Clerk")
        assert inspected.data == data
    else:
        with pytest.raises(RegisterError, match=f"data.{field} must be"):
            register.append("inspection", subject="outfalls:OF-014", on=AUGUST, data=data, by="A. Clerk")


@pytest.mark.parametrize("subject", ["OF-014", "outfall:OF-014", "outfalls:", ":OF-014"])
def test_a_subject_names_its_layer(register: Register, subject: str) -> None:
    with pytest.raises(RegisterError, match="must be layer:id"):
        note(register, subject=subject)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"by": " "}, "is no name"),
        ({"by": 7}, "by cannot be 7"),
        ({"data": ["x"]}, "data cannot be"),
        ({"on": "2026-02-29"}, "on must be a date"),
        ({"data": {"text": "\ud800"}}, "as JSON"),
    ],
)
def test_author_date_and_text_must_be_sound(register: Register, given: dict[str, Any], text: str) -> None:
    with pytest.raises(RegisterError, match=text):
        register.append("note", **({"on": AUGUST, "by": "A. Clerk", "data": {"text": "x"}} | given))
    assert register.verify().events == 0


def test_a_recorded_asset_is_its_own_subject(register: Register) -> None:
    data = {"layer": "catch_basins", "id": "CB-9", "fields": {"kind": "inlet"}}
    assert register.append("asset_recorded", on=AUGUST, data=data, by="A. Clerk").subject == "catch_basins:CB-9"
    with pytest.raises(RegisterError, match="is not the asset"):
        register.append("asset_recorded", subject="catch_basins:CB-8", on=AUGUST, data=data, by="A. Clerk")
    with pytest.raises(RegisterError, match="no layer 'basins'"):
        register.append("asset_recorded", on=AUGUST, data=data | {"layer": "basins"}, by="A. Clerk")


def test_a_superseded_event_stays_but_no_longer_holds(register: Register) -> None:
    wrong = note(register, "flow seen", subject="outfalls:OF-014")
    data = {"supersedes": wrong.seq, "reason": "wrong outfall"}
    correction = register.append("superseded", on=AUGUST, data=data, by="A. Clerk")
    assert correction.subject == "outfalls:OF-014"
    assert register.records().everything == (wrong, correction)
    assert list(register.records()) == []
    with pytest.raises(RegisterError, match="event 1 no longer holds already"):
        register.append("superseded", on=AUGUST, data=data, by="A. Clerk")
    with pytest.raises(RegisterError, match="no event 9"):
        register.append("superseded", on=AUGUST, data=data | {"supersedes": 9}, by="A. Clerk")


def test_a_further_check_can_refuse_an_event(register: Register) -> None:
    def refuse(records: Records, record: Record) -> None:
        raise RegisterError(f"not number {record.seq} after {len(records.everything)}")

    with pytest.raises(RegisterError, match="not number 1 after 0"):
        note(register, check=refuse)
    assert register.verify().events == 0


# --------------------------------------------------------------------------------------------------------- the kinds


def test_the_page_on_the_register_lists_every_kind() -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "register.md").read_text(encoding="utf-8")
    for kind in KINDS.values():
        assert f"| `{kind.kind}` | {kind.title} | {payload(kind)} |" in page
    assert page.partition("## The kinds")[2].count("\n| `") == len(KINDS)


def payload(kind: EventKind) -> str:
    own = [each for each in kind.fields if each.name not in ("remarks", "attachments", "late_entry")]
    return ", ".join(f"**{each.name}**" if each.required else each.name for each in own) or "–"


def test_every_kind_is_described_and_bounded() -> None:
    for kind in KINDS.values():
        names = [each.name for each in kind.fields]
        assert kind.title, kind.kind
        assert len(names) == len(set(names)), kind.kind
        assert {kind.case, kind.subject} <= {"required", "optional", "none"}, kind.kind
        assert kind.dated in ("first", "last"), kind.kind
        assert set(kind.after) <= set(KINDS), kind.kind
        assert all(each.type in WANTED and each.title for each in kind.fields), kind.kind


def test_owners_are_those_of_the_layers() -> None:
    owner = next(each for each in KINDS["ownership_recorded"].fields if each.name == "owner")
    assert owner.codes == schema("catch_basins").field("owner").codes


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({"proposal": "turn", "reason": "camera run"}, ""),
        ({"proposal": "join", "to": "catch_basins:CB-3", "reason": "seen", "finding": "NET-02:pipes:P-1"}, ""),
        ({"proposal": "bend", "reason": "seen"}, "data.proposal must be one of turn, join, outfall, interconnection"),
        ({"proposal": "turn"}, "data.reason is missing"),
    ],
)
def test_a_proposal_is_accepted_with_a_reason(register: Register, data: dict[str, str], fault: str) -> None:
    if not fault:
        accepted = register.append("proposal_accepted", subject="pipes:P-1", on=AUGUST, data=data, by="A. Clerk")
        assert accepted.data == data
        return
    with pytest.raises(RegisterError, match=fault):
        register.append("proposal_accepted", subject="pipes:P-1", on=AUGUST, data=data, by="A. Clerk")


def test_a_proposal_is_accepted_of_a_line_or_structure(register: Register) -> None:
    with pytest.raises(RegisterError, match="subject is missing"):
        register.append("proposal_accepted", on=AUGUST, data={"proposal": "turn", "reason": "seen"}, by="A. Clerk")
