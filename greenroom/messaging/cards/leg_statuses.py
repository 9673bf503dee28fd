"""Gives the other threads of a booking the status of their legs.

A card in the thread of the whole group, or of one leg, may change what another thread is about. It
is idempotent, and repeated until the outbox row is marked.
"""

from collections.abc import Sequence

from greenroom.bookings.models import Leg
from greenroom.ids import RequestId, ThreadId
from greenroom.messaging.cards.status import legs_of, status_of
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Status, Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.set_status import ThreadChange, change_plan, write_change


async def update_threads(
    messaging: Messaging, home: ThreadId, legs: Sequence[Leg], told: ThreadId | None = None
) -> None:
    """Of a whole group; `told` has the status already."""
    threads = {home, *(leg.thread for leg in legs if leg.thread is not None)}
    for thread in sorted(threads - {told}):
        head = await messaging.thread_cache.read(thread)
        own = legs_of(thread, home, legs)
        if head is not None and own and (head.locked_from or head.status) is not status_of(own):
            await _update(messaging, thread, status_of(own))


async def _update(messaging: Messaging, thread: ThreadId, status: Status) -> None:
    written = set[RequestId]()
    change = ThreadChange(status=status)

    def plan(head: Thread, ms: int) -> PlannedWrite:
        return change_plan(messaging, head, change, ms, written, announces=False)

    await write_change(messaging, thread, plan, written)
