"""Routes of scheduled messages: schedule, list, change, cancel, send now."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from litestar import Response, Router, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, QueryParameter, SkipValidation
from msgspec import UNSET, Meta, Struct, UnsetType

from greenroom import metadata
from greenroom.api.auth import BEARER, needs
from greenroom.api.etags import IfMatch, etag, version_in
from greenroom.api.idempotency import IdempotencyKey, Idempotent, digest_of
from greenroom.api.messaging import shapes
from greenroom.api.messaging.params import ScheduledIdInPath, TheMessaging, ThreadIdInPath
from greenroom.api.messaging.scheduled_shapes import (
    ScheduledMessage,
    ScheduledMessages,
    scheduled_shape,
)
from greenroom.api.messaging.shapes import Sending
from greenroom.api.params import MOST_BYTES, Caller
from greenroom.api.route_docs import refuses
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import scheduled
from greenroom.messaging.cancel_scheduled import cancel_scheduled
from greenroom.messaging.change_scheduled import ScheduledChange, change_scheduled
from greenroom.messaging.outgoing import Held
from greenroom.messaging.problems import (
    AcceptFirst,
    ClientIdReused,
    ConversationClosed,
    ConversationLocked,
    InvalidSendTime,
    InvalidText,
    MessageNotFound,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    ScheduledMessageNotFound,
    TextRefused,
    ThreadNotFound,
    TooManyScheduled,
    VersionMismatch,
)
from greenroom.messaging.schedule_message import NewScheduled, schedule_message
from greenroom.messaging.scheduled_items import client_id_of
from greenroom.messaging.send_scheduled import send_now
from greenroom.metadata import InvalidMetadata
from greenroom.people.actor import Scope
from greenroom.safety.limits import TooMany

_EPOCH = datetime.fromtimestamp(0, UTC)
_Time = Annotated[datetime, Meta(tz=True)]
_MISSING = (ThreadNotFound, MessageNotFound)
_WRITING = (
    AcceptFirst,
    ConversationLocked,
    ConversationClosed,
    RequestPending,
    RoleNotAllowed,
    PlainTextOnly,
    InvalidText,
)


class NewScheduledMessage(Struct, rename="camel", forbid_unknown_fields=True):
    body: str
    send_at: _Time
    """When to send it, with the offset from UTC."""
    reply_to_message_id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB."""


class ScheduledMessageUpdate(Struct, rename="camel", forbid_unknown_fields=True):
    """Fields that are left out do not change."""

    body: str | UnsetType = UNSET
    send_at: _Time | UnsetType = UNSET
    """When to send it, with the offset from UTC."""


@post(
    "/threads/{threadId:str}/scheduled-messages",
    operation_id="scheduleMessage",
    summary="Schedule a message",
    description="It is sent at `sendAt`, as if you sent it then: with your limits, and only where "
    "you may write then. Where it is refused, it stays in the list with the reason.",
    response_description="The scheduled message.",
    responses=refuses(
        *_MISSING, *_WRITING, InvalidSendTime, TooManyScheduled, InvalidMetadata, body=True
    ),
)
async def post_scheduled_message(
    thread_id: ThreadIdInPath,
    data: JSONBody[NewScheduledMessage],
    actor: Caller,
    messaging: TheMessaging,
    idempotent: NamedDependency[SkipValidation[Idempotent]],
    idempotency_key: IdempotencyKey = None,
) -> ScheduledMessage:
    reply = None if data.reply_to_message_id is None else MessageId(data.reply_to_message_id)
    new = NewScheduled(data.body, _ms(data.send_at), reply, metadata.checked(data.metadata))

    async def run() -> ScheduledMessage:
        return scheduled_shape(
            await schedule_message(messaging, actor, thread_id, new, key=idempotency_key)
        )

    request = digest_of("scheduleMessage", thread_id, data)
    return await idempotent(actor, idempotency_key, request, run, ScheduledMessage)


