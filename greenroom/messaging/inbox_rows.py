"""Where inbox rows stand, and the writes that move them.

A row is *fresh* from the first thing that stirs in its thread until its owner has read everything
and a while has passed; then it settles in its folder. The head knows of each participant whether
their row is fresh, and is written under its version; so a row with anything unread is always on
the fresh shelf (or, before a gate, on that of the requests), and no running conversation moves one.
Rows are put on the shelf *before* the head is written: what a crash leaves behind is a row too
many there, never one too few.
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
    KEPT_MS,
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
"""How far a row's place on the fresh shelf may lag behind its thread."""


def with_active_rows(thread: Thread, now_ms: int) -> tuple[Thread, tuple[Update, ...]]:
    """The head with every row fresh, and the writes that make it so. A row whose time lies in the
    future was put up by a clock that was wrong, and is put up again."""
    stale = [
        user
        for user, seat in thread.members.items()
        if _is_row_stale(seat, now_ms) and rules.is_let_in(thread, user, now_ms)
    ]
    if not stale:
        return thread, ()
    members = {
        user: replace(seat, row_active_ms=now_ms) if user in stale else seat
        for user, seat in thread.members.items()
    }
    moves = tuple(activate(thread.id, user, thread.gates.get(user), now_ms) for user in stale)
    return replace(thread, members=members), moves


def _is_row_stale(seat: MemberSummary, now_ms: int) -> bool:
    return not -rules.AHEAD_MS <= now_ms - seat.row_active_ms <= LAG_MS


def active_index_of(gate: Gate | None) -> str:
    """Where a row that stirs stands."""
    return ACTIVE if gate is None else Folder.REQUESTS.value


def activate(
    thread: ThreadId, user: UserId, gate: Gate | None, now_ms: int, *also: Action
) -> Update:
    """Only for whoever is still in the thread: somebody may be leaving it just now."""
    return Update(
        MESSAGING,
        member_key(thread, user),
        (*activate_actions(thread, user, gate, now_ms), *also),
        F("state").equals("active"),
    )


def activate_actions(
    thread: ThreadId, user: UserId, gate: Gate | None, now_ms: int
) -> tuple[Action, ...]:
    """What puts a row on the shelf where things stir."""
    return (
        F(INBOX_KEY).set(inbox_key(user, active_index_of(gate))),
        F(ACTIVITY).set(activity(now_ms, thread)),
    )


def remove_actions(
    thread: ThreadId, user: UserId, gate: Gate | None, now_ms: int
) -> tuple[Action, ...]:
    """What takes a row out of the inbox. Behind a quiet gate it is kept on the shelf `away`."""
    if gate is None or gate.away is None:
        return F(INBOX_KEY).remove(), F(ACTIVITY).remove()
    return (
        F(INBOX_KEY).set(inbox_key(user, AWAY)),
        F(ACTIVITY).set(activity(now_ms, thread)),
    )


def file_as_away(thread: ThreadId, user: UserId, gate: Gate, now_ms: int) -> Update:
    """Puts a row that is in no inbox on the shelf `away`."""
    actions = remove_actions(thread, user, gate, now_ms)
    unlisted = F("state").exists() & F(INBOX_KEY).absent()
    return Update(MESSAGING, member_key(thread, user), actions, unlisted)


def remove_row(
    thread: ThreadId, user: UserId, now_ms: int, *also: Action, gate: Gate | None = None
) -> tuple[Op, ...]:
    """The row leaves the inbox, and the user's other devices are told."""
    row = (*also, *remove_actions(thread, user, gate, now_ms))
    return (
        Update(MESSAGING, member_key(thread, user), row),
        Put(MESSAGING, log_item(thread, user, now_ms) | {"gone": True}),
    )


def log_item(thread: ThreadId, user: UserId, now_ms: int) -> dict[str, Value]:
    """For the user's other devices: the row has left the shelf, or is gone."""
    item = items.at(log_key(user, now_ms, thread))
    item |= {"threadId": thread, "at": now_ms, TTL: (now_ms + KEPT_MS) // 1000}
    return item
