"""The conversation table: a thread and all that belongs to it is one partition.

    Messaging
    ├─ THR#{threadId}
    │  ├─ OVERVIEW                          the head: what the thread is, who is in it, last message
    │  ├─ PART#{userId}                     a member's own state: receipts, pin, mute, inbox row
    │  ├─ MSG#{ts}#{messageId}              a message of the log
    │  ├─ SENT#{userId}#{clientMessageId}   the claim that makes a send happen once
    │  ├─ CHG#{version}#{messageId}         a message that changed after it was written
    │  ├─ CARD#{cardId}                     the shadow of a card, which SQL decides about
    │  ├─ TAB#{tab}                         a tab of the project panel
    │  ├─ TABLOG#{tab}#{version}            the edit that made this version of a tab
    │  ├─ TABEDIT#{userId}#{clientId}       the claim that makes an edit happen once
    │  ├─ DRAFT#{userId}                    this user's unsent text
    │  └─ META                              the integrator's own object
    ├─ USER#{userId}
    │  ├─ LOG#{at}#{threadId}               a thread that left the active index, or is gone
    │  ├─ CONTACT#{userId}                  somebody whom the user has written to or accepted
    │  ├─ OPENED#{key}                      the claim that makes opening a thread happen once
    │  ├─ SCHEDULED                         how many scheduled messages, and their last change
    │  ├─ SCHEDULED#{id}                    a message that is sent at a time
    │  ├─ WAITING                           how many messages wait for files, and their last change
    │  └─ WAITING#{threadId}#{clientId}     a message that is sent when its files are ready
    ├─ PAIR#{userId}#{userId}
    │  └─ {threadId}                        a thread for these two, whose ids are in order
    ├─ RQT#{gateId}
    │  └─ RQT                               a request: its thread, its target, its status
    └─ SECRET#{name}
       └─ SECRET                            a random key, shared by all nodes

    Inbox            inboxKey, activity     PART# items
    ProjectThreads   projectKey, createdAt  THR items of project threads

    Ephemeral (store/ephemeral.py)
    ├─ TYPING#{threadId}
    │  └─ {userId}                          10 s
    ├─ PRESENCE#{threadId}
    │  └─ {userId}                          60 s
    └─ PENDING#{senderId}
       └─ {targetUserId}                    until the sender may ask again

The head is only ever written whole, under `version`. A send writes no PART#: the head says whether
the rows are active already. The head sorts right before the PART# items, so that one query reads
the head and all members. README.md has the price of each path.
"""

from greenroom.clock import iso
from greenroom.ids import CardId, MessageId, RequestId, ScheduledId, ThreadId, UserId
from greenroom.store.base import Key
from greenroom.store.expressions import Bound, Prefix, Range
from greenroom.store.tables import Index, Kind, Projection, Table

INBOX_KEY = "inboxKey"
"""`PARTICIPANT#{userId}#{partition}`: a folder, or `active` while the thread is active. A member
who was removed has none; one who left or blocked silently is in `away`, which no inbox reads."""

ACTIVITY = "activity"
"""`{ts}#{threadId}`; on a pinned row in a folder `pinned#{ts}#{threadId}`, which sorts above every
year. In a folder ts is the last message's; in the active index, when the row was put there."""

PROJECT_KEY = "projectKey"
"""`LBG#{lbgId}` or `LEG#{legId}`, on the thread that is bound to one."""

CREATED_AT = "createdAt"
"""When the thread was opened, as `iso()` writes it."""

TTL = "goneAt"
"""Only on LOG# and CHG# items. A gate's end is a state and keeps the item."""

PUBLIC_EVENTS = "events"
"""Only on the head: the public events of the write that made it (`public_events.py`)."""

INBOX = Index(
    "Inbox",
    INBOX_KEY,
    ACTIVITY,
    (
        "userId",
        "role",
        "joinedSeq",
        "readSeq",
        "mutedUntil",
        "pinned",
        "archivedSeq",
        "hiddenSeq",
        "spam",
        "unreadFrom",
        "unreadSent",
        "hasDraft",
    ),
    "One folder of one user, last activity first; requests that wait for a user are a folder.",
)

PROJECT_THREADS = Index(
    "ProjectThreads",
    PROJECT_KEY,
    CREATED_AT,
    Projection.KEYS,
    "The threads of a linked booking group or of a leg, in the order in which they were opened.",
)

_THREAD = "THR#{threadId}"
_USER = "USER#{userId}"
OVERVIEW = "OVERVIEW"
ACTIVE = "active"
"""The active index: rows of active threads."""
AWAY = "away"
"""Rows behind a silent gate: not in the inbox, but the others still see their user as a
participant."""

