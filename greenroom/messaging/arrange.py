"""Pin, mute, archive and mark as spam: what a user does to their own row of the inbox.

The row goes to the fresh shelf with the change and settles later where the change puts it; so the
other devices of the user find it, and no folder has to be worked out twice.
"""

from greenroom.ids import ThreadId
from greenroom.messaging import access, shelve
from greenroom.messaging.context import Messaging
from greenroom.messaging.problems import InvalidMark
from greenroom.people.actor import Actor
from greenroom.store.expressions import Action, F

_FOREVER_MS = 253_402_300_799_000
"""The last second of the year 9999."""


async def pin(messaging: Messaging, actor: Actor, thread_id: ThreadId, pinned: bool) -> None:
    await _arrange(messaging, actor, thread_id, F("pinned").set(pinned))


async def mute(messaging: Messaging, actor: Actor, thread_id: ThreadId, until_ms: int) -> None:
    """Until then; 0 ends it."""
    if not 0 <= until_ms <= _FOREVER_MS:
        raise InvalidMark("a mute ends between now and the year 9999")
    await _arrange(messaging, actor, thread_id, F("mutedUntil").set(until_ms))


async def archive(messaging: Messaging, actor: Actor, thread_id: ThreadId, archived: bool) -> None:
    """The next message brings it back, unless it is muted."""
    side = await access.thread(messaging, actor, thread_id)
    change = F("archivedSeq").set(side.thread.last_seq) if archived else F("archivedSeq").remove()
    await _arrange(messaging, actor, thread_id, change)


async def mark_spam(messaging: Messaging, actor: Actor, thread_id: ThreadId, spam: bool) -> None:
    await _arrange(messaging, actor, thread_id, F("spam").set(spam))


async def _arrange(messaging: Messaging, actor: Actor, thread_id: ThreadId, change: Action) -> None:
    side = await access.thread(messaging, actor, thread_id)
    now_ms = messaging.clock.now_ms()
    gate = side.thread.gates.get(actor.user)
    await messaging.store.write(
        shelve.put_up(thread_id, actor.user, gate, now_ms, change, F("changedAt").set(now_ms))
    )
