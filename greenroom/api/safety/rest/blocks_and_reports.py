"""Routes of blocks and reports."""

from typing import Annotated

from litestar import Router, delete, get, post, put
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging.params import TheMessaging
from greenroom.api.params import MOST_BYTES, Caller, Cursor, UserIdInPath
from greenroom.api.route_docs import refuses
from greenroom.api.safety.params import TheSafety
from greenroom.api.safety.shapes import Subject, subject_shape
from greenroom.clock import iso
from greenroom.ids import MessageId, ReportId, ThreadId, UserId
from greenroom.messaging import Messaging, report as reporting
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.problems import MessageNotFound, ThreadNotFound
from greenroom.people.actor import Actor, Scope
from greenroom.people.directory import PersonNotFound
from greenroom.safety import blocks as blocking, models, reports as reported
from greenroom.safety.block import CannotBlockYourself
from greenroom.safety.limits import TooMany
from greenroom.safety.models import Reason
from greenroom.safety.problems import InvalidReport
from greenroom.store.problems import InvalidCursor

_Id = Annotated[str, Meta(min_length=1, max_length=64)]


class Block(Struct, rename="camel"):
    user_id: UserId
    blocked_at: str


class Blocks(Struct, rename="camel"):
    blocks: list[Block]
    next: str | None


class NewReport(Struct, rename="camel", forbid_unknown_fields=True):
    """Reports a person (`userId`), a conversation (`threadId`), or a message (`threadId`,
    `messageId`)."""

    reason: Reason
    note: str = ""
    user_id: _Id | None = None
    thread_id: _Id | None = None
    message_id: _Id | None = None


class Reported(Struct, rename="camel"):
    report_id: ReportId


class OwnReport(Struct, rename="camel"):
    report_id: ReportId
    subject: Subject
    reason: Reason
    note: str
    reported_at: str


class OwnReports(Struct, rename="camel"):
    reports: list[OwnReport]
    next: str | None


@put(
    "/blocks/{userId:str}",
    operation_id="block",
    summary="Block a person",
    description="You no longer get messages from this person. They are not notified.",
    response_description="The block. Blocking again changes nothing.",
    responses=refuses(ThreadNotFound, PersonNotFound, CannotBlockYourself, TooMany),
)
async def put_block(
    user_id: UserIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    thread_id: Annotated[
        ThreadId | None, QueryParameter(name="threadId", min_length=1, max_length=64)
    ] = None,
) -> Block:
    return _block(await block_person(messaging, actor, user_id, thread_id=thread_id))


@delete(
    "/blocks/{userId:str}",
    operation_id="unblock",
    summary="Unblock a person",
    response_description="The person is not blocked.",
    responses=refuses(),
)
async def delete_block(user_id: UserIdInPath, actor: Caller, messaging: TheMessaging) -> None:
    await unblock_person(messaging, actor, user_id)


@get(
    "/blocks",
    operation_id="getBlocks",
    summary="List the people you have blocked",
    response_description="A page of blocks.",
    responses=refuses(InvalidCursor),
)
async def get_blocks(
    actor: Caller,
    safety: TheSafety,
    cursor: Cursor = None,
    limit: Annotated[int, QueryParameter(ge=1, le=blocking.MAX_PAGE)] = 50,
) -> Blocks:
    page = await blocking.blocks(safety, actor, limit=limit, cursor=cursor)
    return Blocks([_block(block) for block in page.blocks], page.next)


@post(
    "/reports",
    operation_id="report",
    summary="Report a message, a conversation or a person",
    description="Give `userId`, or `threadId`, or `threadId` and `messageId`. Reporting the same "
    "again changes nothing.",
    response_description="The report. It waits for a moderator's decision.",
    responses=refuses(
        ThreadNotFound, MessageNotFound, PersonNotFound, InvalidReport, TooMany, body=True
    ),
)
async def post_report(
    data: JSONBody[NewReport], actor: Caller, messaging: TheMessaging
) -> Reported:
    return Reported(await _report(messaging, actor, data))


@get(
    "/reports",
    operation_id="getReports",
    summary="List your own reports",
    response_description="Newest first.",
    responses=refuses(InvalidCursor),
)
async def get_reports(
    actor: Caller,
    safety: TheSafety,
    cursor: Cursor = None,
    limit: Annotated[int, QueryParameter(ge=1, le=reported.MAX_PAGE)] = 50,
) -> OwnReports:
    page = await reported.own_reports(safety, actor, limit=limit, cursor=cursor)
    return OwnReports([_own(report) for report in page.reports], page.next)


async def _report(messaging: Messaging, actor: Actor, data: NewReport) -> ReportId:
    match data.user_id, data.thread_id, data.message_id:
        case str(user), None, None:
            person = UserId(user)
            return await reporting.report_person(messaging, actor, person, data.reason, data.note)
        case None, str(thread), None:
            whole = ThreadId(thread)
            return await reporting.report_thread(messaging, actor, whole, data.reason, data.note)
        case None, str(thread), str(message):
            return await reporting.report_message(
                messaging, actor, ThreadId(thread), MessageId(message), data.reason, data.note
            )
        case _:
            raise InvalidReport("it needs `userId`, or `threadId`, or `threadId` and `messageId`")


def _own(report: models.Report) -> OwnReport:
    return OwnReport(
        report.id, subject_shape(report.subject), report.reason, report.note, iso(report.at_ms)
    )


def _block(block: models.Block) -> Block:
    return Block(block.blocked, iso(block.at_ms))


routes = Router(
    "/v1",
    route_handlers=[put_block, delete_block, get_blocks, post_report, get_reports],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["safety"],
    request_max_body_size=MOST_BYTES,
)
