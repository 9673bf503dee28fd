"""Moderation: the queue of what is held or reported, one case at a time, and what was decided."""

from datetime import datetime
from typing import Annotated

from litestar import Response, Router, get, post
from litestar.datastructures import ResponseHeader
from litestar.params import FromQuery, JSONBody, QueryParameter
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.contract import refuses
from greenroom.api.rest import shapes
from greenroom.api.rest.params import (
    MOST_BYTES,
    Caller,
    CaseIdInPath,
    Cursor,
    TheMessaging,
    TheSafety,
    UserIdInPath,
)
from greenroom.api.rest.safety import Subject, subject
from greenroom.api.rest.shapes import Message, Seat
from greenroom.api.versions import etag
from greenroom.clock import iso
from greenroom.ids import MessageId, ReportId, ThreadId, UserId
from greenroom.messaging.models import Kind, Status
from greenroom.messaging.surroundings import surroundings
from greenroom.people.actor import Scope, StaffRole
from greenroom.people.models import FOREVER_MS
from greenroom.safety import (
    access,
    claim as claiming,
    decide as deciding,
    log,
    models,
    queue,
    record,
    reports as reported,
    suspended,
)
from greenroom.safety.models import CaseId, Decision, Reason
from greenroom.safety.problems import (
    AdminsOnly,
    CannotRelease,
    CaseChanged,
    CaseClaimed,
    CaseClosed,
    CaseNotClaimed,
    CaseNotFound,
    DecisionDoesNotFit,
    InvalidDecision,
    OwnCase,
    RevokeRoleFirst,
)
from greenroom.safety.verdict import PolicyHint, PolicyTag
from greenroom.store.problems import InvalidCursor

_ETAG = [ResponseHeader(name="ETag", description="The version.", documentation_only=True)]
_Limit = Annotated[int, QueryParameter(ge=1, le=queue.MAX_PAGE)]


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
    """When a suspension ends; without, it does not."""


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


@get(
    "/queue",
    operation_id="getModerationQueue",
    summary="List the open cases",
    response_description="Open cases, oldest first.",
    responses=refuses(InvalidCursor),
)
async def get_queue(
    actor: Caller,
    safety: TheSafety,
    tag: FromQuery[PolicyTag | None] = None,
    cursor: Cursor = None,
    limit: _Limit = 20,
) -> Queue:
    page = await queue.queue(safety, actor, tag=tag, limit=limit, cursor=cursor)
    return Queue([_case(case) for case in page.cases], page.next)


@get(
    "/cases/{caseId:str}",
    operation_id="getCase",
    summary="Get a case",
    response_description="The case.",
    response_headers=_ETAG,
    responses=refuses(CaseNotFound, OwnCase),
)
async def get_case(case_id: CaseIdInPath, actor: Caller, safety: TheSafety) -> Response[Case]:
    return _tagged(await access.case(safety, actor, case_id))


@get(
    "/cases/{caseId:str}/reports",
    operation_id="getReportsOfCase",
    summary="List the reports of a case",
    response_description="A page of reports.",
    responses=refuses(CaseNotFound, OwnCase, InvalidCursor),
)
async def get_case_reports(
    case_id: CaseIdInPath,
    actor: Caller,
    safety: TheSafety,
    cursor: Cursor = None,
    limit: _Limit = 50,
) -> CaseReports:
    page = await reported.reports_of_case(safety, actor, case_id, limit=limit, cursor=cursor)
    return CaseReports([_report(report) for report in page.reports], page.next)


@get(
    "/cases/{caseId:str}/context",
    operation_id="getContextOfCase",
    summary="Get the conversation around a case",
    description="A few messages before and after what is reported or held, while the case is open; "
    "nothing once it is closed. `position` says where it belongs.",
    response_description="The conversation, and a few of its messages.",
    responses=refuses(CaseNotFound, OwnCase),
)
async def get_case_context(
    case_id: CaseIdInPath, actor: Caller, messaging: TheMessaging
) -> Context:
    found = await surroundings(messaging, actor, case_id)
    head = found.thread
    place = None
    if head is not None:
        seats = shapes.seats(head.seats)
        place = Place(head.id, head.kind, head.status, head.subject, seats)
    messages = [shapes.message(frame, actor.user) for frame in found.frames]
    return Context(place, messages, found.position)


@post(
    "/cases/{caseId:str}/claim",
    operation_id="claimCase",
    summary="Claim a case",
    description="Lasts fifteen minutes; claim again to extend it. Only you can decide meanwhile.",
    response_description="The claimed case.",
    response_headers=_ETAG,
    status_code=200,
    responses=refuses(CaseNotFound, OwnCase, CaseClaimed, CaseClosed),
)
async def claim_case(case_id: CaseIdInPath, actor: Caller, safety: TheSafety) -> Response[Case]:
    return _tagged(await claiming.claim(safety, actor, case_id))


