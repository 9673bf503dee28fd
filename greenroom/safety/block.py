"""Blocks a user. Blocking twice keeps the first block. Messaging updates the threads; nobody is
notified."""

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.people.directory import PersonNotFound
from greenroom.people.models import is_user_id
from greenroom.safety import items
from greenroom.safety.context import Safety
from greenroom.safety.events import PersonBlocked
from greenroom.safety.models import Block
from greenroom.safety.policy import BLOCKS
from greenroom.store.problems import ConditionFailed


class CannotBlockYourself(Problem):
    """You cannot block yourself."""


async def block(safety: Safety, actor: Actor, other: UserId) -> Block:
    if other == actor.user:
        raise CannotBlockYourself
    if not is_user_id(other):
        raise PersonNotFound
    await safety.limits.spend(actor.user, BLOCKS)
    made = Block(actor.user, other, safety.clock.now_ms())
    try:
        await _write(safety, made)
    except ConditionFailed as refusal:
        return made if refusal.item is None else items.block_of(refusal.item)
    safety.publish(PersonBlocked(made.blocker, made.blocked, made.at_ms))
    return made


async def _write(safety: Safety, made: Block) -> None:
    try:
        await safety.store.write(items.blocked(made))
    finally:  # also if the write failed: it may have been applied
        safety.block_cache.forget(made.blocker, made.blocked)
