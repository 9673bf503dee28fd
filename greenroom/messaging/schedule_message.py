"""Schedules a message: it is written now, and sent at a time.

It is checked twice. Now, so that its author learns at once what could not be sent; and again when
it is sent, because a gate, a block or a lock may have come meanwhile (`send_scheduled.py`).
"""

from hashlib import blake2b

import msgspec
from msgspec import Struct

from greenroom.ids import MessageId, ScheduledId, ThreadId, UserId, as_letters
from greenroom.messaging import access, text
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ScheduledChanged
from greenroom.messaging.models import ScheduledMessage, ScheduledStatus
from greenroom.messaging.problems import InvalidSendTime, TooManyScheduled
from greenroom.messaging.records import DAY_MS, MESSAGING, claim_key
from greenroom.messaging.scheduled import find_scheduled
from greenroom.messaging.scheduled_items import client_id_of, create_ops
from greenroom.messaging.send_checks import check_may_send
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed


class NewScheduled(Struct, frozen=True):
    body: str
    send_ms: int
    reply_to: MessageId | None = None
    metadata: str | None = None
    """JSON text, as `metadata.checked` gives it."""


async def schedule_message(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    new: NewScheduled,
    *,
    key: str | None = None,
) -> ScheduledMessage:
    """Idempotent with a key: a retry of the same message is answered as the first try, also where
    it would be refused now."""
    now_ms = messaging.clock.now_ms()
    scheduled_id = messaging.ids.scheduled()
    if key is not None:
        text.check_length(new.body)
        scheduled_id = _id_of(actor.user, thread_id, new, key)
        first = await _first_answer(messaging, actor, thread_id, new, scheduled_id)
        if first is not None:
            return first
    check_send_time(messaging, new.send_ms)
    body = await checked_body(messaging, actor, thread_id, new.body, new.reply_to)
    message = ScheduledMessage(
        id=scheduled_id,
        thread=thread_id,
        author=actor.user,
        body=body,
        reply_to=new.reply_to,
        metadata=new.metadata,
        send_ms=new.send_ms,
        created_ms=now_ms,
    )
    try:
        ops = create_ops(message, now_ms, messaging.max_scheduled)
        await messaging.store.write(*ops)
    except ConditionFailed:
        found = await find_scheduled(messaging, actor.user, message.id)
        if found is None:
            raise TooManyScheduled(messaging.max_scheduled) from None
        return found
    messaging.publish_scheduled(ScheduledChanged(message))
    return message


def check_send_time(messaging: Messaging, send_ms: int) -> None:
    now_ms, most = messaging.clock.now_ms(), messaging.max_scheduled_days
    if send_ms <= now_ms:
        raise InvalidSendTime("it must be in the future")
    if send_ms > now_ms + most * DAY_MS:
        raise InvalidSendTime(f"it must be within {most} days")


async def checked_body(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, body: str, reply_to: MessageId | None
) -> str:
    """The text, cleaned, if its author could send it now."""
    text.check_length(body)
    view = await access.thread(messaging, actor, thread_id)
    if reply_to is not None:
        await access.message(messaging, view, reply_to)
    cleaned = text.clean(body)
    check_may_send(view.thread, actor.user, cleaned, messaging.clock.now_ms())
    return cleaned


async def _first_answer(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    new: NewScheduled,
    scheduled_id: ScheduledId,
) -> ScheduledMessage | None:
    found = await find_scheduled(messaging, actor.user, scheduled_id)
    if found is not None:
        return found
    claim = claim_key(thread_id, actor.user, client_id_of(scheduled_id))
    if await messaging.store.get(MESSAGING, claim, consistent=True) is None:
        return None
    return ScheduledMessage(
        id=scheduled_id,
        thread=thread_id,
        author=actor.user,
        body=new.body,
        reply_to=new.reply_to,
        metadata=new.metadata,
        send_ms=new.send_ms,
        created_ms=min(new.send_ms, messaging.clock.now_ms()),
        status=ScheduledStatus.SENT,
    )


def _id_of(user: UserId, thread: ThreadId, new: NewScheduled, key: str) -> ScheduledId:
    """The same for a retry. Another message may come with the same key, once the API has forgotten
    it: that one has another id."""
    content = msgspec.msgpack.encode((user, thread, new, key))
    return ScheduledId("sch_" + as_letters(blake2b(content, digest_size=16).digest()))