MESSAGING = Table(
    "Messaging",
    "Threads with their participants, messages, cards, panel and gates.",
    kinds=(
        Kind(
            _THREAD,
            "OVERVIEW",
            "The head: kind, status, participants (what they sent last, whether their row is "
            "active), gates not accepted yet, project, lastSeq, lastMessageAt, last sender, "
            "preview or event, version, and the public events of the write that made it.",
        ),
        Kind(
            _THREAD,
            "PART#{userId}",
            "A participant's side: role, state, read and delivered cursors, mute, pin, archive, "
            "and the row of their inbox.",
        ),
        Kind(
            _THREAD,
            "MSG#{ts}#{messageId}",
            "A message, with its seq. The id is made from ts, so that it leads back to the key.",
        ),
        Kind(
            _THREAD,
            "SENT#{userId}#{clientMessageId}",
            "The claim on a client's message id: the message it became, or its state until then "
            "(it waits for its files or for a moderator), and a digest of its content. With "
            "files also how they looked when it was sent.",
        ),
        Kind(
            _THREAD,
            "CHG#{version}#{messageId}",
            "An edit, deletion or reaction, by the head's version that came with it, so "
            "that sync can give it; kept for 30 days.",
        ),
        Kind(
            _THREAD,
            "CARD#{cardId}",
            "The shadow of an action card, relayed from SQL: its version and state, and the "
            "message that shows it.",
        ),
        Kind(
            _THREAD,
            "TAB#{tab}",
            "A tab of the project panel: the objects of one that people edit, or a snapshot. All "
            "of them together are smaller than 32 KB.",
        ),
        Kind(
            _THREAD,
            "TABLOG#{tab}#{version}",
            "The edit that made this version of a tab: who, when, what was there before and after.",
        ),
        Kind(
            _THREAD,
            "TABEDIT#{userId}#{clientId}",
            "The claim on the client's id of an edit: a digest of it, and the version it made.",
        ),
        Kind(_THREAD, "DRAFT#{userId}", "A participant's unsent text."),
        Kind(_THREAD, "META", "The integrator's own JSON object; the head says if there is one."),
        Kind(
            _USER,
            "LOG#{at}#{threadId}",
            "For sync: a thread that left the active index then, or is gone "
            "from the inbox; kept for 30 days.",
        ),
        Kind(_USER, "CONTACT#{userId}", "Somebody whom the user has written to, or has accepted."),
        Kind(_USER, "OPENED#{key}", "The claim on the key under which the user opened a thread."),
        Kind(
            _USER,
            "SCHEDULED",
            "How many scheduled messages the user has, and when they last changed.",
        ),
        Kind(
            _USER,
            "SCHEDULED#{scheduledMessageId}",
            "A message to be sent at a time: thread, text, sendAt, and why it could not be sent.",
        ),
        Kind(
            _USER,
            "WAITING",
            "How many messages of the user wait for their files, and when they last changed.",
        ),
        Kind(
            _USER,
            "WAITING#{threadId}#{clientMessageId}",
            "A message that is sent when its files are ready: text, attachments, and why it could "
            "not be sent.",
        ),
        Kind(
            "RQT#{gateId}",
            "RQT",
            "A request: thread, target user, status, expiresAt, reason, and who decided when.",
        ),
        Kind(
            "PAIR#{userId}#{userId}",
            "{threadId}",
            "A thread that was opened for these two: what a block takes effect in.",
        ),
        Kind(
            "SECRET#{name}",
            "SECRET",
            "A random key, created by the first node that needs it: `pairs` keys the ids of "
            "direct threads.",
        ),
    ),
    indexes=(INBOX, PROJECT_THREADS),
    ttl=TTL,
    stream=True,
    unfollowed=("SENT#", "DRAFT#", "WAITING", "TABLOG#", "TABEDIT#"),
    old_images=False,
)

TABLES: tuple[Table, ...] = (MESSAGING,)

EPHEMERAL_KINDS = (
    Kind("TYPING#{threadId}", "{userId}", "The user is typing; expires after 10 s."),
    Kind("PRESENCE#{threadId}", "{userId}", "When the user was last seen; expires after 60 s."),
    Kind(
        "PENDING#{senderId}",
        "{targetUserId}",
        "The sender's pending request to a user; prevents a second one.",
    ),
)

DAY_MS = 86_400_000
KEPT_MS = 30 * DAY_MS
"""How long LOG# and CHG# are kept, and so how old a sync cursor may be."""


def head_key(thread: ThreadId) -> Key:
    return Key(f"THR#{thread}", OVERVIEW)


def member_key(thread: ThreadId, user: UserId) -> Key:
    return Key(f"THR#{thread}", f"PART#{user}")


def message_key(thread: ThreadId, message: MessageId, ms: int) -> Key:
    return Key(f"THR#{thread}", f"MSG#{iso(ms)}#{message}")


def claim_key(thread: ThreadId, user: UserId, client_id: str) -> Key:
    return Key(f"THR#{thread}", f"SENT#{user}#{client_id}")


def change_key(thread: ThreadId, version: int, message: MessageId) -> Key:
    """By the head's version with that change: later changes sort behind."""
    return Key(f"THR#{thread}", f"CHG#{version:010d}#{message}")


def card_key(thread: ThreadId, card: CardId) -> Key:
    return Key(f"THR#{thread}", f"CARD#{card}")


def draft_key(thread: ThreadId, user: UserId) -> Key:
    return Key(f"THR#{thread}", f"DRAFT#{user}")


