"""Releases a held text into its thread, as its author's next message; or discards it.

It is released only where its author could send it now: not into a locked or closed thread, nor
beyond what a request may contain. `check_release` tells a moderator before; an obstacle that comes
up later discards the text, and the caller learns of it. Both are idempotent, for retries after a
crash.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.mentions import mentions_in
from greenroom.messaging.models import Message, Thread
from greenroom.messaging.new_message import message_op, text_message, with_message
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import (
    AcceptFirst,
    ConversationClosed,
    ConversationLocked,
    PlainTextOnly,
    RequestPending,
    ThreadNotFound,
)
from greenroom.messaging.records import MESSAGING, claim_key, member_key
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.silent_leave import ask_to_return, is_blocked_thread
from greenroom.messaging.update_thread import update_thread
from greenroom.safety.models import Case, Decision, HeldMessage, judgement_of
from greenroom.safety.problems import CannotRelease
from greenroom.store.base import Key, Op, Update, key_of
from greenroom.store.expressions import Action, F
from greenroom.store.problems import ConditionFailed
from greenroom.store.values import Item

_WHY: Mapping[type[Problem], str] = {
    ThreadNotFound: "its author has left the conversation",
    AcceptFirst: "its author has not accepted a request there",
    ConversationLocked: "the conversation is locked",
    ConversationClosed: "nobody can be reached there",
    RequestPending: "its author's request already has as many messages as it can have",
    PlainTextOnly: "messages in a request must be plain text",
}
_OBSTACLES = tuple(_WHY)


async def check_release(messaging: Messaging, subject: HeldMessage, text: str) -> None:
    head = await messaging.thread_cache.read(subject.thread)
    try:
        if head is None:
            raise ThreadNotFound
        check_may_send(head, subject.author, text, messaging.clock.now_ms())
    except _OBSTACLES as problem:
        raise CannotRelease(_WHY[type(problem)]) from problem


async def release(messaging: Messaging, case: Case, subject: HeldMessage) -> bool:
    """Whether the text is in its thread."""
    claim = claim_key(subject.thread, subject.author, subject.client_message_id)
    key = member_key(subject.thread, subject.author)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    author = None if item is None else items.member_of(item)
    kept, _ = await messaging.thread_cache.load(subject.thread)
    blocked = kept is not None and await is_blocked_thread(messaging, kept, subject.author)
    mentions = () if kept is None else await mentions_in(messaging, kept, case.text)
    held = await messaging.store.get(MESSAGING, claim, consistent=True)
    outgoing = _outgoing(case, subject, held)

    def plan(head: Thread, ms: int) -> PlannedWrite:
        now_ms = messaging.clock.now_ms()
        check_may_send(head, subject.author, case.text, now_ms)
        head, asking = ask_to_return(messaging, head, subject.author, ms, blocked=blocked)
        message = _released(messaging, case, outgoing, mentions, head, ms)
        after = with_message(head, message)
        if author is not None and rules.unread_of(head, author):
            # Sending marks as read, but this was sent before what they have not read yet.
            after = replace(after, members=head.members)
        ops = (message_op(message), _released_claim_op(claim, message), *asking)
        return PlannedWrite(after, ops, (MessageCreated(message),))

    try:
        await update_thread(messaging, subject.thread, plan)
    except ConditionFailed as refusal:
        if claim not in {key_of(failure.op) for failure in refusal.failed}:
            raise
        return await _was_released(messaging, claim)
    except _OBSTACLES:
        await discard_held(messaging, case, subject)
        return await _was_released(messaging, claim)
    return True


async def _was_released(messaging: Messaging, claim: Key) -> bool:
    """By a concurrent call; otherwise the text was discarded."""
    item = await messaging.store.get(MESSAGING, claim, consistent=True)
    return item is not None and "messageId" in item


async def discard_held(messaging: Messaging, case: Case, subject: HeldMessage) -> None:
    """The claim keeps the answer for a retry of its author."""
    claim = claim_key(subject.thread, subject.author, subject.client_message_id)
    removed: list[Action] = [
        F("state").set("removed"),
        F("warned").set(case.decision is Decision.WARN),
        F("metadata").remove(),
    ]
    if case.reason:
        removed.append(F("reason").set(case.reason))
    is_held = F("state").equals("held")
    try:
        await messaging.store.write(Update(MESSAGING, claim, tuple(removed), is_held))
    except ConditionFailed:
        return


def _released_claim_op(claim: Key, message: Message) -> Op:
    actions = (
        F("state").remove(),
        F("metadata").remove(),
        F("messageId").set(message.id),
        F("seq").set(message.seq),
        F("ts").set(message.ms),
    )
    return Update(MESSAGING, claim, actions, F("state").equals("held"))


def _released(
    messaging: Messaging,
    case: Case,
    outgoing: Outgoing,
    mentions: tuple[UserId, ...],
    head: Thread,
    ms: int,
) -> Message:
    """With the policy's remarks; a moderator has looked, so it is clean."""
    assert isinstance(case.subject, HeldMessage)
    author = case.subject.author
    message = text_message(messaging, author, head, ms, outgoing, judgement_of(case), mentions)
    return replace(message, moderation="clean")


def _outgoing(case: Case, subject: HeldMessage, claim: Item | None) -> Outgoing:
    """As it was sent: its claim keeps the metadata while it is held."""
    metadata = None if claim is None else claim.get("metadata")
    return Outgoing(
        subject.client_message_id,
        case.text,
        case.reply_to,
        metadata=None if metadata is None else str(metadata),
    )
