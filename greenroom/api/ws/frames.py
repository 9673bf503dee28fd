"""Every frame that goes over the socket, typed. docs/reference/socket.json (AsyncAPI 3) is made
from this file, and so are the types of the web client.

A client's frame has a `type` and, but for `typing` and `focus`, a number of its own choosing
(`id`), which the answer repeats: an `ack` or a `problem`. Whatever else comes is an event. What one
would get wrong: a field added here is added for every client that is out there.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from greenroom.api.messaging.shapes import Hint, Message, MessagePage, SendingStatus
from greenroom.api.people.rest.people import Person
from greenroom.api.safety.rest.notices import ModerationNotice
from greenroom.api.tokens import MAX_TOKEN_LENGTH
from greenroom.ids import NoticeId, RequestId, ThreadId, UserId
from greenroom.messaging.history import MAX_PAGE, PAGE
from greenroom.messaging.models import GateStatus, Status
from greenroom.store.cursors import MAX_CURSOR

_Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
_Number: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
MOST_ON_SCREEN = 20
MOST_KNOWN = 1000


class Frame(Struct, rename="camel", omit_defaults=True, tag_field="type"):
    """A frame either way."""


# What a client sends.


class Auth(Frame, tag="auth", forbid_unknown_fields=True):
    """The first frame, unless the token came in the subprotocol; and again before it expires."""

    id: _Number
    token: Annotated[str, Meta(extra_json_schema={"maxLength": MAX_TOKEN_LENGTH})]
    act_for: _Id | None = None
    """For a service: the user on whose behalf it acts."""


class Send(Frame, tag="send", forbid_unknown_fields=True):
    """A message for a thread, which is sent once however often this is."""

    id: _Number
    thread_id: _Id
    client_message_id: _Id
    """The client's own name for it; the same name is the same message."""
    body: str
    reply_to_message_id: _Id | None = None
    metadata: dict[str, Any] | None = None
    """Your own JSON object of at most 4 KB."""


class Edit(Frame, tag="edit", forbid_unknown_fields=True):
    """Another text in the place of one's own."""

    id: _Number
    thread_id: _Id
    message_id: _Id
    body: str
    version: int | None = None
    """Only if nobody has changed it since."""


class Delete(Frame, tag="delete", forbid_unknown_fields=True):
    """A message is taken back; a tombstone keeps its place."""

    id: _Number
    thread_id: _Id
    message_id: _Id


class React(Frame, tag="react", forbid_unknown_fields=True):
    """An emoji on a message, or off it again."""

    id: _Number
    thread_id: _Id
    message_id: _Id
    emoji: Annotated[str, Meta(max_length=64)]
    on: bool = True
    """False takes it back."""


class Read(Frame, tag="read", forbid_unknown_fields=True):
    """Everything up to `seq`."""

    id: _Number
    thread_id: _Id
    seq: _Number


class Delivered(Frame, tag="delivered", forbid_unknown_fields=True):
    """Everything up to `seq` has reached the device."""

    id: _Number
    thread_id: _Id
    seq: _Number


class History(Frame, tag="history", forbid_unknown_fields=True):
    """A page of a thread's messages: the newest, or those `around`, `after` or `before` a message;
    of several the first of these counts."""

    id: _Number
    thread_id: _Id
    before: _Id | None = None
    """A message's id: those right before it."""
    after: _Id | None = None
    """A message's id: those right after it."""
    around: _Id | None = None
    """A message's id: it, and those on both sides."""
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = PAGE
    """How many there are at most."""


class Typing(Frame, tag="typing", forbid_unknown_fields=True):
    """Again every few seconds for as long as it is true; it ends by itself."""

    thread_id: _Id
    on: bool = True


class Focus(Frame, tag="focus", forbid_unknown_fields=True):
    """The threads that are on screen: all of them, each time. Presence and typing are told of these
    alone, now and as they change."""

    thread_ids: Annotated[list[_Id], Meta(max_length=MOST_ON_SCREEN)]


class Resume(Frame, tag="resume", forbid_unknown_fields=True):
    """Replays what was missed since the cursor; then everything is live."""

    id: _Number
    cursor: Annotated[str, Meta(max_length=MAX_CURSOR)]
    have: Annotated[dict[_Id, _Number], Meta(max_length=MOST_KNOWN)] = {}
    """For each thread the `seq` up to which the client has every message: only up to the first gap,
    or what is missing there is not told again. What is left out may come twice."""


class Ping(Frame, tag="ping", forbid_unknown_fields=True):
    """Asks for an answer, and for the cursor of now."""

    id: _Number


Request: TypeAlias = (
    Auth
    | Send
    | Edit
    | Delete
    | React
    | Read
    | Delivered
    | History
    | Typing
    | Focus
    | Resume
    | Ping
)


# What the server answers.


class Ack(Frame, tag="ack"):
    """Done, and on the disk."""

    id: int
    cursor: str | None = None
    """Of `auth`, `resume` and `ping`: where to resume from."""
    user_id: UserId | None = None
    """Of `auth`: who you are."""
    expires_at: str | None = None
    """Of `auth`: until when. Send another `auth` before."""
    status: SendingStatus | None = None
    """Of `send`: `sent`; `held` for a moderator; or `rejected` by one. Of `edit`: `held`, if it
    waits for one."""
    message: Message | None = None
    hints: list[Hint] = []
    reason: str | None = None
    """Of `send`, rejected: what the moderator tells its sender."""
    warned: bool = False
    """Of `send`, rejected: whether its sender was warned."""
    page: MessagePage | None = None
    """Of `history`."""
    reset: bool = False
    """Of `resume`: the cursor is too old. Start over from the inbox."""


class Problem(Frame, tag="problem"):
    """Refused. The same words as over REST (RFC 9457); without `id` it is about no request."""

    problem: dict[str, Any]
    id: int | None = None


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


class PersonUpdated(Frame, tag="person.updated"):
    """Somebody in one of your conversations, or you, has other names. Events may overtake one
    another: ignore one whose `version` is lower than that of the person you know."""

    person: Person
    """As they are now."""


class NoticeCreated(Frame, tag="notice.created"):
    """Moderation tells you something: what became of a held message, a warning, a suspension."""

    notice: ModerationNotice


class NoticeAcknowledged(Frame, tag="notice.acknowledged"):
    """You have acknowledged a notice, on this device or another one: show it no longer."""

    notice_id: NoticeId


class Synced(Frame, tag="synced"):
    """A part of what was missed, in the shape of `GET /v1/sync`."""

    id: int
    changes: Any


class Resync(Frame, tag="resync"):
    """Something may not have come: `resume` with the last cursor."""


class Expiring(Frame, tag="token.expiring"):
    """Send `auth` with a new token, or the socket is closed."""

    expires_at: str


class Closing(Frame, tag="closing"):
    """The server is about to close the socket. Come back after the delay."""

    reason: Literal["the server restarts"]
    reconnect_after_ms: int


Event: TypeAlias = (
    MessageCreated
    | MessageEdited
    | MessageDeleted
    | ReactionChanged
    | ReceiptMoved
    | TypingChanged
    | PresenceChanged
    | ThreadUpdated
    | InboxChanged
    | RequestChanged
    | PersonUpdated
    | NoticeCreated
    | NoticeAcknowledged
    | Synced
    | Resync
    | Expiring
    | Closing
)
