"""The claim on a client's message id, which makes a send happen once and answers its retries.

A retry publishes nothing, since the first try has. Where the node was killed before it could, the
others get the message with their cursors; where the store's answer was lost, the retry finds the
claim and publishes then.
"""

from enum import StrEnum

from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import items
from greenroom.messaging.attachment_items import sent_attachments_bytes, sent_attachments_of
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated, still_holds
from greenroom.messaging.models import Message
from greenroom.messaging.new_message import largest_band
from greenroom.messaging.outgoing import (
    Canceled,
    Failed,
    Held,
    Outcome,
    Outgoing,
    Rejected,
    Sent,
    Waiting,
    digest,
)
from greenroom.messaging.problems import ClientIdReused, MessageNotFound
from greenroom.messaging.records import MESSAGING, claim_key, message_key
from greenroom.store.base import Put, Update
from greenroom.store.expressions import Action, F
from greenroom.store.values import Item, Value

_IS_NEW = F("pk").absent()
_FILES = "files"
"""The attachments as they were sent."""


class ClaimState(StrEnum):
    """Of a claim whose message is not in the log. A claim without a state has the message."""

    WAITING = "waiting"
    """For its files."""
    HELD = "held"
    """For a moderator."""
    REMOVED = "removed"
    """By a moderator."""
    FAILED = "failed"
    """It waited for its files, and could not be sent."""
    CANCELED = "canceled"
    """By its author, while it waited for its files."""


def claim_op(message: Message, outgoing: Outgoing) -> Put:
    claim = new_claim(message.thread, message.author, outgoing) | _sent(message)
    if message.attachments and message.attachments[0].manifest is not None:
        claim["manifestId"] = message.attachments[0].manifest
    return Put(MESSAGING, claim, _IS_NEW)


def sent_op(message: Message, client_id: str, state: ClaimState) -> Update:
    """For a message whose claim was in this state until now."""
    actions: list[Action] = [F(name).set(value) for name, value in _sent(message).items()]
    actions += [F(name).remove() for name in ("state", *CONTENT)]
    key = claim_key(message.thread, message.author, client_id)
    return Update(MESSAGING, key, tuple(actions), F("state").equals(state.value))


def _sent(message: Message) -> dict[str, Value]:
    """What leads to the message, and what of it may change later and a retry does not bring."""
    sent: dict[str, Value] = {"messageId": message.id, "seq": message.seq, "ts": message.ms}
    if message.policy_hints:
        sent["hints"] = list(message.policy_hints)
    if message.mentions:
        sent["mentions"] = list(message.mentions)
    if message.attachments and message.attachments[0].file is not None:
        sent[_FILES] = sent_attachments_bytes(message.attachments)
    return sent


CONTENT = ("body", "attachments", "metadata")
"""What the claim of a held message keeps of it. The text of one without attachments is in its
case."""


def change_state_op(
    thread: ThreadId,
    user: UserId,
    client_id: str,
    before: ClaimState,
    after: ClaimState,
    **fields: Value,
) -> Update:
    """Refused where the claim is no longer in the state `before`."""
    actions: list[Action] = [F("state").set(after.value)]
    actions += [F(name).set(value) for name, value in fields.items()]
    actions += [F(name).remove() for name in CONTENT if name not in fields]
    key = claim_key(thread, user, client_id)
    return Update(MESSAGING, key, tuple(actions), F("state").equals(before.value))


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
    if "state" in claim:
        return _without_message(outgoing.client_id, claim)
    key = message_key(thread_id, MessageId(str(claim["messageId"])), int(str(claim["ts"])))
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None:
        raise MessageNotFound
    message = items.message_of(item)
    return Sent(message, message.policy_hints, again=True)


def _without_message(client_id: str, claim: Item) -> Outcome:
    match ClaimState(str(claim["state"])):
        case ClaimState.WAITING:
            return Waiting(client_id, again=True)
        case ClaimState.HELD:
            return Held(client_id, again=True)
        case ClaimState.FAILED:
            return Failed(client_id, str(claim["problem"]), str(claim["detail"]))
        case ClaimState.CANCELED:
            return Canceled(client_id)
        case ClaimState.REMOVED:
            return Rejected(client_id, str(claim.get("reason", "")), bool(claim.get("warned")))


def as_first_answered(answer: Outcome, outgoing: Outgoing, claim: Item) -> Outcome:
    """The answer without later changes of the message, for a sender who may no longer see the
    thread. `outgoing` is cleaned."""
    if not isinstance(answer, Sent) or answer.message.version == 1:
        return answer
    hints, mentions = _names(claim.get("hints")), _names(claim.get("mentions"))
    kept = claim.get(_FILES)
    attachments = answer.message.attachments
    if isinstance(kept, bytes):
        attachments = sent_attachments_of(kept, outgoing.attachments)
    message = replace(
        answer.message,
        body=outgoing.body,
        mentions=tuple(map(UserId, mentions)),
        metadata=outgoing.metadata,
        attachments=attachments,
        band=largest_band(attachments),
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
