"""Kills a node at every call to the store in turn, before and after the call takes effect.

Another node goes on after each kill. Nothing is lost, nothing is done twice, and the order per item
holds. `test_a_follower_that_writes_its_checkpoint_apart_is_noticed` plants the usual bug.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from greenroom.background import progress
from greenroom.background.leases import NODE_MS, LeaseKeeper
from greenroom.background.models import FollowerState, Timer
from greenroom.background.rebuild import request_rebuild
from greenroom.background.schedule import schedule
from greenroom.background.set_aside import list_timers, replay_changes
from greenroom.background.timers import LEASE_NAMES, TimerHandler
from greenroom.clock import ManualClock
from greenroom.store.base import Delete, Key, Op, Put, Store
from greenroom.store.dynamo import DynamoStore
from tests.background.faults import Killed, KilledStore
from tests.background.fixtures import (
    JOURNAL,
    Alarms,
    Copies,
    Notes,
    follower_runner,
    journal,
    note,
    run_due,
    timer_runner,
)
from tests.remote_store import Network, RemoteStore

WHOLE = {f"p{n}": [1, 2, 3, 4] for n in range(3)}


async def write_notes(store: Store) -> None:
    for n in range(1, 5):
        for number in range(3):
            await store.write(note(f"p{number}", n))


async def killed_at_every_call(
    store: Store, run: Callable[[Store, str], Awaitable[None]], check: Callable[[str], Any]
) -> int:
    """Calls `run` with a kill at each call, then once more without; `check` looks at the result.
    On DynamoDB at each third one: the calls are the same, and slower."""
    step = 3 if isinstance(store, DynamoStore) else 1
    for after in (False, True):
        for dies_at in range(1, 1000, step):
            name = f"{'after' if after else 'before'}-{dies_at}"
            killed = KilledStore(store, dies_at, after=after)
            with suppress(Killed):
                await run(killed, name)
            was_killed = killed.is_dead
            await run(store, name)
            await check(name)
            if not was_killed:
                break
    return dies_at


async def test_a_follower_that_is_killed_anywhere_loses_and_repeats_nothing(
    store: Store, clock: ManualClock
) -> None:
    await write_notes(store)

    async def run(mine: Store, name: str) -> None:
        notes = Notes(name)
        await follower_runner(mine, clock, notes.follower()).catch_up()

    async def check(name: str) -> None:
        assert await journal(store, name) == WHOLE, name

    assert await killed_at_every_call(store, run, check) > 6


async def test_a_follower_that_is_killed_while_it_sets_aside_and_replays(
    store: Store, clock: ManualClock
) -> None:
    await write_notes(store)

    async def run(mine: Store, name: str) -> None:
        notes = Notes(name)
        notes.poisoned = {("p1", 2)}
        await follower_runner(mine, clock, notes.follower()).catch_up()
        notes.poisoned.clear()
        await replay_changes(mine, notes.follower())

    async def check(name: str) -> None:
        assert await journal(store, name) == WHOLE, name

    assert await killed_at_every_call(store, run, check) > 15


async def test_a_rebuild_that_is_killed_anywhere_equals_its_source(
    store: Store, clock: ManualClock
) -> None:
    for n in range(9):
        await store.write(note(f"p{n}", n))

    async def run(mine: Store, name: str) -> None:
        copies = Copies(name)
        await mine.write(Put(JOURNAL, {"pk": name, "sk": "orphan", "n": 1}))
        await request_rebuild(mine, copies.follower())
        await follower_runner(mine, clock, copies.follower()).catch_up()

    async def check(name: str) -> None:
        assert await Copies(name).result(store) == {f"p{n}": n for n in range(9)}, name
        await store.write(*(Delete(JOURNAL, Key(name, f"p{n}")) for n in range(9)))

    assert await killed_at_every_call(store, run, check) > 10


async def test_timers_of_nodes_that_are_killed_anywhere_take_effect_once(
    store: Store, clock: ManualClock
) -> None:
    """One is fine, one fails once, one always. The second node takes over the leases."""
    nodes = iter(range(10_000))
    kinds: dict[str, Alarms] = {}

    async def run(mine: Store, name: str) -> None:
        clock.advance(ms=NODE_MS)
        alarms = kinds.setdefault(name, Alarms(name))
        leases = LeaseKeeper(mine, clock, f"node{next(nodes)}", (LEASE_NAMES,))
        runner = timer_runner(
            mine, clock, {"alarms": alarms.handler(max_tries=2)}, holds=leases.holds
        )
        for _ in range(3):
            await leases.renew()
            await run_due(runner)
            if isinstance(mine, KilledStore) and mine.is_dead:
                raise Killed
            clock.advance(ms=4_000)
        await leases.leave()

    async def run_with_timers(mine: Store, name: str) -> None:
        if isinstance(mine, KilledStore):
            kinds[name] = Alarms(name)
            kinds[name].failing = {f"{name}-fails": 1, f"{name}-breaks": 99}
            for what in ("works", "fails", "breaks"):
                await store.write(schedule(Timer("alarms", f"{name}-{what}", 7)))
        await run(mine, name)

    async def check(name: str) -> None:
        done = await journal(store, name)
        assert done == {f"{name}-works": [7], f"{name}-fails": [7]}, name
        asides = [row.timer.id for row in await list_timers(store, most=1000)]
        assert asides.count(f"{name}-breaks") == 1

    assert await killed_at_every_call(store, run_with_timers, check) > 20


async def test_a_follower_that_writes_its_checkpoint_apart_is_noticed(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = progress.save

    async def apart(
        to: Store, before: FollowerState, after: FollowerState, *ops: Op
    ) -> FollowerState:
        if ops:
            await to.write(*ops)
        return await save(to, before, after)

    monkeypatch.setattr("greenroom.background.followers.save", apart)
    with pytest.raises(AssertionError):
        await test_a_follower_that_is_killed_anywhere_loses_and_repeats_nothing(store, clock)


@pytest.mark.parametrize("seed", range(6))
async def test_a_slow_store_that_fails_loses_and_repeats_nothing(
    store: Store, clock: ManualClock, seed: int
) -> None:
    """Three nodes at once, each with answers that are late, lost or refused."""
    chance = random.Random(seed)
    network = Network(chance, seconds=0.002, failing=0.15)
    nodes = [RemoteStore(store, network, most_ops=20) for _ in range(3)]
    notes = Notes("f")
    follower = notes.follower(max_tries=50)
    for n in range(20):
        await store.write(schedule(Timer("alarms", f"t{n}", clock.now_ms() - n)))
    alarms = Alarms()
    handlers = {"alarms": TimerHandler(alarms.handle)}
    timers = [timer_runner(node, clock, handlers) for node in nodes]
    followers = [follower_runner(node, clock, follower) for node in nodes]
    running = [asyncio.create_task(one.run()) for one in followers]
    try:
        await write_notes(store)
        async with asyncio.timeout(50):
            while await journal(store, "f") != WHOLE or len(await journal(store, "alarms")) < 20:
                for one in timers:
                    with suppress(Exception):
                        await run_due(one)
                clock.advance(ms=500)
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    await network.arrive()
    assert await journal(store, "f") == WHOLE
    assert all(len(done) == 1 for done in (await journal(store, "alarms")).values())
