"""Scheduled messages in the store: their items, their timers, and the ops that change them.

Every change writes the message under its version, its timer, and the state of the author's list
(`SCHEDULED`), in one transaction. The state limits how many there are, and tells sync whether any
has changed.
"""

from typing import Any

from greenroom.background.models import Timer
from greenroom.background.schedule import cancel, schedule
from greenroom.ids import ScheduledId, UserId
from greenroom.messaging import items
from greenroom.messaging.list_state import list_op
from greenroom.messaging.models import ScheduledMessage, ScheduledStatus
from greenroom.messaging.records import MESSAGING, scheduled_key, scheduled_state_key
from greenroom.store.base import Delete, Op, Put
from greenroom.store.expressions import F
from greenroom.store.values import Item, Value

KIND = "scheduled_message"


def create_ops(message: ScheduledMessage, now_ms: int, most: int) -> tuple[Op, ...]:
    """Refused where there is one with this id, or where the author has too many."""
    state = list_op(scheduled_state_key(message.author), 1, now_ms, most)
    return Put(MESSAGING, scheduled_item(message), F("pk").absent()), state, _timer(message)


def change_ops(before: ScheduledMessage, after: ScheduledMessage, now_ms: int) -> tuple[Op, ...]:
    """Moves the timer too; a message that has failed has none. `after` has the next version."""
    is_pending = after.status is ScheduledStatus.PENDING
    return (
        Put(MESSAGING, scheduled_item(after), F("version").equals(before.version)),
        list_op(scheduled_state_key(after.author), 0, now_ms),
        _timer(after) if is_pending else cancel(KIND, after.id),
    )


def remove_ops(message: ScheduledMessage, now_ms: int) -> tuple[Op, ...]:
    """With the transaction that sends it, or cancels it. The first op is refused where the message
    has changed or is gone."""
    key = scheduled_key(message.author, message.id)
    return (
        Delete(MESSAGING, key, F("version").equals(message.version)),
        list_op(scheduled_state_key(message.author), -1, now_ms),
        cancel(KIND, message.id),
    )


def client_id_of(scheduled_id: ScheduledId) -> str:
    """The client message id of the message that it becomes."""
    return f"scheduled:{scheduled_id}"


def timer_of(message: ScheduledMessage, due_ms: int) -> Timer:
    return Timer(KIND, message.id, due_ms, {"userId": message.author})


def author_in(timer: Timer) -> UserId:
    return UserId(str(timer.payload["userId"]))


def _timer(message: ScheduledMessage) -> Put:
    return schedule(timer_of(message, message.send_ms))


def scheduled_item(message: ScheduledMessage) -> Item:
    item: dict[str, Value] = items.at(scheduled_key(message.author, message.id))
    item |= {
        "scheduledMessageId": message.id,
        "threadId": message.thread,
        "userId": message.author,
        "body": message.body,
        "sendMs": message.send_ms,
        "createdMs": message.created_ms,
        "status": message.status.value,
        "version": message.version,
    }
    optional = {
        "replyTo": message.reply_to,
        "metadata": message.metadata,
        "problem": message.problem or None,
        "detail": message.detail or None,
    }
    return item | {name: value for name, value in optional.items() if value is not None}


def scheduled_of(item: Item) -> ScheduledMessage:
    it: Any = item
    return ScheduledMessage(
        id=ScheduledId(it["scheduledMessageId"]),
        thread=it["threadId"],
        author=it["userId"],
        body=it["body"],
        reply_to=it.get("replyTo"),
        metadata=it.get("metadata"),
        send_ms=it["sendMs"],
        created_ms=it["createdMs"],
        status=ScheduledStatus(it["status"]),
        problem=it.get("problem", ""),
        detail=it.get("detail", ""),
        version=it["version"],
    )
