"""Send a message: exactly once by the client's message id, and in one order for everybody.

Three items in one transaction: the head moves on, the message is new, and the claim on the client's
id is new. A retry is refused by the claim, which says what the first try became. Careful: a retry
must get its answer even if the sender may no longer write, so the claim is read before a refusal is
told. A retry publishes nothing, since the write that happened has. Where its node was killed before
it could, the others learn of it with their cursors; where the store's answer was lost, the claim
says that it was written, and it is published then.
"""

import asyncio
from collections.abc import Callable
from hashlib import blake2b
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import access, items, rules, text
from greenroom.messaging.batcher import PlannedWrite
from greenroom.messaging.contact import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.draft import cleared, save_draft
from greenroom.messaging.events import InboxChanged, MessageCreated, still_holds
from greenroom.messaging.models import GateStatus, Kind, Message, MessageKind, Status, Thread, score
from greenroom.messaging.moderate import check_text
from greenroom.messaging.problems import (
    AcceptFirst,
    ClientIdReused,
    ConversationClosed,
    ConversationLocked,
    InvalidText,
    MessageNotFound,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    ThreadNotFound,
)
from greenroom.messaging.records import MESSAGING, claim_key, message_key
from greenroom.messaging.roles import Operation, may_as_seated
from greenroom.messaging.sending import Name
from greenroom.messaging.silent_leave import ask_again, is_blocked_thread
from greenroom.messaging.update_thread import (
    IS_NEW,
    message_op,
    shown_ms,
    update_thread,
    with_message,
)
from greenroom.people import directory
from greenroom.people.actor import Actor
from greenroom.safety.hold import held_ops
from greenroom.safety.judge import has_link, uncount_text
from greenroom.safety.limits import Limit
from greenroom.safety.models import HeldMessage
from greenroom.safety.verdict import Allow, Hold, Judged, Nudge, worst
from greenroom.store.base import Op, Put, key_of
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, OutcomeUnknown
from greenroom.store.values import Item, Value

_INNOCENT = Allow()


class Outgoing(Struct, frozen=True):
    """What a client sends. `client_id` names it: the same name is the same message."""

    client_id: str
    body: str
    reply_to: MessageId | None = None
    typed: str | None = None
    """The text as it came in, where cleaning has changed it: a retry brings the same again."""
    metadata: str | None = None
    """JSON text, as `metadata.checked` gives it."""
    event: str | None = None
    """Of a system message."""


class Sent(Struct, frozen=True):
    message: Message
    hints: tuple[str, ...] = ()
    """What the sender is told, kindly."""
    again: bool = False
    """Whether it was sent before, under the same client's id."""


class Held(Struct, frozen=True):
    """Waits for a moderator."""

    client_id: str


class Rejected(Struct, frozen=True):
    """Was held, and a moderator decided against it."""

    client_id: str
    reason: str = ""
    warned: bool = False


Outcome: TypeAlias = Sent | Held | Rejected


async def send(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    queued: Callable[[], None] | None = None,
) -> Outcome:
    """Calls `queued` once the message has its place in the thread's queue, before it is written. A
    message that is held or refused has none. A try waits for those of the same message that are
    under way on this node: else it would count as a repetition of them."""
    name = (thread_id, actor.user, text.client_id(outgoing.client_id))
    text.check_length(outgoing.body)
    sending = messaging.thread_cache.sending
    if sending.is_under_way(name):
        await sending.begin_after_others(name)
    else:
        sending.begin(name)
    try:
        return await _send_once(messaging, actor, thread_id, outgoing, name, queued)
    finally:
        sending.end(name)


async def _send_once(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    name: Name,
    queued: Callable[[], None] | None,
) -> Outcome:
    try:
        return await _send(messaging, actor, thread_id, outgoing, name, queued)
    except ConditionFailed as refusal:
        claim = claim_key(*name)
        for failure in refusal.failed:
            if key_of(failure.op) == claim and failure.item is not None:
                return await first_answer(messaging, thread_id, outgoing, failure.item)
        raise
    except InvalidText:
        raise  # what was sent before was none
    except Problem as problem:
        item = await messaging.store.get(MESSAGING, claim_key(*name), consistent=True)
        if item is None:
            raise
        answer = await first_answer(messaging, thread_id, outgoing, item)
        is_out = isinstance(problem, ThreadNotFound)
        return _as_acked(answer, outgoing, item) if is_out else answer


