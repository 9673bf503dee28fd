"""What a moderator has to see of a conversation to decide on a case: a few frames, and no more.

Only for a case that is open, and never for one's own: a moderator's scope opens no inbox. Of what
is reported, the frames before it and after; of what is held, the last ones, which it would follow.
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


async def surroundings(messaging: Messaging, actor: Actor, case_id: CaseId) -> Surroundings:
    case = await access.case_of_another(messaging.safety, actor, case_id)
    if not case.is_open:
        return Surroundings()
    match case.subject:
        case SentMessage(thread, message):
            return await _around(messaging, thread, message)
        case HeldEdit(thread=thread, message=message):
            return await _around(messaging, thread, message)
        case HeldMessage(thread=thread) | HeldName(thread=thread) | WholeThread(thread):
            return await _around(messaging, thread, None)
        case SomePerson():
            return Surroundings()


async def _around(
    messaging: Messaging, thread_id: ThreadId, message: MessageId | None
) -> Surroundings:
    head = await messaging.heads.read(thread_id)
    ms = None if message is None else time_of(message)
    here = up_to_end("MSG") if ms is None else just_after("MSG", ms)
    found = await _frames(messaging, thread_id, Range(from_ms("MSG"), here), BEFORE + 1, True)
    if ms is not None:
        later = Range(from_ms("MSG", ms + 1), up_to_end("MSG"))
        found += await _frames(messaging, thread_id, later, AFTER, False)
    return Surroundings(head, tuple(sorted(found, key=lambda frame: frame.seq)))


async def _frames(
    messaging: Messaging, thread: ThreadId, where: Range, limit: int, backward: bool
) -> list[Frame]:
    page = await messaging.store.query(
        MESSAGING, thread_partition(thread), where, limit=limit, backward=backward
    )
    return [items.frame_of(item) for item in page.items]
