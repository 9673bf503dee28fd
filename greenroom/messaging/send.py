"""Sends a message: exactly once by the client's message id, and in one order for everybody.

One transaction writes three items: the head, the message, and the claim on the client's id. A retry
is refused by the claim, which says what the first try became (`claims.py`). Careful: a retry gets
its answer even if its sender may no longer write, so the claim is read before a refusal is raised.
"""

import asyncio
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import access, rules, text
from greenroom.messaging.claims import as_first_answered, claim_op, first_answer
from greenroom.messaging.contact import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.draft import cleared, save_draft
from greenroom.messaging.events import InboxChanged, MessageCreated
from greenroom.messaging.hold_message import hold
from greenroom.messaging.mentions import mentions_in
from greenroom.messaging.models import GateStatus, Member, Message, Thread
from greenroom.messaging.moderate import check_text
from greenroom.messaging.new_message import message_op, text_message, with_message
from greenroom.messaging.outgoing import Held, Outcome, Outgoing, Sent, cleaned, digest
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.policy import BURST, MESSAGES
from greenroom.messaging.problems import InvalidText, ThreadNotFound
from greenroom.messaging.records import MESSAGING, claim_key
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.silent_leave import ask_to_return, is_blocked_thread
from greenroom.messaging.unconfirmed import SendKey
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.safety.judge import uncount_text
from greenroom.safety.verdict import Allow, Hold, Judged, Nudge, worst
from greenroom.store.base import Op, Put, key_of
from greenroom.store.problems import ConditionFailed, OutcomeUnknown


class WrittenEarlier(Struct, frozen=True):
    """For a message that its author wrote some time ago: they may not be there when it is sent."""

    author: Member
    """As they are now: where they have unread messages, sending does not mark them as read."""
    ops: tuple[Op, ...]
    """Written together with the message, or with the case that holds it."""


async def send(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    queued: Callable[[], None] | None = None,
    earlier: WrittenEarlier | None = None,
) -> Outcome:
    """Calls `queued` once the message is in the thread's queue, before it is written; not for a
    message that is held or refused. Tries of the same message on this node wait for one another, so
    that none counts as a repetition of another."""
    key = (thread_id, actor.user, text.client_id(outgoing.client_id))
    text.check_length(outgoing.body)
    lock = messaging.sending
    if lock.is_locked(key):
        await lock.acquire_after_others(key)
    else:
        lock.acquire_now(key)
    try:
        return await _send_or_repeat_answer(
            messaging, actor, thread_id, outgoing, key, queued, earlier
        )
    finally:
        lock.release(key)


async def _send_or_repeat_answer(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    key: SendKey,
    queued: Callable[[], None] | None,
    earlier: WrittenEarlier | None,
) -> Outcome:
    """A message that was sent before is answered as it was then, also where it would be refused
    now."""
    try:
        return await _send(messaging, actor, thread_id, outgoing, key, queued, earlier)
    except ConditionFailed as refusal:
        claim = claim_key(*key)
        for failure in refusal.failed:
            if key_of(failure.op) == claim and failure.item is not None:
                return await first_answer(messaging, thread_id, outgoing, failure.item)
        raise
    except InvalidText:
        raise  # such a text was never sent
    except Problem as problem:
        item = await messaging.store.get(MESSAGING, claim_key(*key), consistent=True)
        if item is None:
            raise
        answer = await first_answer(messaging, thread_id, outgoing, item)
        is_outsider = isinstance(problem, ThreadNotFound)
        return as_first_answered(answer, outgoing, item) if is_outsider else answer


