"""Reads what a moderator needs of a conversation to decide on a case: a few frames, and no more.

Only for a case that is open, and never for one's own: a moderator's role opens no inbox. It gives
the frames before and after the place of what is reported or held, and says where that place is.
"""

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId, time_of
from greenroom.messaging import items
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Frame, Thread
from greenroom.messaging.records import MESSAGING, from_ms, just_after, thread_partition, up_to_end
from greenroom.people.actor import Actor
from greenroom.safety import access
from greenroom.safety.models import (
    CaseId,
    HeldEdit,
    HeldMessage,
    HeldName,
    SentMessage,
    SomePerson,
    WholeThread,
)
from greenroom.store.expressions import Range

BEFORE, AFTER = 5, 2


class Surroundings(Struct, frozen=True):
    thread: Thread | None = None
    frames: tuple[Frame, ...] = ()
    position: int | None = None
    """Where in `frames` the case belongs: the index of the reported message, or the index of the
    first frame after a held one (the length where there is none)."""


async def surroundings(messaging: Messaging, actor: Actor, case_id: CaseId) -> Surroundings:
    case = await access.case(messaging.safety, actor, case_id)
    if not case.is_open:
        return Surroundings()
    match case.subject:
        case SentMessage(thread, message):
            return await _around_message(messaging, thread, message)
        case HeldEdit(thread=thread, message=message):
            return await _around_message(messaging, thread, message)
        case HeldMessage(thread=thread) | HeldName(thread=thread):
            head, before, after = await _around(messaging, thread, case.opened_ms)
            return Surroundings(head, (*before, *after), len(before))
        case WholeThread(thread):
            head, before, _ = await _around(messaging, thread, None)
            return Surroundings(head, before)
        case SomePerson():
            return Surroundings()


async def _around_message(
    messaging: Messaging, thread: ThreadId, message: MessageId
) -> Surroundings:
    head, before, after = await _around(messaging, thread, time_of(message))
    frames = (*before, *after)
    ids = [frame.id for frame in frames]
    return Surroundings(head, frames, ids.index(message) if message in ids else None)


async def _around(
    messaging: Messaging, thread_id: ThreadId, ms: int | None
) -> tuple[Thread | None, tuple[Frame, ...], tuple[Frame, ...]]:
    """The head, the frames up to that time, and those after it; without a time, the last ones."""
    head = await messaging.heads.read(thread_id)
    here = up_to_end("MSG") if ms is None else just_after("MSG", ms)
    before = await _frames(messaging, thread_id, Range(from_ms("MSG"), here), BEFORE + 1, True)
    after: list[Frame] = []
    if ms is not None:
        later = Range(from_ms("MSG", ms + 1), up_to_end("MSG"))
        after = await _frames(messaging, thread_id, later, AFTER, False)
    return head, _in_order(before), _in_order(after)


def _in_order(frames: list[Frame]) -> tuple[Frame, ...]:
    return tuple(sorted(frames, key=lambda frame: frame.seq))


async def _frames(
    messaging: Messaging, thread: ThreadId, where: Range, limit: int, backward: bool
) -> list[Frame]:
    page = await messaging.store.query(
        MESSAGING, thread_partition(thread), where, limit=limit, backward=backward
    )
    return [items.frame_of(item) for item in page.items]
