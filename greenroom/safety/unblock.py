"""Lifts a block. No effect if there is none."""

from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.people.models import is_user_id
from greenroom.safety import items
from greenroom.safety.context import Safety
from greenroom.safety.events import PersonUnblocked


async def unblock(safety: Safety, actor: Actor, other: UserId) -> None:
    if not is_user_id(other):
        return
    try:
        await safety.store.write(items.unblocked(actor.user, other))
    finally:
        safety.block_cache.forget(actor.user, other)
    safety.publish(PersonUnblocked(actor.user, other, safety.clock.now_ms()))
