"""The metrics of background work, by value: late timers, and followers that lag or are stopped."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from greenroom.background.follower import Follower
from greenroom.background.models import Stage, Timer
from greenroom.background.progress import create
from greenroom.background.schedule import schedule
from greenroom.background.timers import TimerHandler
from greenroom.background.worker import Worker
from greenroom.clock import ManualClock
from greenroom.metric_sources import of_worker
from greenroom.store.base import Change, Op, Store
from tests.background.fixtures import NOTES, Notes, note
from tests.socket.node import until

LAG = "greenroom_follower_lag_seconds"
STOPPED = "greenroom_follower_stopped"


async def test_the_lag_of_a_follower_grows_until_it_has_caught_up(
    store: Store, clock: ManualClock
) -> None:
    goes_on = asyncio.Event()

    async def wait(changes: Sequence[Change]) -> tuple[Op, ...]:
        await goes_on.wait()
        return ()

    slow = Follower("slow", NOTES, wait, linger=0.0)
    async with worker_with(store, clock, followers=(slow,)) as worker:
        clock.advance(ms=1)
        await store.write(note("a", 1))
        clock.advance(seconds=2)
        await until(lambda: numbers(worker).get(f"{LAG} slow", 0) != 0)
        before = numbers(worker)[f"{LAG} slow"]
        clock.advance(seconds=5)
        lagging = numbers(worker)
        assert lagging[f"{LAG} slow"] == pytest.approx(before + 5)
        assert lagging[f"{STOPPED} slow"] == 0
        goes_on.set()
        await until(lambda: numbers(worker).get(f"{LAG} slow") == 0)
        assert numbers(worker)["greenroom_follower_changes_applied_total slow"] == 1


async def test_a_follower_that_needs_a_rebuild_is_stopped_and_lags(
    store: Store, clock: ManualClock
) -> None:
    await create(store, "stopped", Stage.NEEDS_REBUILD, None)
    followers = (Notes("stopped").follower(), Notes("well").follower())
    async with worker_with(store, clock, followers=followers) as worker:
        await until(lambda: numbers(worker).get(f"{STOPPED} stopped") == 1)
        before = numbers(worker)
        clock.advance(days=1)
        after = numbers(worker)
        assert after[f"{LAG} stopped"] == pytest.approx(before[f"{LAG} stopped"] + 86_400)
        assert (after[f"{STOPPED} well"], after[f"{LAG} well"]) == (0, 0)


async def test_a_timer_that_has_not_finished_is_due_and_late(
    store: Store, clock: ManualClock
) -> None:
    goes_on = asyncio.Event()

    async def wait(timer: Timer) -> tuple[Op, ...]:
        await goes_on.wait()
        return ()

    async def fail(timer: Timer) -> tuple[Op, ...]:
        raise ValueError("it fails")

    handlers = {"slow": TimerHandler(wait), "bad": TimerHandler(fail, max_tries=1)}
    for kind in handlers:
        await store.write(schedule(Timer(kind, "a", clock.now_ms())))
    async with worker_with(store, clock, timers=handlers) as worker:
        await until(lambda: numbers(worker)["greenroom_timers_set_aside_total"] == 1)
        await until(lambda: numbers(worker)["greenroom_timers_due"] == 1)
        assert numbers(worker)["greenroom_timers_late_seconds"] == 0
        clock.advance(seconds=3)
        assert numbers(worker)["greenroom_timers_late_seconds"] == 3
        goes_on.set()
        await until(lambda: numbers(worker)["greenroom_timers_due"] == 0)
        after = numbers(worker)
        assert after["greenroom_timers_late_seconds"] == 0
        assert after["greenroom_timers_run_total"] == 1
        assert after["greenroom_timers_failures_total"] == 1


def worker_with(
    store: Store,
    clock: ManualClock,
    *,
    timers: dict[str, TimerHandler] | None = None,
    followers: Sequence[Follower] = (),
) -> Worker:
    return Worker(
        store,
        clock,
        node="n1",
        timers=timers or {},
        followers=followers,
        chance=random.Random(1),
        is_alone=True,
    )


def numbers(worker: Worker) -> dict[str, float]:
    """By the metric's name and labels."""
    return {" ".join((one.name, *one.labels)): one.number for one in of_worker(worker)}
