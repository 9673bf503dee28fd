"""Sends a scheduled message: when its time has come, or when its author does not want to wait.

The message is sent as any other, with all checks and limits of its author at this moment. One
transaction writes it to the log and removes it from the scheduled ones, so it is sent once, and
never after it was canceled. Where it is refused, it stays and says why. Its author may not be
there: it clears no draft, and marks nothing as read that they have not read.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.errors import Problem
from greenroom.ids import ScheduledId, UserId
from greenroom.messaging import access
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ScheduledChanged
from greenroom.messaging.models import ScheduledMessage, ScheduledStatus
from greenroom.messaging.outgoing import Held, Outcome, Outgoing, Sent
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
    SendingStopped,
    TextRefused,
    ThreadNotFound,
)
from greenroom.messaging.scheduled import (
    find_scheduled,
    order_of,
    scheduled_message,
    scheduled_messages,
)
from greenroom.messaging.scheduled_items import (
    author_in,
    change_ops,
    client_id_of,
    remove_ops,
    timer_of,
)
from greenroom.messaging.send import send
from greenroom.messaging.write_message import WrittenEarlier
from greenroom.people.access import AccountSuspended, account, check_not_suspended
from greenroom.people.actor import Actor, with_role
from greenroom.safety.limits import TooMany
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

REFUSALS = (
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
    """The handler of the timer. Messages of the same author and thread that were due before are
    sent first, so that they come in their order."""
    async with messaging.sending_scheduled.hold(author_in(timer)):
        for _ in range(messaging.max_scheduled + _TRIES):
            found = await find_scheduled(messaging, author_in(timer), ScheduledId(timer.id))
            if found is None or found.status is not ScheduledStatus.PENDING:
                return ()  # canceled, sent or refused
            now_ms = messaging.clock.now_ms()
            if found.send_ms > now_ms:  # it was moved, or the clock has gone back
                return (schedule(timer_of(found, found.send_ms)),)
            next_one = await _next_due(messaging, found)
            try:
                await _send_or_mark(messaging, next_one)
            except TooMany as refusal:
                later_ms = now_ms + 1000 * max(1, refusal.retry_after_s)
                return (schedule(timer_of(found, later_ms)),)
            except ConditionFailed:
                continue  # changed or canceled at the same moment
    raise Conflict


async def stop_due(messaging: Messaging, timer: Timer) -> None:
    """An operator has dropped the timer: the message is not sent, and its author is told."""
    found = await find_scheduled(messaging, author_in(timer), ScheduledId(timer.id))
    if found is not None and found.status is ScheduledStatus.PENDING:
        await _mark_failed(messaging, found, SendingStopped())


async def _next_due(messaging: Messaging, own: ScheduledMessage) -> ScheduledMessage:
    """The first of the author's messages for the thread; at the latest, this one."""
    others = await scheduled_messages(messaging, Actor(own.author), own.thread)
    pending = [one for one in others if one.status is ScheduledStatus.PENDING]
    return min([own, *pending], key=order_of)


async def _send_or_mark(messaging: Messaging, message: ScheduledMessage) -> None:
    try:
        await _send(messaging, await author_of(messaging, message.author), message)
    except REFUSALS as refusal:
        await _mark_failed(messaging, message, refusal)


async def send_now(messaging: Messaging, actor: Actor, scheduled_id: ScheduledId) -> Outcome:
    for _ in range(_TRIES):
        found = await scheduled_message(messaging, actor, scheduled_id)
        try:
            return await _send(messaging, actor, found)
        except ConditionFailed:
            continue
    raise Conflict


async def author_of(messaging: Messaging, author: UserId) -> Actor:
    """With their role at this moment. Refused where they are suspended."""
    found = await account(messaging.people, author)
    if found is None:
        raise ThreadNotFound
    now_ms, reason = messaging.clock.now_ms(), found.suspension_reason
    check_not_suspended(found.suspended_until_ms, now_ms, reason=reason)
    return with_role(Actor(author), found.staff_role)


async def _send(messaging: Messaging, actor: Actor, message: ScheduledMessage) -> Outcome:
    view = await access.thread(messaging, actor, message.thread)
    outgoing = Outgoing(
        client_id_of(message.id), message.body, message.reply_to, metadata=message.metadata
    )
    ops = remove_ops(message, messaging.clock.now_ms())
    outcome = await send(
        messaging, actor, message.thread, outgoing, earlier=WrittenEarlier(view.mine, ops)
    )
    is_new = isinstance(outcome, Sent | Held) and not outcome.again
    if is_new or await _remove_rest(messaging, message):
        held = isinstance(outcome, Held)
        status = ScheduledStatus.HELD if held else ScheduledStatus.SENT
        sent_id = outcome.message.id if isinstance(outcome, Sent) else None
        messaging.publish_scheduled(ScheduledChanged(replace(message, status=status), sent_id))
    return outcome


async def _remove_rest(messaging: Messaging, message: ScheduledMessage) -> bool:
    """Whether nobody else has told its author of it: another node may have sent it at the same
    moment. Where the author has sent something else under its client message id, it is removed
    now."""
    try:
        await messaging.store.write(*remove_ops(message, messaging.clock.now_ms()))
    except ConditionFailed:
        return False
    return True


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
