"""Reads a user's messages that wait for their files, or could not be sent."""

from greenroom.ids import ThreadId, UserId
from greenroom.messaging.context import Messaging
from greenroom.messaging.list_state import ListState, list_state
from greenroom.messaging.models import MAX_WAITING, WaitingMessage
from greenroom.messaging.problems import WaitingMessageNotFound
from greenroom.messaging.records import (
    MESSAGING,
    WAITING,
    user_partition,
    waiting_in,
    waiting_key,
    waiting_state_key,
)
from greenroom.messaging.waiting_items import waiting_of
from greenroom.people.actor import Actor

_LONGEST_ID = 64


async def find_waiting(
    messaging: Messaging, user: UserId, thread: ThreadId, client_id: str
) -> WaitingMessage | None:
    if not (0 < len(thread) <= _LONGEST_ID and 0 < len(client_id) <= _LONGEST_ID):
        return None
    key = waiting_key(user, thread, client_id)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    return None if item is None else waiting_of(item)


async def waiting_message(
    messaging: Messaging, actor: Actor, thread: ThreadId, client_id: str
) -> WaitingMessage:
    found = await find_waiting(messaging, actor.user, thread, client_id)
    if found is None:
        raise WaitingMessageNotFound
    return found


async def waiting_messages(
    messaging: Messaging, actor: Actor, thread: ThreadId | None = None
) -> tuple[WaitingMessage, ...]:
    """All of them, or those for one thread, as they were written."""
    page = await messaging.store.query(
        MESSAGING,
        user_partition(actor.user),
        WAITING if thread is None else waiting_in(thread),
        limit=2 * MAX_WAITING,
        consistent=True,
    )
    return tuple(sorted(map(waiting_of, page.items), key=order_of))


def order_of(message: WaitingMessage) -> tuple[int, str]:
    return message.created_ms, message.client_id


async def waiting_state(messaging: Messaging, user: UserId) -> ListState:
    """May be a little old: sync looks again for a while."""
    return await list_state(messaging, waiting_state_key(user))
