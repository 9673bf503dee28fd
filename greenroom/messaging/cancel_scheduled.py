"""Cancels a scheduled message: it is not sent, and its text is deleted."""

import asyncio
import random

from msgspec.structs import replace

from greenroom.ids import ScheduledId
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ScheduledChanged
from greenroom.messaging.models import ScheduledStatus
from greenroom.messaging.problems import VersionMismatch
from greenroom.messaging.scheduled import scheduled_message
from greenroom.messaging.scheduled_items import remove_ops
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 12


async def cancel_scheduled(
    messaging: Messaging, actor: Actor, scheduled_id: ScheduledId, *, version: int | None = None
) -> None:
    """Once this has returned the message is not sent; once it has been sent it is not found. With
    `version`, only if it still has that one."""
    for attempt in range(_TRIES):
        found = await scheduled_message(messaging, actor, scheduled_id)
        if version is not None and version != found.version:
            raise VersionMismatch(found.version)
        try:
            await messaging.store.write(*remove_ops(found, messaging.clock.now_ms()))
        except ConditionFailed:
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
            continue  # changed or sent at the same moment
        canceled = replace(found, status=ScheduledStatus.CANCELED)
        messaging.publish_scheduled(ScheduledChanged(canceled))
        return
    raise Conflict
