"""Timers on both engines: once, on time, after downtime; retried, set aside, cancelled, moved."""

import asyncio
from itertools import pairwise

import pytest

from greenroom.background import timers
from greenroom.background.models import Timer
from greenroom.background.records import TIMERS, timer_key
from greenroom.background.schedule import cancel, schedule
from greenroom.background.set_aside import list_timers, replay_timer
from greenroom.background.timers import TimerHandler
from greenroom.clock import ManualClock, SystemClock
from greenroom.store.base import Check, Op, Put, Store
from greenroom.store.expressions import F
from greenroom.store.problems import StoreUnavailable, Throttled
from tests.background.fixtures import JOURNAL, Alarms, entry, journal, run_due, timer_runner


def alarm(id: str, due_ms: int) -> Timer:
    return Timer("alarms", id, due_ms)


async def rows(store: Store) -> int:
    return len((await store.scan(TIMERS, limit=1000, consistent=True)).items)


async def test_a_timer_runs_once_when_it_is_due(store: Store, clock: ManualClock) -> None:
    due_ms = clock.now_ms() + 5_000
    await store.write(schedule(alarm("a", due_ms)))
    alarms = Alarms()
    runner = timer_runner(store, clock, {"alarms": alarms.handler()})
    await run_due(runner)
    clock.advance(ms=4_999)
    await run_due(runner)
    assert alarms.runs == []
    clock.advance(ms=1)
    for _ in range(3):
        await run_due(runner)
    assert alarms.runs == ["a"]
    assert await journal(store, "alarms") == {"a": [due_ms % 1_000_000]}
    assert await rows(store) == 0
    assert runner.counts.run == 1
    assert runner.late_ms == 0


async def test_a_handler_may_remove_its_timer_itself(store: Store, clock: ManualClock) -> None:
    await store.write(schedule(alarm("a", clock.now_ms())))

    async def remove(timer: Timer) -> tuple[Op, ...]:
        await store.write(cancel(timer.kind, timer.id))
        return ()

    runner = timer_runner(store, clock, {"alarms": TimerHandler(remove)})
    await run_due(runner)
    assert (runner.counts.run, runner.counts.failed) == (1, 0)


