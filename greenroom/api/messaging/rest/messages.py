"""Routes of messages: send, list, edit, delete, react."""

from typing import Annotated, Any, TypeAlias

from litestar import Response, Router, delete, get, patch, post, put
from litestar.datastructures import ResponseHeader
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from msgspec import UNSET, Meta, Struct, UnsetType

from greenroom import metadata
from greenroom.api.auth import BEARER, needs
from greenroom.api.etags import IfMatch, etag, version_in
from greenroom.api.idempotency import IdempotencyKey
from greenroom.api.messaging import shapes
from greenroom.api.messaging.attachment_shapes import (
    MOST_ATTACHMENTS,
    NewAttachment,
    new_attachments,
)
from greenroom.api.messaging.params import (
    EmojiInPath,
    MessageIdInPath,
    TheMessaging,
    ThreadIdInPath,
)
from greenroom.api.messaging.shapes import Message, MessagePage, Sending
from greenroom.api.params import MOST_BYTES, Caller
from greenroom.api.route_docs import refuses
from greenroom.clock import iso
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.ids import MessageId, UserId
from greenroom.messaging import edit as editing, history, models, react, send as sending, thread
from greenroom.messaging.delete import delete as delete_message_by_id
from greenroom.messaging.edit_metadata import edit_metadata
from greenroom.messaging.hold_change import HeldChange
from greenroom.messaging.outgoing import Held, Outgoing, Sent, Waiting
from greenroom.messaging.problems import (
    AcceptFirst,
    CardsStay,
    ClientIdReused,
    ConversationClosed,
    ConversationLocked,
    FileAlreadyUsed,
    InvalidAttachments,
    InvalidReaction,
    InvalidText,
    MessageNotFound,
    NotYours,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    TextRefused,
    TextRejected,
    ThreadNotFound,
    TooManyWaiting,
    VersionMismatch,
)
from greenroom.metadata import InvalidMetadata
from greenroom.people.actor import Scope
from greenroom.safety.limits import TooMany

_ETAG = [ResponseHeader(name="ETag", description="For `If-Match`.", documentation_only=True)]
_MISSING = (ThreadNotFound, MessageNotFound)
_WRITING = (AcceptFirst, ConversationLocked, ConversationClosed, TooMany)
_Place: TypeAlias = Annotated[
    MessageId | None, QueryParameter(min_length=1, max_length=64, description="A message's id.")
]