def metadata_key(thread: ThreadId) -> Key:
    return Key(f"THR#{thread}", "META")


def tab_key(thread: ThreadId, tab: str) -> Key:
    return Key(f"THR#{thread}", f"TAB#{tab}")


def panel_log_key(thread: ThreadId, tab: str, version: int) -> Key:
    return Key(f"THR#{thread}", f"TABLOG#{tab}#{version:010d}")


def panel_claim_key(thread: ThreadId, user: UserId, client_id: str) -> Key:
    return Key(f"THR#{thread}", f"TABEDIT#{user}#{client_id}")


def log_key(user: UserId, ms: int, thread: ThreadId) -> Key:
    return Key(f"USER#{user}", f"LOG#{iso(ms)}#{thread}")


def contact_key(user: UserId, other: UserId) -> Key:
    return Key(f"USER#{user}", f"CONTACT#{other}")


def opened_key(user: UserId, key: str) -> Key:
    return Key(f"USER#{user}", f"OPENED#{key}")


def scheduled_state_key(user: UserId) -> Key:
    return Key(f"USER#{user}", "SCHEDULED")


def scheduled_key(user: UserId, scheduled: ScheduledId) -> Key:
    return Key(f"USER#{user}", f"SCHEDULED#{scheduled}")


def waiting_state_key(user: UserId) -> Key:
    return Key(f"USER#{user}", "WAITING")


def waiting_key(user: UserId, thread: ThreadId, client_id: str) -> Key:
    return Key(f"USER#{user}", f"WAITING#{thread}#{client_id}")


def request_key(gate: RequestId) -> Key:
    return Key(f"RQT#{gate}", "RQT")


def pair_partition(one: UserId, other: UserId) -> str:
    first, second = sorted((one, other))
    return f"PAIR#{first}#{second}"


def pair_key(one: UserId, other: UserId, thread: ThreadId) -> Key:
    return Key(pair_partition(one, other), thread)


def secret_key(name: str) -> Key:
    return Key(f"SECRET#{name}", "SECRET")


def inbox_key(user: UserId, partition: str) -> str:
    return f"PARTICIPANT#{user}#{partition}"


PINNED = "pinned#"


def activity(ms: int, thread: ThreadId, *, pinned: bool = False) -> str:
    return f"{PINNED if pinned else ''}{iso(ms)}#{thread}"


END = "~"
"""Sorts behind everything that a key has after its last `#`."""


def thread_partition(thread: ThreadId) -> str:
    return f"THR#{thread}"


def thread_in(partition: object) -> ThreadId:
    """The thread whose partition it is."""
    return ThreadId(str(partition).removeprefix("THR#"))


def user_partition(user: UserId) -> str:
    return f"USER#{user}"


def leg_key(leg_id: str) -> str:
    return f"LEG#{leg_id}"


def group_key(lbg_id: str) -> str:
    return f"LBG#{lbg_id}"


def pending_partition(sender: UserId) -> str:
    """In Ephemeral: the pending requests of a sender."""
    return f"PENDING#{sender}"


def typing_partition(thread: ThreadId) -> str:
    """In Ephemeral: who is typing in a thread."""
    return f"TYPING#{thread}"


def presence_partition(thread: ThreadId) -> str:
    """In Ephemeral: who has a thread on screen."""
    return f"PRESENCE#{thread}"


def lease_key(partition: str, user: UserId) -> Key:
    return Key(partition, user)


def pending_key(sender: UserId, target: UserId) -> Key:
    return Key(pending_partition(sender), target)


def from_ms(kind: str, ms: int | None = None) -> str:
    """Sorts before the `MSG` or `LOG` items from then on; without a time, before all of them."""
    return f"{kind}#" if ms is None else f"{kind}#{iso(ms)}"


def just_after(kind: str, ms: int) -> str:
    """Sorts right behind the item of that time: there is one of a kind at most."""
    return f"{from_ms(kind, ms)}#{END}"


def up_to_end(kind: str) -> str:
    return f"{kind}#{END}"


def since(kind: str, ms: int) -> Range:
    return Range(from_ms(kind, ms), up_to_end(kind))


def changed_after(version: int) -> Range:
    """The changes of messages that came with later versions of the head."""
    return Range(f"CHG#{version + 1:010d}", up_to_end("CHG"))


def active_since(ms: int) -> Bound:
    """The rows of a partition that were put there at that time or later."""
    return Bound(">=", iso(max(0, ms)))


MEMBERS = Prefix("PART#")
TABS = Prefix("TAB#")
"""All tabs of a project panel."""
SCHEDULED = Prefix("SCHEDULED#")
WAITING = Prefix("WAITING#")
HEAD_AND_MEMBERS = Range(OVERVIEW, up_to_end("PART"))


def panel_log(tab: str) -> Prefix:
    """The log of one tab."""
    return Prefix(f"TABLOG#{tab}#")


def waiting_in(thread: ThreadId) -> Prefix:
    """The user's waiting messages of one thread."""
    return Prefix(f"WAITING#{thread}#")
