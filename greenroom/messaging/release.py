"""Releases a held text into its thread, as its author's next message; or discards it.

It is released only where its author could send it now: not into a locked or closed thread, nor
beyond what a request may contain. `check_release` tells a moderator before; an obstacle that comes
up later discards the text, and the caller learns of it. Its files are sent with it, or deleted with
it. Both are idempotent, for retries after a crash.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.files.models import File, FileState
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.ids import UserId
from greenroom.messaging import items, rules
from greenroom.messaging.attachment_items import new_attachment_of
from greenroom.messaging.attachment_ops import (
    delete_files_ops,
    is_about_files,
    sent_use_ops,
)
from greenroom.messaging.attachments import attached_files, shown_attachments
from greenroom.messaging.claims import ClaimState, change_state_op, sent_op
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
from greenroom.store.base import Key, key_of
from greenroom.store.problems import ConditionFailed, Conflict
from greenroom.store.values import Value

_WHY: Mapping[type[Problem], str] = {
    ThreadNotFound: "its author has left the conversation",
    AcceptFirst: "its author has not accepted a request there",
    ConversationLocked: "the conversation is locked",
    ConversationClosed: "nobody can be reached there",
    RequestPending: "its author's request already has as many messages as it can have",
    PlainTextOnly: "messages in a request must be plain text",
    FileNotFound: "one of its files is gone",
    FileNotReady: "one of its files cannot be used",
}
_OBSTACLES = tuple(_WHY)
_TRIES = 12


async def check_release(messaging: Messaging, case: Case, subject: HeldMessage) -> None:
    head = await messaging.thread_cache.read(subject.thread)
    outgoing = await _held(messaging, case, subject)
    try:
        if head is None:
            raise ThreadNotFound
        now_ms, has_files = messaging.clock.now_ms(), bool(outgoing.attachments)
        check_may_send(head, subject.author, outgoing.body, now_ms, has_files=has_files)
        await _files(messaging, subject, outgoing)
    except _OBSTACLES as problem:
        raise CannotRelease(_WHY[type(problem)]) from problem


async def release(messaging: Messaging, case: Case, subject: HeldMessage) -> bool:
    """Whether the text is in its thread."""
    for _ in range(_TRIES):
        try:
            return await _release(messaging, case, subject)
        except ConditionFailed as refusal:
            if not is_about_files(refusal):
                raise
    raise Conflict


async def _release(messaging: Messaging, case: Case, subject: HeldMessage) -> bool:
    claim = claim_key(subject.thread, subject.author, subject.client_message_id)
    key = member_key(subject.thread, subject.author)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    author = None if item is None else items.member_of(item)
    kept, _ = await messaging.thread_cache.load(subject.thread)
    blocked = kept is not None and await is_blocked_thread(messaging, kept, subject.author)
    outgoing = await _held(messaging, case, subject)
    mentions = () if kept is None else await mentions_in(messaging, kept, outgoing.body)
    files = list[File]()

    def plan(head: Thread, ms: int) -> PlannedWrite:
        now_ms = messaging.clock.now_ms()
        check_may_send(head, subject.author, outgoing.body, now_ms, has_files=bool(files))
        head, asking = ask_to_return(messaging, head, subject.author, ms, blocked=blocked)
        message = _released(messaging, case, outgoing, mentions, files, head, ms)
        after = with_message(head, message)
        if author is not None and rules.unread_of(head, author):
            # Sending marks as read, but this was sent before what they have not read yet.
            after = replace(after, members=head.members)
        sent = sent_op(message, subject.client_message_id, ClaimState.HELD)
        used = sent_use_ops(files, message, subject.client_message_id, now_ms)
        ops = (message_op(message), sent, *asking, *used)
        return PlannedWrite(after, ops, (MessageCreated(message),))

    try:
        files += await _files(messaging, subject, outgoing)
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


async def discard_held(
    messaging: Messaging, case: Case, subject: HeldMessage, *, is_removal: bool = False
) -> None:
    """The claim keeps the answer for a retry of its author, and its files are deleted. After a
    `removal` by a moderator, pictures that resemble them are held."""
    fields: dict[str, Value] = {"warned": case.decision is Decision.WARN}
    if case.reason:
        fields["reason"] = case.reason
    removed = change_state_op(
        subject.thread,
        subject.author,
        subject.client_message_id,
        ClaimState.HELD,
        ClaimState.REMOVED,
        **fields,
    )
    for _ in range(_TRIES):
        outgoing = await _held(messaging, case, subject)
        deleted = await delete_files_ops(
            messaging, [one.file for one in outgoing.attachments], is_removal=is_removal
        )
        try:
            await messaging.store.write(removed, *deleted)
        except ConditionFailed as refusal:
            if is_about_files(refusal):
                continue
        return
    raise Conflict


def _released(
    messaging: Messaging,
    case: Case,
    outgoing: Outgoing,
    mentions: tuple[UserId, ...],
    files: Sequence[File],
    head: Thread,
    ms: int,
) -> Message:
    """With the policy's remarks; a moderator has looked, so it is clean."""
    assert isinstance(case.subject, HeldMessage)
    author, shown = case.subject.author, shown_attachments(outgoing, files)
    message = text_message(
        messaging, author, head, ms, outgoing, judgement_of(case), mentions, shown
    )
    return replace(message, moderation="clean")


async def _held(messaging: Messaging, case: Case, subject: HeldMessage) -> Outgoing:
    """As it was sent: its claim keeps the metadata and the attachments while it is held."""
    key = claim_key(subject.thread, subject.author, subject.client_message_id)
    claim: Any = await messaging.store.get(MESSAGING, key, consistent=True) or {}
    return Outgoing(
        subject.client_message_id,
        claim.get("body", case.text),
        case.reply_to,
        metadata=claim.get("metadata"),
        attachments=tuple(map(new_attachment_of, claim.get("attachments", ()))),
    )


async def _files(
    messaging: Messaging, subject: HeldMessage, outgoing: Outgoing
) -> tuple[File, ...]:
    files = await attached_files(messaging, subject.author, subject.thread, outgoing)
    for file in files:
        if file.state is not FileState.READY:
            raise FileNotReady(file.state.value)
    return files
