"""Holds an edit or a new name until a moderator has looked at it.

The old text stays until then. Careful: a case is identified by what it would change and by the new
text, so that a retry is held once. A text that was rejected before is refused; one that was
released before, and comes again, is held again.
"""

from hashlib import blake2b

from msgspec import Struct

from greenroom.ids import UserId
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Message, Thread
from greenroom.messaging.problems import TextRejected
from greenroom.safety.hold import hold_change
from greenroom.safety.models import Decision, HeldEdit, HeldName, was_rejected
from greenroom.safety.verdict import Hold


class HeldChange(Struct, frozen=True):
    """The change waits for a moderator."""


async def hold_edit(
    messaging: Messaging, author: UserId, message: Message, body: str, verdict: Hold
) -> HeldChange:
    subject = HeldEdit(message.thread, author, message.id, len(message.edits), _digest(body))
    return await _hold(messaging, subject, body, verdict)


async def hold_name(
    messaging: Messaging, author: UserId, thread: Thread, named: str, verdict: Hold
) -> HeldChange:
    subject = HeldName(thread.id, author, thread.subject or "", _digest(named))
    return await _hold(messaging, subject, named, verdict)


async def _hold(
    messaging: Messaging, subject: HeldEdit | HeldName, text: str, verdict: Hold
) -> HeldChange:
    case = await hold_change(messaging.safety, subject, text, verdict)
    if was_rejected(case):
        raise TextRejected(case.reason or None, case.decision is Decision.WARN)
    return HeldChange()


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()
