"""Sends a message that waits for its files, once they are ready; or gives it up.

A follower of the files schedules the timer (`follow_files.py`). The message is sent as any other,
with all checks of its author at this moment. One transaction writes it to the log, removes it from
those that wait, and changes its claim: it is sent once, and never after it was canceled. Where it
is refused, or a file cannot be used, it stays in its author's list and says why. Its author may not
be there: it clears no draft, and marks nothing as read that they have not read.
"""

import logging
from collections.abc import Sequence

from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.errors import Problem
from greenroom.files.access import load_many
from greenroom.files.models import ENDED_BADLY, File
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.messaging import access
from greenroom.messaging.attachment_ops import freed_files_ops, is_about_files
from greenroom.messaging.attachments import are_ready, attached_files
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import WaitingChanged
from greenroom.messaging.models import WaitingMessage, WaitingStatus
from greenroom.messaging.outgoing import Held, Outgoing, Sent
from greenroom.messaging.problems import (
    FileAlreadyUsed,
    FileExpired,
    InvalidAttachments,
    SendingStopped,
)
from greenroom.messaging.send import send
from greenroom.messaging.send_scheduled import REFUSALS, author_of
from greenroom.messaging.waiting import find_waiting, order_of, waiting_messages
from greenroom.messaging.waiting_items import fail_ops, place_in, remove_ops
from greenroom.messaging.write_message import WrittenEarlier
from greenroom.people.actor import Actor
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

_REFUSALS = (*REFUSALS, FileAlreadyUsed, InvalidAttachments)
"""What its author has to know. Anything else is tried again later."""
_TRIES = 5
_log = logging.getLogger(__name__)


async def send_when_ready(messaging: Messaging, timer: Timer) -> Sequence[Op]:
    """The handler of the timer. Messages of the same author and thread that were written before,
    and whose files are ready too, are sent first. One that fails unexpectedly holds up no other:
    its own timer tries it again."""
    author, thread, client_id = place_in(timer)
    async with messaging.sending_waiting.hold(author):
        found = await find_waiting(messaging, author, thread, client_id)
        if found is None or found.status is not WaitingStatus.WAITING:
            return ()  # sent, canceled or refused
        for message in await _before(messaging, found):
            try:
                await _send_or_fail(messaging, message)
            except Exception:
                _log.exception("a message that waited for its files could not be sent")
        await _send_or_fail(messaging, found)
    return ()


async def stop_waiting(messaging: Messaging, timer: Timer) -> None:
    """An operator has dropped the timer: the message is not sent, and its author is told."""
    found = await find_waiting(messaging, *place_in(timer))
    if found is not None and found.status is WaitingStatus.WAITING:
        await _fail(messaging, found, SendingStopped())


async def _before(messaging: Messaging, last: WaitingMessage) -> list[WaitingMessage]:
    found = await waiting_messages(messaging, Actor(last.author), last.thread)
    return [
        one
        for one in found
        if one.status is WaitingStatus.WAITING and order_of(one) < order_of(last)
    ]


async def _send_or_fail(messaging: Messaging, message: WaitingMessage) -> None:
    """Does nothing while a file is not ready."""
    outgoing = outgoing_of(message)
    try:
        files = await attached_files(messaging, message.author, message.thread, outgoing)
        if are_ready(files):
            actor = await author_of(messaging, message.author)
            await _send(messaging, actor, message, outgoing)
    except FileNotFound:
        await _fail(messaging, message, FileExpired())
    except FileNotReady as refusal:
        await _fail(messaging, message, refusal, await _spoilt_file(messaging, message))
    except _REFUSALS as refusal:
        await _fail(messaging, message, refusal)


def outgoing_of(message: WaitingMessage) -> Outgoing:
    return Outgoing(
        message.client_id,
        message.body,
        message.reply_to,
        metadata=message.metadata,
        attachments=message.attachments,
    )


async def _send(
    messaging: Messaging, actor: Actor, message: WaitingMessage, outgoing: Outgoing
) -> None:
    view = await access.thread(messaging, actor, message.thread)
    ops = remove_ops(message, messaging.clock.now_ms())
    earlier = WrittenEarlier(view.mine, ops, has_waited=True)
    outcome = await send(messaging, actor, message.thread, outgoing, earlier=earlier)
    if not isinstance(outcome, Sent | Held) or outcome.again:
        return  # another node was first, or its author has canceled it
    held = isinstance(outcome, Held)
    status = WaitingStatus.HELD if held else WaitingStatus.SENT
    sent_id = outcome.message.id if isinstance(outcome, Sent) else None
    messaging.publish_waiting(WaitingChanged(replace(message, status=status), sent_id))


async def _spoilt_file(messaging: Messaging, message: WaitingMessage) -> File | None:
    """The file that ended badly: it says why."""
    ids = [one.file for one in message.attachments]
    found = (await load_many(messaging.files, ids)).values()
    return next((file for file in found if file.state in ENDED_BADLY and file.problem), None)


async def _fail(
    messaging: Messaging, message: WaitingMessage, refusal: Problem, spoilt: File | None = None
) -> None:
    """Its other files can be used again."""
    failed = replace(
        message,
        status=WaitingStatus.FAILED,
        problem=refusal.code if spoilt is None else spoilt.problem,
        detail=str(refusal) if spoilt is None else spoilt.detail,
        version=message.version + 1,
    )
    for _ in range(_TRIES):
        now_ms = messaging.clock.now_ms()
        freed = await freed_files_ops(messaging, message, now_ms)
        try:
            await messaging.store.write(*fail_ops(failed, now_ms), *freed)
        except ConditionFailed as refused:
            if not is_about_files(refused):
                return  # sent or canceled at the same moment
            continue
        messaging.publish_waiting(WaitingChanged(failed))
        return
    raise Conflict
