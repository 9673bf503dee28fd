"""The values of messaging: threads, members, messages, gates.

Careful: `Thread` is the head of a conversation, written whole or not at all, and its `version`
grows with every write; a `Member` is one user's own state in it, and theirs to change; `seq` is the
only order, and `ms` is for display and for keys.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from greenroom.files.models import Attachment
from greenroom.ids import CardId, FileId, MessageId, RequestId, ScheduledId, ThreadId, UserId
from greenroom.people.models import Picture


class Kind(StrEnum):
    INQUIRY = "inquiry"
    INVITE = "invite"
    BOOKING = "booking"
    STUDIO = "studio"
    GROUP = "group"
    """People who talk, without a purchase."""
    DISPUTE = "dispute"
    SUPPORT = "support"
    SYSTEM = "system"
    DIRECT = "direct"


class Status(StrEnum):
    OPEN = "open"
    AWAITING_REPLY = "awaiting_reply"
    PENDING_DECISION = "pending_decision"
    CONFIRMED = "confirmed"
    COMPLETED = "completed"
    DISPUTED = "disputed"
    ARCHIVED = "archived"
    LOCKED = "locked"


class Role(StrEnum):
    BUYER = "buyer"
    SELLER = "seller"
    HOST = "host"
    SUPPORT = "support"
    ADMIN = "admin"
    MEMBER = "member"
    """The default: takes part, and neither buys nor sells."""


class ServiceRole(StrEnum):
    MODEL = "model"
    PHOTOGRAPHER = "photographer"
    VIDEOGRAPHER = "videographer"
    CREATOR = "creator"


class State(StrEnum):
    ACTIVE = "active"
    LEFT = "left"
    BLOCKED = "blocked"
    """Has blocked the other person, and so sees no more of the thread."""


class MessageKind(StrEnum):
    TEXT = "text"
    ASSET = "asset"
    """Has attachments. Its text is their caption, and may be empty."""
    CARD = "card"
    SYSTEM = "system"


class GateStatus(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    BLOCKED = "blocked"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    """By its sender."""


class Folder(StrEnum):
    ALL = "all"
    ACTION = "action"
    BOOKINGS = "bookings"
    OFFERS = "offers"
    OTHER = "other"
    """Everything else; shows only under `all`."""
    REQUESTS = "requests"
    ARCHIVED = "archived"
    SPAM = "spam"
    HIDDEN = "hidden"
    """Hidden by its user until the next message; shows only here."""


class MissedRange(Struct, frozen=True, kw_only=True):
    """A range of messages that a member of a pair never gets, because they were away."""

    after: int
    until: int
    after_ms: int
    until_ms: int
    sender: UserId | None = None
    preview: str = ""
    preview_event: str = ""
    """Sender and preview of message `after`, kept for the last range only."""


class MemberSummary(Struct, frozen=True, kw_only=True):
    """What the thread's head knows of an active participant."""

    role: Role
    service_role: ServiceRole | None = None
    sent: int = 0
    """The seq of their last message: sending marks as read."""
    row_active_ms: int = 0
    """When their inbox row was last activated; 0 while it is in a folder."""
    joined: int = 0
    """Messages up to here were before they joined."""
    missed: tuple[MissedRange, ...] = ()
    """In order of seq; they neither overlap nor touch."""
    draft: bool = False
    """They have a draft, which their next message clears."""


class Away(Struct, frozen=True, kw_only=True):
    """The thread as it was when the gate's target left, and the receipts of theirs that the others
    still see."""

    seq: int = 0
    ms: int = 0
    sender: UserId | None = None
    preview: str = ""
    preview_event: str = ""
    read_seq: int = 0
    read_ms: int = 0
    delivered_seq: int = 0
    changed_ms: int = 0


REQUEST_MESSAGES = 3
"""The size of a request, unless the policy says otherwise."""


