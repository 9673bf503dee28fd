"""Routes of one thread: get, update, change roles, leave or remove, post system messages."""

from typing import Annotated, Any, TypeAlias

from litestar import Response, Router, delete, get, patch, post, put
from litestar.datastructures import ResponseHeader
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody
from msgspec import UNSET, Meta, Struct, UnsetType

from greenroom import metadata
from greenroom.api.auth import BEARER, needs
from greenroom.api.etags import IfMatch, tag_in
from greenroom.api.idempotency import IdempotencyKey
from greenroom.api.messaging import shapes
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.messaging.shapes import Sending, Thread
from greenroom.api.params import MOST_BYTES, Caller, UserIdInPath
from greenroom.api.route_docs import refuses
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.ids import FileId, ThreadId
from greenroom.messaging import Messaging, edit_thread as updating, participants
from greenroom.messaging.change_role import change_role
from greenroom.messaging.hold_change import HeldChange
from greenroom.messaging.models import BUILT_IN_EVENTS, Role, ServiceRole, Status
from greenroom.messaging.post_system import DEFAULT_EVENT, SystemMessage, post_system
from greenroom.messaging.problems import (
    AcceptFirst,
    ClientIdReused,
    ConversationClosed,
    ConversationLocked,
    FileAlreadyUsed,
    InvalidPicture,
    InvalidText,
    InvalidThreadChange,
    ParticipantNotFound,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    TextRefused,
    TextRejected,
    ThreadChanged,
    ThreadNotFound,
)
from greenroom.messaging.rules import settings_version
from greenroom.messaging.set_status import ThreadChange
from greenroom.messaging.set_thread_picture import set_thread_picture
from greenroom.messaging.thread import details_with_role, managed_details
from greenroom.people.actor import Actor, Scope
from greenroom.safety.limits import TooMany

_ETAG = [ResponseHeader(name="ETag", description="For `If-Match`.", documentation_only=True)]
_WRITING = (AcceptFirst, RequestPending, PlainTextOnly, ConversationLocked, ConversationClosed)
_Bound: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)] | UnsetType | None


class ThreadUpdate(Struct, rename="camel", forbid_unknown_fields=True):
    """Fields that are left out do not change. Only services can change fields other than `subject`
    and `safeModeRequired`."""

    subject: str | UnsetType = UNSET
    """An empty one removes the name. For participants who manage the conversation."""
    status: Status | UnsetType = UNSET
    """Any status but `locked`, which has its own routes."""
    booking_id: _Bound = UNSET
    """Your booking that the conversation is about; null unbinds it."""
    leg_id: _Bound = UNSET
    """One provider's part of a booking group; null unbinds it."""
    lbg_id: _Bound = UNSET
    """The booking group: several jobs booked together; null unbinds it."""
    metadata: dict[str, Any] | UnsetType | None = UNSET
    """Your own JSON object of at most 4 KB. It replaces the previous one; null removes it."""
    safe_mode_required: bool | UnsetType = UNSET
    """Blur previews of sensitive pictures, whatever the participants prefer. For participants who
    manage the conversation."""


class NewThreadPicture(Struct, rename="camel", forbid_unknown_fields=True):
    file_id: Annotated[str, Meta(min_length=1, max_length=64)]
    """Your picture. It must be ready, and uploaded for this conversation."""


class NewRole(Struct, rename="camel", forbid_unknown_fields=True):
    role: Role
    service_role: ServiceRole | None = None
    """The service that the person offers; null removes it."""


