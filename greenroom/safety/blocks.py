"""Reads blocks: whether one of two users has blocked the other, and whom a user has blocked.

Reads are consistent, so a block works from the next call on. Every message asks `is_blocked_pair`,
which caches for a few seconds (`block_cache.py`).
"""

from collections.abc import Iterable

from msgspec import Struct

from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.safety import items, records
from greenroom.safety.context import Safety
from greenroom.safety.models import Block
from greenroom.store.expressions import Prefix

MAX_PAGE = 100
_PAIRS_AT_ONCE = 50


class Blocks(Struct, frozen=True):
    blocks: tuple[Block, ...]
    next: str | None


async def is_blocked_pair(safety: Safety, one: UserId, other: UserId) -> bool:
    now_ms = safety.clock.now_ms()
    known = safety.block_cache.known(one, other, now_ms)
    if known is None:
        changes = safety.block_cache.changes
        known = bool(await blocked_among(safety, one, (other,)))
        safety.block_cache.keep(one, other, known, now_ms, changes)
    return known


async def has_blocked(safety: Safety, user: UserId, other: UserId) -> bool:
    """In this direction only. Do not show it to the other user."""
    key = records.block_key(user, other)
    return await safety.store.get(records.SAFETY, key, consistent=True) is not None


async def blocked_among(
    safety: Safety, user: UserId, others: Iterable[UserId]
) -> frozenset[UserId]:
    """Those of the others who have blocked the user or whom the user has blocked."""
    rest = [other for other in dict.fromkeys(others) if other != user]
    found: set[UserId] = set()
    for start in range(0, len(rest), _PAIRS_AT_ONCE):
        keys = {
            key: other
            for other in rest[start : start + _PAIRS_AT_ONCE]
            for key in (records.block_key(user, other), records.block_key(other, user))
        }
        items = await safety.store.batch_get(records.SAFETY, list(keys), consistent=True)
        found.update(keys[key] for key in items)
    return frozenset(found)


async def blocks(
    safety: Safety, actor: Actor, *, limit: int = 50, cursor: str | None = None
) -> Blocks:
    page = await safety.store.query(
        records.SAFETY,
        records.user_partition(actor.user),
        Prefix(records.BLOCK),
        limit=max(1, min(limit, MAX_PAGE)),
        cursor=cursor,
        consistent=True,
    )
    return Blocks(tuple(map(items.block_of, page.items)), page.next)