async def _send(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    key: SendKey,
    queued: Callable[[], None] | None,
    earlier: WrittenEarlier | None,
) -> Sent | Held:
    """Spends the limits, checks the text, and writes it to the log or holds it."""
    head = messaging.thread_cache.get(thread_id)
    if head is None or not rules.has_access(head, actor.user, messaging.clock.now_ms()):
        # For an outsider the reads are the same whether there is such a thread or not.
        head = (await access.thread(messaging, actor, thread_id, keep=True)).thread
    await messaging.safety.limits.spend(actor.user, MESSAGES, BURST)
    if outgoing.reply_to is not None:
        await _check_reply(messaging, actor, head, outgoing.reply_to)
    outgoing = cleaned(outgoing)
    unconfirmed = messaging.unconfirmed
    is_retry = unconfirmed.has_send(key) and unconfirmed.take_send(key, digest(outgoing))
    if is_retry:
        uncount_text(messaging.safety, actor, outgoing.body)
    verdict = await check_text(messaging, actor, head, outgoing.body)
    try:
        if not isinstance(verdict, Hold):
            return await _write(messaging, actor, head, outgoing, verdict, queued, earlier)
        with_it = () if earlier is None else earlier.ops
        head = await hold(messaging, actor, thread_id, outgoing, verdict, *with_it)
    except BaseException as error:
        if is_retry or isinstance(error, OutcomeUnknown | asyncio.CancelledError):
            unconfirmed.add_send(key, digest(outgoing))
        else:
            # The client's next try is not a repetition.
            uncount_text(messaging.safety, actor, outgoing.body)
        raise
    if earlier is None and head.members[actor.user].draft:
        await save_draft(messaging, actor, thread_id, "")
    return Held(outgoing.client_id)


async def _check_reply(
    messaging: Messaging, actor: Actor, head: Thread, reply_to: MessageId
) -> None:
    view = await access.thread(messaging, actor, head.id)
    await access.message(messaging, view, reply_to)


async def _write(
    messaging: Messaging,
    actor: Actor,
    cached: Thread,
    outgoing: Outgoing,
    verdict: Allow | Nudge,
    queued: Callable[[], None] | None,
    earlier: WrittenEarlier | None,
) -> Sent:
    """Plans the write on the current head; `update_thread` queues, writes and publishes it."""
    sent: list[Sent] = []
    blocked = await is_blocked_thread(messaging, cached, actor.user)
    mentions = await mentions_in(messaging, cached, outgoing.body) if "@" in outgoing.body else ()

    def plan(head: Thread, ms: int) -> PlannedWrite:
        check_may_send(head, actor.user, outgoing.body, messaging.clock.now_ms())
        head, return_ops = ask_to_return(messaging, head, actor.user, ms, blocked=blocked)
        message = text_message(messaging, actor.user, head, ms, outgoing, verdict, mentions)
        sent[:] = [as_sent(message, verdict)]
        after = with_reason(with_message(head, message), actor.user, verdict)
        request_ops = [
            Put(MESSAGING, request_item(head.id, user, gate))
            for user, gate in after.gates.items()
            if gate.reason != head.gates[user].reason
        ]
        if earlier is None:
            after, own_ops = cleared(after, actor.user, ms)
        else:
            after, own_ops = _unread_kept(head, after, earlier.author), earlier.ops
        events = (InboxChanged(actor.user),) if own_ops and earlier is None else ()
        message_ops = (message_op(message), claim_op(message, outgoing))
        ops = (*message_ops, *request_ops, *return_ops, *own_ops)
        return PlannedWrite(after, ops, (MessageCreated(message), *events))

    await update_thread(messaging, cached.id, plan, queued)
    return sent[0]


def _unread_kept(head: Thread, after: Thread, author: Member) -> Thread:
    """Sending marks as read; but this was written before what its author has not read yet."""
    return replace(after, members=head.members) if rules.unread_of(head, author) else after


def as_sent(message: Message, verdict: Judged) -> Sent:
    return Sent(message, tuple(verdict.policy_hints) if isinstance(verdict, Nudge) else ())


def with_reason(thread: Thread, sender: UserId, verdict: Judged) -> Thread:
    """Shows the targets of the sender's requests what the policy suspects."""
    tag = worst(verdict.policy_tags)
    if tag is None:
        return thread
    marked = {
        user: replace(gate, reason=tag.value)
        for user, gate in thread.gates.items()
        if gate.sender == sender and gate.status is GateStatus.PENDING and gate.reason is None
    }
    return replace(thread, gates={**thread.gates, **marked})
