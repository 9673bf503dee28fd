"""Workers on both engines: several nodes, one that stops and one that dies, by the real clock."""

import asyncio
import random
from collections.abc import Callable
from uuid import uuid4

import pytest

from greenroom.background import leases
from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.background.worker import Worker
from greenroom.clock import SystemClock
from greenroom.store.base import Store
from tests.background.fixtures import Alarms, Notes, journal, note


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "NODE_MS", 1_500)
    monkeypatch.setattr("greenroom.background.worker.RENEW_MS", 200)


def worker(store: Store, alarms: Alarms, notes: Notes) -> Worker:
    return Worker(
        store,
        SystemClock(),
        node=uuid4().hex,
        timers={"alarms": alarms.handler()},
        followers=(notes.follower(),),
        chance=random.Random(1),
    )


async def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_nodes_share_the_work_and_take_over_from_each_other(store: Store) -> None:
    alarms, notes = Alarms(), Notes("f")
    clock = SystemClock()
    first, second = worker(store, alarms, notes), worker(store, alarms, notes)
    async with first:
        await until(lambda: len(first._leases.held()) == 9)
        async with second:
            await until(lambda: len(second._leases.held()) >= 4)
            for n in range(1, 9):
                due_ms = clock.now_ms() + 100 * n
                await store.write(schedule(Timer("alarms", f"t{n}", due_ms)), note("p", n))
                first.wake(due_ms)
            await until(lambda: len(alarms.runs) >= 8)
            assert first.timers.counts.run
            assert second.timers.counts.run
            assert len(first.followers) + len(second.followers) == 1
        await until(lambda: len(first._leases.held()) == 9, 10)
        await store.write(schedule(Timer("alarms", "t9", clock.now_ms())), note("p", 9))
        await until(lambda: len(alarms.runs) >= 9)
        async with asyncio.timeout(30):
            while len((await journal(store, "f")).get("p", [])) < 9:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    assert await journal(store, "f") == {"p": list(range(1, 10))}
    assert len(await journal(store, "alarms")) == 9
    assert all(len(done) == 1 for done in (await journal(store, "alarms")).values())


async def test_a_dead_nodes_work_is_taken_over_within_seconds(store: Store) -> None:
    alarms, notes = Alarms(), Notes("f")
    dead, alive = worker(store, alarms, notes), worker(store, alarms, notes)
    await dead.__aenter__()
    await until(lambda: len(dead._leases.held()) == 9)
    for task in (*dead._tasks, *dead._following.values()):
        task.cancel()
    async with alive:
        for n in range(1, 9):
            await store.write(schedule(Timer("alarms", f"t{n}", 0)), note("p", n))
        await until(lambda: len(alarms.runs) >= 8, 15)
        await until(lambda: len(alive.followers) == 1)
        runner = next(iter(alive.followers.values()))
        await until(lambda: runner.counts.applied >= 8)
    assert await journal(store, "f") == {"p": list(range(1, 9))}
    assert len(await journal(store, "alarms")) == 8


@pytest.mark.parametrize("kind", ["", "a#b"])
async def test_a_kind_that_cannot_be_a_key_is_refused(store: Store, kind: str) -> None:
    with pytest.raises(ValueError, match="kind"):
        Worker(
            store,
            SystemClock(),
            node="n",
            timers={kind: Alarms().handler()},
            followers=(),
            chance=random.Random(1),
        )
