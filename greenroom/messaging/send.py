"""Sends a message: exactly once by the client's message id, and in one order for everybody.

One transaction writes three items: the head, the message, and the claim on the client's id. A retry
is refused by the claim, which says what the first try became (`claims.py`). A message whose files
are not ready waits for them (`wait_for_files.py`). Careful: a retry gets its answer even if its
sender may no longer write, so the claim is read before a refusal is raised.
"""

import asyncio
from collections.abc import Callable

from greenroom.errors import Problem
from greenroom.files.compare_again import compared_again
from greenroom.files.models import File
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access, rules, text
from greenroom.messaging.attachment_ops import is_about_files
from greenroom.messaging.attachments import (
    are_ready,
    attached_files,
    check_attachments,
    held_if_resembling,
)
from greenroom.messaging.claims import as_first_answered, first_answer
from greenroom.messaging.context import Messaging
from greenroom.messaging.draft import save_draft
from greenroom.messaging.hold_message import hold
from greenroom.messaging.models import Thread
from greenroom.messaging.moderate import TextVerdict, check_text
from greenroom.messaging.name_words import name_words
from greenroom.messaging.outgoing import Held, Outcome, Outgoing, Sent, Waiting, cleaned, digest
from greenroom.messaging.policy import BURST, MESSAGES
from greenroom.messaging.problems import InvalidText, ThreadNotFound
from greenroom.messaging.records import MESSAGING, claim_key
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.unconfirmed import SendKey
from greenroom.messaging.wait_for_files import wait_for_files
from greenroom.messaging.write_message import WrittenEarlier, write_message
from greenroom.people.actor import Actor
from greenroom.safety.judge import uncount_text
from greenroom.safety.verdict import Allow, Hold
from greenroom.store.base import key_of
from greenroom.store.problems import ConditionFailed, Conflict, OutcomeUnknown

_TRIES = 12
"""While files change at the same moment."""
_NO_TEXT = Allow()
_NOTHING = "it needs a text or attachments"


async def send(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    queued: Callable[[], None] | None = None,
    earlier: WrittenEarlier | None = None,
) -> Outcome:
    """Calls `queued` once the message is in the thread's queue, before it is written; not for a
    message that is held, waits or is refused. Tries of the same message on this node wait for one
    another, so that none counts as a repetition of another."""
    key = (thread_id, actor.user, text.client_id(outgoing.client_id))
    text.check_length(outgoing.body)
    if outgoing.attachments:
        check_attachments(messaging, outgoing)
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
        if earlier is not None and earlier.has_waited:
            raise
        item = await messaging.store.get(MESSAGING, claim_key(*key), consistent=True)
        if item is None:
            raise
        answer = await first_answer(messaging, thread_id, outgoing, item)
        if not isinstance(problem, ThreadNotFound):
            return answer
        return as_first_answered(answer, cleaned(outgoing, _NOTHING), item)


async def _send(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    key: SendKey,
    queued: Callable[[], None] | None,
    earlier: WrittenEarlier | None,
) -> Sent | Held | Waiting:
    """Spends the limits, checks the text, and writes it to the log, holds it or lets it wait."""
    head = messaging.thread_cache.get(thread_id)
    if head is None or not rules.has_access(head, actor.user, messaging.clock.now_ms()):
        # For an outsider the reads are the same whether there is such a thread or not.
        head = (await access.thread(messaging, actor, thread_id, keep=True)).thread
    has_waited = earlier is not None and earlier.has_waited
    if not has_waited:
        await messaging.safety.limits.spend(actor.user, MESSAGES, BURST)
    if outgoing.reply_to is not None:
        await _check_reply(messaging, actor, head, outgoing.reply_to)
    outgoing = cleaned(outgoing, _NOTHING)
    files: tuple[File, ...] = ()
    if outgoing.attachments:
        head = await _check_may_send_files(messaging, actor, head, outgoing.body)
        files = await attached_files(messaging, actor.user, thread_id, outgoing)
    names = name_words(file.name for file in files)
    unconfirmed, written = messaging.unconfirmed, outgoing.written
    is_retry = unconfirmed.has_send(key) and unconfirmed.take_send(key, digest(outgoing))
    if is_retry or has_waited:
        uncount_text(messaging.safety, actor, written)
    verdict: TextVerdict = _NO_TEXT
    if written or names:
        verdict = await check_text(messaging, actor, head, written, names)
    outcome: Sent | Held | Waiting = Held(outgoing.client_id)
    try:
        if outgoing.attachments:
            outcome, head = await _send_with_files(
                messaging, actor, head, outgoing, verdict, queued, earlier, files
            )
        elif isinstance(verdict, Hold):
            head = await hold(messaging, actor, thread_id, outgoing, verdict, earlier)
        else:
            return await write_message(messaging, actor, head, outgoing, verdict, queued, earlier)
    except BaseException as error:
        if is_retry or isinstance(error, OutcomeUnknown | asyncio.CancelledError):
            unconfirmed.add_send(key, digest(outgoing))
        else:
            # The client's next try is not a repetition.
            uncount_text(messaging.safety, actor, written)
        raise
    is_written = isinstance(outcome, Sent)
    if not is_written and earlier is None and head.members[actor.user].draft:
        await save_draft(messaging, actor, thread_id, "")
    return outcome


async def _send_with_files(
    messaging: Messaging,
    actor: Actor,
    head: Thread,
    outgoing: Outgoing,
    verdict: TextVerdict,
    queued: Callable[[], None] | None,
    earlier: WrittenEarlier | None,
    files: tuple[File, ...],
) -> tuple[Sent | Held | Waiting, Thread]:
    """The outcome, and the head. Files that change at the same moment are read again."""
    for _ in range(_TRIES):
        files = tuple([await compared_again(messaging.files, file) for file in files])
        holding = held_if_resembling(messaging, verdict, files) or verdict
        try:
            if not are_ready(files):
                head = await wait_for_files(messaging, actor, head.id, outgoing, files)
                return Waiting(outgoing.client_id), head
            if isinstance(holding, Hold):
                head = await hold(messaging, actor, head.id, outgoing, holding, earlier, files)
                return Held(outgoing.client_id), head
            sent = await write_message(
                messaging, actor, head, outgoing, verdict, queued, earlier, files
            )
        except ConditionFailed as refusal:
            if not is_about_files(refusal):
                raise
            files = await attached_files(messaging, actor.user, head.id, outgoing)
            continue
        return sent, head
    raise Conflict


async def _check_may_send_files(
    messaging: Messaging, actor: Actor, head: Thread, body: str
) -> Thread:
    """Checked again when it is written; comparing pictures for nothing is expensive. Returns the
    head that allows it: the cached one may be old."""
    now_ms = messaging.clock.now_ms()
    try:
        check_may_send(head, actor.user, body, now_ms, has_files=True)
    except Problem:
        head = (await access.thread(messaging, actor, head.id, keep=True)).thread
        check_may_send(head, actor.user, body, now_ms, has_files=True)
    return head


async def _check_reply(
    messaging: Messaging, actor: Actor, head: Thread, reply_to: MessageId
) -> None:
    view = await access.thread(messaging, actor, head.id)
    await access.message(messaging, view, reply_to)
