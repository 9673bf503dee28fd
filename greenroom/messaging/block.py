"""Blocks a person and lifts a block, without the other person noticing.

Every thread that was opened for the two leaves the blocker's inbox, and comes back as it was when
the block is lifted. What was sent meanwhile does not come back, nor does a request, which is closed
for good. Groups go on as if there were no block.
"""

from contextlib import suppress

from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import access, rules
from greenroom.messaging.contact import request_of
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import GateStatus, State
from greenroom.messaging.pairs import threads_of
from greenroom.messaging.problems import RequestNotFound, ThreadNotFound
from greenroom.messaging.respond import close_request, sender_to_block
from greenroom.messaging.silent_leave import leave_silently, return_silently
from greenroom.people.actor import Actor
from greenroom.people.models import is_user_id
from greenroom.safety.block import block as keep_apart
from greenroom.safety.models import Block
from greenroom.safety.unblock import unblock


async def block_person(
    messaging: Messaging, actor: Actor, other: UserId, *, thread_id: ThreadId | None = None
) -> Block:
    if thread_id is not None:
        await access.thread(messaging, actor, thread_id)
    block = await keep_apart(messaging.safety, actor, other)
    async for thread in threads_of(messaging, actor.user, other):
        await _withdraw(messaging, actor, other, thread)
    asked = await request_of(messaging, other, actor.user)
    if asked is not None:
        with suppress(RequestNotFound):  # answered already
            await close_request(messaging, actor, asked, GateStatus.BLOCKED)
    return block


async def block_sender(messaging: Messaging, actor: Actor, request_id: RequestId) -> None:
    """Answers a request by blocking its sender, which applies to every thread of the two."""
    sender = await sender_to_block(messaging, actor, request_id)
    await block_person(messaging, actor, sender)
    await close_request(messaging, actor, request_id, GateStatus.BLOCKED)


async def unblock_person(messaging: Messaging, actor: Actor, other: UserId) -> None:
    await unblock(messaging.safety, actor, other)
    if not is_user_id(other):
        return
    async for thread in threads_of(messaging, actor.user, other):
        with suppress(ThreadNotFound):
            await return_silently(messaging, actor.user, thread)


async def _withdraw(messaging: Messaging, actor: Actor, other: UserId, thread_id: ThreadId) -> None:
    """Leaves a thread for two; where others have joined it, only closes the other person's
    request."""
    head = await messaging.thread_cache.read(thread_id)
    if head is None or actor.user not in head.members:
        return
    gate = head.gates.get(actor.user)
    with suppress(ThreadNotFound, RequestNotFound):  # has left already
        if gate is None:
            if head.pair is not None:
                await leave_silently(messaging, actor.user, thread_id, State.BLOCKED)
        elif gate.sender != other:
            return
        elif rules.gate_status(gate, messaging.clock.now_ms()) is GateStatus.PENDING:
            await close_request(messaging, actor, gate.id, GateStatus.BLOCKED)
