"""Routes of moderation: the queue of cases, claims, decisions, the audit log."""

from typing import Annotated

from litestar import Response, Router, get, post
from litestar.datastructures import ResponseHeader
from litestar.params import FromQuery, JSONBody, QueryParameter

from greenroom.api.auth import BEARER, needs
from greenroom.api.etags import etag
from greenroom.api.files.params import TheFiles
from greenroom.api.messaging import shapes
from greenroom.api.messaging.params import TheMessaging
from greenroom.api.params import MOST_BYTES, Caller, Cursor, UserIdInPath
from greenroom.api.route_docs import refuses
from greenroom.api.safety.params import CaseIdInPath, TheSafety
from greenroom.api.safety.shapes import (
    AuditLog,
    Case,
    CaseReports,
    CaseThread,
    Context,
    Entry,
    NewDecision,
    Queue,
    Sanctions,
    SuspendedPeople,
    SuspendedPerson,
    audit_log_shape,
    case_shape,
    end,
    entry_shape,
    moment,
    report_shape,
)
from greenroom.files import Files
from greenroom.files.case_files import files_of_cases
from greenroom.messaging.case_context import case_context
from greenroom.people.actor import Scope
from greenroom.safety import (
    access,
    audit,
    claim as claiming,
    decide as deciding,
    models,
    queue,
    reports as reported,
    review,
    suspended_users,
)
from greenroom.safety.models import Decision
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
from greenroom.safety.verdict import PolicyTag
from greenroom.store.problems import InvalidCursor

_ETAG = [ResponseHeader(name="ETag", description="The version.", documentation_only=True)]
_Limit = Annotated[int, QueryParameter(ge=1, le=queue.MAX_PAGE)]


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
    files: TheFiles,
    tag: FromQuery[PolicyTag | None] = None,
    cursor: Cursor = None,
    limit: _Limit = 20,
) -> Queue:
    page = await queue.queue(safety, actor, tag=tag, limit=limit, cursor=cursor)
    found = await files_of_cases(files, page.cases)
    return Queue([case_shape(case, found[case.id]) for case in page.cases], page.next)


@get(
    "/cases/{caseId:str}",
    operation_id="getCase",
    summary="Get a case",
    response_description="The case.",
    response_headers=_ETAG,
    responses=refuses(CaseNotFound, OwnCase),
)
async def get_case(
    case_id: CaseIdInPath, actor: Caller, safety: TheSafety, files: TheFiles
) -> Response[Case]:
    return await _tagged(files, await access.case(safety, actor, case_id))


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
    return CaseReports([report_shape(report) for report in page.reports], page.next)


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
    found = await case_context(messaging, actor, case_id)
    head = found.thread
    thread = None
    if head is not None:
        people = shapes.participant_summaries(head.members)
        thread = CaseThread(head.id, head.kind, head.status, head.subject, people)
    messages = [shapes.message(message, actor.user) for message in found.messages]
    return Context(thread, messages, found.position)


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
async def claim_case(
    case_id: CaseIdInPath, actor: Caller, safety: TheSafety, files: TheFiles
) -> Response[Case]:
    return await _tagged(files, await claiming.claim(safety, actor, case_id))


@post(
    "/cases/{caseId:str}/decide",
    operation_id="decideCase",
    summary="Decide a case",
    description="Claim it first. Decisions are kept in the audit log for good, and the person is "
    "notified with `reason`. Other open cases about a suspended person close with it. A held "
    "text is released only where its author could write now, not into a locked or closed "
    "conversation. Staff are judged by admins; admins cannot be warned or suspended. An appeal "
    "against the band of a file is dismissed, or ends with another `band`.",
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
    if data.decision is Decision.SUSPEND and (data.until is None) is not data.for_good:
        raise InvalidDecision("a suspension needs `until`, or `forGood` if it must not end")
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
        band=data.band,
    )
    return entry_shape(entry)