class Gate(Struct, frozen=True, kw_only=True):
    """First contact, until its target accepts. Careful: gates expire; use `rules.gate_status`."""

    id: RequestId
    sender: UserId
    status: GateStatus
    expires_ms: int
    reason: str | None = None
    after_seq: int = 0
    """The thread's last message when the request was made."""
    size: int = REQUEST_MESSAGES
    """How many messages it may hold, and shows."""
    characters: int = 0
    """How long each of them may be; 0 for as long as any message."""
    after_ms: int = 0
    """When that message was sent; only on a silent gate."""
    away: Away | None = None
    """Makes the gate silent: its target has left the thread for two, or has blocked the sender, and
    the sender must not notice. The sender sees a participant who does not answer."""
    shown_ms: int = 0
    """Of the last message that it shows, once there are more: when it was sent …"""
    shown_by: UserId | None = None
    """… by whom …"""
    preview: str = ""
    """… how it begins …"""
    preview_event: str = ""
    """… or what happened, if it is a system message."""


class Thread(Struct, frozen=True, kw_only=True):
    id: ThreadId
    kind: Kind
    status: Status
    opened_by: UserId
    created_ms: int
    members: dict[UserId, MemberSummary]
    gates: dict[UserId, Gate]
    awaiting: tuple[UserId, ...] = ()
    """Whom the thread waits for a reply of."""
    open_cards: dict[CardId, tuple[UserId, ...]] = {}
    """Whose answer each open card waits for; nobody where it waits for a payment or for staff."""
    pair: tuple[UserId, UserId] | None = None
    """The two people of a thread for two, even if one of them has left."""
    locked_from: Status | None = None
    """The status before it was locked, and after it is unlocked."""
    subject: str | None = None
    booking_id: str | None = None
    leg_id: str | None = None
    lbg_id: str | None = None
    city: str | None = None
    safe_mode: bool = False
    """Previews of sensitive pictures are blurred, whatever its members prefer."""
    picture: Picture | None = None
    project_snapshot: str | None = None
    """The summary of its booking, as JSON text (`bookings/project_snapshot.py`)."""
    panel: dict[str, int] = {}
    """The version of each tab of its project panel, so that sync tells which have changed."""
    metadata_digest: str = ""
    """Of its metadata, which is an item of its own, so that a send does not write it. Empty where
    there is none."""
    last_seq: int = 0
    last_ms: int = 0
    shown_ms: int = 0
    """When the last message was sent, where `last_ms` is in the future (a wrong clock)."""
    last_sender: UserId | None = None
    preview: str = ""
    preview_event: str = ""
    """The event of the last message, if it is a system message; it has no preview then."""
    changed_ms: int = 0
    """When it or one of its messages was last changed."""
    version: int = 1

    @property
    def active_ms(self) -> int:
        """Sorts threads."""
        return self.shown_ms or self.last_ms or self.created_ms


class Member(Struct, frozen=True, kw_only=True):
    thread: ThreadId
    user: UserId
    role: Role
    service_role: ServiceRole | None = None
    state: State = State.ACTIVE
    joined_seq: int = 0
    """Messages up to here were before they joined, and are hidden from them."""
    joined_ms: int = 0
    accepted_ms: int = 0
    """When they accepted the request: from then on they see more of it."""
    read_seq: int = 0
    read_ms: int = 0
    delivered_seq: int = 0
    muted_until_ms: int = 0
    pinned: bool = False
    archived_seq: int | None = None
    hidden_seq: int | None = None
    spam: bool = False
    unread_from: int | None = None
    """The seq from which the user has marked it unread …"""
    unread_sent: int = 0
    """… which holds until they send again."""
    has_draft: bool = False
    changed_ms: int = 0


def score(value: Decimal) -> str:
    """The shortest form of a spam score, as the store returns it."""
    return f"{value.normalize():f}"


class Edit(Struct, frozen=True):
    """An earlier text of a message, and until when it was shown."""

    body: str
    until_ms: int


BuiltInEvent: TypeAlias = Literal[
    "booking.changed",
    "card.accepted",
    "card.accepted_in_silence",
    "card.answered",
    "card.applied",
    "card.changes_asked",
    "card.closed",
    "card.countered",
    "card.decided",
    "card.declined",
    "card.delivered",
    "card.escalated",
    "card.expired",
    "card.failed",
    "card.reminded",
    "card.withdrawn",
    "deposit.captured",
    "deposit.failed",
    "deposit.held",
    "document.issued",
    "document.signed",
    "document.voided",
    "leg.closed",
    "leg.completed",
    "participant.added",
    "participant.left",
    "participant.removed",
    "role.changed",
    "status.changed",
    "subject.changed",
    "thread.locked",
    "thread.unlocked",
]
"""The events of the server's own system messages. Clients show a sentence of their own for each,
so services cannot use these names."""
BUILT_IN_EVENTS: frozenset[str] = frozenset(get_args(BuiltInEvent))


