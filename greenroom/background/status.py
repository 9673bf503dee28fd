"""Reads from the store how far timers and followers have come, and which node works on what."""

from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from msgspec import Struct

from greenroom.background.follower import Follower, lease_name
from greenroom.background.leases import is_live, read_leases, read_nodes
from greenroom.background.models import FollowerState, Stage
from greenroom.background.progress import load_state
from greenroom.background.records import (
    SHARDS,
    TIMERS,
    TIMERS_DUE,
    due_at,
    due_key,
    kind_in,
    set_aside_key,
)
from greenroom.store.base import Store
from greenroom.store.expressions import Bound
from greenroom.store.problems import CheckpointTooOld

LATE_MS = 60_000
"""Timers and changes that have waited for longer are late."""
MAX_COUNTED = 1000
"""Timers that are counted in each shard."""


class FollowerStatus(Struct, frozen=True, rename="camel"):
    name: str
    node: str | None = None
    """The running node that works on it."""
    stage: Stage | None = None
    """None before it has begun."""
    lag_ms: int = 0
    """How long ago the oldest change was made that is not applied yet."""
    set_aside: int = 0
    needs_rebuild: bool = False
    """The changes after its checkpoint are no longer kept."""


class TimerStatus(Struct, frozen=True, rename="camel"):
    """The timers of one kind."""

    kind: str
    due: int
    late: int
    set_aside: int


class TimersStatus(Struct, frozen=True, rename="camel"):
    kinds: list[TimerStatus]
    oldest_ms: int
    """How long the oldest has been due."""
    has_more: bool
    """Whether a shard has more timers than are counted."""


class NodeStatus(Struct, frozen=True, rename="camel"):
    """A running node."""

    name: str
    leases: list[str]


class Status(Struct, frozen=True, rename="camel"):
    followers: list[FollowerStatus]
    timers: TimersStatus
    nodes: list[NodeStatus]


async def read_status(store: Store, now_ms: int, followers: Sequence[Follower]) -> Status:
    nodes = await node_status(store, now_ms)
    owners = {lease: node.name for node in nodes for lease in node.leases}
    return Status(
        [
            await follower_status(store, now_ms, one, owners.get(lease_name(one.name)))
            for one in followers
        ],
        await timers_status(store, now_ms),
        nodes,
    )


async def follower_status(
    store: Store, now_ms: int, follower: Follower, node: str | None = None
) -> FollowerStatus:
    state = await load_state(store, follower.name)
    if state is None:
        return FollowerStatus(follower.name, node)
    lag_ms = await _lag_ms(store, now_ms, follower, state)
    return FollowerStatus(
        follower.name, node, state.stage, lag_ms or 0, state.set_aside, lag_ms is None
    )


async def _lag_ms(
    store: Store, now_ms: int, follower: Follower, state: FollowerState
) -> int | None:
    """The age of the oldest change that is not applied; 0 if there is none, None if it is gone."""
    if state.stage is Stage.NEEDS_REBUILD:
        return None
    changes: Any = store.changes(
        follower.table, after=state.checkpoint, follow=False, prefixes=follower.prefixes
    )
    try:
        async with aclosing(changes):
            async for change in changes:
                return max(0, now_ms - int(change.at_ms))
    except CheckpointTooOld:
        return None
    return 0


async def timers_status(store: Store, now_ms: int) -> TimersStatus:
    due: Counter[str] = Counter()
    late: Counter[str] = Counter()
    aside: Counter[str] = Counter()
    oldest_ms, has_more, until = 0, False, Bound("<=", due_at(now_ms))
    for shard in range(SHARDS):
        page = await store.query(TIMERS, due_key(shard), until, index=TIMERS_DUE, limit=MAX_COUNTED)
        for item in page.items:
            kind, age_ms = kind_in(str(item["pk"])), now_ms - int(str(item["dueAt"]))
            due[kind] += 1
            late[kind] += age_ms > LATE_MS
            oldest_ms = max(oldest_ms, age_ms)
        has_more = has_more or page.has_more
        page = await store.query(TIMERS, set_aside_key(shard), index=TIMERS_DUE, limit=MAX_COUNTED)
        aside.update(kind_in(str(item["pk"])) for item in page.items)
        has_more = has_more or page.has_more
    kinds = [
        TimerStatus(kind, due[kind], late[kind], aside[kind]) for kind in sorted({*due, *aside})
    ]
    return TimersStatus(kinds, oldest_ms, has_more)


async def node_status(store: Store, now_ms: int) -> list[NodeStatus]:
    live = sorted(str(item["sk"]) for item in await read_nodes(store) if is_live(item, now_ms))
    leases = await read_leases(store)
    return [
        NodeStatus(node, sorted(name for name, lease in leases.items() if lease.owner == node))
        for node in live
    ]
