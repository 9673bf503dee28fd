"""Reads a user's scheduled messages."""

from greenroom.ids import ScheduledId, ThreadId, UserId
from greenroom.messaging.context import Messaging
from greenroom.messaging.list_state import ListState, list_state
from greenroom.messaging.models import ScheduledMessage
from greenroom.messaging.problems import ScheduledMessageNotFound
from greenroom.messaging.records import (
    MESSAGING,
    SCHEDULED,
    scheduled_key,
    scheduled_state_key,
    user_partition,
)
from greenroom.messaging.scheduled_items import scheduled_of
from greenroom.people.actor import Actor

_LONGEST_ID = 64
_PAGE = 100


async def find_scheduled(
    messaging: Messaging, user: UserId, scheduled_id: ScheduledId
) -> ScheduledMessage | None:
    if not 0 < len(scheduled_id) <= _LONGEST_ID:
        return None
    key = scheduled_key(user, scheduled_id)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    return None if item is None else scheduled_of(item)


async def scheduled_message(
    messaging: Messaging, actor: Actor, scheduled_id: ScheduledId
) -> ScheduledMessage:
    found = await find_scheduled(messaging, actor.user, scheduled_id)
    if found is None:
        raise ScheduledMessageNotFound
    return found


async def scheduled_messages(
    messaging: Messaging, actor: Actor, thread: ThreadId | None = None
) -> tuple[ScheduledMessage, ...]:
    """All of them, or those for one thread: the next first."""
    found: list[ScheduledMessage] = []
    cursor: str | None = None
    while True:
        page = await messaging.store.query(
            MESSAGING,
            user_partition(actor.user),
            SCHEDULED,
            limit=_PAGE,
            cursor=cursor,
            consistent=True,
        )
        found += map(scheduled_of, page.items)
        cursor = page.next
        if cursor is None:
            break
    wanted = [message for message in found if thread is None or message.thread == thread]
    return tuple(sorted(wanted, key=order_of))


def order_of(message: ScheduledMessage) -> tuple[int, int, str]:
    """By the time at which they are sent; those of the same time as they were written."""
    return message.send_ms, message.created_ms, message.id


async def scheduled_state(messaging: Messaging, user: UserId) -> ListState:
    """May be a little old: sync looks again for a while."""
    return await list_state(messaging, scheduled_state_key(user))
