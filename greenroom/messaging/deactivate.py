"""Let a row that has come to rest leave the shelf where things stir for its folder, if any.

Head, row and a note for the user's other devices change in one transaction, under the head's
version: whoever sends at the same moment finds the head changed and puts the row up again.
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

REST_MS = 120_000
"""How long nothing may have stirred."""


def is_inactive(thread: Thread, mine: Member, now_ms: int) -> bool:
    latest_ms = max(thread.active_ms, thread.changed_ms, mine.changed_ms)
    silent = abs(now_ms - latest_ms) > REST_MS  # what lies far ahead was written by a wrong clock
    there = mine.user in thread.members and rules.has_accepted(thread, mine.user)
    return silent and there and rules.unread_of(thread, mine) == 0


async def deactivate(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    head, view = head_key(thread_id), member_key(thread_id, user)
    found = await messaging.store.batch_get(MESSAGING, [head, view], consistent=True)
    if head not in found or view not in found:
        return
    thread, row = items.thread_of(found[head]), found[view]
    mine, now_ms = items.member_of(row), messaging.clock.now_ms()
    shown = rules.as_shown(thread, user)
    folder = rules.folder_of(shown, mine, now_ms)
    if row.get(INBOX_KEY) != inbox_key(user, ACTIVE) or folder is None:
        return
    if not is_inactive(shown, mine, now_ms):
        return
    members = {**thread.members, user: replace(thread.members[user], row_active_ms=0)}
    active_ms = corrected_ms(messaging, shown.active_ms)
    place = activity(active_ms, thread_id, pinned=mine.pinned)
    if messaging.batcher.is_busy(thread_id):
        return  # it stirs
    with suppress(ConditionFailed, Conflict):  # it stirs again
        await messaging.store.write(
            head_op(replace(thread, members=members, version=thread.version + 1)),
            Update(
                MESSAGING,
                view,
                (F(INBOX_KEY).set(inbox_key(user, folder.value)), F(ACTIVITY).set(place)),
                F(ACTIVITY).equals(row[ACTIVITY]) & F("changedAt").equals(mine.changed_ms),
            ),
            Put(MESSAGING, log_item(thread_id, user, now_ms)),
        )
    messaging.thread_cache.drop(thread_id)


async def remove_expired_request(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    """A request that has run out is nowhere to be seen, and need not be looked at again."""
    head, view = head_key(thread_id), member_key(thread_id, user)
    found = await messaging.store.batch_get(MESSAGING, [head, view], consistent=True)
    if head not in found or not _is_listed(found.get(view, {}), user):
        return
    thread, row, now_ms = items.thread_of(found[head]), found[view], messaging.clock.now_ms()
    if rules.is_let_in(thread, user, now_ms):
        return
    with suppress(ConditionFailed, Conflict):  # it is asked anew
        await messaging.store.write(
            Update(
                MESSAGING,
                view,
                remove_actions(thread_id, user, thread.gates.get(user), now_ms),
                F(ACTIVITY).equals(row[ACTIVITY]),
            ),
            Put(MESSAGING, log_item(thread_id, user, now_ms) | {"gone": True}),
        )


def _is_listed(row: Item, user: UserId) -> bool:
    return ACTIVITY in row and row[INBOX_KEY] != inbox_key(user, AWAY)


def is_in_future(row: Item, now_ms: int) -> bool:
    """A row whose place lies in the future: the clock was wrong when it was put there."""
    place = str(row.get(ACTIVITY, "")).removeprefix(PINNED)
    return place > activity(now_ms + rules.AHEAD_MS, ThreadId(""))


def corrected_ms(messaging: Messaging, ms: int) -> int:
    """A time; one that lies in the future was given before the clock was set back, and becomes the
    moment of that."""
    now_ms = messaging.clock.now_ms()
    if ms <= now_ms + rules.AHEAD_MS:
        return ms
    return min(messaging.clock.began_ms or now_ms, now_ms)


async def correct_future_time(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    """Gives a thread that was written while the clock was ahead the time at which that was set
    right, and the user's row a place accordingly: else both stay on top until their time comes."""
    head = await messaging.thread_cache.read(thread_id)
    now_ms = messaging.clock.now_ms()
    if head is not None and head.active_ms > now_ms + rules.AHEAD_MS:
        head = await update_thread(
            messaging, thread_id, lambda found, _: _corrected(messaging, found)
        )
    view = member_key(thread_id, user)
    row = await messaging.store.get(MESSAGING, view, consistent=True)
    if head is None or row is None or not is_in_future(row, now_ms):
        return
    pinned = str(row[ACTIVITY]).startswith(PINNED)
    place = activity(corrected_ms(messaging, head.active_ms), thread_id, pinned=pinned)
    with suppress(ConditionFailed, Conflict):  # it stirs
        as_found = F(ACTIVITY).equals(row[ACTIVITY])
        await messaging.store.write(Update(MESSAGING, view, (F(ACTIVITY).set(place),), as_found))


def _corrected(messaging: Messaging, head: Thread) -> PlannedWrite:
    real_ms = corrected_ms(messaging, head.active_ms)
    if real_ms != head.active_ms:
        head = replace(head, shown_ms=real_ms)
    return PlannedWrite(head, (), silent=True)
