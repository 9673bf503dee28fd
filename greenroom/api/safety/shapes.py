"""The shapes of moderation over REST: cases, reports, context, the audit log, standing."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from greenroom.api.messaging.shapes import Message, Seat
from greenroom.api.safety.rest.blocks_and_reports import Subject, subject
from greenroom.clock import iso
from greenroom.ids import MessageId, NoticeId, ReportId, ThreadId, UserId
from greenroom.messaging.models import Kind, Status
from greenroom.people.actor import StaffRole
from greenroom.people.models import FOREVER_MS
from greenroom.safety import audit, decide as deciding, models
from greenroom.safety.models import CaseId, Decision, HeldKind, NoticeKind, Reason
from greenroom.safety.verdict import PolicyHint, PolicyTag


class Case(Struct, rename="camel"):
    case_id: CaseId
    subject: Subject
    about_user_id: UserId | None
    """Whose doing it is, where that is one person."""
    about_role: StaffRole | None
    """Of that person, if they are staff: only admins see the case."""
    text: str
    reply_to_message_id: MessageId | None
    is_open: bool
    opened_at: str
    version: int
    reports: int
    reasons: list[Reason]
    policy_tags: list[PolicyTag]
    policy_hints: list[PolicyHint]
    spam_score: float
    verdict: str
    claimed_by_user_id: UserId | None
    claimed_until: str | None
    decisions: list[Decision]
    """How it can end."""
    decision: Decision | None
    decided_by_user_id: UserId | None
    decided_at: str | None
    reason: str | None
    """What the person was told."""


class Queue(Struct, rename="camel"):
    cases: list[Case]
    next: str | None


class CaseReport(Struct, rename="camel"):
    report_id: ReportId
    reporter_user_id: UserId
    reason: Reason
    note: str
    reported_at: str


class CaseReports(Struct, rename="camel"):
    reports: list[CaseReport]
    next: str | None


class Place(Struct, rename="camel"):
    """The conversation that a case is from, as far as it matters."""

    thread_id: ThreadId
    kind: Kind
    status: Status
    subject: str | None
    participants: list[Seat]


class Context(Struct, rename="camel"):
    thread: Place | None
    messages: list[Message]
    """A few before and after it, in their order."""
    position: int | None
    """Where in `messages` the case belongs: the index of the reported message; of a held text, the
    index of the first message written after it (the length if there is none). Null for a whole
    conversation or a person."""


class NewDecision(Struct, rename="camel", forbid_unknown_fields=True):
    decision: Decision
    version: Annotated[int, Meta(ge=1, le=2**53)]
    """Of the case, as it was looked at."""
    reason: Annotated[str, Meta(max_length=deciding.MAX_REASON)] = ""
    """What the person is told."""
    note: Annotated[str, Meta(max_length=deciding.MAX_NOTE)] = ""
    """For staff: the person does not see it."""
    until: Annotated[datetime, Meta(tz=True)] | None = None
    """When a suspension ends."""
    for_good: bool = False
    """A suspension without an end: it has either this or `until`."""


class Entry(Struct, rename="camel"):
    """One line of the audit log."""

    case_id: CaseId | None
    """Null for `reinstate`, `grant` and `revoke`, which end no case."""
    version: int
    """Of the case."""
    decision: Decision
    decided_by_user_id: UserId
    decided_at: str
    about_user_id: UserId | None
    removes: bool
    """Whether the message was taken away, or the conversation closed."""
    reason: str
    """What the person was told."""
    note: str
    """For staff."""
    until: str | None
    """When a suspension ends; null if it has no end."""
    role: StaffRole | None
    """Which role was granted or revoked."""


class Record(Struct, rename="camel"):
    entries: list[Entry]
    next: str | None


class Standing(Struct, rename="camel"):
    """What moderation has decided about somebody so far."""

    user_id: UserId
    warnings: int
    removals: int
    suspensions: int
    is_suspended: bool
    """Now."""
    suspended_until: str | None
    """When the suspension ends; null if it has no end, or there is none."""
    suspension_reason: str | None
    """What the person was told."""
    role: StaffRole | None
    """Of a member of staff."""
    last_decision_at: str | None


class SuspendedPerson(Struct, rename="camel"):
    user_id: UserId
    suspended_until: str | None
    """Null if it has no end."""
    suspended_at: str | None


class SuspendedPeople(Struct, rename="camel"):
    people: list[SuspendedPerson]
    next: str | None


def case_shape(case: models.Case) -> Case:
    return Case(
        case_id=case.id,
        subject=subject(case.subject),
        about_user_id=case.about,
        about_role=case.about_role,
        text=case.text,
        reply_to_message_id=case.reply_to,
        is_open=case.is_open,
        opened_at=iso(case.opened_ms),
        version=case.version,
        reports=case.reports,
        reasons=sorted(case.reasons),
        policy_tags=sorted(case.policy_tags),
        policy_hints=sorted(case.policy_hints),
        spam_score=float(case.spam_score),
        verdict=case.verdict,
        claimed_by_user_id=case.claimed_by,
        claimed_until=moment(case.claimed_until_ms or None),
        decisions=sorted(models.decisions_for(case)) if case.is_open else [],
        decision=case.decision,
        decided_by_user_id=case.decided_by,
        decided_at=moment(case.decided_ms),
        reason=case.reason or None,
    )


def report_shape(report: models.Report) -> CaseReport:
    return CaseReport(report.id, report.reporter, report.reason, report.note, iso(report.at_ms))


def record_shape(page: audit.AuditPage) -> Record:
    return Record([entry_shape(entry) for entry in page.entries], page.next)


def entry_shape(entry: models.AuditEntry) -> Entry:
    return Entry(
        case_id=entry.case,
        version=entry.version,
        decision=entry.decision,
        decided_by_user_id=entry.by,
        decided_at=iso(entry.at_ms),
        about_user_id=entry.about,
        removes=entry.removes,
        reason=entry.reason,
        note=entry.note,
        until=moment(entry.until_ms),
        role=entry.role,
    )


def end(until_ms: int | None) -> str | None:
    return None if until_ms in (None, FOREVER_MS) else moment(until_ms)


def moment(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)


class ModerationNotice(Struct, rename="camel"):
    """What a moderator decided about you or your message."""

    notice_id: NoticeId
    kind: NoticeKind
    """`released`, `rejected` (what was `held`), `removed` (a sent one), `warned`, `suspended`,
    `reinstated`."""
    created_at: str
    reason: str | None
    """What the moderator tells you."""
    until: str | None
    """Of a suspension: when it ends; null if it has no end."""
    thread_id: ThreadId | None
    """The conversation of the message that it is about."""
    message_id: MessageId | None
    """The message, where others could read it."""
    client_message_id: str | None
    """The held message, by the name that your client gave it."""
    excerpt: str | None
    """How the message begins."""
    held: HeldKind | None
    """What was held until the decision: `message`; `edit`, a new text for a message; or `name`, a
    new name for the conversation."""


def notice_shape(told: models.ModerationNotice) -> ModerationNotice:
    return ModerationNotice(
        notice_id=told.id,
        kind=told.kind,
        created_at=iso(told.at_ms),
        reason=told.reason or None,
        until=None if told.until_ms in (None, FOREVER_MS) else iso(told.until_ms),
        thread_id=told.thread,
        message_id=told.message,
        client_message_id=told.client_message_id,
        excerpt=told.excerpt or None,
        held=told.held,
    )