@post(
    "/cases/{caseId:str}/decide",
    operation_id="decideCase",
    summary="Decide a case",
    description="Claim it first. Decisions are kept in the audit log for good, and the person is "
    "told with `reason`. Other open cases about a suspended person close with it. A held "
    "text is released only where its author could write now, not into a locked or closed "
    "conversation. Staff are judged by admins; admins cannot be warned or suspended.",
    response_description="The entry in the audit log.",
    status_code=200,
    responses=refuses(
        CaseNotFound,
        OwnCase,
        CaseNotClaimed,
        CaseChanged,
        CaseClosed,
        CannotRelease,
        RevokeRoleFirst,
        DecisionDoesNotFit,
        InvalidDecision,
        body=True,
    ),
)
async def decide_case(
    case_id: CaseIdInPath, data: JSONBody[NewDecision], actor: Caller, safety: TheSafety
) -> Entry:
    until_ms = None if data.until is None else int(data.until.timestamp() * 1000)
    entry = await deciding.decide(
        safety,
        actor,
        case_id,
        data.decision,
        version=data.version,
        reason=data.reason.strip(),
        note=data.note.strip(),
        until_ms=until_ms,
    )
    return entry_shape(entry)


@get(
    "/cases/{caseId:str}/record",
    operation_id="getRecordOfCase",
    summary="List the decisions on a case",
    response_description="Newest first.",
    responses=refuses(CaseNotFound, OwnCase, InvalidCursor),
)
async def get_case_record(
    case_id: CaseIdInPath,
    actor: Caller,
    safety: TheSafety,
    cursor: Cursor = None,
    limit: _Limit = 50,
) -> Record:
    return _record(await record.record_of_case(safety, actor, case_id, limit=limit, cursor=cursor))


@get(
    "/record",
    operation_id="getRecord",
    summary="List the audit log",
    description="What was decided, by whom and when; who was reinstated; which roles were granted "
    "and revoked. Moderators see what concerns users, admins also what concerns staff.",
    response_description="Newest first.",
    responses=refuses(InvalidCursor),
)
async def get_record(
    actor: Caller, safety: TheSafety, cursor: Cursor = None, limit: _Limit = 50
) -> Record:
    return _record(await log.log(safety, actor, limit=limit, cursor=cursor))


@get(
    "/people/{userId:str}/record",
    operation_id="getRecordOfPerson",
    summary="List the decisions about a person",
    response_description="Newest first.",
    responses=refuses(OwnCase, AdminsOnly, InvalidCursor),
)
async def get_person_record(
    user_id: UserIdInPath,
    actor: Caller,
    safety: TheSafety,
    cursor: Cursor = None,
    limit: _Limit = 50,
) -> Record:
    return _record(
        await record.record_of_person(safety, actor, user_id, limit=limit, cursor=cursor)
    )


@get(
    "/people/{userId:str}/standing",
    operation_id="getStanding",
    summary="Count the sanctions of a person",
    response_description="Warnings, removals, suspensions; and whether they are suspended now.",
    responses=refuses(OwnCase, AdminsOnly),
)
async def get_standing(user_id: UserIdInPath, actor: Caller, safety: TheSafety) -> Standing:
    found = await record.review(safety, actor, user_id)
    standing = found.standing
    return Standing(
        user_id=standing.user,
        warnings=standing.warnings,
        removals=standing.removals,
        suspensions=standing.suspensions,
        is_suspended=found.suspended_until_ms is not None,
        suspended_until=_end(found.suspended_until_ms),
        suspension_reason=found.suspension_reason or None,
        role=found.role,
        last_decision_at=_moment(standing.last_decision_ms),
    )


@get(
    "/suspended",
    operation_id="getSuspended",
    summary="Everybody who is suspended",
    response_description="Those whom you may reinstate; the suspension that ends first on top.",
    responses=refuses(InvalidCursor),
)
async def get_suspended(
    actor: Caller, safety: TheSafety, cursor: Cursor = None, limit: _Limit = 50
) -> SuspendedPeople:
    page = await suspended.suspended(safety, actor, limit=limit, cursor=cursor)
    people = [
        SuspendedPerson(one.user, _end(one.suspended_until_ms), _moment(one.last_decision_ms))
        for one in page.users
    ]
    return SuspendedPeople(people, page.next)


def _case(case: models.Case) -> Case:
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
        claimed_until=_moment(case.claimed_until_ms or None),
        decisions=sorted(models.decisions_for(case)) if case.is_open else [],
        decision=case.decision,
        decided_by_user_id=case.decided_by,
        decided_at=_moment(case.decided_ms),
        reason=case.reason or None,
    )


def _tagged(case: models.Case) -> Response[Case]:
    return Response(_case(case), status_code=200, headers={"ETag": etag(case.version)})


def _report(report: models.Report) -> CaseReport:
    return CaseReport(report.id, report.reporter, report.reason, report.note, iso(report.at_ms))


def _record(page: record.Record) -> Record:
    return Record([entry_shape(entry) for entry in page.entries], page.next)


def entry_shape(entry: models.Entry) -> Entry:
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
        until=_moment(entry.until_ms),
        role=entry.role,
    )


def _end(until_ms: int | None) -> str | None:
    return None if until_ms in (None, FOREVER_MS) else _moment(until_ms)


def _moment(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)


routes = Router(
    "/v1/moderation",
    route_handlers=[
        get_queue,
        get_case,
        get_case_reports,
        get_case_context,
        claim_case,
        decide_case,
        get_case_record,
        get_record,
        get_person_record,
        get_standing,
        get_suspended,
    ],
    guards=[needs(Scope.MODERATOR)],
    security=BEARER,
    tags=["moderation"],
    request_max_body_size=MOST_BYTES,
)
