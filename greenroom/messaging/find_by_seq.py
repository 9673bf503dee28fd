"""Where a message is, by its seq: for the first one that is not read yet.

The log is in order of time, and a message says its seq; so one looks where it should be by the times
and numbers on either side, and again between what was found. No two messages of a thread have the
same time and no seq is missing. A few reads, however long the thread is; never its whole length.
"""

from msgspec import Struct

from greenroom.ids import MessageId
from greenroom.messaging import items
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Message
from greenroom.messaging.records import MESSAGING, from_ms, just_after, thread_partition
from greenroom.store.expressions import Range

_NEAR = 50
"""From here on it is walked."""


class _Known(Struct, frozen=True):
    seq: int
    ms: int


async def find_by_seq(messaging: Messaging, view: ThreadView, seq: int) -> MessageId | None:
    """The message with this seq, or the next that is there; None where the thread has none."""
    head, mine = view.thread, view.mine
    if head.last_seq <= mine.joined_seq:
        return None
    wanted = max(mine.joined_seq + 1, min(seq, head.last_seq))
    first_ms = mine.joined_ms if mine.joined_seq else head.created_ms
    low, high = _Known(mine.joined_seq, first_ms - 1), _Known(head.last_seq, head.last_ms)
    guess = True
    while wanted - low.seq > _NEAR and high.seq - wanted > _NEAR and high.ms - low.ms > 1:
        middle = _guess(low, high, wanted) if guess else (low.ms + high.ms) // 2
        guess = not guess  # a thread that slept for a year is no line
        message = await _first_from(messaging, view, middle)
        if message is not None and message.seq <= wanted:
            low = _Known(message.seq - 1, message.ms - 1)
        else:
            high = _Known(message.seq if message is not None else high.seq, middle)
    return await _walk(messaging, view, low, high, wanted)


def _guess(low: _Known, high: _Known, wanted: int) -> int:
    share = (high.ms - low.ms) * (wanted - low.seq) // (high.seq - low.seq)
    return min(max(low.ms + share, low.ms + 1), high.ms - 1)


async def _first_from(messaging: Messaging, view: ThreadView, ms: int) -> Message | None:
    page = await messaging.store.query(
        MESSAGING, thread_partition(view.thread.id), _between(ms, view.thread.last_ms), limit=1
    )
    return items.message_of(page.items[0]) if page.items else None


async def _walk(
    messaging: Messaging, view: ThreadView, low: _Known, high: _Known, wanted: int
) -> MessageId | None:
    backward = high.seq - wanted < wanted - low.seq
    page = await messaging.store.query(
        MESSAGING,
        thread_partition(view.thread.id),
        _between(low.ms, view.thread.last_ms if high.seq == view.thread.last_seq else high.ms),
        limit=_NEAR + 2,
        backward=backward,
        consistent=True,
    )
    messages = sorted(map(items.message_of, page.items), key=lambda message: message.seq)
    return next((message.id for message in messages if message.seq >= wanted), None)


def _between(low_ms: int, high_ms: int) -> Range:
    return Range(from_ms("MSG", low_ms), just_after("MSG", high_ms))
