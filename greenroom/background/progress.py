"""Reads and writes how far a follower has come. Every write names the version it has read."""

from collections import Counter
from collections.abc import AsyncIterator

import msgspec
from msgspec import Struct

from greenroom.background.models import FollowerState, SetAside, Stage
from greenroom.background.records import (
    BACKGROUND,
    SET_ASIDE,
    follower_partition,
    follower_state,
    put_state,
    set_aside_item,
    set_aside_of,
    state_key,
)
from greenroom.errors import Problem
from greenroom.store.base import Change, Key, Op, Put, Store, key_of
from greenroom.store.expressions import Prefix
from greenroom.store.limits import check_item
from greenroom.store.problems import ConditionFailed

_PAGE = 100


class StateChanged(Exception):
    """Another writer was there in between: a node that has taken over, a replay, a rebuild."""


class Progress(Struct, frozen=True):
    """A follower's state, and by key how many changes of an item are set aside."""

    state: FollowerState
    blocked: Counter[Key]


async def load_state(store: Store, name: str) -> FollowerState | None:
    item = await store.get(BACKGROUND, state_key(name), consistent=True)
    return None if item is None else follower_state(item)


async def load(store: Store, name: str) -> Progress | None:
    """Careful: it is two reads. What was written between them shows when the version is not the
    same any more at the next write."""
    state = await load_state(store, name)
    if state is None:
        return None
    blocked = Counter([aside.change.key async for aside in all_set_aside(store, name)])
    return Progress(state, blocked)


async def all_set_aside(store: Store, name: str) -> AsyncIterator[SetAside]:
    """Oldest first."""
    cursor: str | None = None
    while True:
        page = await store.query(
            BACKGROUND,
            follower_partition(name),
            Prefix(SET_ASIDE),
            limit=_PAGE,
            cursor=cursor,
            consistent=True,
        )
        for item in page.items:
            yield set_aside_of(item)
        cursor = page.next
        if cursor is None:
            return


async def some_set_aside(store: Store, name: str) -> list[SetAside]:
    """The oldest, as many as one transaction drops."""
    page = await store.query(
        BACKGROUND, follower_partition(name), Prefix(SET_ASIDE), limit=_PAGE // 2, consistent=True
    )
    return [set_aside_of(item) for item in page.items]


async def create(store: Store, name: str, stage: Stage, checkpoint: str | None) -> None:
    state = FollowerState(name, 1, stage, checkpoint)
    await _write(store, put_state(state, 0))


async def save(
    store: Store, before: FollowerState, after: FollowerState, *ops: Op
) -> FollowerState:
    """Writes the state and the ops in one transaction."""
    state = msgspec.structs.replace(after, version=before.version + 1)
    await _write(store, put_state(state, before.version), *ops)
    return state


async def _write(store: Store, state: Put, *ops: Op) -> None:
    try:
        await store.write(state, *ops)
    except ConditionFailed as refusal:
        if any(_is_state(failure.op, state) for failure in refusal.failed):
            raise StateChanged from None
        raise


def _is_state(op: Op, state: Put) -> bool:
    return op.table.name == BACKGROUND.name and key_of(op) == key_of(state)


def put_aside(state: FollowerState, aside: SetAside) -> Put:
    """Keeps the change with its item, before and after. An item that leaves no room for that is
    read from its table when the change is replayed."""
    item = set_aside_item(state.name, aside)
    try:
        check_item(BACKGROUND, item)
    except Problem:  # too large, or too deep
        item = set_aside_item(state.name, msgspec.structs.replace(aside, is_cut=True))
    return Put(BACKGROUND, item)


def with_set_aside(
    state: FollowerState, changes: list[tuple[Change, str]], now_ms: int, *, is_rebuild: bool
) -> tuple[FollowerState, list[Op]]:
    """The state and the ops that set changes aside, each with its error."""
    ops: list[Op] = []
    for number, (change, error) in enumerate(changes, state.next_number):
        ops.append(put_aside(state, SetAside(number, change, error, now_ms, is_rebuild)))
    state = msgspec.structs.replace(
        state,
        next_number=state.next_number + len(changes),
        set_aside=state.set_aside + len(changes),
    )
    return state, ops
