"""Routes of threads: open, lock, add participants, list the threads of a project."""

from typing import Annotated, Any

from litestar import Response, Router, get, post, put
from litestar.datastructures import ResponseHeader
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter
from msgspec import Meta, Struct

from greenroom import metadata
from greenroom.api.auth import BEARER, needs
from greenroom.api.idempotency import IdempotencyKey
from greenroom.api.messaging import shapes
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.messaging.shapes import Sending, Thread, ThreadRow
from greenroom.api.params import MOST_BYTES, Caller, Cursor, UserIdInPath
from greenroom.api.route_docs import refuses
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging, lock, open as opening, participants, projects, start
from greenroom.messaging.models import Kind, Role, ServiceRole, Status
from greenroom.messaging.policy import OPENINGS
from greenroom.messaging.problems import (
    AcceptFirst,
    AlreadyAsked,
    AlreadyThere,
    BlockedByYou,
    ClientIdReused,
    ConversationClosed,
    ConversationLocked,
    InvalidText,
    InvalidThread,
    OpeningKeyReused,
    PlainTextOnly,
    RequestPending,
    RequestWithdrawn,
    RoleNotAllowed,
    TextRefused,
    ThreadNotFound,
    TooManyParticipants,
)
from greenroom.messaging.thread import details_with_role, managed_details
from greenroom.people.actor import Actor, Scope
from greenroom.people.directory import PersonNotFound
from greenroom.safety.limits import TooMany
from greenroom.store.problems import InvalidCursor

_ETAG = [ResponseHeader(name="ETag", description="For `If-Match`.", documentation_only=True)]
_WRITING = (AcceptFirst, RequestPending, PlainTextOnly, ConversationLocked, ConversationClosed)
_REACHING = (PersonNotFound, BlockedByYou, AlreadyAsked, RequestWithdrawn)
_OPENING = (InvalidThread, *_REACHING, ThreadNotFound, TooMany)
_Name = Annotated[str, Meta(min_length=1, max_length=64)]


class Invitation(Struct, rename="camel", forbid_unknown_fields=True):
    user_id: _Name
    role: Role = Role.MEMBER
    service_role: ServiceRole | None = None

    def invited(self) -> opening.Invited:
        return opening.Invited(UserId(self.user_id), self.role, self.service_role)


class FirstMessage(Struct, rename="camel", forbid_unknown_fields=True):
    body: str
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB."""


class NewThread(Struct, rename="camel", forbid_unknown_fields=True):
    kind: Kind
    participants: Annotated[list[Invitation], Meta(min_length=1, max_length=99)]
    """The other people. The caller is added automatically, except a service that acts for
    nobody."""
    role: Role = Role.MEMBER
    service_role: ServiceRole | None = None
    subject: str | None = None
    booking_id: str | None = None
    leg_id: str | None = None
    lbg_id: str | None = None
    city: str | None = None
    message: FirstMessage | None = None
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB. After this, only services can change it."""


class Opened(Struct, rename="camel"):
    thread: Thread
    sent: Sending | None
    """The result of sending the first message, if there was one."""


class Lock(Struct, rename="camel"):
    thread_id: ThreadId
    status: Status


class ProjectThreads(Struct, rename="camel"):
    threads: list[ThreadRow]
    next: str | None


@post(
    "/threads",
    operation_id="openThread",
    limit=OPENINGS,
    summary="Open a conversation",
    description="With an `Idempotency-Key` the same request opens one conversation, however often "
    "it is sent. A `message` is sent with it; to a stranger it waits as a request. A `direct` "
    "conversation of two people is found again, and so is one in which your request waits. "
    "`support`, `dispute` and `system` conversations, and those bound to a booking, leg or booking "
    "group (`lbgId`), are opened by staff and services (docs/reference/roles.md).",
    response_description="The new conversation, and the result of sending its first message.",
    responses={200: ResponseSpec(Opened, description="The existing conversation.")}
    | refuses(
        *_OPENING,
        *_WRITING,
        OpeningKeyReused,
        InvalidText,
        TextRefused,
        ClientIdReused,
        metadata.InvalidMetadata,
        body=True,
    ),
)
async def open_thread(
    data: JSONBody[NewThread],
    actor: Caller,
    messaging: TheMessaging,
    idempotency_key: IdempotencyKey = None,
) -> Response[Opened]:
    wanted = opening.Opening(
        kind=data.kind,
        others=tuple(invitation.invited() for invitation in data.participants),
        role=data.role,
        service_role=data.service_role,
        subject=data.subject,
        booking_id=data.booking_id,
        leg_id=data.leg_id,
        lbg_id=data.lbg_id,
        city=data.city,
        metadata=metadata.checked(data.metadata),
    )
    sent = None
    opened: opening.Opened | start.Started
    if data.message is None:
        opened = await opening.find_or_open(messaging, actor, wanted, key=idempotency_key)
    else:
        opened = await start.start(
            messaging,
            actor,
            wanted,
            data.message.body,
            metadata=metadata.checked(data.message.metadata),
            key=idempotency_key,
        )
        sent = shapes.sending(opened.first, opened.client_id, actor.user)
    return Response(
        Opened(await _shown(messaging, actor, opened.thread.id), sent),
        status_code=201 if opened.created else 200,
        headers={"Location": f"/v1/threads/{opened.thread.id}"},
    )


