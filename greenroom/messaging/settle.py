"""Let a row that has come to rest leave the shelf where things stir for its folder, if any.

Head, row and a note for the user's other devices change in one transaction, under the head's
version: whoever sends at the same moment finds the head changed and puts the row up again.
"""

from contextlib import suppress

from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules
from greenroom.messaging.append import append, head_op
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Member, Thread
from greenroom.messaging.records import (
    ACTIVITY,
    AWAY,
    FRESH,
    INBOX_KEY,
    MESSAGING,
    PINNED,
    activity,
    head_key,
    member_key,
    shelf_key,
)
from greenroom.messaging.shelve import log_item, off
from greenroom.messaging.turns import Planned
from greenroom.store.base import Put, Update
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, Conflict
from greenroom.store.values import Item

REST_MS = 120_000
"""How long nothing may have stirred."""


def rests(thread: Thread, mine: Member, now_ms: int) -> bool:
    latest_ms = max(thread.active_ms, thread.changed_ms, mine.changed_ms)
    quiet = abs(now_ms - latest_ms) > REST_MS  # what lies far ahead was written by a wrong clock
    there = mine.user in thread.seats and rules.has_accepted(thread, mine.user)
    return quiet and there and rules.unread_of(thread, mine) == 0


async def settle(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    head, side = head_key(thread_id), member_key(thread_id, user)
    found = await messaging.store.batch_get(MESSAGING, [head, side], consistent=True)
    if head not in found or side not in found:
        return
    thread, row = items.thread_of(found[head]), found[side]
    mine, now_ms = items.member_of(row), messaging.clock.now_ms()
    shown = rules.as_shown(thread, user)
    folder = rules.folder_of(shown, mine, now_ms)
    if row.get(INBOX_KEY) != shelf_key(user, FRESH) or folder is None:
        return
    if not rests(shown, mine, now_ms):
        return
    seats = {**thread.seats, user: replace(thread.seats[user], fresh_ms=0)}
    active_ms = healed_ms(messaging, shown.active_ms)
    place = activity(active_ms, thread_id, pinned=mine.pinned)
    if messaging.heads.turns.is_busy(thread_id):
        return  # it stirs
    with suppress(ConditionFailed, Conflict):  # it stirs again
        await messaging.store.write(
            head_op(replace(thread, seats=seats, version=thread.version + 1)),
            Update(
                MESSAGING,
                side,
                (F(INBOX_KEY).set(shelf_key(user, folder.value)), F(ACTIVITY).set(place)),
                F(ACTIVITY).equals(row[ACTIVITY]) & F("changedAt").equals(mine.changed_ms),
            ),
            Put(MESSAGING, log_item(thread_id, user, now_ms)),
        )
    messaging.heads.drop(thread_id)


async def take_down(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    """A request that has run out is nowhere to be seen, and need not be looked at again."""
    head, side = head_key(thread_id), member_key(thread_id, user)
    found = await messaging.store.batch_get(MESSAGING, [head, side], consistent=True)
    if head not in found or not _is_listed(found.get(side, {}), user):
        return
    thread, row, now_ms = items.thread_of(found[head]), found[side], messaging.clock.now_ms()
    if rules.is_let_in(thread, user, now_ms):
        return
    with suppress(ConditionFailed, Conflict):  # it is asked anew
        await messaging.store.write(
            Update(
                MESSAGING,
                side,
                off(thread_id, user, thread.gates.get(user), now_ms),
                F(ACTIVITY).equals(row[ACTIVITY]),
            ),
            Put(MESSAGING, log_item(thread_id, user, now_ms) | {"gone": True}),
        )


def _is_listed(row: Item, user: UserId) -> bool:
    return ACTIVITY in row and row[INBOX_KEY] != shelf_key(user, AWAY)


def is_ahead(row: Item, now_ms: int) -> bool:
    """A row whose place lies in the future: the clock was wrong when it was put there."""
    place = str(row.get(ACTIVITY, "")).removeprefix(PINNED)
    return place > activity(now_ms + rules.AHEAD_MS, ThreadId(""))


def healed_ms(messaging: Messaging, ms: int) -> int:
    """A time; one that lies in the future was given before the clock was set back, and becomes the
    moment of that."""
    now_ms = messaging.clock.now_ms()
    if ms <= now_ms + rules.AHEAD_MS:
        return ms
    return min(messaging.clock.began_ms or now_ms, now_ms)


async def heal(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    """Gives a thread that was written while the clock was ahead the time at which that was set
    right, and the user's row a place accordingly: else both stay on top until their time comes."""
    head = await messaging.heads.read(thread_id)
    now_ms = messaging.clock.now_ms()
    if head is not None and head.active_ms > now_ms + rules.AHEAD_MS:
        head = await append(messaging, thread_id, lambda found, _: _healed(messaging, found))
    side = member_key(thread_id, user)
    row = await messaging.store.get(MESSAGING, side, consistent=True)
    if head is None or row is None or not is_ahead(row, now_ms):
        return
    pinned = str(row[ACTIVITY]).startswith(PINNED)
    place = activity(healed_ms(messaging, head.active_ms), thread_id, pinned=pinned)
    with suppress(ConditionFailed, Conflict):  # it stirs
        as_found = F(ACTIVITY).equals(row[ACTIVITY])
        await messaging.store.write(Update(MESSAGING, side, (F(ACTIVITY).set(place),), as_found))


def _healed(messaging: Messaging, head: Thread) -> Planned:
    real_ms = healed_ms(messaging, head.active_ms)
    if real_ms != head.active_ms:
        head = replace(head, shown_ms=real_ms)
    return Planned(head, (), quiet=True)
