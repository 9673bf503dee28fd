"""Shows a sender whether their message waits, was sent, was rejected or has failed; and lists what
they wrote that waits for a moderator.
"""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging.attachment_items import new_attachment_of
from greenroom.messaging.claims import ClaimState
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import NewAttachment
from greenroom.messaging.problems import MessageNotFound
from greenroom.messaging.records import MESSAGING, claim_key
from greenroom.people.actor import Actor
from greenroom.safety.models import HeldText
from greenroom.safety.notices import held_texts
from greenroom.store.base import Key

_LONGEST = 64


class HeldStatus(StrEnum):
    HELD = "held"
    SENT = "sent"
    """It was never held, or a moderator released it."""
    REJECTED = "rejected"
    WAITING = "waiting"
    """For its files."""
    FAILED = "failed"
    """It waited for its files, and could not be sent."""
    CANCELED = "canceled"


_STATUSES = {
    ClaimState.WAITING: HeldStatus.WAITING,
    ClaimState.HELD: HeldStatus.HELD,
    ClaimState.REMOVED: HeldStatus.REJECTED,
    ClaimState.FAILED: HeldStatus.FAILED,
    ClaimState.CANCELED: HeldStatus.CANCELED,
}


class OwnHeld(Struct, frozen=True):
    status: HeldStatus
    message: MessageId | None = None
    reason: str = ""
    warned: bool = False


async def own_held(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, client_id: str
) -> OwnHeld:
    """By the sender's own client id: other people's messages are not found."""
    if not (0 < len(thread_id) <= _LONGEST and 0 < len(client_id) <= _LONGEST):
        raise MessageNotFound
    key = claim_key(thread_id, actor.user, client_id)
    claim = await messaging.store.get(MESSAGING, key, consistent=True)
    if claim is None:
        raise MessageNotFound
    if "state" not in claim:
        return OwnHeld(HeldStatus.SENT, MessageId(str(claim["messageId"])))
    status = _STATUSES[ClaimState(str(claim["state"]))]
    reason = str(claim.get("reason") or claim.get("detail") or "")
    return OwnHeld(status, None, reason, bool(claim.get("warned")))


class HeldEntry(Struct, frozen=True):
    """A message, edit or thread name that waits for a moderator, as it was written."""

    held: HeldText
    body: str
    attachments: tuple[NewAttachment, ...] = ()


class HeldEntries(Struct, frozen=True):
    entries: tuple[HeldEntry, ...]
    next: str | None


async def held_entries(
    messaging: Messaging, actor: Actor, *, limit: int = 20, cursor: str | None = None
) -> HeldEntries:
    """The claim of a message with files has its body and attachments."""
    page = await held_texts(messaging.safety, actor, limit=limit, cursor=cursor)
    keys = [_claim_of(actor, one) for one in page.held if one.has_files]
    found = await messaging.store.batch_get(MESSAGING, keys, consistent=True) if keys else {}
    entries = [
        _with_files(one, found.get(_claim_of(actor, one)))
        if one.has_files
        else HeldEntry(one, one.text)
        for one in page.held
    ]
    return HeldEntries(tuple(one for one in entries if one is not None), page.next)


def _claim_of(actor: Actor, held: HeldText) -> Key:
    assert held.client_message_id is not None
    return claim_key(held.thread, actor.user, held.client_message_id)


def _with_files(held: HeldText, claim: Any) -> HeldEntry | None:
    """None if it was decided at the same moment."""
    if claim is None or claim.get("state") != ClaimState.HELD:
        return None
    return HeldEntry(held, claim["body"], tuple(map(new_attachment_of, claim["attachments"])))