class NewSystemMessage(Struct, rename="camel", forbid_unknown_fields=True):
    body: str
    """The text that people read."""
    event: Annotated[str, Meta(min_length=3, max_length=64)] = DEFAULT_EVENT
    """The event's name for programs, such as `order.shipped`. It must not be one of the server's
    own names (docs/guides/messaging.md)."""
    client_message_id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """An id that you choose. The same id is the same message. Without it, the Idempotency-Key is
    used."""
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB."""


@get(
    "/{threadId:str}",
    operation_id="getThread",
    guards=[needs(Scope.USER)],
    summary="Get a conversation and its participants",
    response_description="The conversation as you may see it.",
    response_headers=_ETAG,
    responses=refuses(ThreadNotFound),
)
async def get_thread(
    thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging
) -> Response[Thread]:
    return await _tagged(messaging, actor, thread_id)


@patch(
    "/{threadId:str}",
    operation_id="updateThread",
    summary="Change a conversation's name, safe mode, status, booking or metadata",
    description="Participants who manage the conversation may change its name and require safe "
    "mode; only services may change the rest (docs/reference/roles.md). Either all of it changes "
    "or nothing. A new status or booking posts a system message. Once the conversation is "
    "`confirmed`, its participants count as known to each other. A name that would be held as a "
    "message is held here too (`202`): the old name stays until a moderator releases the new one; "
    "the rest changes at once. A name that a moderator has rejected is refused with "
    "`text-rejected`.",
    response_description="The changed conversation. For a service that is not in it, `mine` has "
    "only defaults.",
    response_headers=_ETAG,
    responses={202: ResponseSpec(shapes.HeldChange, description="The name waits for a moderator.")}
    | refuses(
        ThreadNotFound,
        RoleNotAllowed,
        *_WRITING,
        ThreadChanged,
        InvalidThreadChange,
        InvalidText,
        TextRefused,
        TextRejected,
        metadata.InvalidMetadata,
        TooMany,
        body=True,
    ),
)
async def update_thread(
    thread_id: ThreadIdInPath,
    data: JSONBody[ThreadUpdate],
    actor: Caller,
    messaging: TheMessaging,
    if_match: IfMatch = None,
) -> Response[Thread]:
    version = tag_in(if_match)
    updated = await updating.edit_thread(
        messaging, actor, thread_id, _change(data), data.subject, settings_version=version
    )
    if isinstance(updated, HeldChange):
        return shapes.held_change()
    return await _tagged(messaging, actor, thread_id)


@patch(
    "/{threadId:str}/participants/{userId:str}",
    operation_id="changeRole",
    summary="Change a participant's role",
    description="docs/reference/roles.md says who may do this. Only staff and services give and "
    "take the roles `support` and `admin`; to give them a moderator need not be in the "
    "conversation.",
    response_description="The changed conversation.",
    responses=refuses(
        ThreadNotFound, ParticipantNotFound, RoleNotAllowed, AcceptFirst, TooMany, body=True
    ),
)
async def patch_role(
    thread_id: ThreadIdInPath,
    user_id: UserIdInPath,
    data: JSONBody[NewRole],
    actor: Caller,
    messaging: TheMessaging,
) -> Thread:
    await change_role(messaging, actor, thread_id, user_id, data.role, data.service_role)
    seen = await details_with_role(messaging, actor, thread_id, data.role)
    return shapes.thread(seen, messaging.clock.now_ms())


@delete(
    "/{threadId:str}/participants/{userId:str}",
    operation_id="removeParticipant",
    guards=[needs(Scope.USER)],
    summary="Leave, or remove a participant",
    description="With your own id you leave. To remove others you must manage the conversation.",
    response_description="The person is no longer in the conversation.",
    responses=refuses(ThreadNotFound, ParticipantNotFound, RoleNotAllowed, AcceptFirst, TooMany),
)
async def remove_participant(
    thread_id: ThreadIdInPath, user_id: UserIdInPath, actor: Caller, messaging: TheMessaging
) -> None:
    await participants.remove(messaging, actor, thread_id, user_id)


@post(
    "/{threadId:str}/system-messages",
    operation_id="postSystemMessage",
    summary="Post a system message",
    description="For services. Works also while a request in the conversation is pending. A retry "
    "with the same `clientMessageId`, or else the same `Idempotency-Key`, returns the first "
    "message and posts nothing. Without either, each call posts another message. The names of the "
    f"server's own events are refused: {', '.join(sorted(BUILT_IN_EVENTS))}.",
    response_description="The message.",
    responses={200: ResponseSpec(Sending, description="A retry: the first message.")}
    | refuses(
        ThreadNotFound,
        RoleNotAllowed,
        AcceptFirst,
        InvalidText,
        ClientIdReused,
        metadata.InvalidMetadata,
        body=True,
    ),
)
async def post_system_message(
    thread_id: ThreadIdInPath,
    data: JSONBody[NewSystemMessage],
    actor: Caller,
    messaging: TheMessaging,
    idempotency_key: IdempotencyKey = None,
) -> Response[Sending]:
    client_id = data.client_message_id or shapes.client_id_of(messaging, idempotency_key)
    kept = metadata.checked(data.metadata)
    message = SystemMessage(client_id, data.body, data.event, kept)
    sent = await post_system(messaging, actor, thread_id, message)
    shown = shapes.sending(sent, client_id, actor.user)
    return Response(shown, status_code=200 if sent.again else 201)


@put(
    "/{threadId:str}/picture",
    operation_id="setThreadPicture",
    guards=[needs(Scope.USER)],
    summary="Set the picture of a conversation",
    description="For participants who may name it (docs/reference/roles.md). The picture before it "
    "is deleted.",
    response_description="The changed conversation.",
    response_headers=_ETAG,
    responses=refuses(
        ThreadNotFound,
        RoleNotAllowed,
        *_WRITING,
        FileNotFound,
        FileNotReady,
        FileAlreadyUsed,
        InvalidPicture,
        body=True,
    ),
)
async def put_picture(
    thread_id: ThreadIdInPath,
    data: JSONBody[NewThreadPicture],
    actor: Caller,
    messaging: TheMessaging,
) -> Response[Thread]:
    await set_thread_picture(messaging, actor, thread_id, FileId(data.file_id))
    return await _tagged(messaging, actor, thread_id)


@delete(
    "/{threadId:str}/picture",
    operation_id="removeThreadPicture",
    guards=[needs(Scope.USER)],
    summary="Remove the picture of a conversation",
    description="For participants who may name it. The picture is deleted.",
    response_description="There is no picture.",
    responses=refuses(ThreadNotFound, RoleNotAllowed, *_WRITING),
)
async def delete_picture(thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging) -> None:
    await set_thread_picture(messaging, actor, thread_id, None)


def _change(data: ThreadUpdate) -> ThreadChange:
    kept: str | UnsetType | None = UNSET
    if not isinstance(data.metadata, UnsetType):
        kept = metadata.checked(data.metadata)
    return ThreadChange(
        status=data.status,
        booking_id=data.booking_id,
        leg_id=data.leg_id,
        lbg_id=data.lbg_id,
        metadata=kept,
        safe_mode=data.safe_mode_required,
    )


async def _tagged(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Response[Thread]:
    seen = await managed_details(messaging, actor, thread_id)
    tag = f'"{settings_version(seen.view.thread)}"'
    return Response(shapes.thread(seen, messaging.clock.now_ms()), headers={"ETag": tag})


routes = Router(
    "/v1/threads",
    route_handlers=[
        get_thread,
        update_thread,
        put_picture,
        delete_picture,
        patch_role,
        remove_participant,
        post_system_message,
    ],
    guards=[needs(Scope.USER, Scope.SERVICE)],
    security=BEARER,
    tags=["threads"],
    request_max_body_size=MOST_BYTES,
)