async def test_timers_are_late_while_one_runs_or_the_store_cannot_be_read(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.write(schedule(alarm("a", clock.now_ms())))
    goes_on = asyncio.Event()

    async def wait(timer: Timer) -> tuple[Op, ...]:
        await goes_on.wait()
        return ()

    runner = timer_runner(store, clock, {"alarms": TimerHandler(wait)})
    await runner.poll()
    clock.advance(ms=3_000)
    assert runner.late_ms == 3_000
    goes_on.set()
    await runner.settle()
    await runner.poll()
    assert runner.late_ms == 0

    async def unreadable(*args: object, **rest: object) -> object:
        raise StoreUnavailable("it is down")

    with monkeypatch.context() as patch:
        patch.setattr(store, "query", unreadable)
        clock.advance(ms=60_000)
        with pytest.raises(StoreUnavailable):
            await runner.poll()
        assert runner.late_ms == 60_000
    await runner.poll()
    assert runner.late_ms == 0


async def test_after_downtime_all_that_is_due_runs(store: Store, clock: ManualClock) -> None:
    """More than a poll takes, and of more than one kind."""
    ids = [f"t{n}" for n in range(60)]
    for n, id in enumerate(ids):
        await store.write(schedule(Timer(f"kind{n % 3}", id, clock.now_ms() + n)))
    clock.advance(days=3)
    alarms = Alarms()
    handlers = {f"kind{n}": alarms.handler(max_running=2) for n in range(3)}
    await run_due(timer_runner(store, clock, handlers, max_running=4))
    assert sorted(alarms.runs) == sorted(ids)
    assert len(await journal(store, "alarms")) == 60
    assert await rows(store) == 0


async def test_a_cancelled_timer_does_not_run(store: Store, clock: ManualClock) -> None:
    await store.write(schedule(alarm("a", clock.now_ms())))
    await store.write(cancel("alarms", "a"), entry("cancelled", "a", 1))
    alarms = Alarms()
    await run_due(timer_runner(store, clock, {"alarms": alarms.handler()}))
    assert alarms.runs == []


async def test_a_timer_that_is_scheduled_again_moves(store: Store, clock: ManualClock) -> None:
    now_ms = clock.now_ms()
    await store.write(schedule(alarm("a", now_ms)))
    await store.write(schedule(alarm("a", now_ms + 1_000)))
    alarms = Alarms()
    runner = timer_runner(store, clock, {"alarms": alarms.handler()})
    await run_due(runner)
    assert alarms.runs == []
    clock.advance(ms=1_000)
    await run_due(runner)
    assert await journal(store, "alarms") == {"a": [(now_ms + 1_000) % 1_000_000]}


@pytest.mark.parametrize("moves", [False, True])
async def test_a_timer_that_is_changed_while_it_runs_takes_no_effect(
    store: Store, clock: ManualClock, moves: bool
) -> None:
    """What cancels it and what it does exclude one another: the handler's ops are not written."""
    now_ms = clock.now_ms()
    await store.write(schedule(alarm("a", now_ms)))
    runs = 0

    async def handle(timer: Timer) -> list[Op]:
        nonlocal runs
        runs += 1
        if runs == 1:
            change = schedule(alarm("a", now_ms + 500)) if moves else cancel("alarms", "a")
            await store.write(change, entry("changed", "a", 1))
        return [entry("alarms", "a", runs)]

    runner = timer_runner(store, clock, {"alarms": TimerHandler(handle)})
    await run_due(runner)
    assert await journal(store, "changed") == {"a": [1]}
    assert await journal(store, "alarms") == {}
    clock.advance(seconds=10)
    await run_due(runner)
    assert await journal(store, "alarms") == ({"a": [2]} if moves else {})
    assert runner.counts.failed == 0


async def test_a_timer_found_early_and_cancelled_before_it_is_due_does_not_run(
    store: Store, clock: ManualClock
) -> None:
    await store.write(schedule(alarm("a", clock.now_ms() + timers.AHEAD_MS)))
    alarms = Alarms()
    runner = timer_runner(store, clock, {"alarms": alarms.handler()})
    await run_due(runner)
    await store.write(cancel("alarms", "a"))
    clock.advance(ms=timers.AHEAD_MS)
    await run_due(runner)
    assert alarms.runs == []


async def test_a_failing_timer_is_tried_again_later_and_later(
    store: Store, clock: ManualClock
) -> None:
    await store.write(schedule(alarm("a", clock.now_ms())))
    alarms = Alarms()
    alarms.failing["a"] = 3
    runner = timer_runner(store, clock, {"alarms": alarms.handler(first_pause_ms=1_000)})
    begun_ms, tried = clock.now_ms(), [0]
    for _ in range(100):
        before = len(alarms.runs)
        await run_due(runner)
        if len(alarms.runs) > before and before:
            tried.append(clock.now_ms() - begun_ms)
        clock.advance(ms=100)
    assert len(alarms.runs) == 4
    pauses = [later - earlier for earlier, later in pairwise(tried)]
    for pause, most in zip(pauses, (1_000, 2_000, 4_000), strict=True):
        assert most * 3 // 4 <= pause <= most + 100
    assert len((await journal(store, "alarms"))["a"]) == 1
    assert await rows(store) == 0


async def test_a_timer_is_set_aside_after_its_last_try(store: Store, clock: ManualClock) -> None:
    await store.write(schedule(alarm("a", clock.now_ms())))
    await store.write(schedule(alarm("b", clock.now_ms())))
    alarms = Alarms()
    alarms.failing["a"] = 99
    runner = timer_runner(store, clock, {"alarms": alarms.handler(max_tries=3)})
    for _ in range(10):
        await run_due(runner)
        clock.advance(seconds=60)
    assert alarms.runs.count("a") == 3
    (row,) = await list_timers(store)
    assert (row.timer.id, row.tries, row.error) == ("a", 3, "ValueError: a fails")
    assert (await journal(store, "alarms")).keys() == {"b"}
    alarms.failing.clear()
    assert await replay_timer(store, "alarms", "a", clock.now_ms())
    assert not await replay_timer(store, "alarms", "a", clock.now_ms())
    await run_due(runner)
    assert (await journal(store, "alarms")).keys() == {"a", "b"}
    assert await list_timers(store) == []


async def test_a_timer_that_waits_for_another_try_or_is_set_aside_can_be_cancelled(
    store: Store, clock: ManualClock
) -> None:
    alarms = Alarms()
    alarms.failing = {"a": 99, "b": 99}
    runner = timer_runner(store, clock, {"alarms": alarms.handler(max_tries=2)})
    for id in ("a", "b"):
        await store.write(schedule(alarm(id, clock.now_ms())))
    await run_due(runner)
    await store.write(cancel("alarms", "a"))
    clock.advance(seconds=60)
    await run_due(runner)
    assert [row.timer.id for row in await list_timers(store)] == ["b"]
    await store.write(cancel("alarms", "b"))
    assert await list_timers(store) == []
    assert await rows(store) == 0
    assert alarms.runs == ["a", "b", "b"] or alarms.runs == ["b", "a", "b"]


async def test_failing_and_slow_timers_block_no_other(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Far more than a page of a kind that is stuck come first in the index."""
    monkeypatch.setattr(timers, "_PAGE", 5)
    monkeypatch.setattr(timers, "_PAGES", 2)
    monkeypatch.setattr(timers, "_MAX_WAITING_OF_KIND", 3)
    stuck = asyncio.Event()

    async def slow(timer: Timer) -> list[Op]:
        await stuck.wait()
        return []

    for n in range(120):
        await store.write(schedule(Timer("slow", f"s{n}", clock.now_ms() - 1_000)))
        await store.write(schedule(Timer("failing", f"f{n}", clock.now_ms() - 900)))
    await store.write(schedule(alarm("a", clock.now_ms())))
    alarms, failing = Alarms(), Alarms("failing")
    failing.failing = {f"f{n}": 9 for n in range(120)}
    handlers = {
        "alarms": alarms.handler(),
        "slow": TimerHandler(slow, max_running=2),
        "failing": failing.handler(),
    }
    runner = timer_runner(store, clock, handlers)
    for _ in range(60):
        await runner.poll()
        await asyncio.sleep(0.01)
        if alarms.runs:
            break
    assert alarms.runs == ["a"]
    stuck.set()
    await runner.finish()


async def test_a_handler_that_takes_too_long_has_failed(store: Store, clock: ManualClock) -> None:
    async def hang(timer: Timer) -> list[Op]:
        await asyncio.Event().wait()
        return []

    await store.write(schedule(alarm("a", clock.now_ms())))
    handler = TimerHandler(hang, seconds=0.05, max_tries=1)
    await run_due(timer_runner(store, clock, {"alarms": handler}))
    (row,) = await list_timers(store)
    assert row.error == "TimeoutError: it took longer than 0.05 seconds"


async def test_a_handler_whose_ops_are_refused_has_failed(store: Store, clock: ManualClock) -> None:
    async def handle(timer: Timer) -> list[Op]:
        return [Check(JOURNAL, entry("alarms", "other", 1).key, F("pk").exists())]

    await store.write(schedule(alarm("a", clock.now_ms())))
    runner = timer_runner(store, clock, {"alarms": TimerHandler(handle)})
    await run_due(runner)
    assert runner.counts.failed == 1
    assert await rows(store) == 1


async def test_a_timer_of_an_unknown_kind_waits_for_a_node_that_knows_it(
    store: Store, clock: ManualClock
) -> None:
    await store.write(schedule(alarm("a", clock.now_ms())))
    await run_due(timer_runner(store, clock, {}))
    alarms = Alarms()
    runner = timer_runner(store, clock, {"alarms": alarms.handler()})
    clock.advance(ms=timers.UNKNOWN_MS)
    await run_due(runner)
    assert alarms.runs == ["a"]


async def test_a_handler_may_schedule_its_own_timer_again(store: Store, clock: ManualClock) -> None:
    async def handle(timer: Timer) -> list[Op]:
        again = Timer("alarms", "a", timer.due_ms + 1_000)
        return [schedule(again), entry("alarms", "a", timer.due_ms % 1_000_000)]

    first_ms = clock.now_ms()
    await store.write(schedule(alarm("a", first_ms)))
    runner = timer_runner(store, clock, {"alarms": TimerHandler(handle)})
    for _ in range(3):
        await run_due(runner)
        clock.advance(ms=1_000)
    done = (await journal(store, "alarms"))["a"]
    assert done == [(first_ms + n * 1_000) % 1_000_000 for n in range(3)]


async def test_a_timer_has_its_payload(store: Store, clock: ManualClock) -> None:
    seen: list[Timer] = []

    async def handle(timer: Timer) -> list[Op]:
        seen.append(timer)
        return []

    timer = Timer("alarms", "a#b", clock.now_ms(), {"to": "ana", "tags": {"x"}, "deep": {"n": 1}})
    await store.write(schedule(timer))
    await run_due(timer_runner(store, clock, {"alarms": TimerHandler(handle)}))
    assert [(one.id, one.payload) for one in seen] == [("a#b", timer.payload)]
    assert await rows(store) == 0


async def test_a_store_in_trouble_counts_as_no_try(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.write(schedule(alarm("a", clock.now_ms())))
    alarms = Alarms()
    runner = timer_runner(store, clock, {"alarms": alarms.handler(max_tries=1)})

    async def throttled(*ops: Op, token: str | None = None) -> None:
        raise Throttled

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", throttled)
        await run_due(runner)
        await run_due(runner)
    assert len(alarms.runs) == 1, "it is left alone for a while"
    clock.advance(ms=timers.COOL_MS)
    await run_due(runner)
    assert len(alarms.runs) == 2
    assert len(await journal(store, "alarms")) == 1


async def test_clock_jumps_run_timers_once(store: Store, clock: ManualClock) -> None:
    start_ms = clock.now_ms()
    for n in range(5):
        await store.write(schedule(alarm(f"t{n}", start_ms + n * 86_400_000)))
    alarms = Alarms()
    runner = timer_runner(store, clock, {"alarms": alarms.handler()})
    for days in (3, -2, 1, -3, 9):
        clock.advance(days=days)
        await run_due(runner)
    assert sorted(alarms.runs) == [f"t{n}" for n in range(5)]


async def test_a_timer_starts_when_it_is_due_and_not_at_the_next_poll(store: Store) -> None:
    """By the real clock: found ahead, and woken for."""
    clock = SystemClock()
    late: list[int] = []

    async def handle(timer: Timer) -> list[Op]:
        late.append(clock.now_ms() - timer.due_ms)
        return []

    runner = timer_runner(store, clock, {"alarms": TimerHandler(handle)})
    running = asyncio.create_task(runner.run())
    try:
        for n in range(8):
            due_ms = clock.now_ms() + n * 97
            await store.write(schedule(alarm(f"t{n}", due_ms)))
            runner.wake(due_ms)
        async with asyncio.timeout(20):
            while len(late) < 8:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert max(late) < 1_000


def test_a_key_is_found_without_the_due_time() -> None:
    op = schedule(alarm("a", 5))
    assert isinstance(op, Put)
    assert cancel("alarms", "a").key == timer_key("alarms", "a")