@get(
    "/scheduled-messages",
    operation_id="getScheduledMessages",
    summary="List your scheduled messages",
    response_description="All of them, the next first, with those that could not be sent.",
    responses=refuses(),
)
async def get_scheduled_messages(
    actor: Caller,
    messaging: TheMessaging,
    thread_id: Annotated[
        ThreadId | None,
        QueryParameter(
            name="threadId", min_length=1, max_length=64, description="Only of this conversation."
        ),
    ] = None,
) -> ScheduledMessages:
    found = await scheduled.scheduled_messages(messaging, actor, thread_id)
    return ScheduledMessages([scheduled_shape(message) for message in found])


@get(
    "/scheduled-messages/{scheduledMessageId:str}",
    operation_id="getScheduledMessage",
    summary="Get a scheduled message",
    response_description="The scheduled message.",
    responses=refuses(ScheduledMessageNotFound),
)
async def get_scheduled_message(
    scheduled_message_id: ScheduledIdInPath, actor: Caller, messaging: TheMessaging
) -> Response[ScheduledMessage]:
    found = await scheduled.scheduled_message(messaging, actor, scheduled_message_id)
    return Response(scheduled_shape(found), headers={"ETag": etag(found.version)})


@patch(
    "/scheduled-messages/{scheduledMessageId:str}",
    operation_id="changeScheduledMessage",
    summary="Change the text or the time of a scheduled message",
    description="One that could not be sent is scheduled again. Its time must be in the future.",
    response_description="The scheduled message.",
    responses=refuses(
        ScheduledMessageNotFound,
        *_MISSING,
        *_WRITING,
        InvalidSendTime,
        VersionMismatch,
        body=True,
    ),
)
async def patch_scheduled_message(
    scheduled_message_id: ScheduledIdInPath,
    data: JSONBody[ScheduledMessageUpdate],
    actor: Caller,
    messaging: TheMessaging,
    if_match: IfMatch = None,
) -> Response[ScheduledMessage]:
    change = ScheduledChange(
        None if isinstance(data.body, UnsetType) else data.body,
        None if isinstance(data.send_at, UnsetType) else _ms(data.send_at),
    )
    version = version_in(if_match)
    changed = await change_scheduled(
        messaging, actor, scheduled_message_id, change, version=version
    )
    return Response(scheduled_shape(changed), headers={"ETag": etag(changed.version)})


@delete(
    "/scheduled-messages/{scheduledMessageId:str}",
    operation_id="cancelScheduledMessage",
    summary="Cancel a scheduled message",
    description="It is not sent. One that has been sent is not found.",
    response_description="The message is canceled.",
    responses=refuses(ScheduledMessageNotFound, VersionMismatch),
)
async def delete_scheduled_message(
    scheduled_message_id: ScheduledIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    if_match: IfMatch = None,
) -> None:
    version = version_in(if_match)
    await cancel_scheduled(messaging, actor, scheduled_message_id, version=version)


@post(
    "/scheduled-messages/{scheduledMessageId:str}/send",
    operation_id="sendScheduledMessage",
    summary="Send a scheduled message now",
    response_description="The message, with hints for its author if there are any.",
    status_code=200,
    responses={202: ResponseSpec(Sending, description="Held for review by a moderator.")}
    | refuses(ScheduledMessageNotFound, *_MISSING, *_WRITING, TextRefused, ClientIdReused, TooMany),
)
async def post_send_now(
    scheduled_message_id: ScheduledIdInPath, actor: Caller, messaging: TheMessaging
) -> Response[Sending]:
    outcome = await send_now(messaging, actor, scheduled_message_id)
    shown = shapes.sending(outcome, client_id_of(scheduled_message_id), actor.user)
    return Response(shown, status_code=202 if isinstance(outcome, Held) else 200)


def _ms(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(milliseconds=1)


routes = Router(
    "/v1",
    route_handlers=[
        post_scheduled_message,
        get_scheduled_messages,
        get_scheduled_message,
        patch_scheduled_message,
        delete_scheduled_message,
        post_send_now,
    ],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["messages"],
    request_max_body_size=MOST_BYTES,
)
