"""Open a thread with its first message, in one transaction: there is both, or neither.

What one would get wrong: where the thread was there already, the message is sent into it like any
other. It is named after the thread's key, so that a retry opens nothing new and says nothing twice.
"""

from dataclasses import dataclass, field
from hashlib import blake2b

from msgspec import Struct

from greenroom.ids import UserId
from greenroom.messaging import text
from greenroom.messaging.append import frame_op, said
from greenroom.messaging.away import ask_again
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.manage import is_bare_service
from greenroom.messaging.models import Thread
from greenroom.messaging.open import Opened, Opening, find_or_open
from greenroom.messaging.problems import ClientIdReused, InvalidThread, OpeningKeyReused
from greenroom.messaging.send import (
    Held,
    Outcome,
    Outgoing,
    as_sent,
    check_may_send,
    claim_op,
    cleaned,
    digest,
    frame_of,
    hold_ops,
    mentions_in,
    send,
    with_reason,
)
from greenroom.messaging.weigh import Weighed, weighed
from greenroom.messaging.words import Begun
from greenroom.people.actor import Actor
from greenroom.safety.blocks import apart
from greenroom.safety.limits import Limit
from greenroom.safety.verdict import Allow, Hold
from greenroom.store.problems import ConditionFailed


class Started(Struct, frozen=True):
    thread: Thread
    made: bool
    client_id: str
    first: Outcome


async def start(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    body: str,
    *,
    metadata: str | None = None,
    key: str | None = None,
) -> Started:
    """`metadata` is of the message: JSON text, as `metadata.checked` gives it."""
    if is_bare_service(actor):
        raise InvalidThread("a service must send the first message as a system message")
    text.check_length(body)
    outgoing = Outgoing(_client_id(messaging, key), body, metadata=metadata)
    words = _FirstMessage(messaging, actor, outgoing)
    opened = await _opened(messaging, actor, opening, words, key)
    first = words.became if opened.begun else None
    if first is None:
        try:
            first = await send(messaging, actor, opened.thread.id, outgoing)
        except ClientIdReused:
            raise OpeningKeyReused from None
    return Started(opened.thread, opened.made, outgoing.client_id, first)


async def _opened(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    words: "_FirstMessage",
    key: str | None,
) -> Opened:
    first = digest(words.outgoing)
    try:
        return await find_or_open(messaging, actor, opening, words, key=key, first=first)
    except ConditionFailed:
        # Said before, in a thread that its author has left since: they come back to it.
        words.became = None
        return await find_or_open(messaging, actor, opening, key=key, first=first)


@dataclass
class _FirstMessage:
    messaging: Messaging
    actor: Actor
    outgoing: Outgoing
    verdict: Weighed = field(default_factory=Allow)
    mentions: tuple[UserId, ...] = ()
    became: Outcome | None = None
    apart: bool = False

    async def weigh(self, thread: Thread) -> None:
        await self.messaging.safety.limits.spend(self.actor.user, Limit.MESSAGES, Limit.BURST)
        self.outgoing = cleaned(self.outgoing)
        body, now_ms = self.outgoing.body, self.messaging.clock.now_ms()
        check_may_send(thread, self.actor.user, body, now_ms)
        self.apart = thread.pair is not None and await apart(self.messaging.safety, *thread.pair)
        self.verdict = await weighed(self.messaging, self.actor, thread, body)
        self.mentions = await mentions_in(self.messaging, thread, body)

    def begin(self, thread: Thread, ms: int) -> Begun:
        author, outgoing, verdict = self.actor.user, self.outgoing, self.verdict
        if isinstance(verdict, Hold):
            self.became = Held(outgoing.client_id)
            ops = hold_ops(self.messaging, self.actor, thread.id, outgoing, verdict)
            return Begun(thread, ops, shows=False)
        thread, asking = ask_again(self.messaging, thread, author, ms, apart=self.apart)
        frame = frame_of(self.messaging, author, thread, ms, outgoing, verdict, self.mentions)
        self.became = as_sent(frame, verdict)
        after = with_reason(said(thread, frame), author, verdict)
        ops = (frame_op(frame), claim_op(frame, outgoing), *asking)
        return Begun(after, ops, (MessageCreated(frame),))


def _client_id(messaging: Messaging, key: str | None) -> str:
    name = messaging.ids.request() if key is None else key
    return "first:" + blake2b(name.encode(), digest_size=16).hexdigest()
