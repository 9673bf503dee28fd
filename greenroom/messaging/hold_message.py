"""Holds a message for a moderator.

The text stays out of the log until it is released: it has no seq, and counts as nobody's unread.
"""

from greenroom.ids import ThreadId
from greenroom.messaging import access
from greenroom.messaging.claims import new_claim
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.records import MESSAGING
from greenroom.messaging.send_checks import check_may_send
from greenroom.people.actor import Actor
from greenroom.safety.hold import held_ops
from greenroom.safety.models import HeldMessage
from greenroom.safety.verdict import Hold
from greenroom.store.base import Op, Put
from greenroom.store.expressions import F


async def hold(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    verdict: Hold,
    *also: Op,
) -> Thread:
    """Returns the thread's head. `also` is written in the same transaction."""
    head = (await access.thread(messaging, actor, thread_id)).thread
    check_may_send(head, actor.user, outgoing.body, messaging.clock.now_ms())
    await messaging.store.write(*hold_ops(messaging, actor, thread_id, outgoing, verdict), *also)
    return head


def hold_ops(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, outgoing: Outgoing, verdict: Hold
) -> tuple[Op, ...]:
    claim = new_claim(thread_id, actor.user, outgoing) | {"state": "held"}
    if outgoing.metadata is not None:
        claim["metadata"] = outgoing.metadata
    case = held_ops(
        messaging.safety,
        HeldMessage(thread_id, actor.user, outgoing.client_id),
        outgoing.body,
        verdict,
        reply_to=outgoing.reply_to,
    )
    return Put(MESSAGING, claim, F("pk").absent()), *case
