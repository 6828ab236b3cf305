"""Where a case stands and what the law asks next, from the facts that its events make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from layers.records import Record
from mapping.cases.clock import Deadline
from mapping.law import Law
from mapping.register import KINDS
from mapping.words import say_day

# The first fact that holds names the state. "identified" stands before everything that presumes it: until an officer
# has recorded an identification, a case is only opened.
STATES = (
    ("corrected", "corrected"),
    ("case_closed", "closed"),
    ("opened in error", "opened in error"),
    ("access suspended", "access suspended"),
    ("not identified", "opened"),
    ("appeal pending", "appeal pending"),
    ("appeal reversed", "notice reversed on appeal"),
    ("corrective_access", "abatement by the Town"),
    ("authorization", "remedy authorized"),
    ("plans accepted", "plans accepted"),
    ("plans concerns", "plans to be revised"),
    ("plans in hand", "plans received"),
    ("appeal upheld", "notice upheld on appeal"),
    ("brief_response", "response received"),
    ("received", "notice received"),
    ("refused", "notice came back"),
    ("notice_mailed", "notice issued"),
    ("issued", "notice issued"),
    ("identified", "identified"),
)


@dataclass(frozen=True)
class Step:
    """Something to do once the fact `after` holds and none of `unless` does.

    `code` is the row of the law that asks for it and says of whom; `text` is what to do, the row's title if empty.
    """

    after: str
    unless: tuple[str, ...] = ()
    code: str = ""
    text: str = ""


STEPS = (
    Step("not identified", text="An officer records an identification once there is one; otherwise close the case"),
    Step("identified", ("issued",), "notice_content", "Issue the notice of violation"),
    Step("orders unknown", (), "notice_content", "Record what the notice orders"),
    Step("no deadline", (), "notice_content", "The notice orders abatement or restoration: it must set a deadline"),
    Step(
        "no warning", (), "notice_content", "The notice must warn that the Town can do the work at the person's expense"
    ),
    Step("notice_mailed", ("received", "refused"), "notice_mailed", "Record the date on the return receipt"),
    Step("refused", ("received",), "notice_mailed", "The notice came back: ask the Town Attorney how to serve it"),
    Step("plans in hand", (), "review"),
    Step("plans in hand", ("site_evaluation",), "site_evaluation"),
    Step("plans concerns", (), "resubmission"),
    Step("plans accepted", ("authorization",), "authorization"),
    Step("authorization", (), "inspection"),
    Step("appeal heard", (), "appeal_hearing", "Decide the appeal; the law states no limit for deciding"),
    Step("appeal reversed", (), text="The notice does not stand: close the case"),
    Step("corrective_access", ("access_granted", "access_refused"), "corrective_access", "Record the owner's answer"),
    Step("access_refused", ("warrant_issued",), "access_refused", "Seek a warrant before anyone enters"),
    Step("access suspended", (), "suspension_detected", "Restore access once the discharge has ceased, or deny it"),
)


def gather_facts(events: Sequence[Record]) -> frozenset[str]:
    """The kinds of the events in force, and what they amount to together."""
    kinds = {each.kind for each in events}
    facts = kinds | _appeal(events) | _plans(events) | _access(events) | _notice(events)
    if "case_opened" not in kinds:
        facts |= {"opened in error", "ended"}
    if any(KINDS[kind].ends for kind in kinds):
        facts |= {"ended"}
    if "identified" not in kinds:
        facts |= {"not identified"}
    return frozenset(facts)


def name_state(facts: frozenset[str]) -> str:
    """The state in one plain phrase."""
    return next(state for fact, state in STATES if fact in facts)


def tell_next(facts: frozenset[str], limits: Sequence[Deadline], law: Law, on: date) -> tuple[str, ...]:
    """What the law asks next, one sentence each: first what has a date, the most pressing first, then the rest."""
    dated = sorted((each for each in limits if _asks(each)), key=lambda each: each.due or date.max)
    undated = (
        [] if "ended" in facts else [each for each in STEPS if each.after in facts and not facts & set(each.unless)]
    )
    return (*(_tell_deadline(each, law) for each in dated), *(_tell_step(each, law, on) for each in undated))


def _asks(limit: Deadline) -> bool:
    """Whether something is to be done: a continuing violation, with its periods, is counted and not asked."""
    return limit.state in ("open", "overdue") and limit.periods is None


def _tell_deadline(limit: Deadline, law: Law) -> str:
    section = f"§ {limit.section}{'*' if limit.numbered_by_order else ''}"
    if limit.due is None:
        return f"{limit.title}: {limit.who} ({section}; {limit.unit})."
    stands = limit.code == "appeal" or law.row(limit.code).keeps
    verb = "overdue, was due" if limit.state == "overdue" else "until" if stands else "by"
    raw = f", counted to {say_day(limit.raw)}" if limit.raw and limit.raw != limit.due else ""
    return f"{limit.title}: {limit.who}, {verb} {say_day(limit.due)}{raw} ({section})."


def _tell_step(step: Step, law: Law, on: date) -> str:
    row = law.on(on).get(step.code)
    if row is None:
        return f"{step.text}." if step.text else f"{step.code}."
    return f"{step.text or row.title}: {row.who} ({row.cite().label})."


def _latest(events: Sequence[Record], *kinds: str) -> Record | None:
    found = [each for each in events if each.kind in kinds]
    return max(found, key=lambda each: (each.on, each.seq), default=None)


def _appeal(events: Sequence[Record]) -> set[str]:
    filed, heard = _latest(events, "appeal_filed"), _latest(events, "appeal_hearing")
    decided = _latest(events, "appeal_decided")
    if decided is not None:
        return {f"appeal {decided.data['outcome']}"}
    if heard is not None:
        return {"appeal pending", "appeal heard"}
    return {"appeal pending"} if filed is not None else set()


def _plans(events: Sequence[Record]) -> set[str]:
    latest = _latest(events, "detailed_response", "resubmission", "review")
    if latest is None:
        return set()
    return {f"plans {latest.data['outcome']}" if latest.kind == "review" else "plans in hand"}


def _access(events: Sequence[Record]) -> set[str]:
    latest = _latest(events, "suspended", "access_terminated", "access_restored")
    return {"access suspended"} if latest is not None and latest.kind != "access_restored" else set()


def _notice(events: Sequence[Record]) -> set[str]:
    """What the notice's recorded contents lack: § 194-8A(2) asks a deadline and a warning where it orders abatement."""
    notices = [each.data for each in events if each.kind in ("issued", "notice_content")]
    if not notices:
        return set()
    orders = {order for data in notices for order in data.get("orders") or ()}
    lacks = {"orders unknown"} if not orders else set()
    if "abate" in orders:
        lacks |= set() if any(data.get("deadline") for data in notices) else {"no deadline"}
        lacks |= set() if any(data.get("warning") == "yes" for data in notices) else {"no warning"}
    return lacks
