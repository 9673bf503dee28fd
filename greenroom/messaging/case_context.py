"""Reads the few messages around a case that a moderator needs for a decision.

Only for an open case, and never one about the moderator: a moderator's role opens no inbox.
"""

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId, time_of
from greenroom.messaging import items
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Message, Thread
from greenroom.messaging.records import MESSAGING, from_ms, just_after, thread_partition, up_to_end
from greenroom.people.actor import Actor
from greenroom.safety import access
from greenroom.safety.models import (
    CaseId,
    HeldEdit,
    HeldMessage,
    HeldName,
    RatedFile,
    SentMessage,
    SomePerson,
    WholeThread,
)
from greenroom.store.expressions import Range

BEFORE, AFTER = 5, 2


class CaseContext(Struct, frozen=True):
    thread: Thread | None = None
    messages: tuple[Message, ...] = ()
    position: int | None = None
    """Where in `messages` the case belongs: the index of the reported message, or the index of the
    first message after a held one (the length where there is none)."""


async def case_context(messaging: Messaging, actor: Actor, case_id: CaseId) -> CaseContext:
    case = await access.case(messaging.safety, actor, case_id)
    if not case.is_open:
        return CaseContext()
    match case.subject:
        case SentMessage(thread, message_id):
            return await _around_message(messaging, thread, message_id)
        case HeldEdit(thread=thread, message=message_id):
            return await _around_message(messaging, thread, message_id)
        case HeldMessage(thread=thread) | HeldName(thread=thread):
            head, before, after = await _around(messaging, thread, case.opened_ms)
            return CaseContext(head, (*before, *after), len(before))
        case WholeThread(thread):
            head, before, _ = await _around(messaging, thread, None)
            return CaseContext(head, before)
        case SomePerson() | RatedFile():
            return CaseContext()


async def _around_message(
    messaging: Messaging, thread: ThreadId, message_id: MessageId
) -> CaseContext:
    head, before, after = await _around(messaging, thread, time_of(message_id))
    messages = (*before, *after)
    ids = [message.id for message in messages]
    return CaseContext(head, messages, ids.index(message_id) if message_id in ids else None)


async def _around(
    messaging: Messaging, thread_id: ThreadId, ms: int | None
) -> tuple[Thread | None, tuple[Message, ...], tuple[Message, ...]]:
    """The head, the messages up to that time, and those after it; without a time, the last ones."""
    head = await messaging.thread_cache.read(thread_id)
    here = up_to_end("MSG") if ms is None else just_after("MSG", ms)
    before = await _messages(messaging, thread_id, Range(from_ms("MSG"), here), BEFORE + 1, True)
    after: list[Message] = []
    if ms is not None:
        later = Range(from_ms("MSG", ms + 1), up_to_end("MSG"))
        after = await _messages(messaging, thread_id, later, AFTER, False)
    return head, _in_order(before), _in_order(after)


def _in_order(messages: list[Message]) -> tuple[Message, ...]:
    return tuple(sorted(messages, key=lambda message: message.seq))


async def _messages(
    messaging: Messaging, thread: ThreadId, where: Range, limit: int, backward: bool
) -> list[Message]:
    page = await messaging.store.query(
        MESSAGING, thread_partition(thread), where, limit=limit, backward=backward
    )
    return [items.message_of(item) for item in page.items]
