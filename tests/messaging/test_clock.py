"""After a clock was ahead and is set back, nothing is skipped and nothing stays on top."""

import pytest

from greenroom.ids import ThreadId
from greenroom.messaging import history, inbox, read
from greenroom.messaging.models import Folder
from greenroom.messaging.sync import sync
from tests.messaging.inbox_changes import CHANGES, BusyInbox
from tests.messaging.sync_client import SyncClient
from tests.messaging.world import MessagingWorld


async def order(
    world: MessagingWorld, name: str = "ana", folder: Folder = Folder.ALL
) -> list[ThreadId]:
    page = await inbox.inbox(world.messaging, world.actors[name], folder)
    await world.messaging.deferred.run()
    return [row.thread.id for row in page.rows]


@pytest.mark.parametrize("later_s", [1, 30, 600, 90_000])
async def test_a_cursor_of_a_clock_that_was_ahead_starts_over(
    world: MessagingWorld, later_s: int
) -> None:
    thread = await world.inquiry()
    world.clock.advance(days=1)
    client = SyncClient(world.messaging, world.actors["ana"])
    await client.reload()
    await world.say("ben", thread.id, "While the clock was ahead.")
    await client.sync()
    world.clock.set_back(days=1)
    await world.say("ben", thread.id, "Now it is right.")
    world.clock.advance(seconds=later_s)
    await client.sync()
    assert client.resets == 1
    assert client.shown() == await client.reloaded()
    await world.say("ben", thread.id, "And later.")
    await client.sync()
    assert client.resets == 1
    assert client.shown() == await client.reloaded()
    again = await sync(world.messaging, client.actor, client.cursor)
    assert again.threads == ()


async def test_a_thread_written_while_the_clock_was_ahead_does_not_stay_on_top(
    world: MessagingWorld,
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
    assert {row.thread.id: row.state.unread for row in page.rows} == {ahead: 4, other: 3}
    messages = (await history.history(world.messaging, world.actors["ana"], ahead)).messages
    assert [message.seq for message in messages] == [1, 2, 3, 4]
    assert all(message.sent_ms <= world.clock.now_ms() for message in messages[1:])
    assert [message.ms for message in messages] == sorted(message.ms for message in messages)


async def test_an_inactive_row_with_a_future_time_does_not_stay_on_top(
    world: MessagingWorld,
) -> None:
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


async def test_sync_continues_exactly_after_the_clock_was_set_back(
    unlimited_world: MessagingWorld,
) -> None:
    busy = await BusyInbox(unlimited_world).set_up()
    unlimited_world.clock.advance(days=1)
    await unlimited_world.say("ben", busy.threads["ben"], "From tomorrow.")
    client = SyncClient(busy.messaging, busy.ana)
    await client.reload()
    unlimited_world.clock.set_back(days=1)
    for change in CHANGES[:-2]:
        unlimited_world.clock.advance(seconds=20)
        await change(busy)
        await client.sync()
        assert client.shown() == await client.reloaded(), change.__name__
    assert client.resets == 1
