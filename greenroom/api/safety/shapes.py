"""Renders moderation for the API: cases, reports, context, the audit log, sanctions, notices."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from greenroom.api.messaging.shapes import Message, ParticipantSummary
from greenroom.clock import iso
from greenroom.files.models import File, Media, Scan
from greenroom.ids import FileId, MessageId, NoticeId, ReportId, ThreadId, UserId
from greenroom.messaging.models import Kind, Status
from greenroom.people.actor import StaffRole
from greenroom.people.models import FOREVER_MS
from greenroom.safety import audit, decide as deciding, models
from greenroom.safety.models import CaseId, Decision, HeldKind, NoticeKind, Reason
from greenroom.safety.verdict import PolicyHint, PolicyTag


class Subject(Struct, rename="camel"):
    """What was reported (`message`, `thread` or `person`) or held: a new message (`held`), an
    edited text (`edit`) or a new name of a conversation (`name`); or the band of a file, against
    which its owner appeals (`file`)."""

    kind: Literal["message", "thread", "person", "held", "edit", "name", "file"]
    thread_id: ThreadId | None = None
    message_id: MessageId | None = None
    client_message_id: str | None = None
    user_id: UserId | None = None
    file_id: FileId | None = None
    band: int | None = None
    """Of the file, when its owner appealed."""


class CaseFile(Struct, rename="camel"):
    """A file of a case. `POST /v1/moderation/files/{fileId}/urls` gives its URLs."""

    file_id: FileId
    name: str
    type: str
    size: int
    media: Media
    width: int
    height: int
    thumbhash: str
    duration_ms: int
    pages: int
    band: int
    rated: bool
    labels: dict[str, float]
    scan: Scan
    resembles_removed: bool
    """Whether it resembles a picture that a moderator removed."""


class Case(Struct, rename="camel"):
    case_id: CaseId
    subject: Subject
    about_user_id: UserId | None
    """The person whom the case is about, if it is one person."""
    about_role: StaffRole | None
    """That person's staff role. If there is one, only admins see the case."""
    text: str
    attachments: list[CaseFile]
    """The files of the message, the picture of the reported person while the case is open, or the
    file of an appeal: while they exist."""
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
    """The decisions that can end the case."""
    decision: Decision | None
    decided_by_user_id: UserId | None
    decided_at: str | None
    reason: str | None
    """The reason that the person sees."""


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


class CaseThread(Struct, rename="camel"):
    """The conversation that a case is from."""

    thread_id: ThreadId
    kind: Kind
    status: Status
    subject: str | None
    participants: list[ParticipantSummary]


class Context(Struct, rename="camel"):
    thread: CaseThread | None
    messages: list[Message]
    """A few messages before and after it, in order."""
    position: int | None
    """Where in `messages` the case belongs: the index of the reported message; of a held text, the
    index of the first message written after it (the length if there is none). Null for a whole
    conversation or a person."""


class NewDecision(Struct, rename="camel", forbid_unknown_fields=True):
    decision: Decision
    version: Annotated[int, Meta(ge=1, le=2**53)]
    """The version of the case that the decision is based on."""
    reason: Annotated[str, Meta(max_length=deciding.MAX_REASON)] = ""
    """The reason that the person sees."""
    note: Annotated[str, Meta(max_length=deciding.MAX_NOTE)] = ""
    """For staff: the person does not see it."""
    until: Annotated[datetime, Meta(tz=True)] | None = None
    """When a suspension ends."""
    for_good: bool = False
    """Suspends without an end. Give either this or `until`."""
    band: Annotated[int, Meta(ge=0, le=2)] | None = None
    """The band of the file, with the decision `band` on an appeal."""


class Entry(Struct, rename="camel"):
    """An entry of the audit log."""

    case_id: CaseId | None
    """Null for `reinstate`, `grant` and `revoke`, which end no case."""
    version: int
    """The version of the case."""
    decision: Decision
    decided_by_user_id: UserId
    decided_at: str
    about_user_id: UserId | None
    removes: bool
    """Whether the message was removed, or the conversation closed."""
    reason: str
    """The reason that the person sees."""
    note: str
    """For staff."""
    until: str | None
    """When a suspension ends; null if it has no end."""
    role: StaffRole | None
    """Which role was granted or revoked."""
    file_id: FileId | None
    """The file that was rated (`band`), looked at (`reveal`), or that an appeal is about."""
    band: int | None
    """The band that was set."""


