"""Shows a sender whether their held message waits, was sent or was rejected."""

from enum import StrEnum

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId
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
    if claim.get("state") == "held":
        return OwnHeld(HeldStatus.HELD)
    if claim.get("state") == "removed":
        reason, warned = str(claim.get("reason", "")), bool(claim.get("warned"))
        return OwnHeld(HeldStatus.REJECTED, None, reason, warned)
    return OwnHeld(HeldStatus.SENT, MessageId(str(claim["messageId"])))
