"""Opens a thread with its first message, in one transaction.

Careful: where the thread exists already, the message is sent into it like any other. Its client id
is derived from the thread's key, so that a retry opens nothing new and sends nothing twice.
"""

from dataclasses import dataclass, field
from hashlib import blake2b

from msgspec import Struct

from greenroom.ids import UserId
from greenroom.messaging import text
from greenroom.messaging.claims import claim_op
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.first_message import FirstMessagePlan
from greenroom.messaging.hold_message import hold_ops
from greenroom.messaging.manage import is_bare_service
from greenroom.messaging.mentions import mentions_in
from greenroom.messaging.models import Thread
from greenroom.messaging.moderate import TextVerdict, check_text
from greenroom.messaging.new_message import message_op, text_message, with_message
from greenroom.messaging.open import Opened, Opening, find_or_open
from greenroom.messaging.outgoing import Held, Outcome, Outgoing, cleaned, digest
from greenroom.messaging.policy import BURST, MESSAGES
from greenroom.messaging.problems import ClientIdReused, InvalidThread, OpeningKeyReused
from greenroom.messaging.send import send
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.silent_leave import ask_to_return
from greenroom.messaging.write_message import as_sent, with_reason
from greenroom.people.actor import Actor
from greenroom.safety.blocks import is_blocked_pair
from greenroom.safety.verdict import Allow, Hold
from greenroom.store.problems import ConditionFailed


class Started(Struct, frozen=True):
    thread: Thread
    created: bool
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
    first_message = _FirstMessage(messaging, actor, outgoing)
    opened = await _opened(messaging, actor, opening, first_message, key)
    first = first_message.outcome if opened.used_first_message else None
    if first is None:
        try:
            first = await send(messaging, actor, opened.thread.id, outgoing)
        except ClientIdReused:
            raise OpeningKeyReused from None
    return Started(opened.thread, opened.created, outgoing.client_id, first)


async def _opened(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    first_message: "_FirstMessage",
    key: str | None,
) -> Opened:
    first = digest(first_message.outgoing)
    try:
        return await find_or_open(messaging, actor, opening, first_message, key=key, first=first)
    except ConditionFailed:
        # Sent before, in a thread that its author has left since: they return to it.
        first_message.outcome = None
        return await find_or_open(messaging, actor, opening, key=key, first=first)


@dataclass
class _FirstMessage:
    messaging: Messaging
    actor: Actor
    outgoing: Outgoing
    verdict: TextVerdict = field(default_factory=Allow)
    mentions: tuple[UserId, ...] = ()
    outcome: Outcome | None = None
    blocked: bool = False

    async def check(self, thread: Thread) -> None:
        await self.messaging.safety.limits.spend(self.actor.user, MESSAGES, BURST)
        self.outgoing = cleaned(self.outgoing)
        body, now_ms = self.outgoing.body, self.messaging.clock.now_ms()
        check_may_send(thread, self.actor.user, body, now_ms)
        self.blocked = thread.pair is not None and await is_blocked_pair(
            self.messaging.safety, *thread.pair
        )
        self.verdict = await check_text(self.messaging, self.actor, thread, body)
        self.mentions = await mentions_in(self.messaging, thread, body)

    def plan(self, thread: Thread, ms: int) -> FirstMessagePlan:
        author, outgoing, verdict = self.actor.user, self.outgoing, self.verdict
        if isinstance(verdict, Hold):
            self.outcome = Held(outgoing.client_id)
            ops = hold_ops(self.messaging, self.actor, thread.id, outgoing, verdict)
            return FirstMessagePlan(thread, ops, shows=False)
        thread, asking = ask_to_return(self.messaging, thread, author, ms, blocked=self.blocked)
        message = text_message(self.messaging, author, thread, ms, outgoing, verdict, self.mentions)
        self.outcome = as_sent(message, verdict)
        after = with_reason(with_message(thread, message), author, verdict)
        ops = (message_op(message), claim_op(message, outgoing), *asking)
        return FirstMessagePlan(after, ops, (MessageCreated(message),))


def _client_id(messaging: Messaging, key: str | None) -> str:
    name = messaging.ids.request() if key is None else key
    return "first:" + blake2b(name.encode(), digest_size=16).hexdigest()
