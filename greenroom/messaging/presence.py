"""Who looks at a thread now, and who is typing in it: leases that expire.

A lease is an item of the ephemeral table, so that every node sees it, and the lease of a node that
died expires. It is written, and published to users who have the thread on screen, once in a while,
not with every keystroke. Careful: nothing is shown to or about somebody behind a gate (in a thread
for two, a block is one). A user who leaves one node may still be on another; the write that ends a
lease finds out.
"""

from contextlib import suppress
from functools import partial

from msgspec import Struct

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import PresenceChanged, TypingChanged
from greenroom.messaging.leases import HOLDER
from greenroom.messaging.models import Thread
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import lease_key, presence_partition, typing_partition
from greenroom.people.actor import Actor
from greenroom.store.base import Key, Update
from greenroom.store.ephemeral import EPHEMERAL, EPHEMERAL_TTL
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed
from greenroom.store.values import Item

PRESENCE_MS = 60_000
TYPING_MS = 10_000


class ActiveUsers(Struct, frozen=True):
    """Other users, and until when."""

    there: dict[UserId, int]
    typing: dict[UserId, int]


async def start_viewing(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ActiveUsers:
    """The actor opens the thread. Returns what others do there now."""
    thread, shown = await shown_to(messaging, actor, thread_id)
    await _read_active_users(messaging, actor.user, thread, shown)
    return ActiveUsers(
        await _leases(messaging, presence_partition(thread_id), shown),
        await _leases(messaging, typing_partition(thread_id), shown),
    )


async def keep_viewing(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    """The actor still looks at it. To be called more often than a lease lasts."""
    if _is_due(messaging, actor.user, presence_partition(thread_id), PRESENCE_MS):
        thread, shown = await shown_to(messaging, actor, thread_id)
        await _read_active_users(messaging, actor.user, thread, shown)


async def reassert(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    """Another node has published that the actor left, while they arrived at this one."""
    messaging.leases.end(presence_partition(thread_id), actor.user)
    await keep_viewing(messaging, actor, thread_id)


async def stop_viewing(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    """From this node. Publishes nothing while the actor is present on another one."""
    is_gone = await _end(messaging, actor.user, presence_partition(thread_id))
    types_no_more = await _end_typing(messaging, actor.user, thread_id)
    try:
        thread, shown = await shown_to(messaging, actor, thread_id)
    except ThreadNotFound:
        return
    if types_no_more:
        messaging.publish(thread, TypingChanged(actor.user, 0, shown))
    if is_gone:
        # The actor's sessions on other nodes get it too, and may contradict.
        messaging.publish(thread, PresenceChanged(actor.user, 0, (*shown, actor.user)))


async def set_typing(messaging: Messaging, actor: Actor, thread_id: ThreadId, *, on: bool) -> None:
    partition = typing_partition(thread_id)
    if on and not _is_due(messaging, actor.user, partition, TYPING_MS):
        return
    thread, shown = await shown_to(messaging, actor, thread_id)
    if on:
        until_ms = await _hold(messaging, actor.user, partition, TYPING_MS)
        messaging.publish(thread, TypingChanged(actor.user, until_ms, shown))
    elif await _end_typing(messaging, actor.user, thread_id):
        messaging.publish(thread, TypingChanged(actor.user, 0, shown))


async def _read_active_users(
    messaging: Messaging, user: UserId, thread: Thread, shown: tuple[UserId, ...]
) -> None:
    partition = presence_partition(thread.id)
    if _is_due(messaging, user, partition, PRESENCE_MS):
        until_ms = await _hold(messaging, user, partition, PRESENCE_MS)
        messaging.publish(thread, PresenceChanged(user, until_ms, shown))


async def shown_to(
    messaging: Messaging, actor: Actor, thread_id: ThreadId
) -> tuple[Thread, tuple[UserId, ...]]:
    """The thread, and the people in it who may see the actor, and the actor them."""
    head = messaging.thread_cache.get(thread_id)
    now_ms = messaging.clock.now_ms()
    if head is None or not rules.has_access(head, actor.user, now_ms):
        head = (await access.thread(messaging, actor, thread_id)).thread
    others = [
        other
        for other in rules.others(head, actor.user)
        if rules.sees_receipts(head, other, actor.user)
    ]
    return head, tuple(others)


def _is_due(messaging: Messaging, user: UserId, partition: str, lasts_ms: int) -> bool:
    return messaging.leases.is_due(partition, user, messaging.clock.now_ms(), lasts_ms)


async def _hold(messaging: Messaging, user: UserId, partition: str, lasts_ms: int) -> int:
    """Until when. Noted before the write, so that two concurrent calls write it once."""
    now_ms, leases = messaging.clock.now_ms(), messaging.leases
    until_ms, key = now_ms + lasts_ms, lease_key(partition, user)
    leases.note(partition, user, until_ms)
    held = F(leases.holder).set(until_ms), F(EPHEMERAL_TTL).set(until_ms // 1000 + 1)
    try:
        item = await messaging.store.write(Update(EPHEMERAL, key, held))
    except BaseException:
        leases.end(partition, user)
        raise
    for holder, until in _holders(item).items():
        if until <= now_ms:  # of a node that died, while the user is present on this one
            messaging.deferred.add(partial(_remove_expired, messaging, key, holder, until))
    return until_ms


async def _remove_expired(messaging: Messaging, key: Key, holder: str, until_ms: int) -> None:
    passed = F(holder)
    with suppress(ConditionFailed):
        await messaging.store.write(
            Update(EPHEMERAL, key, (passed.remove(),), passed.equals(until_ms))
        )


async def _end(messaging: Messaging, user: UserId, partition: str) -> bool:
    """Whether no other node holds it either."""
    leases = messaging.leases
    leases.end(partition, user)
    key, mine = lease_key(partition, user), F(leases.holder)
    try:
        item = await messaging.store.write(Update(EPHEMERAL, key, (mine.remove(),), mine.exists()))
    except ConditionFailed as refused:
        item = refused.item
    now_ms = messaging.clock.now_ms()
    return all(until_ms <= now_ms for until_ms in _holders(item).values())


async def _end_typing(messaging: Messaging, user: UserId, thread_id: ThreadId) -> bool:
    """Whether there was one and it has ended."""
    partition = typing_partition(thread_id)
    is_ours = messaging.leases.end(partition, user)
    return is_ours and await _end(messaging, user, partition)


async def _leases(
    messaging: Messaging, partition: str, shown: tuple[UserId, ...]
) -> dict[UserId, int]:
    now_ms = messaging.clock.now_ms()
    page = await messaging.store.query(EPHEMERAL, partition, limit=rules.MAX_PARTICIPANTS)
    found = {
        UserId(str(item["sk"])): max(_holders(item).values(), default=0) for item in page.items
    }
    return {user: until for user, until in found.items() if user in shown and until > now_ms}


def _holders(item: Item | None) -> dict[str, int]:
    """The nodes that hold a lease, and until when."""
    return {
        name: until
        for name, until in (item or {}).items()
        if name.startswith(HOLDER) and isinstance(until, int)
    }
