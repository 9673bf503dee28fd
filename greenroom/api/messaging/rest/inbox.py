"""Routes of the inbox: folders, unread counts, and requests."""

from typing import Annotated

from litestar import Router, delete, get, post
from litestar.params import FromQuery, JSONBody, QueryParameter
from msgspec import Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging import shapes
from greenroom.api.messaging.params import RequestIdInPath, TheMessaging
from greenroom.api.messaging.shapes import Thread, ThreadRow
from greenroom.api.params import Caller, Cursor
from greenroom.api.route_docs import refuses
from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import block, inbox as inboxes, requests, respond
from greenroom.messaging.access import ThreadView
from greenroom.messaging.models import Folder
from greenroom.messaging.problems import RequestNotFound
from greenroom.messaging.read_all import mark_all_read
from greenroom.messaging.thread import details
from greenroom.messaging.withdraw_request import withdraw_request
from greenroom.people.actor import Scope
from greenroom.safety.limits import TooMany
from greenroom.store.problems import InvalidCursor


class Counts(Struct, rename="camel"):
    unread: dict[Folder, int]
    badge: int
    more: bool
    """Counting stopped early: the true numbers may be higher."""


class Inbox(Struct, rename="camel"):
    threads: list[ThreadRow]
    next: str | None
    counts: Counts | None
    """Only on the first page."""


class WhatToRead(Struct, rename="camel", forbid_unknown_fields=True):
    folder: Folder = Folder.ALL
    """`all` leaves out `archived`, `spam` and `hidden`."""


class AllRead(Struct, rename="camel"):
    marked: int
    """How many conversations had something unread."""
    more: bool
    counts: Counts


class SentRequest(Struct, rename="camel"):
    request_id: RequestId
    thread_id: ThreadId
    target_user_id: UserId


class SentRequests(Struct, rename="camel"):
    requests: list[SentRequest]
    next: str | None


@get(
    "/inbox",
    operation_id="getInbox",
    summary="List a folder of the inbox",
    description="Pinned conversations first, then by last message. `all` has every folder but "
    "`archived`, `spam` and `hidden`.",
    response_description="The conversations; with the first page, the unread counts.",
    responses=refuses(InvalidCursor),
)
async def get_inbox(
    actor: Caller,
    messaging: TheMessaging,
    folder: FromQuery[Folder] = Folder.ALL,
    cursor: Cursor = None,
    limit: Annotated[int, QueryParameter(ge=1, le=inboxes.MAX_PAGE)] = inboxes.PAGE,
) -> Inbox:
    page = await inboxes.inbox(messaging, actor, folder, cursor=cursor, limit=limit)
    now_ms = messaging.clock.now_ms()
    views = [ThreadView(row.thread, row.mine, row.metadata) for row in page.rows]
    rows = [shapes.thread_row(view, now_ms) for view in views]
    return Inbox(rows, page.next, None if page.counts is None else _counts(page.counts))


@get(
    "/inbox/counts",
    operation_id="getInboxCounts",
    summary="Get the unread counts",
    response_description="By folder, and the badge, which equals `all`. Muted conversations "
    "count nowhere.",
    responses=refuses(),
)
async def get_counts(actor: Caller, messaging: TheMessaging) -> Counts:
    return _counts(await inboxes.counts(messaging, actor))


@post(
    "/inbox/read",
    operation_id="readInbox",
    summary="Mark everything in a folder as read",
    description="Up to 100 conversations in one call, the newest first. With `more`, call again.",
    response_description="How many conversations were marked, and the counts after it.",
    status_code=200,
    responses=refuses(body=True),
)
async def read_inbox(data: JSONBody[WhatToRead], actor: Caller, messaging: TheMessaging) -> AllRead:
    done = await mark_all_read(messaging, actor, data.folder)
    counts = await inboxes.counts(messaging, actor)
    return AllRead(done.marked, done.more, _counts(counts))


@get(
    "/requests/sent",
    operation_id="getSentRequests",
    summary="List the requests that you have sent",
    description="Requests that wait for an answer. A declined request stays listed as pending: "
    "senders are not told.",
    response_description="The requests. A page may be short; go on while there is a `next`.",
    responses=refuses(InvalidCursor),
)
async def get_sent_requests(
    actor: Caller, messaging: TheMessaging, cursor: Cursor = None
) -> SentRequests:
    found = await requests.sent_requests(messaging, actor, cursor=cursor)
    sent = [SentRequest(one.id, one.thread, one.target) for one in found.requests]
    return SentRequests(sent, found.next)


@delete(
    "/requests/{requestId:str}",
    operation_id="withdrawRequest",
    summary="Withdraw a request that you have sent",
    description="Removes the request from the other person's inbox; in a group, removes that "
    "person from it. You cannot ask the same person again until the request would have expired.",
    response_description="The request is withdrawn.",
    responses=refuses(RequestNotFound),
)
async def delete_request(
    request_id: RequestIdInPath, actor: Caller, messaging: TheMessaging
) -> None:
    await withdraw_request(messaging, actor, request_id)


@post(
    "/requests/{requestId:str}/accept",
    operation_id="acceptRequest",
    summary="Accept a request",
    description="The sender is notified, and the conversation continues as usual.",
    response_description="The conversation.",
    status_code=200,
    responses=refuses(RequestNotFound),
)
async def accept_request(
    request_id: RequestIdInPath, actor: Caller, messaging: TheMessaging
) -> Thread:
    accepted = await respond.accept(messaging, actor, request_id)
    seen = await details(messaging, actor, accepted.id)
    return shapes.thread(seen, messaging.clock.now_ms())


@post(
    "/requests/{requestId:str}/decline",
    operation_id="declineRequest",
    summary="Decline a request",
    description="The sender is not notified.",
    response_description="The request is no longer in your inbox.",
    status_code=204,
    responses=refuses(RequestNotFound),
)
async def decline_request(
    request_id: RequestIdInPath, actor: Caller, messaging: TheMessaging
) -> None:
    await respond.decline(messaging, actor, request_id)


@post(
    "/requests/{requestId:str}/block",
    operation_id="blockRequestSender",
    summary="Decline a request and block its sender",
    description="The sender is not notified, and cannot write to you again.",
    response_description="The request is no longer in your inbox.",
    status_code=204,
    responses=refuses(RequestNotFound, TooMany),
)
async def block_sender(request_id: RequestIdInPath, actor: Caller, messaging: TheMessaging) -> None:
    await block.block_sender(messaging, actor, request_id)


def _counts(counts: inboxes.Counts) -> Counts:
    return Counts(counts.unread, counts.badge, counts.more)


routes = Router(
    "/v1",
    route_handlers=[
        get_inbox,
        get_counts,
        read_inbox,
        get_sent_requests,
        delete_request,
        accept_request,
        decline_request,
        block_sender,
    ],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["inbox"],
)