@get(
    "/cases/{caseId:str}/audit-log",
    operation_id="getAuditLogOfCase",
    summary="List the decisions on a case",
    response_description="Newest first.",
    responses=refuses(CaseNotFound, OwnCase, InvalidCursor),
)
async def get_case_audit_log(
    case_id: CaseIdInPath,
    actor: Caller,
    safety: TheSafety,
    cursor: Cursor = None,
    limit: _Limit = 50,
) -> AuditLog:
    return audit_log_shape(
        await audit.audit_of_case(safety, actor, case_id, limit=limit, cursor=cursor)
    )


@get(
    "/audit-log",
    operation_id="getAuditLog",
    summary="List the audit log",
    description="Decisions, reinstatements, and roles granted and revoked: who did what, and when. "
    "Moderators see entries about users; admins also see entries about staff.",
    response_description="Newest first.",
    responses=refuses(InvalidCursor),
)
async def get_audit_log(
    actor: Caller, safety: TheSafety, cursor: Cursor = None, limit: _Limit = 50
) -> AuditLog:
    return audit_log_shape(await audit.audit_log(safety, actor, limit=limit, cursor=cursor))


@get(
    "/people/{userId:str}/audit-log",
    operation_id="getAuditLogOfPerson",
    summary="List the decisions about a person",
    response_description="Newest first.",
    responses=refuses(OwnCase, AdminsOnly, InvalidCursor),
)
async def get_person_audit_log(
    user_id: UserIdInPath,
    actor: Caller,
    safety: TheSafety,
    cursor: Cursor = None,
    limit: _Limit = 50,
) -> AuditLog:
    return audit_log_shape(
        await audit.audit_of_person(safety, actor, user_id, limit=limit, cursor=cursor)
    )


@get(
    "/people/{userId:str}/sanctions",
    operation_id="getSanctions",
    summary="Count the sanctions of a person",
    response_description="Warnings, removals, suspensions; and whether they are suspended now.",
    responses=refuses(OwnCase, AdminsOnly),
)
async def get_sanctions(user_id: UserIdInPath, actor: Caller, safety: TheSafety) -> Sanctions:
    found = await review.review_person(safety, actor, user_id)
    sanctions = found.sanctions
    return Sanctions(
        user_id=sanctions.user,
        warnings=sanctions.warnings,
        removals=sanctions.removals,
        suspensions=sanctions.suspensions,
        is_suspended=found.suspended_until_ms is not None,
        suspended_until=end(found.suspended_until_ms),
        suspension_reason=found.suspension_reason or None,
        role=found.role,
        last_decision_at=moment(sanctions.last_decision_ms),
    )


@get(
    "/suspended",
    operation_id="getSuspended",
    summary="List the suspended people",
    response_description="The people whom you may reinstate, by the end of their suspension.",
    responses=refuses(InvalidCursor),
)
async def get_suspended(
    actor: Caller, safety: TheSafety, cursor: Cursor = None, limit: _Limit = 50
) -> SuspendedPeople:
    page = await suspended_users.suspended(safety, actor, limit=limit, cursor=cursor)
    people = [
        SuspendedPerson(one.user, end(one.suspended_until_ms), moment(one.last_decision_ms))
        for one in page.users
    ]
    return SuspendedPeople(people, page.next)


async def _tagged(files: Files, case: models.Case) -> Response[Case]:
    shape = case_shape(case, (await files_of_cases(files, (case,)))[case.id])
    return Response(shape, status_code=200, headers={"ETag": etag(case.version)})


routes = Router(
    "/v1/moderation",
    route_handlers=[
        get_queue,
        get_case,
        get_case_reports,
        get_case_context,
        claim_case,
        decide_case,
        get_case_audit_log,
        get_audit_log,
        get_person_audit_log,
        get_sanctions,
        get_suspended,
    ],
    guards=[needs(Scope.MODERATOR)],
    security=BEARER,
    tags=["moderation"],
    request_max_body_size=MOST_BYTES,
)
