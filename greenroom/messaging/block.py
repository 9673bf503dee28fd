"""Block a person: nothing of theirs comes in any more, and they do not find out.

Their thread for two, the one the block was asked from, and whatever their request came with leave
the blocker's inbox without a word in the log; in any other thread for two nobody can write. Groups
go on.
"""

from contextlib import suppress

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, rules
from greenroom.messaging.answer import turn_away
from greenroom.messaging.ask import request_of
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import GateStatus, State
from greenroom.messaging.open import direct_id
from greenroom.messaging.problems import RequestNotFound, ThreadNotFound
from greenroom.messaging.seats import withdraw
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
        await _withdraw(messaging, actor, other, ThreadId(str(thread)))
    asked = await request_of(messaging, other, actor.user)
    if asked is not None:
        with suppress(RequestNotFound):  # answered before
            await turn_away(messaging, actor, asked, GateStatus.BLOCKED)
    return block


async def _withdraw(messaging: Messaging, actor: Actor, other: UserId, thread_id: ThreadId) -> None:
    head = await messaging.heads.read(thread_id)
    if head is None or head.pair is None or set(head.pair) != {actor.user, other}:
        return
    with suppress(ThreadNotFound, RequestNotFound):  # gone from it already
        if rules.has_accepted(head, actor.user):
            await withdraw(messaging, actor.user, thread_id, State.BLOCKED)
        else:
            await turn_away(messaging, actor, head.gates[actor.user].id, GateStatus.BLOCKED)
