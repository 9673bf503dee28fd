"""Holds a message for a moderator.

The text stays out of the log until it is released: it has no seq, and counts as nobody's unread.
Its claim keeps what the case does not: metadata and attachments.
"""

from greenroom.files.models import File
from greenroom.ids import ThreadId
from greenroom.messaging import access
from greenroom.messaging.attachment_items import new_attachment_item
from greenroom.messaging.attachment_ops import waiting_use_ops
from greenroom.messaging.claims import ClaimState, change_state_op, new_claim
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.records import MESSAGING
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.write_message import WrittenEarlier
from greenroom.people.actor import Actor
from greenroom.safety.hold import held_ops
from greenroom.safety.models import HeldMessage
from greenroom.safety.verdict import Hold
from greenroom.store.base import Op, Put
from greenroom.store.expressions import F
from greenroom.store.values import Value


async def hold(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    verdict: Hold,
    earlier: WrittenEarlier | None = None,
    files: tuple[File, ...] = (),
) -> Thread:
    """Returns the thread's head."""
    head = (await access.thread(messaging, actor, thread_id)).thread
    now_ms = messaging.clock.now_ms()
    check_may_send(head, actor.user, outgoing.body, now_ms, has_files=bool(files))
    ops = hold_ops(messaging, actor, thread_id, outgoing, verdict, earlier)
    used = waiting_use_ops(files, thread_id, outgoing.client_id, now_ms)
    await messaging.store.write(*ops, *used, *(() if earlier is None else earlier.ops))
    return head


def hold_ops(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    verdict: Hold,
    earlier: WrittenEarlier | None = None,
) -> tuple[Op, ...]:
    case = held_ops(
        messaging.safety,
        HeldMessage(thread_id, actor.user, outgoing.client_id),
        outgoing.written,
        verdict,
        reply_to=outgoing.reply_to,
        files=tuple(one.file for one in outgoing.attachments),
    )
    return _claim_op(actor, thread_id, outgoing, earlier), *case


def _claim_op(
    actor: Actor, thread_id: ThreadId, outgoing: Outgoing, earlier: WrittenEarlier | None
) -> Op:
    kept, held = _kept(outgoing), ClaimState.HELD
    if earlier is not None and earlier.has_waited:
        waiting = ClaimState.WAITING
        return change_state_op(thread_id, actor.user, outgoing.client_id, waiting, held, **kept)
    claim = new_claim(thread_id, actor.user, outgoing) | {"state": held.value} | kept
    return Put(MESSAGING, claim, F("pk").absent())


def _kept(outgoing: Outgoing) -> dict[str, Value]:
    kept: dict[str, Value] = {}
    if outgoing.metadata is not None:
        kept["metadata"] = outgoing.metadata
    if outgoing.attachments:
        kept["body"] = outgoing.body
        kept["attachments"] = [new_attachment_item(one) for one in outgoing.attachments]
    return kept
