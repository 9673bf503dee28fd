"""Writes a message to the log, in one transaction with the head and the claim on its client id.

`update_thread` queues the write, and publishes the message after the commit.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from greenroom.files.manifest_items import append_ops
from greenroom.files.models import File, Manifest
from greenroom.ids import UserId
from greenroom.messaging import rules
from greenroom.messaging.attachment_ops import sent_use_ops
from greenroom.messaging.attachments import manifest_attachment, shown_attachments
from greenroom.messaging.claims import ClaimState, claim_op, sent_op
from greenroom.messaging.contact import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.draft import cleared
from greenroom.messaging.events import InboxChanged, MessageCreated
from greenroom.messaging.mentions import mentions_in
from greenroom.messaging.models import GateStatus, Member, Message, Thread
from greenroom.messaging.new_message import message_op, text_message, with_message
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.panel.files_tab import with_files_tab
from greenroom.messaging.panel.models import SnapshotLine
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import MESSAGING
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.silent_leave import ask_to_return, is_blocked_thread
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.safety.verdict import Judged, Nudge, worst
from greenroom.store.base import Op, Put


class WrittenEarlier(Struct, frozen=True):
    """For a message that its author wrote some time ago: they may not be there when it is sent."""

    author: Member
    """As they are now: where they have unread messages, sending does not mark them as read."""
    ops: tuple[Op, ...]
    """Written together with the message, or with the case that holds it."""
    has_waited: bool = False
    """For its files: it has its claim, and has spent the limits."""


async def write_message(
    messaging: Messaging,
    actor: Actor,
    cached: Thread,
    outgoing: Outgoing,
    verdict: Judged,
    queued: Callable[[], None] | None,
    earlier: WrittenEarlier | None,
    files: tuple[File, ...] = (),
    manifest: Manifest | None = None,
    listed: Sequence[SnapshotLine] = (),
) -> Sent:
    """Plans the write on the current head. The files are ready. `listed` are the lines of the tab
    `files` with a manifest in it."""
    sent: list[Sent] = []
    blocked = await is_blocked_thread(messaging, cached, actor.user)
    mentions = await mentions_in(messaging, cached, outgoing.body) if "@" in outgoing.body else ()
    attachments = shown_attachments(outgoing, files) if files else ()
    if manifest is not None:
        attachments = (manifest_attachment(manifest),)

    def plan(head: Thread, ms: int) -> PlannedWrite:
        now_ms = messaging.clock.now_ms()
        check_may_send(head, actor.user, outgoing.body, now_ms, has_files=bool(attachments))
        head, return_ops = ask_to_return(messaging, head, actor.user, ms, blocked=blocked)
        message = text_message(
            messaging, actor.user, head, ms, outgoing, verdict, mentions, attachments
        )
        sent[:] = [as_sent(message, verdict)]
        after = with_reason(with_message(head, message), actor.user, verdict)
        request_ops = [
            Put(MESSAGING, request_item(head.id, user, gate))
            for user, gate in after.gates.items()
            if gate.reason != head.gates[user].reason
        ]
        if earlier is None:
            after, own_ops = cleared(after, actor.user, ms)
        else:
            after, own_ops = _unread_kept(head, after, earlier.author), earlier.ops
        events = (InboxChanged(actor.user),) if own_ops and earlier is None else ()
        message_ops = (message_op(message), _claim_op(message, outgoing, earlier))
        file_ops = sent_use_ops(files, message, outgoing.client_id, now_ms) if files else ()
        chain_ops = () if manifest is None else append_ops(manifest, message.seq)
        ops = (*message_ops, *request_ops, *return_ops, *own_ops, *file_ops, *chain_ops)
        planned = PlannedWrite(after, ops, (MessageCreated(message), *events))
        return with_files_tab(planned, listed, ms) if listed else planned

    await update_thread(messaging, cached.id, plan, queued)
    return sent[0]


def _claim_op(message: Message, outgoing: Outgoing, earlier: WrittenEarlier | None) -> Op:
    if earlier is not None and earlier.has_waited:
        return sent_op(message, outgoing.client_id, ClaimState.WAITING)
    return claim_op(message, outgoing)


def _unread_kept(head: Thread, after: Thread, author: Member) -> Thread:
    """Sending marks as read; but this was written before what its author has not read yet."""
    return replace(after, members=head.members) if rules.unread_of(head, author) else after


def as_sent(message: Message, verdict: Judged) -> Sent:
    return Sent(message, tuple(verdict.policy_hints) if isinstance(verdict, Nudge) else ())


def with_reason(thread: Thread, sender: UserId, verdict: Judged) -> Thread:
    """Shows the targets of the sender's requests what the policy suspects."""
    tag = worst(verdict.policy_tags)
    if tag is None:
        return thread
    marked = {
        user: replace(gate, reason=tag.value)
        for user, gate in thread.gates.items()
        if gate.sender == sender and gate.status is GateStatus.PENDING and gate.reason is None
    }
    return replace(thread, gates={**thread.gates, **marked})
