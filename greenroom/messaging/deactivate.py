"""Moves an inactive inbox row from the active index to its folder.

Head, row and a log entry for the user's other devices change in one transaction, under the head's
version: a send at the same moment finds the head changed and activates the row again.
"""

from contextlib import suppress

from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.inbox_rows import log_item, remove_actions
from greenroom.messaging.models import Member, Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import (
    ACTIVE,
    ACTIVITY,
    AWAY,
    INBOX_KEY,
    MESSAGING,
    PINNED,
    activity,
    head_key,
    inbox_key,
    member_key,
)
from greenroom.messaging.update_thread import head_op, update_thread
from greenroom.store.base import Put, Update
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, Conflict
from greenroom.store.values import Item

INACTIVE_MS = 120_000
"""How long a thread must have been unchanged."""


def is_inactive(thread: Thread, mine: Member, now_ms: int) -> bool:
    latest_ms = max(thread.active_ms, thread.changed_ms, mine.changed_ms)
    silent = abs(now_ms - latest_ms) > INACTIVE_MS  # a time far ahead comes from a wrong clock
    there = mine.user in thread.members and rules.has_accepted(thread, mine.user)
    return silent and there and rules.unread_of(thread, mine) == 0


async def deactivate(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    head, row_key = head_key(thread_id), member_key(thread_id, user)
    found = await messaging.store.batch_get(MESSAGING, [head, row_key], consistent=True)
    if head not in found or row_key not in found:
        return
    thread, row = items.thread_of(found[head]), found[row_key]
    mine, now_ms = items.member_of(row), messaging.clock.now_ms()
    shown = rules.as_shown(thread, user)
    folder = rules.folder_of(shown, mine, now_ms)
    if row.get(INBOX_KEY) != inbox_key(user, ACTIVE) or folder is None:
        return
    if not is_inactive(shown, mine, now_ms):
        return
    members = {**thread.members, user: replace(thread.members[user], row_active_ms=0)}
    active_ms = corrected_ms(messaging, shown.active_ms)
    position = activity(active_ms, thread_id, pinned=mine.pinned)
    if messaging.batcher.is_busy(thread_id):
        return  # it is active
    with suppress(ConditionFailed, Conflict):  # it is active again
        await messaging.store.write(
            head_op(replace(thread, members=members, version=thread.version + 1)),
            Update(
                MESSAGING,
                row_key,
                (F(INBOX_KEY).set(inbox_key(user, folder.value)), F(ACTIVITY).set(position)),
                F(ACTIVITY).equals(row[ACTIVITY]) & F("changedAt").equals(mine.changed_ms),
            ),
            Put(MESSAGING, log_item(thread_id, user, now_ms, messaging.sync_log_ms)),
        )
    messaging.thread_cache.drop(thread_id)


async def remove_expired_request(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    """Takes an expired request out of the inbox, so that it is not read again."""
    head, row_key = head_key(thread_id), member_key(thread_id, user)
    found = await messaging.store.batch_get(MESSAGING, [head, row_key], consistent=True)
    if head not in found or not _is_listed(found.get(row_key, {}), user):
        return
    thread, row, now_ms = items.thread_of(found[head]), found[row_key], messaging.clock.now_ms()
    if rules.has_access(thread, user, now_ms):
        return
    with suppress(ConditionFailed, Conflict):  # there is a new request
        await messaging.store.write(
            Update(
                MESSAGING,
                row_key,
                remove_actions(thread_id, user, thread.gates.get(user), now_ms),
                F(ACTIVITY).equals(row[ACTIVITY]),
            ),
            Put(
                MESSAGING, log_item(thread_id, user, now_ms, messaging.sync_log_ms) | {"gone": True}
            ),
        )


def _is_listed(row: Item, user: UserId) -> bool:
    return ACTIVITY in row and row[INBOX_KEY] != inbox_key(user, AWAY)


def is_in_future(row: Item, now_ms: int) -> bool:
    """Whether the row sorts in the future: the clock was wrong when it was written."""
    position = str(row.get(ACTIVITY, "")).removeprefix(PINNED)
    return position > activity(now_ms + rules.AHEAD_MS, ThreadId(""))


def corrected_ms(messaging: Messaging, ms: int) -> int:
    """A time in the future was written before the clock was set back, and becomes the moment at
    which the clock was set."""
    now_ms = messaging.clock.now_ms()
    if ms <= now_ms + rules.AHEAD_MS:
        return ms
    return min(messaging.clock.began_ms or now_ms, now_ms)


async def correct_future_time(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    """Gives a thread that was written while the clock was ahead the time at which the clock was
    set, and sorts the user's row by it: otherwise both stay on top until that time comes."""
    head = await messaging.thread_cache.read(thread_id)
    now_ms = messaging.clock.now_ms()
    if head is not None and head.active_ms > now_ms + rules.AHEAD_MS:
        head = await update_thread(
            messaging, thread_id, lambda found, _: _corrected(messaging, found)
        )
    row_key = member_key(thread_id, user)
    row = await messaging.store.get(MESSAGING, row_key, consistent=True)
    if head is None or row is None or not is_in_future(row, now_ms):
        return
    pinned = str(row[ACTIVITY]).startswith(PINNED)
    position = activity(corrected_ms(messaging, head.active_ms), thread_id, pinned=pinned)
    with suppress(ConditionFailed, Conflict):  # it is active
        as_found = F(ACTIVITY).equals(row[ACTIVITY])
        await messaging.store.write(
            Update(MESSAGING, row_key, (F(ACTIVITY).set(position),), as_found)
        )


def _corrected(messaging: Messaging, head: Thread) -> PlannedWrite:
    real_ms = corrected_ms(messaging, head.active_ms)
    if real_ms != head.active_ms:
        head = replace(head, shown_ms=real_ms)
    return PlannedWrite(head, (), silent=True)