@put(
    "/direct/{userId:str}",
    operation_id="openDirectThread",
    limit=OPENINGS,
    summary="Open the direct conversation with a person",
    description="Opens it if it does not exist yet. Both people get the same conversation.",
    response_description="The conversation.",
    responses=refuses(*_OPENING),
)
async def open_direct(user_id: UserIdInPath, actor: Caller, messaging: TheMessaging) -> Thread:
    opened = await opening.open_direct(messaging, actor, user_id)
    return await _shown(messaging, actor, opened.id)


@post(
    "/threads/{threadId:str}/lock",
    operation_id="lockThread",
    summary="Lock a conversation",
    description="For moderators and staff in it. Only staff can write while it is locked.",
    response_description="The new status.",
    status_code=200,
    responses=refuses(ThreadNotFound, RoleNotAllowed),
)
async def lock_thread(thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging) -> Lock:
    head = await lock.lock(messaging, actor, thread_id)
    return Lock(head.id, head.status)


@post(
    "/threads/{threadId:str}/unlock",
    operation_id="unlockThread",
    summary="Unlock a conversation",
    response_description="The new status.",
    status_code=200,
    responses=refuses(ThreadNotFound, RoleNotAllowed),
)
async def unlock_thread(thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging) -> Lock:
    head = await lock.unlock(messaging, actor, thread_id)
    return Lock(head.id, head.status)


@post(
    "/threads/{threadId:str}/participants",
    operation_id="addParticipant",
    summary="Add a participant",
    description="The new participant sees messages from now on.",
    response_description="The conversation with them in it.",
    responses={
        200: ResponseSpec(Thread, description="The person was there already. Nothing has changed.")
    }
    | refuses(
        ThreadNotFound,
        RoleNotAllowed,
        *_WRITING,
        AlreadyThere,
        TooManyParticipants,
        *_REACHING,
        TooMany,
        body=True,
    ),
)
async def add_participant(
    thread_id: ThreadIdInPath,
    data: JSONBody[Invitation],
    actor: Caller,
    messaging: TheMessaging,
) -> Response[Thread]:
    added = await participants.find_or_add(messaging, actor, thread_id, data.invited())
    seen = await details_with_role(messaging, actor, thread_id, data.role)
    shown = shapes.thread(seen, messaging.clock.now_ms())
    return Response(shown, status_code=201 if added.created else 200)


@get(
    "/projects/legs/{legId:str}/threads",
    operation_id="getThreadsOfLeg",
    summary="List the conversations of a leg",
    response_description="The conversations that you are in, oldest first.",
    responses=refuses(InvalidCursor),
)
async def threads_of_leg(
    leg_id: Annotated[str, PathParameter(name="legId", max_length=64)],
    actor: Caller,
    messaging: TheMessaging,
    cursor: Cursor = None,
) -> ProjectThreads:
    found = await projects.threads_of_leg(messaging, actor, leg_id, cursor=cursor)
    return _project(messaging, found)


@get(
    "/projects/groups/{lbgId:str}/threads",
    operation_id="getThreadsOfGroup",
    summary="List the conversations of a booking group",
    response_description="The conversations that you are in, oldest first.",
    responses=refuses(InvalidCursor),
)
async def threads_of_group(
    lbg_id: Annotated[str, PathParameter(name="lbgId", max_length=64)],
    actor: Caller,
    messaging: TheMessaging,
    cursor: Cursor = None,
) -> ProjectThreads:
    found = await projects.threads_of_group(messaging, actor, lbg_id, cursor=cursor)
    return _project(messaging, found)


def _project(messaging: Messaging, found: projects.ProjectThreads) -> ProjectThreads:
    now_ms = messaging.clock.now_ms()
    return ProjectThreads([shapes.thread_row(view, now_ms) for view in found.views], found.next)


async def _shown(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Thread:
    seen = await managed_details(messaging, actor, thread_id)
    return shapes.thread(seen, messaging.clock.now_ms())


opening_routes = Router(
    "/v1",
    route_handlers=[open_thread],
    guards=[needs(Scope.USER, Scope.SERVICE)],
    security=BEARER,
    tags=["threads"],
    request_max_body_size=MOST_BYTES,
)
routes = Router(
    "/v1",
    route_handlers=[
        open_direct,
        lock_thread,
        unlock_thread,
        add_participant,
        threads_of_leg,
        threads_of_group,
    ],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["threads"],
    request_max_body_size=MOST_BYTES,
)
