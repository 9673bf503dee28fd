"""Applies a change that a moderator has released: an edit, or a new name of a thread.

It is applied only where its author could make it now, and where nothing else has changed the same
since. A moderator is told before; an obstacle that comes up later drops the change, and the caller
learns of it. Idempotent, for retries after a crash.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.messaging.access import find_message, system_view
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.edit import EDITABLE, edited
from greenroom.messaging.events import MessageEdited
from greenroom.messaging.mentions import mentions_in
from greenroom.messaging.models import Message, Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import (
    AcceptFirst,
    ConversationClosed,
    ConversationLocked,
    MessageNotFound,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    ThreadChanged,
    ThreadNotFound,
    VersionMismatch,
)
from greenroom.messaging.rename import check_may_name, named_plan
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.safety.models import Case, HeldEdit, HeldName, judgement_of
from greenroom.safety.problems import CannotRelease

_WHY: Mapping[type[Problem], str] = {
    ThreadNotFound: "its author has left the conversation",
    MessageNotFound: "the message was deleted",
    RoleNotAllowed: "its author can no longer rename the conversation",
    AcceptFirst: "its author has not accepted a request there",
    ConversationLocked: "the conversation is locked",
    ConversationClosed: "nobody can be reached there any more",
    RequestPending: "its author's request already has as many messages as it can have",
    PlainTextOnly: "messages in a request must be plain text",
    ThreadChanged: "the conversation has been renamed since",
    VersionMismatch: "the message has been edited since",
}
_OBSTACLES = tuple(_WHY)


async def check_release_of_change(messaging: Messaging, case: Case) -> None:
    try:
        match case.subject:
            case HeldEdit() as subject:
                await _editable(messaging, case, subject)
            case HeldName() as subject:
                head = await _head(messaging, subject)
                _check_name(messaging, case, subject, head)
    except _OBSTACLES as problem:
        raise CannotRelease(_WHY[type(problem)]) from problem


async def release_change(messaging: Messaging, case: Case) -> bool:
    """Whether the change was applied."""
    try:
        match case.subject:
            case HeldEdit() as subject:
                await _release_edit(messaging, case, subject)
            case HeldName() as subject:
                await _release_name(messaging, case, subject)
    except _OBSTACLES:
        return False
    return True


async def _release_edit(messaging: Messaging, case: Case, subject: HeldEdit) -> None:
    head, message = await _editable(messaging, case, subject)
    mentions = await mentions_in(messaging, head, case.text)

    def changed(found: Message, now_ms: int) -> Message:
        if found.body == case.text:
            return found
        _check_unedited(found, subject)
        after = edited(found, case.text, mentions, judgement_of(case), now_ms)
        return replace(after, moderation="clean")

    await change_message(messaging, system_view(head), message, changed, MessageEdited)


async def _editable(messaging: Messaging, case: Case, subject: HeldEdit) -> tuple[Thread, Message]:
    head = await _head(messaging, subject)
    message = await find_message(messaging, subject.thread, subject.message)
    if message is None:
        raise MessageNotFound
    now_ms = messaging.clock.now_ms()
    check_may_send(head, subject.author, case.text, now_ms, seq=message.seq)
    if message.body != case.text:
        _check_unedited(message, subject)
    return head, message


def _check_unedited(message: Message, subject: HeldEdit) -> None:
    if message.kind not in EDITABLE or message.deleted_ms is not None:
        raise MessageNotFound
    if len(message.edits) != subject.edits:
        raise VersionMismatch(message.version)


async def _release_name(messaging: Messaging, case: Case, subject: HeldName) -> None:
    await _head(messaging, subject)

    def plan(head: Thread, ms: int) -> PlannedWrite:
        if head.subject == case.text:
            return PlannedWrite(head, (), silent=True)
        _check_name(messaging, case, subject, head)
        return named_plan(messaging, subject.author, head, case.text, ms)

    await update_thread(messaging, subject.thread, plan)


def _check_name(messaging: Messaging, case: Case, subject: HeldName, head: Thread) -> None:
    check_may_name(messaging, Actor(subject.author), head, case.text)
    if (head.subject or "") != subject.was and head.subject != case.text:
        raise ThreadChanged


async def _head(messaging: Messaging, subject: HeldEdit | HeldName) -> Thread:
    head = await messaging.thread_cache.read(subject.thread)
    if head is None:
        raise ThreadNotFound
    return head
