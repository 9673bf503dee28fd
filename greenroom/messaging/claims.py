"""The claim on a client's message id, which makes a send happen once and answers its retries.

A retry publishes nothing, since the first try has. Where the node was killed before it could, the
others get the message with their cursors; where the store's answer was lost, the retry finds the
claim and publishes then.
"""

from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import items
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated, still_holds
from greenroom.messaging.models import Message
from greenroom.messaging.outgoing import Held, Outcome, Outgoing, Rejected, Sent, digest
from greenroom.messaging.problems import ClientIdReused, MessageNotFound
from greenroom.messaging.records import MESSAGING, claim_key, message_key
from greenroom.store.base import Put
from greenroom.store.expressions import F
from greenroom.store.values import Item, Value

_IS_NEW = F("pk").absent()


def claim_op(message: Message, outgoing: Outgoing) -> Put:
    claim = new_claim(message.thread, message.author, outgoing)
    claim |= {"messageId": message.id, "seq": message.seq, "ts": message.ms}
    if message.policy_hints:
        claim["hints"] = list(message.policy_hints)
    if message.mentions:
        claim["mentions"] = list(message.mentions)
    return Put(MESSAGING, claim, _IS_NEW)


def new_claim(thread: ThreadId, user: UserId, outgoing: Outgoing) -> dict[str, Value]:
    return items.at(claim_key(thread, user, outgoing.client_id)) | {"digest": digest(outgoing)}


async def first_answer(
    messaging: Messaging, thread_id: ThreadId, outgoing: Outgoing, claim: Item
) -> Outcome:
    """What became of the message, by its claim. Publishes it where that has not happened yet."""
    answer = await _claimed(messaging, thread_id, outgoing, claim)
    if isinstance(answer, Sent) and messaging.unconfirmed.has_events(answer.message.id):
        await _publish_late(messaging, answer.message)
    return answer


async def _publish_late(messaging: Messaging, message: Message) -> None:
    head = await messaging.thread_cache.read(message.thread)
    others = None if head is None else messaging.unconfirmed.take_events(message.id)
    if head is None or others is None:
        return
    for event in (MessageCreated(message), *others):
        if still_holds(head, event):
            messaging.publish(head, event)


async def _claimed(
    messaging: Messaging, thread_id: ThreadId, outgoing: Outgoing, claim: Item
) -> Outcome:
    if claim["digest"] != digest(outgoing):
        raise ClientIdReused(outgoing.client_id)
    if claim.get("state") == "held":
        return Held(outgoing.client_id, again=True)
    if claim.get("state") == "removed":
        reason = str(claim.get("reason", ""))
        return Rejected(outgoing.client_id, reason, bool(claim.get("warned")))
    key = message_key(thread_id, MessageId(str(claim["messageId"])), int(str(claim["ts"])))
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None:
        raise MessageNotFound
    message = items.message_of(item)
    return Sent(message, message.policy_hints, again=True)


def as_first_answered(answer: Outcome, outgoing: Outgoing, claim: Item) -> Outcome:
    """The answer without later changes of the message, for a sender who may no longer see the
    thread."""
    if not isinstance(answer, Sent) or answer.message.version == 1:
        return answer
    hints, mentions = _names(claim.get("hints")), _names(claim.get("mentions"))
    message = replace(
        answer.message,
        body=outgoing.body,
        mentions=tuple(map(UserId, mentions)),
        reactions={},
        edits=(),
        edited_ms=None,
        deleted_ms=None,
        deleted_by=None,
        policy_hints=hints,
        version=1,
    )
    return Sent(message, hints, again=True)


def _names(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
