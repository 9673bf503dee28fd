"""Posts a system message: a service's own text in a thread, sent once and never gated."""

import re

from msgspec import Struct

from greenroom.ids import ThreadId
from greenroom.messaging import text
from greenroom.messaging.claims import claim_op, first_answer
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.manage import check_may, managed
from greenroom.messaging.models import BUILT_IN_EVENTS, Message, MessageKind, Thread
from greenroom.messaging.new_message import message_op, shown_ms, with_message
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import InvalidText
from greenroom.messaging.records import claim_key
from greenroom.messaging.roles import Operation
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import SYSTEM, Actor
from greenroom.store.base import key_of
from greenroom.store.problems import ConditionFailed

DEFAULT_EVENT = "service.notice"
_EVENT = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+")
MAX_EVENT = 64


class SystemMessage(Struct, frozen=True):
    client_id: str
    """The same id is the same message."""
    body: str
    event: str = DEFAULT_EVENT
    metadata: str | None = None


async def post_system(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, content: SystemMessage
) -> Sent:
    outgoing = Outgoing(
        text.client_id(content.client_id),
        text.clean(content.body),
        metadata=content.metadata,
        event=_checked(content.event),
    )
    view = await managed(messaging, actor, thread_id)
    check_may(view.thread, actor, Operation.POST_SYSTEM)
    sent: list[Sent] = []

    def plan(head: Thread, ms: int) -> PlannedWrite:
        message = _message(messaging, head, ms, outgoing)
        sent[:] = [Sent(message)]
        ops = (message_op(message), claim_op(message, outgoing))
        return PlannedWrite(with_message(head, message), ops, (MessageCreated(message),))

    try:
        await update_thread(messaging, thread_id, plan)
    except ConditionFailed as refusal:
        claim = claim_key(thread_id, SYSTEM, outgoing.client_id)
        for failure in refusal.failed:
            if key_of(failure.op) == claim and failure.item is not None:
                first = await first_answer(messaging, thread_id, outgoing, failure.item)
                assert isinstance(first, Sent)
                return first
        raise
    return sent[0]


def _message(messaging: Messaging, head: Thread, ms: int, outgoing: Outgoing) -> Message:
    return Message(
        thread=head.id,
        id=messaging.ids.message(ms),
        seq=head.last_seq + 1,
        ms=ms,
        shown_ms=shown_ms(messaging, ms),
        kind=MessageKind.SYSTEM,
        author=SYSTEM,
        event=outgoing.event,
        body=outgoing.body,
        metadata=outgoing.metadata,
    )


def _checked(event: str) -> str:
    if event in BUILT_IN_EVENTS:
        raise InvalidText(f"the event {event} is one of the server's own; choose another name")
    if len(event) > MAX_EVENT or not _EVENT.fullmatch(event):
        raise InvalidText(
            f"an event must be named like `order.shipped`, in at most {MAX_EVENT} characters"
        )
    return event
