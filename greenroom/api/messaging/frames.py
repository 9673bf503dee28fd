"""The socket frames of messaging: requests, their acks, and events."""

from typing import Annotated, Any

from msgspec import Meta

from greenroom.api.messaging.shapes import Hint, Message, MessagePage, SendingStatus
from greenroom.api.ws.frames import Ack, Frame, Id, Number
from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging.history import MAX_PAGE, PAGE
from greenroom.messaging.models import GateStatus, Status

MOST_ON_SCREEN = 20


# What a client sends.


class Send(Frame, tag="send", forbid_unknown_fields=True):
    """A message for a thread, which is sent once however often this is."""

    id: Number
    thread_id: Id
    client_message_id: Id
    """The client's own name for it; the same name is the same message."""
    body: str
    reply_to_message_id: Id | None = None
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB."""


class Edit(Frame, tag="edit", forbid_unknown_fields=True):
    """Another text in the place of one's own."""

    id: Number
    thread_id: Id
    message_id: Id
    body: str
    version: int | None = None
    """Only if nobody has changed it since."""


class Delete(Frame, tag="delete", forbid_unknown_fields=True):
    """A message is taken back; a tombstone keeps its place."""

    id: Number
    thread_id: Id
    message_id: Id


class React(Frame, tag="react", forbid_unknown_fields=True):
    """An emoji on a message, or off it again."""

    id: Number
    thread_id: Id
    message_id: Id
    emoji: Annotated[str, Meta(max_length=64)]
    on: bool = True
    """False takes it back."""


class Read(Frame, tag="read", forbid_unknown_fields=True):
    """Everything up to `seq`."""

    id: Number
    thread_id: Id
    seq: Number


class Delivered(Frame, tag="delivered", forbid_unknown_fields=True):
    """Everything up to `seq` has reached the device."""

    id: Number
    thread_id: Id
    seq: Number


class History(Frame, tag="history", forbid_unknown_fields=True):
    """A page of a thread's messages: the newest, or those `around`, `after` or `before` a message;
    of several the first of these counts."""

    id: Number
    thread_id: Id
    before: Id | None = None
    """A message's id: those right before it."""
    after: Id | None = None
    """A message's id: those right after it."""
    around: Id | None = None
    """A message's id: it, and those on both sides."""
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = PAGE
    """How many there are at most."""


class Typing(Frame, tag="typing", forbid_unknown_fields=True):
    """Again every few seconds for as long as it is true; it ends by itself."""

    thread_id: Id
    on: bool = True


class Focus(Frame, tag="focus", forbid_unknown_fields=True):
    """The threads that are on screen: all of them, each time. Presence and typing are told of these
    alone, now and as they change."""

    thread_ids: Annotated[list[Id], Meta(max_length=MOST_ON_SCREEN)]


# What the server answers.


class SendAck(Ack, tag="ack"):
    """The answer to `send`."""

    status: SendingStatus
    """`sent`; `held` for a moderator; or `rejected` by one."""
    message: Message | None = None
    """The message, if it was sent."""
    hints: list[Hint] = []  # noqa: RUF012 (msgspec copies it)
    reason: str | None = None
    """If it was rejected: what the moderator tells its sender."""
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


# What the server tells.


class MessageCreated(Frame, tag="message.created"):
    """Somebody has written; one's own come too, on every device."""

    thread_id: ThreadId
    message: Message
    status: Status
    """The thread's, after it."""
    awaiting_user_ids: list[UserId]


class MessageEdited(Frame, tag="message.edited"):
    """A message has another text."""

    thread_id: ThreadId
    message: Message


class MessageDeleted(Frame, tag="message.deleted"):
    """A message was taken back; what is left is its tombstone."""

    thread_id: ThreadId
    message: Message


class ReactionChanged(Frame, tag="reaction.changed"):
    """A message has other reactions."""

    thread_id: ThreadId
    message: Message


class ReceiptMoved(Frame, tag="receipt.moved"):
    """Somebody has read further, or something has reached them."""

    thread_id: ThreadId
    user_id: UserId
    last_read_seq: int
    last_delivered_seq: int


class TypingChanged(Frame, tag="typing.changed"):
    """Somebody is typing in a thread that is on screen, or no longer."""

    thread_id: ThreadId
    user_id: UserId
    on: bool
    until: str | None
    """When it ends by itself."""


class PresenceChanged(Frame, tag="presence.changed"):
    """Whether somebody has the thread on screen."""

    thread_id: ThreadId
    user_id: UserId
    online: bool
    until: str | None
    """When it ends by itself, unless it is told again."""


class ThreadUpdated(Frame, tag="thread.updated"):
    """Something of it is other than it was; it has to be read again."""

    thread_id: ThreadId


class InboxChanged(Frame, tag="inbox.changed"):
    """Your own side of it: pinned, muted, filed, marked, a draft, on another device."""

    thread_id: ThreadId
    gone: bool = False


class RequestChanged(Frame, tag="request.changed"):
    """A request has come in, or was answered."""

    thread_id: ThreadId
    request_id: RequestId
    target_user_id: UserId
    sender_user_id: UserId
    status: GateStatus
