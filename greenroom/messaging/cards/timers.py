"""The timers of a card's version: its deadline, and the reminder before it."""

from greenroom.background.models import Timer
from greenroom.background.schedule import cancel, schedule
from greenroom.bookings.models import Card, Due
from greenroom.ids import CardId, ThreadId
from greenroom.store.base import Op
from greenroom.store.values import Value

DEADLINE = "card_deadline"
REMINDER = "card_reminder"


def timer_ops(card: Card) -> tuple[Op, ...]:
    """Schedules those of this version, and cancels those of the one before it."""
    ops: list[Op] = []
    due = card.due
    if due is not None:
        timer = Timer(DEADLINE, _id(card.id, card.version), due.at_ms, _payload(card, due))
        ops.append(schedule(timer))
    if due is not None and due.remind_ms:
        timer = Timer(REMINDER, _id(card.id, card.version), due.remind_ms, _payload(card, due))
        ops.append(schedule(timer))
    if card.version > 1:
        ops += [cancel(kind, _id(card.id, card.version - 1)) for kind in (DEADLINE, REMINDER)]
    return tuple(ops)


def card_in(timer: Timer) -> tuple[ThreadId, CardId, int]:
    payload = timer.payload
    version = int(str(payload["version"]))
    return ThreadId(str(payload["threadId"])), CardId(str(payload["cardId"])), version


def deadline_in(timer: Timer) -> int:
    """When the deadline is that a reminder reminds of."""
    return int(str(timer.payload["deadlineMs"]))


def _payload(card: Card, due: Due) -> dict[str, Value]:
    return {
        "threadId": card.thread,
        "cardId": card.id,
        "version": card.version,
        "deadlineMs": due.at_ms,
    }


def _id(card: CardId, version: int) -> str:
    return f"{card}.{version}"
