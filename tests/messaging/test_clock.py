"""A clock that was wrong, and was set back: nothing is skipped, and nothing stays on top."""

import pytest

from greenroom.ids import ThreadId
from greenroom.messaging import history, inbox, read
from greenroom.messaging.models import Folder
from greenroom.messaging.sync import sync
from tests.messaging.changes import CHANGES, Stage
from tests.messaging.device import Device
from tests.messaging.world import World


async def order(world: World, name: str = "ana", folder: Folder = Folder.ALL) -> list[ThreadId]:
    page = await inbox.inbox(world.messaging, world.actors[name], folder)
    await world.messaging.chores.run()
    return [row.thread.id for row in page.rows]


@pytest.mark.parametrize("later_s", [1, 30, 600, 90_000])
async def test_a_cursor_of_a_clock_that_was_ahead_starts_over(world: World, later_s: int) -> None:
    thread = await world.inquiry()
    world.clock.advance(days=1)
    device = Device(world.messaging, world.actors["ana"])
    await device.reload()
    await world.say("ben", thread.id, "While the clock was ahead.")
    await device.sync()
    world.clock.set_back(days=1)
    await world.say("ben", thread.id, "Now it is right.")
    world.clock.advance(seconds=later_s)
    await device.sync()
    assert device.resets == 1
    assert device.shown() == await device.reloaded()
    await world.say("ben", thread.id, "And later.")
    await device.sync()
    assert device.resets == 1
    assert device.shown() == await device.reloaded()
    again = await sync(world.messaging, device.actor, device.cursor)
    assert again.threads == ()


async def test_a_thread_written_while_the_clock_was_ahead_does_not_stay_on_top(
    world: World,
) -> None:
    ahead, other = (await world.inquiry("ana", "ben")).id, (await world.inquiry("ana", "cleo")).id
    world.clock.advance(days=1, seconds=60)
    await world.say("ben", ahead, "From tomorrow.")
    world.clock.set_back(days=1)
    world.clock.advance(seconds=1)
    assert (await order(world))[0] == ahead, "it is the last that was written to"
    for _ in range(3):
        world.clock.advance(seconds=10)
        await world.say("cleo", other, "Today.")
        assert (await order(world))[0] == other
        world.clock.advance(seconds=10)
        await world.say("ben", ahead, "Today as well.")
        assert (await order(world))[0] == ahead
    page = await inbox.inbox(world.messaging, world.actors["ana"])
    assert {row.thread.id: row.standing.unread for row in page.rows} == {ahead: 4, other: 3}
    frames = (await history.history(world.messaging, world.actors["ana"], ahead)).frames
    assert [frame.seq for frame in frames] == [1, 2, 3, 4]
    assert all(frame.sent_ms <= world.clock.now_ms() for frame in frames[1:])
    assert [frame.ms for frame in frames] == sorted(frame.ms for frame in frames)


async def test_nor_does_a_row_that_has_settled_with_a_time_of_the_future(world: World) -> None:
    threads = [(await world.inquiry("ana", name)).id for name in ("ben", "cleo")]
    ana = world.actors["ana"]
    world.clock.advance(days=1)
    await world.say("ben", threads[0], "From tomorrow.")
    await read.mark_read(world.messaging, ana, threads[0], 1)
    world.clock.advance(seconds=600)
    await order(world)
    world.clock.set_back(days=1)
    await order(world)
    world.clock.advance(seconds=600)
    await world.say("cleo", threads[1], "Today.")
    await order(world)
    assert (await order(world)) == [threads[1], threads[0]]
    rows = (await inbox.inbox(world.messaging, ana)).rows
    assert all(row.thread.active_ms <= world.clock.now_ms() for row in rows)
    await read.mark_read(world.messaging, ana, threads[1], 1)
    world.clock.advance(seconds=600)
    await order(world)
    assert (await order(world)) == [threads[1], threads[0]], "when both have settled"


async def test_after_the_clock_was_set_back_sync_goes_on_exactly(roomy: World) -> None:
    stage = await Stage(roomy).set_up()
    roomy.clock.advance(days=1)
    await roomy.say("ben", stage.threads["ben"], "From tomorrow.")
    device = Device(stage.messaging, stage.ana)
    await device.reload()
    roomy.clock.set_back(days=1)
    for change in CHANGES[:-2]:
        roomy.clock.advance(seconds=20)
        await change(stage)
        await device.sync()
        assert device.shown() == await device.reloaded(), change.__name__
    assert device.resets == 1
