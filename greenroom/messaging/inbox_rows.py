"""The writes that move inbox rows between the active index and folders.

A row is *active* from the first change of its thread until its user has read everything and two
minutes have passed; then it moves to its folder. The head knows for each member whether their row
is active, and is written under its version. So a row with anything unread is always in the active
index (or, before a gate, in `requests`), and a running conversation moves no rows. Careful: rows
are activated *before* the head is written: a crash in between leaves a row too many there, never
one too few.
"""

from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules
from greenroom.messaging.models import Folder, Gate, MemberSummary, Thread
from greenroom.messaging.records import (
    ACTIVE,
    ACTIVITY,
    AWAY,
    INBOX_KEY,
    MESSAGING,
    TTL,
    activity,
    inbox_key,
    log_key,
    member_key,
)
from greenroom.store.base import Op, Put, Update
from greenroom.store.expressions import Action, F
from greenroom.store.values import Value

LAG_MS = 600_000
"""How far a row's time in the active index may lag behind its thread."""


def with_active_rows(thread: Thread, now_ms: int) -> tuple[Thread, tuple[Update, ...]]:
    """The head with every row active, and the writes for that. A row with a time in the future was
    written by a wrong clock, and is activated again."""
    stale = [
        user
        for user, member in thread.members.items()
        if _is_row_stale(member, now_ms) and rules.has_access(thread, user, now_ms)
    ]
    if not stale:
        return thread, ()
    members = {
        user: replace(member, row_active_ms=now_ms) if user in stale else member
        for user, member in thread.members.items()
    }
    moves = tuple(activate(thread.id, user, thread.gates.get(user), now_ms) for user in stale)
    return replace(thread, members=members), moves


def _is_row_stale(member: MemberSummary, now_ms: int) -> bool:
    return not -rules.AHEAD_MS <= now_ms - member.row_active_ms <= LAG_MS


def active_partition(gate: Gate | None) -> str:
    """The partition of an active row."""
    return ACTIVE if gate is None else Folder.REQUESTS.value


def activate(
    thread: ThreadId, user: UserId, gate: Gate | None, now_ms: int, *also: Action
) -> Update:
    """Fails for a member who has just left."""
    return Update(
        MESSAGING,
        member_key(thread, user),
        (*activate_actions(thread, user, gate, now_ms), *also),
        F("state").equals("active"),
    )


def activate_actions(
    thread: ThreadId, user: UserId, gate: Gate | None, now_ms: int
) -> tuple[Action, ...]:
    """The attributes of an active row."""
    return (
        F(INBOX_KEY).set(inbox_key(user, active_partition(gate))),
        F(ACTIVITY).set(activity(now_ms, thread)),
    )


def remove_actions(
    thread: ThreadId, user: UserId, gate: Gate | None, now_ms: int
) -> tuple[Action, ...]:
    """Takes a row out of the inbox. Behind a silent gate it goes to the partition `away`."""
    if gate is None or gate.away is None:
        return F(INBOX_KEY).remove(), F(ACTIVITY).remove()
    return (
        F(INBOX_KEY).set(inbox_key(user, AWAY)),
        F(ACTIVITY).set(activity(now_ms, thread)),
    )


def file_as_away(thread: ThreadId, user: UserId, gate: Gate, now_ms: int) -> Update:
    """Puts a row that is in no inbox into the partition `away`."""
    actions = remove_actions(thread, user, gate, now_ms)
    unlisted = F("state").exists() & F(INBOX_KEY).absent()
    return Update(MESSAGING, member_key(thread, user), actions, unlisted)


def remove_row(
    thread: ThreadId,
    user: UserId,
    now_ms: int,
    kept_ms: int,
    *also: Action,
    gate: Gate | None = None,
) -> tuple[Op, ...]:
    """Takes the row out of the inbox, with a log entry for the user's other devices."""
    row = (*also, *remove_actions(thread, user, gate, now_ms))
    return (
        Update(MESSAGING, member_key(thread, user), row),
        Put(MESSAGING, log_item(thread, user, now_ms, kept_ms) | {"gone": True}),
    )


def log_item(thread: ThreadId, user: UserId, now_ms: int, kept_ms: int) -> dict[str, Value]:
    """For sync of the user's other devices: the row has left the active index, or is gone."""
    item = items.at(log_key(user, now_ms, thread))
    item |= {"threadId": thread, "at": now_ms, TTL: (now_ms + kept_ms) // 1000}
    return item
