"""The socket frames of messaging: requests, their acks, and events."""

from typing import Annotated, Any

from msgspec import Meta

from greenroom.api.messaging.attachment_shapes import MOST_ATTACHMENTS, NewAttachment
from greenroom.api.messaging.scheduled_shapes import ScheduledMessage
from greenroom.api.messaging.shapes import Hint, Message, MessagePage, SendingStatus
from greenroom.api.messaging.waiting_shapes import WaitingMessage
from greenroom.api.ws.frames import Ack, Frame, Id, Number
from greenroom.ids import MessageId, RequestId, ThreadId, UserId
from greenroom.messaging.history import MAX_PAGE, PAGE
from greenroom.messaging.models import GateStatus, Status

MOST_ON_SCREEN = 20


# Requests from clients.


class Send(Frame, tag="send", forbid_unknown_fields=True):
    """Sends a message. A retry with the same `clientMessageId` sends nothing more."""

    id: Number
    thread_id: Id
    client_message_id: Id
    """An id that the client chooses. The same id is the same message."""
    body: str = ""
    """The text. It may be empty where there are attachments: then it is their caption."""
    reply_to_message_id: Id | None = None
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB."""
    attachments: Annotated[list[NewAttachment], Meta(max_length=MOST_ATTACHMENTS)] = []  # noqa: RUF012
    """Your files, uploaded for this conversation."""


class Edit(Frame, tag="edit", forbid_unknown_fields=True):
    """Changes the text of your own message."""

    id: Number
    thread_id: Id
    message_id: Id
    body: str
    version: int | None = None
    """Edit only if the message still has this version."""


class Delete(Frame, tag="delete", forbid_unknown_fields=True):
    """Deletes a message. A tombstone keeps its place."""

    id: Number
    thread_id: Id
    message_id: Id


class React(Frame, tag="react", forbid_unknown_fields=True):
    """Adds or removes an emoji reaction."""

    id: Number
    thread_id: Id
    message_id: Id
    emoji: Annotated[str, Meta(max_length=64)]
    on: bool = True
    """False removes the reaction."""


class Read(Frame, tag="read", forbid_unknown_fields=True):
    """Marks all messages up to `seq` as read."""

    id: Number
    thread_id: Id
    seq: Number


class Delivered(Frame, tag="delivered", forbid_unknown_fields=True):
    """Marks all messages up to `seq` as delivered to this device."""

    id: Number
    thread_id: Id
    seq: Number


class History(Frame, tag="history", forbid_unknown_fields=True):
    """Gets a page of messages: the newest, or those `around`, `after` or `before` a message. If you
    give several, the first of these applies."""

    id: Number
    thread_id: Id
    before: Id | None = None
    """A message's id: gets the messages right before it."""
    after: Id | None = None
    """A message's id: gets the messages right after it."""
    around: Id | None = None
    """A message's id: gets it and the messages on both sides."""
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = PAGE
    """The largest number of messages to return."""


class Typing(Frame, tag="typing", forbid_unknown_fields=True):
    """Says that the user is typing. Repeat it every few seconds; otherwise it expires."""

    thread_id: Id
    on: bool = True


class Focus(Frame, tag="focus", forbid_unknown_fields=True):
    """Sets the conversations on screen, as a complete list. The server sends presence and typing
    for these only: the current state, then changes."""

    thread_ids: Annotated[list[Id], Meta(max_length=MOST_ON_SCREEN)]


# Acks.


class SendAck(Ack, tag="ack"):
    """The answer to `send`."""

    status: SendingStatus
    """`sent`; `held` for a moderator, or `rejected` by one; `waiting` for its files, `failed`, or
    `canceled`."""
    message: Message | None = None
    """The message, if it was sent."""
    hints: list[Hint] = []  # noqa: RUF012 (msgspec copies it)
    reason: str | None = None
    """If it was rejected: the moderator's reason. If it has failed: why."""
    warned: bool = False
    """If it was rejected: whether its sender was warned."""


class EditAck(Ack, tag="ack"):
    """The answer to `edit`."""

    status: SendingStatus | None = None
    """`held` if the new text waits for a moderator."""
    message: Message | None = None


class MessageAck(Ack, tag="ack"):
    """The answer to `delete` and `react`."""

    message: Message


class HistoryAck(Ack, tag="ack"):
    """The answer to `history`."""

    page: MessagePage
    """The messages."""


# Events.


class MessageCreated(Frame, tag="message.created"):
    """Somebody sent a message. Your own messages come too, on every device."""

    thread_id: ThreadId
    message: Message
    status: Status
    """The conversation's status after the message."""
    awaiting_user_ids: list[UserId]


class MessageEdited(Frame, tag="message.edited"):
    """The text of a message has changed."""

    thread_id: ThreadId
    message: Message


class MessageDeleted(Frame, tag="message.deleted"):
    """A message was deleted. Its tombstone remains."""

    thread_id: ThreadId
    message: Message


class ReactionChanged(Frame, tag="reaction.changed"):
    """The reactions to a message have changed."""

    thread_id: ThreadId
    message: Message


class ReceiptMoved(Frame, tag="receipt.moved"):
    """Somebody has read more messages, or messages have reached their device."""

    thread_id: ThreadId
    user_id: UserId
    last_read_seq: int
    last_delivered_seq: int


class TypingChanged(Frame, tag="typing.changed"):
    """Somebody started or stopped typing in a conversation on your screen."""

    thread_id: ThreadId
    user_id: UserId
    on: bool
    until: str | None
    """When it expires, unless it is renewed."""


class PresenceChanged(Frame, tag="presence.changed"):
    """Somebody opened or closed a conversation that is on your screen."""

    thread_id: ThreadId
    user_id: UserId
    online: bool
    until: str | None
    """When it expires, unless it is renewed."""


class ThreadUpdated(Frame, tag="thread.updated"):
    """The conversation has changed. Load it again."""

    thread_id: ThreadId


class InboxChanged(Frame, tag="inbox.changed"):
    """Your own settings of a conversation changed on another device: pin, mute, folder, unread mark
    or draft."""

    thread_id: ThreadId
    gone: bool = False


class RequestChanged(Frame, tag="request.changed"):
    """A request arrived, or its status changed."""

    thread_id: ThreadId
    request_id: RequestId
    target_user_id: UserId
    sender_user_id: UserId
    status: GateStatus


class ScheduledMessageChanged(Frame, tag="scheduled_message.changed"):
    """One of your scheduled messages was created, changed, sent or canceled, or could not be sent:
    its `status` says which."""

    scheduled_message: ScheduledMessage
    """The scheduled message, as it is now."""
    message_id: MessageId | None = None
    """The message that it became, once it is sent."""


class WaitingMessageChanged(Frame, tag="waiting_message.changed"):
    """One of your messages began to wait for its files, was sent or canceled, or could not be sent:
    its `status` says which."""

    waiting_message: WaitingMessage
    """The message, as it is now."""
    message_id: MessageId | None = None
    """The message that it became, once it is sent."""
