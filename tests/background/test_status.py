"""The status of background work on both engines: lag, what is set aside, and who works on what."""

from greenroom.background.leases import NODE_MS, LeaseKeeper
from greenroom.background.models import Stage, Timer
from greenroom.background.progress import create
from greenroom.background.schedule import schedule
from greenroom.background.set_aside import drop_timer, list_timers, replay_timer
from greenroom.background.status import FollowerStatus, TimerStatus, read_status
from greenroom.clock import ManualClock
from greenroom.store.base import Store
from tests.background.fixtures import Alarms, Notes, follower_runner, note, run_due, timer_runner


async def test_a_follower_shows_its_stage_lag_and_what_is_set_aside(
    store: Store, clock: ManualClock
) -> None:
    notes = Notes("f")
    follower = notes.follower()

    async def status() -> FollowerStatus:
        return (await read_status(store, clock.now_ms(), [follower])).followers[0]

    assert await status() == FollowerStatus("f")
    notes.poisoned = {("a", 2)}
    for n in (1, 2, 3):
        await store.write(note("a", n))
    await follower_runner(store, clock, follower).catch_up()
    assert await status() == FollowerStatus("f", stage=Stage.FOLLOWING, set_aside=2)
    await store.write(note("b", 1))
    late = (await read_status(store, clock.now_ms() + 10**15, [follower])).followers[0]
    assert late.lag_ms > 10**14
    await create(store, "g", Stage.NEEDS_REBUILD, None)
    lost = (await read_status(store, clock.now_ms(), [Notes("g").follower()])).followers[0]
    assert lost == FollowerStatus("g", stage=Stage.NEEDS_REBUILD, needs_rebuild=True)


async def test_a_node_shows_what_it_works_on_until_it_is_dead(
    store: Store, clock: ManualClock
) -> None:
    keeper = LeaseKeeper(store, clock, "n1", (("timers/0",), ("followers/f",)))
    await keeper.renew()
    found = await read_status(store, clock.now_ms(), [Notes("f").follower()])
    assert [(node.name, node.leases) for node in found.nodes] == [
        ("n1", ["followers/f", "timers/0"])
    ]
    assert found.followers[0].node == "n1"
    clock.advance(ms=NODE_MS)
    found = await read_status(store, clock.now_ms(), [Notes("f").follower()])
    assert (found.nodes, found.followers[0].node) == ([], None)


async def test_timers_are_counted_by_kind(store: Store, clock: ManualClock) -> None:
    alarms, bells = Alarms("alarms"), Alarms("bells")
    alarms.failing = {f"a{n}": 1 for n in range(3)}
    for n in range(3):
        await store.write(schedule(Timer("alarms", f"a{n}", clock.now_ms())))
    handlers = {"alarms": alarms.handler(max_tries=1), "bells": bells.handler()}
    await run_due(timer_runner(store, clock, handlers))
    await store.write(schedule(Timer("bells", "b", clock.now_ms())))
    clock.advance(seconds=61)
    await store.write(schedule(Timer("bells", "c", clock.now_ms())))
    await store.write(schedule(Timer("bells", "d", clock.now_ms() + 1)))
    found = (await read_status(store, clock.now_ms(), [])).timers
    assert found.kinds == [
        TimerStatus("alarms", due=0, late=0, set_aside=3),
        TimerStatus("bells", due=2, late=1, set_aside=0),
    ]
    assert (found.oldest_ms, found.has_more) == (61_000, False)


async def test_timers_that_are_set_aside_are_listed_replayed_and_dropped(
    store: Store, clock: ManualClock
) -> None:
    alarms = Alarms()
    alarms.failing = {"a": 1, "b": 1}
    for id in ("a", "b", "c"):
        await store.write(schedule(Timer("alarms", id, clock.now_ms() + 600_000 * (id == "c"))))
    runner = timer_runner(store, clock, {"alarms": alarms.handler(max_tries=1)})
    await run_due(runner)
    assert {row.timer.id for row in await list_timers(store)} == {"a", "b"}
    assert {row.error for row in await list_timers(store, "alarms")} == {
        "ValueError: a fails",
        "ValueError: b fails",
    }
    assert await list_timers(store, "bells") == []
    assert await drop_timer(store, "alarms", "a")
    assert not await drop_timer(store, "alarms", "a")
    assert not await drop_timer(store, "alarms", "c"), "it waits for its time"
    assert not await replay_timer(store, "alarms", "c", clock.now_ms())
    assert await replay_timer(store, "alarms", "b", clock.now_ms())
    await run_due(runner)
    assert await list_timers(store) == []
    assert alarms.runs.count("b") == 2
    assert alarms.runs.count("a") == 1
