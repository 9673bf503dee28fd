"""Block a person: nothing of theirs comes in any more, and they do not find out.

Their thread for two, and the one the block was asked from, leave the blocker's inbox without a word
in the log; in any other thread for two nobody can write. Groups go on.
"""

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import State
from greenroom.messaging.open import direct_id
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.seats import vacate
from greenroom.people.actor import Actor
from greenroom.safety.block import block as keep_apart
from greenroom.safety.models import Block


async def block_person(
    messaging: Messaging, actor: Actor, other: UserId, *, thread_id: ThreadId | None = None
) -> Block:
    if thread_id is not None:
        await access.thread(messaging, actor, thread_id)
    block = await keep_apart(messaging.safety, actor, other)
    for thread in {direct_id(actor.user, other), thread_id} - {None}:
        await _withdraw(messaging, actor.user, other, ThreadId(str(thread)))
    return block


async def _withdraw(messaging: Messaging, user: UserId, other: UserId, thread_id: ThreadId) -> None:
    head, _ = await messaging.heads.load(thread_id)
    if head is None or head.pair is None or set(head.pair) != {user, other}:
        return
    try:
        await vacate(messaging, user, user, thread_id, None, State.BLOCKED)
    except ThreadNotFound:
        return  # gone from it already