async def _send(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    name: Name,
    queued: Callable[[], None] | None,
) -> Sent | Held:
    head = messaging.thread_cache.kept(thread_id)
    if head is None or not rules.is_let_in(head, actor.user, messaging.clock.now_ms()):
        # An outsider is answered with the same reads whether there is such a thread or not.
        head = (await access.thread(messaging, actor, thread_id, keep=True)).thread
    await messaging.safety.limits.spend(actor.user, Limit.MESSAGES, Limit.BURST)
    if outgoing.reply_to is not None:
        await _check_reply(messaging, actor, head, outgoing.reply_to)
    outgoing = cleaned(outgoing)
    sending = messaging.thread_cache.sending
    in_doubt = sending.is_doubted(name) and sending.take_doubt(name, digest(outgoing))
    if in_doubt:
        uncount_text(messaging.safety, actor, outgoing.body)
    verdict = await check_text(messaging, actor, head, outgoing.body)
    try:
        if not isinstance(verdict, Hold):
            return await _commit(messaging, actor, head, outgoing, verdict, queued)
        head = await hold(messaging, actor, thread_id, outgoing, verdict)
    except BaseException as error:
        if in_doubt or isinstance(error, OutcomeUnknown | asyncio.CancelledError):
            sending.doubt(name, digest(outgoing))
        else:
            # A client that tries again does not say the same twice.
            uncount_text(messaging.safety, actor, outgoing.body)
        raise
    if head.members[actor.user].draft:
        await save_draft(messaging, actor, thread_id, "")
    return Held(outgoing.client_id)


def cleaned(outgoing: Outgoing) -> Outgoing:
    """Careful: this is work. Spend the sender's limits first."""
    body = text.clean(outgoing.body)
    return outgoing if body == outgoing.body else replace(outgoing, body=body, typed=outgoing.body)


async def _commit(
    messaging: Messaging,
    actor: Actor,
    kept: Thread,
    outgoing: Outgoing,
    verdict: Allow | Nudge,
    queued: Callable[[], None] | None,
) -> Sent:
    sent: list[Sent] = []
    apart = await is_blocked_thread(messaging, kept, actor.user)
    mentions = await mentions_in(messaging, kept, outgoing.body) if "@" in outgoing.body else ()

    def plan(head: Thread, ms: int) -> PlannedWrite:
        check_may_send(head, actor.user, outgoing.body, messaging.clock.now_ms())
        head, asking = ask_again(messaging, head, actor.user, ms, apart=apart)
        message = message_of(messaging, actor.user, head, ms, outgoing, verdict, mentions)
        sent[:] = [as_sent(message, verdict)]
        after = with_reason(with_message(head, message), actor.user, verdict)
        told = [
            Put(MESSAGING, request_item(head.id, user, gate))
            for user, gate in after.gates.items()
            if gate.reason != head.gates[user].reason
        ]
        after, draft_ops = cleared(after, actor.user, ms)
        events = (InboxChanged(actor.user),) if draft_ops else ()
        ops = (message_op(message), claim_op(message, outgoing), *told, *asking, *draft_ops)
        return PlannedWrite(after, ops, (MessageCreated(message), *events))

    await update_thread(messaging, kept.id, plan, queued)
    return sent[0]


def message_of(
    messaging: Messaging,
    author: UserId,
    head: Thread,
    ms: int,
    outgoing: Outgoing,
    verdict: Judged,
    mentions: tuple[UserId, ...],
) -> Message:
    """The text as the thread's next message."""
    message = Message(
        thread=head.id,
        id=messaging.ids.message(ms),
        seq=head.last_seq + 1,
        ms=ms,
        shown_ms=shown_ms(messaging, ms),
        kind=MessageKind.TEXT,
        author=author,
        body=outgoing.body,
        mentions=mentions,
        reply_to=outgoing.reply_to,
        metadata=outgoing.metadata,
    )
    return marked(message, verdict)


def marked(message: Message, verdict: Judged) -> Message:
    """With what safety says of its text."""
    if verdict == _INNOCENT:
        return message
    return replace(
        message,
        policy_tags=tuple(verdict.policy_tags),
        policy_hints=tuple(verdict.policy_hints),
        spam_score=score(verdict.spam_score),
        moderation="flagged" if verdict.policy_tags else "clean",
    )


def as_sent(message: Message, verdict: Judged) -> Sent:
    return Sent(message, tuple(verdict.policy_hints) if isinstance(verdict, Nudge) else ())


def with_reason(thread: Thread, sender: UserId, verdict: Judged) -> Thread:
    """Whoever is asked sees what is suspected of the one who asks."""
    tag = worst(verdict.policy_tags)
    if tag is None:
        return thread
    asked = {
        user: replace(gate, reason=tag.value)
        for user, gate in thread.gates.items()
        if gate.sender == sender and gate.status is GateStatus.PENDING and gate.reason is None
    }
    return replace(thread, gates={**thread.gates, **asked})


def check_is_open(head: Thread, sender: UserId, now_ms: int) -> None:
    access.check_member(head, sender, now_ms)
    if not rules.has_accepted(head, sender):
        raise AcceptFirst
    if head.status is Status.LOCKED and not may_as_seated(head, sender, Operation.SEND_LOCKED):
        raise ConversationLocked
    if rules.is_closed(head, sender, now_ms):
        raise ConversationClosed


