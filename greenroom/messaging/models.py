"""The words of messaging, as values. Pure; DESIGN's list of words in types.

What one would get wrong: `Thread` is the head of a conversation, written whole or not at all, and
its `version` moves with every write; a `Member` is one user's side of it, and theirs to change;
`seq` is the only order there is, and `ms` is for display and for keys.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from greenroom.ids import MessageId, RequestId, ThreadId, UserId


class Kind(StrEnum):
    INQUIRY = "inquiry"
    INVITE = "invite"
    BOOKING = "booking"
    STUDIO = "studio"
    GROUP = "group"
    """People who talk, with nothing bought or sold."""
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
    """Has blocked the other one, and so sees no more of the thread."""


class MessageKind(StrEnum):
    TEXT = "text"
    ASSET = "asset"
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
    """Whatever is none of the rest; it shows under `all` alone."""
    REQUESTS = "requests"
    ARCHIVED = "archived"
    SPAM = "spam"
    HIDDEN = "hidden"
    """Put away by its user until the next message; shows under this name alone."""


class MissedRange(Struct, frozen=True, kw_only=True):
    """A run of messages that a participant of a pair never gets: they were away meanwhile."""

    after: int
    until: int
    after_ms: int
    until_ms: int
    sender: UserId | None = None
    preview: str = ""
    preview_event: str = ""
    """Sender and preview of message `after`, kept for the last run only."""


class MemberSummary(Struct, frozen=True, kw_only=True):
    """An active participant, as the thread's head knows them."""

    role: Role
    service_role: ServiceRole | None = None
    sent: int = 0
    """The seq of their last message: sending reads."""
    row_active_ms: int = 0
    """When their inbox row was last put on the fresh shelf; 0 while it is settled in a folder."""
    joined: int = 0
    """Messages up to here were before their time."""
    missed: tuple[MissedRange, ...] = ()
    """In order of seq; no two of them touch."""
    draft: bool = False
    """They have a draft, which their next message clears."""


class Away(Struct, frozen=True, kw_only=True):
    """Where the thread stood when its target went away, and the receipts that the others still see
    of them."""

    seq: int = 0
    ms: int = 0
    sender: UserId | None = None
    preview: str = ""
    preview_event: str = ""
    read_seq: int = 0
    read_ms: int = 0
    delivered_seq: int = 0
    changed_ms: int = 0


class Gate(Struct, frozen=True, kw_only=True):
    """First contact, until its target accepts. Use `rules.gate_status`: time ends one, too."""

    id: RequestId
    sender: UserId
    status: GateStatus
    expires_ms: int
    reason: str | None = None
    after_seq: int = 0
    """The thread's last message when it was asked."""
    after_ms: int = 0
    """When that message was sent; only on a quiet gate."""
    away: Away | None = None
    """Makes the gate quiet: its target has left the thread for two, or has blocked the sender, and
    the sender must not notice. The sender sees a participant who does not answer."""
    shown_ms: int = 0
    """Of the last message that it shows, once there are more: when it was said …"""
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
    """Whom the thread waits for."""
    pair: tuple[UserId, UserId] | None = None
    """The two of a thread that was made for two, whoever of them has left since."""
    locked_from: Status | None = None
    """What the status was when it was locked, and will be again."""
    subject: str | None = None
    booking_id: str | None = None
    leg_id: str | None = None
    lbg_id: str | None = None
    city: str | None = None
    safe_mode: bool = False
    metadata_digest: str = ""
    """Of its metadata, which is an item of its own, so that a send does not write it again. Empty
    where there is none."""
    last_seq: int = 0
    last_ms: int = 0
    shown_ms: int = 0
    """When the last message was sent, where `last_ms` lies in the future: the clock was wrong."""
    last_sender: UserId | None = None
    preview: str = ""
    preview_event: str = ""
    """The event of the last message, if it is a system message; it has no preview then."""
    changed_ms: int = 0
    """When anything of it, or of a message, was last changed."""
    version: int = 1

    @property
    def active_ms(self) -> int:
        """What the thread is sorted by."""
        return self.shown_ms or self.last_ms or self.created_ms


class Member(Struct, frozen=True, kw_only=True):
    thread: ThreadId
    user: UserId
    role: Role
    service_role: ServiceRole | None = None
    state: State = State.ACTIVE
    joined_seq: int = 0
    """Messages up to here were before their time and are not theirs to see."""
    joined_ms: int = 0
    accepted_ms: int = 0
    """When they accepted the request, and saw more of it than before."""
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
    """A spam score in its shortest form, as it comes back from the store."""
    return f"{value.normalize():f}"


class Edit(Struct, frozen=True):
    """What a message said before, and until when."""

    body: str
    until_ms: int


BuiltInEvent: TypeAlias = Literal[
    "booking.changed",
    "participant.added",
    "participant.left",
    "participant.removed",
    "role.changed",
    "status.changed",
    "subject.changed",
    "thread.locked",
    "thread.unlocked",
]
"""What the server's own system messages are about. A client shows its own sentence for each, so
that no service may use these names."""
BUILT_IN_EVENTS: frozenset[str] = frozenset(get_args(BuiltInEvent))


class Message(Struct, frozen=True, kw_only=True, dict=True):
    """One message of a thread's log. Whoever renders it may keep with it what came of it, in its
    `__dict__`: a changed message is another one, and has none of that."""

    thread: ThreadId
    id: MessageId
    seq: int
    ms: int
    """Later than that of the message before it, whatever the clock says."""
    kind: MessageKind
    author: UserId
    shown_ms: int = 0
    """When it was sent, where `ms` lies in the future: the clock was wrong before."""
    body: str = ""
    mentions: tuple[UserId, ...] = ()
    reply_to: MessageId | None = None
    event: str | None = None
    """Of a system message: what happened, such as `participant.added`."""
    about: tuple[str, ...] = ()
    """Of a system message: to whom, or from what to what."""
    reactions: dict[str, tuple[UserId, ...]] = {}
    edits: tuple[Edit, ...] = ()
    edited_ms: int | None = None
    deleted_ms: int | None = None
    deleted_by: UserId | None = None
    band: int = 0
    moderation: str = "clean"
    policy_tags: tuple[str, ...] = ()
    policy_hints: tuple[str, ...] = ()
    spam_score: str = "0"
    metadata: str | None = None
    """The integrator's own object, as JSON text."""
    version: int = 1

    @property
    def sent_ms(self) -> int:
        return self.shown_ms or self.ms
