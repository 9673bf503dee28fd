"""Lists, replays and drops what was set aside: changes of followers, and timers.

A replay is one transaction per change, under the version of the follower's state. So it can run on
any node, and in a command, while the follower goes on.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from greenroom.background.batch_writer import within
from greenroom.background.follower import Follower
from greenroom.background.models import FollowerState, SetAside, Timer, TimerRow
from greenroom.background.progress import StateChanged, all_set_aside, load_state, save
from greenroom.background.rebuild import key_in
from greenroom.background.records import (
    SHARDS,
    TIMERS,
    TIMERS_DUE,
    drop_set_aside,
    due_at,
    due_key,
    kind_in,
    set_aside_key,
    shard_of,
    timer_key,
    timer_row,
)
from greenroom.background.retries import describe
from greenroom.store.base import Change, Delete, Key, Op, Store, Update
from greenroom.store.expressions import Condition, F
from greenroom.store.problems import ConditionFailed

_PAGE = 100


class Replay(Struct, frozen=True):
    replayed: int
    error: str = ""
    """Why it stopped: the change that failed stays set aside, and those of its item behind it."""


async def list_changes(store: Store, follower: str, *, most: int = 100) -> list[SetAside]:
    found: list[SetAside] = []
    async for aside in all_set_aside(store, follower):
        found.append(aside)
        if len(found) == most:
            break
    return found


async def replay_changes(store: Store, follower: Follower, key: Key | None = None) -> Replay:
    """Handles the changes of one item again, or those of all, oldest first."""
    replayed, before = 0, -1
    failed: dict[Key, str] = {}
    while replayed > before:  # the follower may have set more aside in the meantime
        before = replayed
        for aside in [aside async for aside in all_set_aside(store, follower.name)]:
            of_item = aside.change.key
            if of_item in failed or key not in (None, of_item):
                continue
            try:
                replayed += await _replay(store, follower, aside)
            except Exception as error:
                failed[of_item] = describe(error)
    return Replay(replayed, "; ".join(failed.values()))


async def drop_change(store: Store, follower: str, number: int) -> bool:
    """Gives up a change for good; False where there is none. What stands behind it stays."""
    return await _end(store, follower, number, ())


async def _replay(store: Store, follower: Follower, aside: SetAside) -> bool:
    while True:
        state = await load_state(store, follower.name)
        change = await _whole(store, follower, aside)
        if aside.is_rebuild and follower.rebuild is not None:
            work = follower.rebuild([change.new] if change.new is not None else [])
        else:
            work = follower.handle([change])
        ops = await within(follower.seconds, work)
        if state is None:
            return False
        try:
            return await _end_under(store, state, aside.number, ops)
        except StateChanged:
            continue


async def _whole(store: Store, follower: Follower, aside: SetAside) -> Change:
    """With the item as it stands, where it was too large to be kept with the change."""
    if not aside.is_cut:
        return aside.change
    item = await store.get(follower.table, aside.change.key, consistent=True)
    return msgspec.structs.replace(aside.change, new=item)


async def _end(store: Store, follower: str, number: int, ops: Sequence[Op]) -> bool:
    while True:
        state = await load_state(store, follower)
        if state is None:
            return False
        try:
            return await _end_under(store, state, number, ops)
        except StateChanged:
            continue


async def _end_under(store: Store, state: FollowerState, number: int, ops: Sequence[Op]) -> bool:
    drop = drop_set_aside(state.name, number)
    after = msgspec.structs.replace(state, set_aside=max(0, state.set_aside - 1))
    try:
        await save(store, state, after, drop, *ops)
    except ConditionFailed as refusal:
        if any(failure.op == drop for failure in refusal.failed):
            return False  # somebody else was quicker
        raise
    return True


async def list_timers(store: Store, kind: str | None = None, *, most: int = 100) -> list[TimerRow]:
    """Those of one kind, or of all; in each shard those that failed last."""
    keys: list[Key] = []
    for shard in range(SHARDS):
        cursor: str | None = None
        of_shard: list[Key] = []
        while len(of_shard) < most:
            page = await store.query(
                TIMERS,
                set_aside_key(shard),
                index=TIMERS_DUE,
                limit=_PAGE,
                cursor=cursor,
                backward=True,
            )
            found = [key_in(TIMERS, item) for item in page.items]
            of_shard += [key for key in found if kind in (None, kind_in(key.partition))]
            cursor = page.next
            if cursor is None:
                break
        keys += of_shard
    return await _rows(store, keys[:most])


async def _rows(store: Store, keys: Sequence[Key]) -> list[TimerRow]:
    found: list[TimerRow] = []
    for start in range(0, len(keys), _PAGE):
        items = await store.batch_get(TIMERS, keys[start : start + _PAGE], consistent=True)
        found += [timer_row(item) for item in items.values()]
    return sorted(
        (row for row in found if row.is_set_aside), key=lambda row: (row.next_ms, row.timer.id)
    )


async def replay_timer(store: Store, kind: str, id: str, now_ms: int) -> bool:
    """Runs a timer again that was set aside, from its first try; False where there is none."""
    shard = shard_of(kind, id)
    actions = (
        F("tries").set(0),
        F("dueKey").set(due_key(shard)),
        F("dueAt").set(due_at(now_ms)),
    )
    return await _written(store, Update(TIMERS, timer_key(kind, id), actions, _aside(kind, id)))


async def timer_set_aside(store: Store, kind: str, id: str) -> Timer | None:
    rows = await _rows(store, [timer_key(kind, id)])
    return rows[0].timer if rows else None


async def drop_timer(store: Store, kind: str, id: str) -> bool:
    """Gives up a timer for good that was set aside; False where there is none."""
    return await _written(store, Delete(TIMERS, timer_key(kind, id), _aside(kind, id)))


def _aside(kind: str, id: str) -> Condition:
    return F("dueKey").equals(set_aside_key(shard_of(kind, id)))


async def _written(store: Store, op: Op) -> bool:
    try:
        await store.write(op)
    except ConditionFailed:
        return False
    return True