class Message(Struct, frozen=True, kw_only=True, dict=True):
    """An entry of the thread's log. A renderer may cache its output in `__dict__`: a changed
    message is a new object, without it."""

    thread: ThreadId
    id: MessageId
    seq: int
    ms: int
    """Always later than that of the message before it."""
    kind: MessageKind
    author: UserId
    shown_ms: int = 0
    """When it was sent, where `ms` is in the future, because the clock was wrong."""
    body: str = ""
    mentions: tuple[UserId, ...] = ()
    reply_to: MessageId | None = None
    event: str | None = None
    """Of a system message: what happened, such as `participant.added`."""
    about: tuple[str, ...] = ()
    """Of a system message: the user concerned, or the old and the new value."""
    reactions: dict[str, tuple[UserId, ...]] = {}
    edits: tuple[Edit, ...] = ()
    edited_ms: int | None = None
    deleted_ms: int | None = None
    deleted_by: UserId | None = None
    attachments: tuple[Attachment, ...] = ()
    """As the files were when the message was sent; `band` follows when a moderator sets it."""
    band: int = 0
    """The largest of its attachments."""
    moderation: str = "clean"
    policy_tags: tuple[str, ...] = ()
    policy_hints: tuple[str, ...] = ()
    spam_score: str = "0"
    metadata: str | None = None
    """The integrator's own object, as JSON text."""
    card: str | None = None
    """Of a card: its present state, as JSON text (`bookings/card_view.py`)."""
    version: int = 1

    @property
    def sent_ms(self) -> int:
        return self.shown_ms or self.ms


class NewAttachment(Struct, frozen=True):
    """A file that a message is sent with."""

    file: FileId
    alt: str = ""
    """A description for those who cannot see it."""


MAX_WAITING = 50
"""How many messages of a user may wait for their files, or have failed."""


class WaitingStatus(StrEnum):
    WAITING = "waiting"
    FAILED = "failed"
    """A file could not be used, or the message could no longer be sent."""
    SENT = "sent"
    HELD = "held"
    """Its files are ready, and it waits for a moderator."""
    CANCELED = "canceled"


class WaitingMessage(Struct, frozen=True, kw_only=True):
    """A message that is sent when its files are ready. Until then only its author sees it."""

    thread: ThreadId
    author: UserId
    client_id: str
    body: str
    attachments: tuple[NewAttachment, ...]
    reply_to: MessageId | None = None
    metadata: str | None = None
    """The integrator's own object, as JSON text."""
    created_ms: int
    status: WaitingStatus = WaitingStatus.WAITING
    problem: str = ""
    """Why it was not sent: the code of the refusal …"""
    detail: str = ""
    """… and what it says."""
    version: int = 1


MAX_SCHEDULED = 50
"""How many scheduled messages a user may have, unless the policy says otherwise."""
MAX_SCHEDULED_DAYS = 366
"""How many days ahead a message may be scheduled, unless the policy says otherwise."""


class ScheduledStatus(StrEnum):
    PENDING = "pending"
    FAILED = "failed"
    """It could not be sent at its time; its author may change or cancel it."""
    SENT = "sent"
    HELD = "held"
    """It was to be sent, and waits for a moderator."""
    CANCELED = "canceled"


class ScheduledMessage(Struct, frozen=True, kw_only=True):
    """A message that is sent at a time. Until then only its author sees it."""

    id: ScheduledId
    thread: ThreadId
    author: UserId
    body: str
    reply_to: MessageId | None = None
    metadata: str | None = None
    """The integrator's own object, as JSON text."""
    send_ms: int
    created_ms: int
    status: ScheduledStatus = ScheduledStatus.PENDING
    problem: str = ""
    """Why it could not be sent: the code of the refusal …"""
    detail: str = ""
    """… and what it says."""
    version: int = 1
