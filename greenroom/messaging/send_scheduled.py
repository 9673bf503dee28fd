"""Sends a scheduled message: when its time has come, or when its author does not want to wait.

The message is sent as any other, with all checks and limits of its author at this moment. One
transaction writes it to the log and removes it from the scheduled ones, so it is sent once, and
never after it was canceled. Where it is refused, it stays and says why. Its author may not be
there: it clears no draft, and marks nothing as read that they have not read.
"""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.errors import Problem
from greenroom.ids import ScheduledId
from greenroom.messaging import access
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ScheduledChanged
from greenroom.messaging.models import ScheduledMessage, ScheduledStatus
from greenroom.messaging.outgoing import Outcome, Outgoing, Sent
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
    TextRefused,
    ThreadNotFound,
)
from greenroom.messaging.scheduled import find_scheduled, scheduled_message
from greenroom.messaging.scheduled_items import author_in, change_ops, remove_ops, timer_of
from greenroom.messaging.send import WrittenEarlier, send
from greenroom.people.access import AccountSuspended, account, check_not_suspended
from greenroom.people.actor import Actor, with_role
from greenroom.safety.limits import TooMany
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

_REFUSALS = (
    AcceptFirst,
    AccountSuspended,
    ClientIdReused,
    ConversationClosed,
    ConversationLocked,
    InvalidText,
    MessageNotFound,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    TextRefused,
    ThreadNotFound,
)
"""What its author has to know. Anything else is tried again later."""
_TRIES = 5


async def send_due(messaging: Messaging, timer: Timer) -> Sequence[Op]:
    """The handler of the timer."""
    for _ in range(_TRIES):
        found = await find_scheduled(messaging, author_in(timer), ScheduledId(timer.id))
        now_ms = messaging.clock.now_ms()
        if found is None or found.status is not ScheduledStatus.PENDING or found.send_ms > now_ms:
            return ()  # canceled, sent or changed
        try:
            actor = await _author(messaging, found)
            await _send(messaging, actor, found)
            return ()
        except TooMany as refusal:
            later_ms = now_ms + 1000 * max(1, refusal.retry_after_s)
            return (schedule(timer_of(found, later_ms)),)
        except _REFUSALS as refusal:
            await _mark_failed(messaging, found, refusal)
            return ()
        except ConditionFailed:
            continue  # changed or canceled at the same moment
    raise Conflict


async def send_now(messaging: Messaging, actor: Actor, scheduled_id: ScheduledId) -> Outcome:
    for _ in range(_TRIES):
        found = await scheduled_message(messaging, actor, scheduled_id)
        try:
            return await _send(messaging, actor, found)
        except ConditionFailed:
            continue
    raise Conflict


def client_id_of(scheduled_id: ScheduledId) -> str:
    """The client message id of the message that it becomes."""
    return f"scheduled:{scheduled_id}"


async def _author(messaging: Messaging, message: ScheduledMessage) -> Actor:
    found = await account(messaging.people, message.author)
    if found is None:
        raise ThreadNotFound
    now_ms, reason = messaging.clock.now_ms(), found.suspension_reason
    check_not_suspended(found.suspended_until_ms, now_ms, reason=reason)
    return with_role(Actor(message.author), found.staff_role)


async def _send(messaging: Messaging, actor: Actor, message: ScheduledMessage) -> Outcome:
    view = await access.thread(messaging, actor, message.thread)
    outgoing = Outgoing(
        client_id_of(message.id), message.body, message.reply_to, metadata=message.metadata
    )
    ops = remove_ops(message, messaging.clock.now_ms())
    outcome = await send(
        messaging, actor, message.thread, outgoing, earlier=WrittenEarlier(view.mine, ops)
    )
    if not isinstance(outcome, Sent) or outcome.again:
        await _remove_rest(messaging, message)
    sent_id = outcome.message.id if isinstance(outcome, Sent) else None
    sent = replace(message, status=ScheduledStatus.SENT)
    messaging.publish_scheduled(ScheduledChanged(sent, sent_id))
    return outcome


async def _remove_rest(messaging: Messaging, message: ScheduledMessage) -> None:
    """Where its author has sent something else under its client message id, it is not removed
    yet."""
    with suppress(ConditionFailed):
        await messaging.store.write(*remove_ops(message, messaging.clock.now_ms()))


async def _mark_failed(messaging: Messaging, before: ScheduledMessage, refusal: Problem) -> None:
    failed = replace(
        before,
        status=ScheduledStatus.FAILED,
        problem=refusal.code,
        detail=str(refusal),
        version=before.version + 1,
    )
    try:
        await messaging.store.write(*change_ops(before, failed, messaging.clock.now_ms()))
    except ConditionFailed:
        return  # changed or canceled at the same moment
    messaging.publish_scheduled(ScheduledChanged(failed))
