"""Where a new event belongs: its number, its case, its subject, and the earlier event that it supersedes."""

from __future__ import annotations

import re
from dataclasses import replace

from layers.errors import RegisterError
from layers.records import Record, Records
from layers.schema import LAYERS

CASE_ID = re.compile(r"(\d{4})-(\d{3,})")


def place_draft(records: Records, draft: Record) -> Record:
    """The draft with its number, and the case and subject that follow from what stands; RegisterError if it fits nowhere."""
    numbered = replace(draft, seq=len(records.everything) + 1)
    match draft.kind:
        case "case_opened":
            placed = replace(numbered, case=_new_case_id(records, numbered))
        case "superseded":
            placed = _take_place_of(records, numbered)
        case "asset_recorded":
            placed = replace(numbered, subject=_subject_of_asset(numbered))
        case _:
            placed = numbered
    if placed.case and placed.kind != "case_opened" and placed.case not in case_ids(records):
        raise RegisterError(
            f"event {draft.kind}: there is no case {placed.case!r}", hint="open the case first, or mend its number"
        )
    return placed


def case_ids(records: Records) -> set[str]:
    """The numbers of all cases ever opened, those opened in error too: a number is never used again."""
    return {each.case for each in records.everything if each.kind == "case_opened"}


def _new_case_id(records: Records, draft: Record) -> str:
    taken = case_ids(records)
    if not draft.case:
        year = f"{draft.on.year:04d}"
        numbers = [int(each.partition("-")[2]) for each in taken if each.startswith(f"{year}-")]
        return f"{year}-{max(numbers, default=0) + 1:03d}"
    if draft.case in taken:
        raise RegisterError(f"case {draft.case} is already there", hint="leave the number out to get the next one")
    if not CASE_ID.fullmatch(draft.case):
        raise RegisterError(
            f"{draft.case!r} is no case number", hint="write YYYY-NNN, or leave it out to get the next one"
        )
    return draft.case


def _take_place_of(records: Records, draft: Record) -> Record:
    number = draft.data["supersedes"]
    earlier = next((each for each in records.everything if each.seq == number), None)
    if earlier is None:
        raise RegisterError(
            f"event superseded: there is no event {number}", hint="give the number (seq) of an earlier event"
        )
    if earlier not in records.in_force():
        raise RegisterError(
            f"event superseded: event {number} no longer holds already", hint="supersede one that is in force"
        )
    data = {**draft.data, "supersedes": earlier.seq}
    return replace(draft, data=data, case=draft.case or earlier.case, subject=draft.subject or earlier.subject)


def _subject_of_asset(draft: Record) -> str:
    subject = f"{draft.data['layer']}:{draft.data['id']}"
    if draft.data["layer"] not in LAYERS:
        raise RegisterError(f"event asset_recorded: there is no layer {draft.data['layer']!r}", hint=", ".join(LAYERS))
    if draft.subject and draft.subject != subject:
        raise RegisterError(
            f"event asset_recorded: the subject {draft.subject!r} is not the asset {subject!r} of its data",
            hint="leave the subject out",
        )
    return subject
