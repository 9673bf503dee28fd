"""Changes the text or the time of a scheduled message."""

import asyncio
import random

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ScheduledId
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ScheduledChanged
from greenroom.messaging.models import ScheduledMessage, ScheduledStatus
from greenroom.messaging.problems import VersionMismatch
from greenroom.messaging.schedule_message import check_send_time, checked_body
from greenroom.messaging.scheduled import scheduled_message
from greenroom.messaging.scheduled_items import change_ops
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 12


class ScheduledChange(Struct, frozen=True):
    """What is None stays as it is."""

    body: str | None = None
    send_ms: int | None = None


async def change_scheduled(
    messaging: Messaging,
    actor: Actor,
    scheduled_id: ScheduledId,
    change: ScheduledChange,
    *,
    version: int | None = None,
) -> ScheduledMessage:
    """A message that could not be sent is scheduled again; its time must be in the future. With
    `version`, only if it still has that one."""
    for attempt in range(_TRIES):
        before = await scheduled_message(messaging, actor, scheduled_id)
        if version is not None and version != before.version:
            raise VersionMismatch(before.version)
        now_ms = messaging.clock.now_ms()
        send_ms = before.send_ms if change.send_ms is None else change.send_ms
        if change.send_ms is not None or before.status is not ScheduledStatus.PENDING:
            check_send_time(messaging, send_ms)
        body = before.body if change.body is None else change.body
        after = replace(
            before,
            body=await checked_body(messaging, actor, before.thread, body, before.reply_to),
            send_ms=send_ms,
            status=ScheduledStatus.PENDING,
            problem="",
            detail="",
        )
        if after == before:
            return before
        after = replace(after, version=before.version + 1)
        try:
            await messaging.store.write(*change_ops(before, after, now_ms))
        except ConditionFailed:
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
            continue  # changed, sent or canceled at the same moment
        messaging.publish_scheduled(ScheduledChanged(after))
        return after
    raise Conflict
