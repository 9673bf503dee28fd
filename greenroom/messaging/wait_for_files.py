"""Lets a message wait for its files, so that its sender need not.

It is checked twice: now, so that its author learns at once what could not be sent, and again when
its files are ready (`send_waiting.py`). It has no seq until then, and messages that are written
later do not wait for it.
"""

from greenroom.files.models import File
from greenroom.ids import ThreadId
from greenroom.messaging import access
from greenroom.messaging.attachment_ops import waiting_use_ops
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import WaitingChanged
from greenroom.messaging.models import MAX_WAITING, Thread, WaitingMessage
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.problems import TooManyWaiting
from greenroom.messaging.records import claim_key, waiting_state_key
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.waiting_items import create_ops
from greenroom.people.actor import Actor
from greenroom.store.base import key_of
from greenroom.store.problems import ConditionFailed


async def wait_for_files(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    files: tuple[File, ...],
) -> Thread:
    """Returns the thread's head."""
    head = (await access.thread(messaging, actor, thread_id)).thread
    now_ms = messaging.clock.now_ms()
    check_may_send(head, actor.user, outgoing.body, now_ms, has_files=True)
    message = WaitingMessage(
        thread=thread_id,
        author=actor.user,
        client_id=outgoing.client_id,
        body=outgoing.body,
        attachments=outgoing.attachments,
        reply_to=outgoing.reply_to,
        metadata=outgoing.metadata,
        created_ms=now_ms,
    )
    used = waiting_use_ops(files, thread_id, outgoing.client_id, now_ms)
    try:
        await messaging.store.write(*create_ops(message, outgoing, MAX_WAITING), *used)
    except ConditionFailed as refusal:
        failed = {key_of(failure.op) for failure in refusal.failed}
        is_retry = claim_key(thread_id, actor.user, outgoing.client_id) in failed
        if waiting_state_key(actor.user) in failed and not is_retry:
            raise TooManyWaiting(MAX_WAITING) from None
        raise
    messaging.publish_waiting(WaitingChanged(message))
    return head