def check_may_send(
    head: Thread, sender: UserId, body: str, now_ms: int, *, seq: int | None = None
) -> None:
    """In the thread's next message, or in the one that is named. A thread's name is said as well."""
    check_is_open(head, sender, now_ms)
    if head.kind is Kind.SYSTEM and not may_as_seated(head, sender, Operation.SEND):
        raise RoleNotAllowed
    if not head.gates:
        return
    is_full = rules.waiting(head, sender) >= rules.PENDING_MESSAGES
    if seq is None and is_full and rules.is_behind_gate(head, sender):
        raise RequestPending(rules.PENDING_MESSAGES)
    if rules.is_in_request(head, seq or head.last_seq + 1, now_ms) and has_link(body):
        raise PlainTextOnly


async def hold(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, outgoing: Outgoing, verdict: Hold
) -> Thread:
    """The text stays out of the log until a moderator releases it: it has no seq, and nobody's
    unread knows of it. Returns the thread's head."""
    head = (await access.thread(messaging, actor, thread_id)).thread
    check_may_send(head, actor.user, outgoing.body, messaging.clock.now_ms())
    await messaging.store.write(*hold_ops(messaging, actor, thread_id, outgoing, verdict))
    return head


def hold_ops(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, outgoing: Outgoing, verdict: Hold
) -> tuple[Op, ...]:
    claim = _claim(thread_id, actor.user, outgoing) | {"state": "held"}
    if outgoing.metadata is not None:
        claim["metadata"] = outgoing.metadata
    case = held_ops(
        messaging.safety,
        HeldMessage(thread_id, actor.user, outgoing.client_id),
        outgoing.body,
        verdict,
        reply_to=outgoing.reply_to,
    )
    return Put(MESSAGING, claim, F("pk").absent()), *case


async def first_answer(
    messaging: Messaging, thread_id: ThreadId, outgoing: Outgoing, claim: Item
) -> Outcome:
    """What became of the message, by its claim. Where nobody was told of it, they are told now."""
    answer = await _claimed(messaging, thread_id, outgoing, claim)
    if isinstance(answer, Sent) and messaging.thread_cache.is_untold(answer.message.id):
        await _tell_late(messaging, answer.message)
    return answer


async def _tell_late(messaging: Messaging, message: Message) -> None:
    head = await messaging.thread_cache.read(message.thread)
    others = None if head is None else messaging.thread_cache.take_untold(message.id)
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
        return Held(outgoing.client_id)
    if claim.get("state") == "removed":
        return rejected(outgoing.client_id, claim)
    key = message_key(thread_id, MessageId(str(claim["messageId"])), int(str(claim["ts"])))
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None:
        raise MessageNotFound
    message = items.message_of(item)
    return Sent(message, message.policy_hints, again=True)


def rejected(client_id: str, claim: Item) -> Rejected:
    return Rejected(client_id, str(claim.get("reason", "")), bool(claim.get("warned")))


def _as_acked(answer: Outcome, outgoing: Outgoing, claim: Item) -> Outcome:
    """The answer as it was the first time, for a sender who may no longer see the thread: without
    what became of the message since."""
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


def claim_op(message: Message, outgoing: Outgoing) -> Put:
    claim = _claim(message.thread, message.author, outgoing)
    claim |= {"messageId": message.id, "seq": message.seq, "ts": message.ms}
    if message.policy_hints:
        claim["hints"] = list(message.policy_hints)
    if message.mentions:
        claim["mentions"] = list(message.mentions)
    return Put(MESSAGING, claim, IS_NEW)


def _claim(thread: ThreadId, user: UserId, outgoing: Outgoing) -> dict[str, Value]:
    return items.at(claim_key(thread, user, outgoing.client_id)) | {"digest": digest(outgoing)}


def digest(outgoing: Outgoing) -> bytes:
    """What makes two messages the same: the text as it came in, and all but their name."""
    typed = outgoing.body if outgoing.typed is None else outgoing.typed
    content: tuple[object, ...] = (typed.encode(errors="surrogatepass"), outgoing.reply_to)
    if outgoing.metadata is not None or outgoing.event is not None:
        content = (*content, outgoing.metadata, outgoing.event)
    return blake2b(msgspec.msgpack.encode(content), digest_size=16).digest()


async def _check_reply(
    messaging: Messaging, actor: Actor, head: Thread, reply_to: MessageId
) -> None:
    view = await access.thread(messaging, actor, head.id)
    await access.message(messaging, view, reply_to)


async def mentions_in(messaging: Messaging, head: Thread, body: str) -> tuple[UserId, ...]:
    """Of the names after an @, those of people in the thread."""
    if "@" not in body:
        return ()
    found = [await directory.by_username(messaging.people, name) for name in text.mentioned(body)]
    return tuple(person.id for person in found if person is not None and person.id in head.members)