class NewMessage(Struct, rename="camel", forbid_unknown_fields=True):
    body: str = ""
    """The text. It may be empty where there are attachments: then it is their caption."""
    client_message_id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """An id that the client chooses. The same id is the same message."""
    reply_to_message_id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB."""
    attachments: Annotated[list[NewAttachment], Meta(max_length=MOST_ATTACHMENTS)] = []
    """Your files, uploaded for this conversation."""


class MessageUpdate(Struct, rename="camel", forbid_unknown_fields=True):
    """Fields that are left out do not change."""

    body: str | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType | None = UNSET
    """Your own JSON object. It replaces the previous one; null removes it."""


class Edit(Struct, rename="camel"):
    body: str
    until: str


class Edits(Struct, rename="camel"):
    """Earlier versions of a message, the oldest first."""

    edits: list[Edit]


@post(
    "/",
    operation_id="sendMessage",
    summary="Send a message",
    description="A retry with the same `clientMessageId`, or else the same `Idempotency-Key`, "
    "returns the first message and sends nothing. Without either, each call sends another message. "
    "The text may use a small subset of Markdown. Files are uploaded first, with `POST /v1/files`. "
    "A message with `attachments` that are not ready yet waits for them (`202`): it is sent by "
    "itself, and its author gets the event `waiting_message.changed`.",
    response_description="The message, with hints for its author if there are any.",
    responses={
        200: ResponseSpec(Sending, description="A retry: the result of the first request."),
        202: ResponseSpec(
            Sending, description="Held for review by a moderator, or waiting for its files."
        ),
    }
    | refuses(
        *_MISSING,
        *_WRITING,
        InvalidText,
        TextRefused,
        PlainTextOnly,
        RequestPending,
        ClientIdReused,
        RoleNotAllowed,
        InvalidMetadata,
        InvalidAttachments,
        FileNotFound,
        FileNotReady,
        FileAlreadyUsed,
        TooManyWaiting,
        body=True,
    ),
)
async def send_message(
    thread_id: ThreadIdInPath,
    data: JSONBody[NewMessage],
    actor: Caller,
    messaging: TheMessaging,
    idempotency_key: IdempotencyKey = None,
) -> Response[Sending]:
    client_id = data.client_message_id or shapes.client_id_of(messaging, idempotency_key)
    reply = None if data.reply_to_message_id is None else MessageId(data.reply_to_message_id)
    kept = metadata.checked(data.metadata)
    files = new_attachments(data.attachments)
    outgoing = Outgoing(client_id, data.body, reply, metadata=kept, attachments=files)
    outcome = await sending.send(messaging, actor, thread_id, outgoing)
    shown = shapes.sending(outcome, client_id, actor.user)
    if not isinstance(outcome, Sent):
        is_pending = isinstance(outcome, Held | Waiting)
        return Response(shown, status_code=202 if is_pending else 200)
    headers = {"ETag": etag(outcome.message.version)}
    return Response(shown, status_code=200 if outcome.again else 201, headers=headers)


@get(
    "/",
    operation_id="getMessages",
    summary="List messages",
    description="The newest messages, or those `around`, `after` or `before` a message. Of "
    "several, the first of these applies. `aroundSeq` takes a message's `seq` and precedes all of "
    "them; use it to open the first unread message.",
    response_description="The messages, in the order of their `seq`.",
    responses=refuses(*_MISSING),
)
async def get_messages(
    thread_id: ThreadIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    before: _Place = None,
    after: _Place = None,
    around: _Place = None,
    around_seq: Annotated[
        int | None, QueryParameter(name="aroundSeq", ge=0, le=2**53, description="A message's seq.")
    ] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=history.MAX_PAGE)] = history.PAGE,
) -> MessagePage:
    page = await history.history(
        messaging,
        actor,
        thread_id,
        before=before,
        after=after,
        around=around,
        around_seq=around_seq,
        limit=limit,
    )
    return shapes.page(page)


@get(
    "/{messageId:str}",
    operation_id="getMessage",
    summary="Get a message",
    response_description="The message; a deleted one has no body.",
    response_headers=_ETAG,
    responses=refuses(*_MISSING),
)
async def get_message(
    thread_id: ThreadIdInPath, message_id: MessageIdInPath, actor: Caller, messaging: TheMessaging
) -> Response[Message]:
    message, details = await thread.message(messaging, actor, thread_id, message_id)
    headers = {"ETag": etag(message.version)}
    return Response(shapes.message(message, actor.user, details), headers=headers)


@patch(
    "/{messageId:str}",
    operation_id="editMessage",
    summary="Edit your message or its metadata",
    description="Earlier versions of the text stay in its history. A text that would be held if it "
    "were sent is held here too (`202`): the message stays as it is until a moderator releases it. "
    "One that a moderator has rejected is refused with `text-rejected`. "
    "Text and metadata change together or not at all. Metadata given with a text that is held is "
    "dropped: send it again without a text.",
    response_description="The edited message.",
    response_headers=_ETAG,
    responses={202: ResponseSpec(shapes.HeldChange, description="The edit waits for a moderator.")}
    | refuses(
        *_MISSING,
        *_WRITING,
        NotYours,
        VersionMismatch,
        InvalidText,
        TextRefused,
        TextRejected,
        PlainTextOnly,
        RoleNotAllowed,
        InvalidMetadata,
        body=True,
    ),
)
async def edit_message(
    thread_id: ThreadIdInPath,
    message_id: MessageIdInPath,
    data: JSONBody[MessageUpdate],
    actor: Caller,
    messaging: TheMessaging,
    if_match: IfMatch = None,
) -> Response[Message]:
    version, place = version_in(if_match), (thread_id, message_id)
    given = data.metadata
    kept = given if isinstance(given, UnsetType) else metadata.checked(given)
    if not isinstance(data.body, UnsetType):
        edited = await editing.edit(
            messaging, actor, *place, data.body, metadata=kept, version=version
        )
        if isinstance(edited, HeldChange):
            return shapes.held_change()
        message = edited
    elif not isinstance(kept, UnsetType):
        message = await edit_metadata(messaging, actor, *place, kept, version=version)
    else:
        message, _ = await thread.message(messaging, actor, *place)
    return _tagged(message, actor.user)


@delete(
    "/{messageId:str}",
    operation_id="deleteMessage",
    summary="Delete a message",
    description="For its author and staff in the conversation. An empty message keeps its place.",
    response_description="The deleted message, without its text.",
    response_headers=_ETAG,
    status_code=200,
    responses=refuses(*_MISSING, NotYours, CardsStay, VersionMismatch),
)
async def delete_message(
    thread_id: ThreadIdInPath,
    message_id: MessageIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    if_match: IfMatch = None,
) -> Response[Message]:
    version = version_in(if_match)
    message = await delete_message_by_id(messaging, actor, thread_id, message_id, version=version)
    return _tagged(message, actor.user)


@get(
    "/{messageId:str}/edits",
    operation_id="getEdits",
    summary="List earlier versions of a message",
    response_description="The oldest first.",
    responses=refuses(*_MISSING),
)
async def get_edits(
    thread_id: ThreadIdInPath, message_id: MessageIdInPath, actor: Caller, messaging: TheMessaging
) -> Edits:
    message, _ = await thread.message(messaging, actor, thread_id, message_id)
    return Edits([Edit(edit.body, iso(edit.until_ms)) for edit in message.edits])


@put(
    "/{messageId:str}/reactions/{emoji:str}",
    operation_id="react",
    summary="React to a message",
    description="Reacting again with the same emoji changes nothing.",
    response_description="The message with the reaction.",
    responses=refuses(*_MISSING, *_WRITING, InvalidReaction),
)
async def put_reaction(
    thread_id: ThreadIdInPath,
    message_id: MessageIdInPath,
    emoji: EmojiInPath,
    actor: Caller,
    messaging: TheMessaging,
) -> Message:
    message = await react.react(messaging, actor, thread_id, message_id, emoji)
    return shapes.message(message, actor.user)


@delete(
    "/{messageId:str}/reactions/{emoji:str}",
    operation_id="takeReactionBack",
    summary="Remove your reaction",
    response_description="The message without it.",
    status_code=200,
    responses=refuses(*_MISSING, *_WRITING, InvalidReaction),
)
async def delete_reaction(
    thread_id: ThreadIdInPath,
    message_id: MessageIdInPath,
    emoji: EmojiInPath,
    actor: Caller,
    messaging: TheMessaging,
) -> Message:
    message = await react.remove_reaction(messaging, actor, thread_id, message_id, emoji)
    return shapes.message(message, actor.user)


def _tagged(message: models.Message, viewer: UserId) -> Response[Message]:
    return Response(
        shapes.message(message, viewer), status_code=200, headers={"ETag": etag(message.version)}
    )


routes = Router(
    "/v1/threads/{threadId:str}/messages",
    route_handlers=[
        send_message,
        get_messages,
        get_message,
        edit_message,
        delete_message,
        get_edits,
        put_reaction,
        delete_reaction,
    ],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["messages"],
    request_max_body_size=MOST_BYTES,
)
