"""Finds a message by its seq, such as the first unread one, in a few reads.

The log is sorted by time, and each message has its seq. So this interpolates between the times and
seqs that are known, and narrows the range with each read. No two messages of a thread have the same
time, and no seq is missing.
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
"""A range this small is read whole."""


class _Point(Struct, frozen=True):
    seq: int
    ms: int


async def find_by_seq(messaging: Messaging, view: ThreadView, seq: int) -> MessageId | None:
    """The message with this seq, or the next one; None where the thread is empty."""
    head, mine = view.thread, view.mine
    if head.last_seq <= mine.joined_seq:
        return None
    wanted = max(mine.joined_seq + 1, min(seq, head.last_seq))
    first_ms = mine.joined_ms if mine.joined_seq else head.created_ms
    low, high = _Point(mine.joined_seq, first_ms - 1), _Point(head.last_seq, head.last_ms)
    guess = True
    while wanted - low.seq > _NEAR and high.seq - wanted > _NEAR and high.ms - low.ms > 1:
        middle = _guess(low, high, wanted) if guess else (low.ms + high.ms) // 2
        guess = not guess  # times are not linear after a long pause
        message = await _first_from(messaging, view, middle)
        if message is not None and message.seq <= wanted:
            low = _Point(message.seq - 1, message.ms - 1)
        else:
            high = _Point(message.seq if message is not None else high.seq, middle)
    return await _walk(messaging, view, low, high, wanted)


def _guess(low: _Point, high: _Point, wanted: int) -> int:
    share = (high.ms - low.ms) * (wanted - low.seq) // (high.seq - low.seq)
    return min(max(low.ms + share, low.ms + 1), high.ms - 1)


async def _first_from(messaging: Messaging, view: ThreadView, ms: int) -> Message | None:
    page = await messaging.store.query(
        MESSAGING, thread_partition(view.thread.id), _between(ms, view.thread.last_ms), limit=1
    )
    return items.message_of(page.items[0]) if page.items else None


async def _walk(
    messaging: Messaging, view: ThreadView, low: _Point, high: _Point, wanted: int
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