class AuditLog(Struct, rename="camel"):
    entries: list[Entry]
    next: str | None


class Sanctions(Struct, rename="camel"):
    """A person's sanctions so far."""

    user_id: UserId
    warnings: int
    removals: int
    suspensions: int
    is_suspended: bool
    """Whether the person is suspended now."""
    suspended_until: str | None
    """When the suspension ends; null if it has no end, or there is none."""
    suspension_reason: str | None
    """The reason that the person sees."""
    role: StaffRole | None
    """The person's staff role, if any."""
    last_decision_at: str | None


class SuspendedPerson(Struct, rename="camel"):
    user_id: UserId
    suspended_until: str | None
    """Null if it has no end."""
    suspended_at: str | None


class SuspendedPeople(Struct, rename="camel"):
    people: list[SuspendedPerson]
    next: str | None


def subject_shape(found: models.Subject) -> Subject:
    match found:
        case models.SentMessage(thread, message):
            return Subject("message", thread_id=thread, message_id=message)
        case models.HeldMessage(thread, author, client_id):
            return Subject("held", thread_id=thread, client_message_id=client_id, user_id=author)
        case models.HeldEdit(thread=thread, author=author, message=message):
            return Subject("edit", thread_id=thread, message_id=message, user_id=author)
        case models.HeldName(thread=thread, author=author):
            return Subject("name", thread_id=thread, user_id=author)
        case models.WholeThread(thread):
            return Subject("thread", thread_id=thread)
        case models.SomePerson(user):
            return Subject("person", user_id=user)
        case models.RatedFile(file, owner, band):
            return Subject("file", user_id=owner, file_id=file, band=band)


def case_file_shape(file: File) -> CaseFile:
    return CaseFile(
        file_id=file.id,
        name=file.name,
        type=file.type,
        size=file.size,
        media=file.media,
        width=file.width,
        height=file.height,
        thumbhash=file.thumbhash,
        duration_ms=file.duration_ms,
        pages=file.pages,
        band=file.band,
        rated=file.is_rated,
        labels=file.labels,
        scan=file.scan,
        resembles_removed=file.resembles is not None,
    )


def case_shape(case: models.Case, files: Iterable[File]) -> Case:
    """`files` are those of the case that still exist."""
    return Case(
        case_id=case.id,
        subject=subject_shape(case.subject),
        about_user_id=case.about,
        about_role=case.about_role,
        text=case.text,
        attachments=[case_file_shape(file) for file in files],
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


def audit_log_shape(page: audit.AuditPage) -> AuditLog:
    return AuditLog([entry_shape(entry) for entry in page.entries], page.next)


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
        file_id=entry.file,
        band=entry.band,
    )


def end(until_ms: int | None) -> str | None:
    return None if until_ms in (None, FOREVER_MS) else moment(until_ms)


def moment(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)


class ModerationNotice(Struct, rename="camel"):
    """A moderator's decision about you or your message."""

    notice_id: NoticeId
    kind: NoticeKind
    """`released` or `rejected` (something held), `removed` (a sent message), `warned`, `suspended`
    or `reinstated`; `banded`, a moderator has set the band of a file of yours; or `band_kept`, your
    appeal was dismissed."""
    created_at: str
    reason: str | None
    """The moderator's reason."""
    until: str | None
    """When a suspension ends; null if it has no end."""
    thread_id: ThreadId | None
    """The conversation of the message that it is about."""
    message_id: MessageId | None
    """The message, if others could read it."""
    client_message_id: str | None
    """The held message: the client's own id of it."""
    excerpt: str | None
    """The beginning of the message."""
    held: HeldKind | None
    """What was held until the decision: `message`; `edit`, a new text for a message; or `name`, a
    new name for the conversation."""
    file_id: FileId | None
    """The file whose band was judged."""
    band: int | None
    """The band that was set: 0 shows the file, 1 blurs it, 2 hides it."""


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
        file_id=told.file,
        band=told.band,
    )
