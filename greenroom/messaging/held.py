"""Shows a sender whether their message waits, was sent, was rejected or has failed."""

from enum import StrEnum

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging.claims import ClaimState
from greenroom.messaging.context import Messaging
from greenroom.messaging.problems import MessageNotFound
from greenroom.messaging.records import MESSAGING, claim_key
from greenroom.people.actor import Actor

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
