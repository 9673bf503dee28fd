"""Cancels a message that waits for its files, or removes one that failed from the author's list.

Its files can be used again, until they expire.
"""

import asyncio
import random

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging.attachment_ops import freed_files_ops
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import WaitingChanged
from greenroom.messaging.models import WaitingStatus
from greenroom.messaging.waiting import waiting_message
from greenroom.messaging.waiting_items import cancel_ops
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 12


async def cancel_waiting(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, client_id: str
) -> None:
    """Once this has returned the message is not sent; once it has been sent it is not found."""
    for attempt in range(_TRIES):
        found = await waiting_message(messaging, actor, thread_id, client_id)
        now_ms = messaging.clock.now_ms()
        freed = await freed_files_ops(messaging, found, now_ms)
        try:
            await messaging.store.write(*cancel_ops(found, now_ms), *freed)
        except ConditionFailed:
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
            continue  # it was sent, or a file changed, at the same moment
        canceled = replace(found, status=WaitingStatus.CANCELED)
        messaging.publish_waiting(WaitingChanged(canceled))
        return
    raise Conflict
