"""Gives the other threads of a booking the status of their legs.

A card in the thread of the whole group, or of one leg, may change what another thread is about. It
is idempotent, and repeated until the outbox row is marked.
"""

from greenroom.bookings.news import CardNews
from greenroom.ids import RequestId, ThreadId
from greenroom.messaging.cards.status import legs_of, status_of
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.set_status import ThreadChange, change_plan, write_change


async def update_other_threads(messaging: Messaging, news: CardNews) -> None:
    threads = {news.thread, *(leg.thread for leg in news.legs if leg.thread is not None)}
    for thread in sorted(threads - {news.card.thread}):
        head = await messaging.thread_cache.read(thread)
        legs = legs_of(thread, news)
        if head is not None and legs and (head.locked_from or head.status) is not status_of(legs):
            await _update(messaging, thread, news)


async def _update(messaging: Messaging, thread: ThreadId, news: CardNews) -> None:
    written = set[RequestId]()
    change = ThreadChange(status=status_of(legs_of(thread, news)))

    def plan(head: Thread, ms: int) -> PlannedWrite:
        return change_plan(messaging, head, change, ms, written)

    await write_change(messaging, thread, plan, written)
