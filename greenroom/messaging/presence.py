"""Who looks at a thread just now, and who is typing in it: leases that end by themselves.

A lease is an item of the ephemeral table, so that whoever comes later sees it from any node, and
the lease of a node that died runs out. It is written, and told to whoever has the thread on screen,
once in a while, not with every keystroke. What one would get wrong: nothing of it is shown to or
about somebody behind a gate, or across a block.
"""

from msgspec import Struct

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import PresenceChanged, TypingChanged
from greenroom.messaging.models import Thread
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import lease_key, presence_partition, typing_partition
from greenroom.people.actor import Actor
from greenroom.safety.blocks import apart_from
from greenroom.safety.records import EPHEMERAL, EPHEMERAL_TTL
from greenroom.store.base import Delete, Put

PRESENCE_MS = 60_000
TYPING_MS = 10_000


class Here(Struct, frozen=True):
    """Others, and until when."""

    there: dict[UserId, int]
    typing: dict[UserId, int]


async def appear(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Here:
    """The actor looks at the thread. What others do there just now."""
    thread, shown = await _shown_to(messaging, actor, thread_id)
    await _look(messaging, actor.user, thread, shown)
    return Here(
        await _leases(messaging, presence_partition(thread_id), shown),
        await _leases(messaging, typing_partition(thread_id), shown),
    )


async def stay(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    """The actor still looks at it: to be said more often than a lease lasts."""
    if _is_due(messaging, actor.user, presence_partition(thread_id), PRESENCE_MS):
        thread, shown = await _shown_to(messaging, actor, thread_id)
        await _look(messaging, actor.user, thread, shown)


async def insist(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    """Another node has ended the lease, and the actor still looks at the thread."""
    messaging.leases.end(presence_partition(thread_id), actor.user)
    await stay(messaging, actor, thread_id)


async def vanish(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    await _end(messaging, actor.user, presence_partition(thread_id))
    was_typing = await _end(messaging, actor.user, typing_partition(thread_id))
    try:
        thread, shown = await _shown_to(messaging, actor, thread_id)
    except ThreadNotFound:
        return
    if was_typing:
        messaging.tell(thread, TypingChanged(actor.user, 0, shown))
    # The actor's own screens on other nodes hear of it too, and may insist.
    messaging.tell(thread, PresenceChanged(actor.user, 0, (*shown, actor.user)))


async def type_in(messaging: Messaging, actor: Actor, thread_id: ThreadId, *, on: bool) -> None:
    partition = typing_partition(thread_id)
    if on and not _is_due(messaging, actor.user, partition, TYPING_MS):
        return
    thread, shown = await _shown_to(messaging, actor, thread_id)
    if on:
        until_ms = await _hold(messaging, actor.user, partition, TYPING_MS)
        messaging.tell(thread, TypingChanged(actor.user, until_ms, shown))
    elif await _end(messaging, actor.user, partition):
        messaging.tell(thread, TypingChanged(actor.user, 0, shown))


async def _look(
    messaging: Messaging, user: UserId, thread: Thread, shown: tuple[UserId, ...]
) -> None:
    partition = presence_partition(thread.id)
    if _is_due(messaging, user, partition, PRESENCE_MS):
        until_ms = await _hold(messaging, user, partition, PRESENCE_MS)
        messaging.tell(thread, PresenceChanged(user, until_ms, shown))


async def _shown_to(
    messaging: Messaging, actor: Actor, thread_id: ThreadId
) -> tuple[Thread, tuple[UserId, ...]]:
    """The thread, and who in it may know of the actor, as the actor may of them."""
    head, _ = await messaging.heads.load(thread_id) if 0 < len(thread_id) <= 64 else (None, True)
    now_ms = messaging.clock.now_ms()
    if head is None or not rules.is_let_in(head, actor.user, now_ms):
        head = (await access.thread(messaging, actor, thread_id)).thread
    others = [
        other
        for other in rules.others(head, actor.user)
        if rules.sees_receipts(head, other, actor.user)
    ]
    apart = await apart_from(messaging.safety, actor.user, others)
    return head, tuple(other for other in others if other not in apart)


def _is_due(messaging: Messaging, user: UserId, partition: str, lasts_ms: int) -> bool:
    return messaging.leases.is_due(partition, user, messaging.clock.now_ms(), lasts_ms)


async def _hold(messaging: Messaging, user: UserId, partition: str, lasts_ms: int) -> int:
    """Until when. Noted first, so that two who come at once write it once."""
    until_ms = messaging.clock.now_ms() + lasts_ms
    messaging.leases.note(partition, user, until_ms)
    item = items.at(lease_key(partition, user)) | {"until": until_ms}
    item[EPHEMERAL_TTL] = until_ms // 1000 + 1
    try:
        await messaging.store.write(Put(EPHEMERAL, item))
    except BaseException:
        messaging.leases.end(partition, user)
        raise
    return until_ms


async def _end(messaging: Messaging, user: UserId, partition: str) -> bool:
    """Whether there was one."""
    if not messaging.leases.end(partition, user):
        return False
    await messaging.store.write(Delete(EPHEMERAL, lease_key(partition, user)))
    return True


async def _leases(
    messaging: Messaging, partition: str, shown: tuple[UserId, ...]
) -> dict[UserId, int]:
    now_ms = messaging.clock.now_ms()
    page = await messaging.store.query(EPHEMERAL, partition, limit=rules.MAX_PARTICIPANTS)
    found = {UserId(str(item["sk"])): int(str(item["until"])) for item in page.items}
    return {user: until for user, until in found.items() if user in shown and until > now_ms}
