"""State before + sync == state after, for every kind of change, in active and inactive threads, on
the author's devices and on others'.
"""

import itertools

import pytest

from greenroom.clock import ManualClock
from greenroom.messaging import (
    inbox,
    known_threads,
    open as opening,
    participants,
    react,
    read,
    respond,
    send,
    thread_snapshot as looking,
)
from greenroom.messaging.models import Kind
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.sync import cursor_now, sync
from greenroom.store.cursors import MAX_CURSOR
from tests.messaging.inbox_changes import (
    CHANGES,
    NOTHING_TO_SEE,
    BusyInbox,
    Change,
    a_word_more_with_a_request,
    accepting,
)
from tests.messaging.sync_client import SyncClient
from tests.messaging.world import MessagingWorld
from tests.world import UNLIMITED


async def _devices(busy: BusyInbox) -> list[SyncClient]:
    found = [SyncClient(busy.messaging, actor) for actor in busy.world.actors.values()]
    for client in found:
        await client.reload()
    return found


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("resting", [False, True], ids=["lively", "resting"])
async def test_a_sync_shows_what_a_reload_shows(
    unlimited_world: MessagingWorld, change: Change, resting: bool
) -> None:
    busy = await BusyInbox(unlimited_world).set_up()
    if resting:
        await busy.comes_to_rest()
    clients = await _devices(busy)
    unlimited_world.clock.advance(seconds=60)
    before = await clients[0].reloaded()
    await change(busy)
    unlimited_world.clock.advance(seconds=60)
    for client in clients:
        await client.sync()
        assert client.shown() == await client.reloaded()
    if change not in NOTHING_TO_SEE:
        assert clients[0].shown() != before
    assert not any(client.resets for client in clients)


@pytest.mark.timeout(1200)
async def test_all_changes_in_a_row_on_both_engines(world: MessagingWorld) -> None:
    spacious = world.another_node(rates=UNLIMITED)
    busy = await BusyInbox(spacious).set_up()
    client = SyncClient(busy.messaging, busy.ana)
    await client.reload()
    for change in CHANGES:
        busy.world.clock.advance(seconds=20)
        await change(busy)
        await client.sync()
        assert client.shown() == await client.reloaded(), change.__name__


async def test_a_device_that_was_away_for_weeks_finds_all_of_it_at_once(
    unlimited_world: MessagingWorld,
) -> None:
    busy = await BusyInbox(unlimited_world).set_up()
    await busy.comes_to_rest()
    client = SyncClient(busy.messaging, busy.ana)
    await client.reload()
    unlimited_world.clock.advance(days=1)
    for change in CHANGES[:-2]:
        await change(busy)
    await busy.comes_to_rest()
    await client.sync()
    assert client.shown() == await client.reloaded()
    assert client.resets == 0


async def test_after_a_month_the_cursor_is_reset(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    client = SyncClient(world.messaging, world.actors["ana"])
    await client.reload()
    world.clock.advance(days=29)
    await client.sync()
    assert client.resets == 0
    world.clock.advance(days=30)
    await world.say("ben", thread.id, "Still there?")
    await client.sync()
    assert client.resets == 1
    assert client.shown() == await client.reloaded()
    await world.say("ben", thread.id, "Hello?")
    await client.sync()
    assert client.resets == 1
    assert client.shown() == await client.reloaded()


async def test_many_changed_threads_come_page_by_page_and_none_is_missed_when_rows_move_meanwhile(
    unlimited_world: MessagingWorld,
) -> None:
    threads = [(await unlimited_world.inquiry("ana", f"seller{n}")).id for n in range(50)]
    ana = unlimited_world.actors["ana"]
    client = SyncClient(unlimited_world.messaging, ana)
    await client.reload()
    unlimited_world.clock.advance(days=1)
    for n, thread in enumerate(threads):
        unlimited_world.clock.advance(seconds=30)
        await unlimited_world.say(f"seller{n}", thread, f"Number {n}")
    unlimited_world.clock.advance(seconds=3600)
    first = await sync(unlimited_world.messaging, ana, client.cursor)
    assert first.more
    seen = {changed.view.thread.id: changed for changed in first.threads}
    waiting = [n for n, thread in enumerate(threads) if thread not in seen]
    # Unread rows go to the top of the active index, and one leaves it.
    for n in waiting[:3]:
        await unlimited_world.say(f"seller{n}", threads[n], "Hello?")
    await read.mark_read(unlimited_world.messaging, ana, threads[waiting[5]], 1)
    unlimited_world.clock.advance(seconds=3600)
    await inbox.inbox(unlimited_world.messaging, ana)
    await unlimited_world.messaging.deferred.run()
    cursor = first.cursor
    while True:
        page = await sync(unlimited_world.messaging, ana, cursor)
        seen |= {changed.view.thread.id: changed for changed in page.threads}
        cursor = page.cursor
        if not page.more:
            break
    bodies = {
        thread: [message.body for message in found.messages] for thread, found in seen.items()
    }
    assert {thread: said[0] for thread, said in bodies.items()} == {
        thread: f"Number {n}" for n, thread in enumerate(threads)
    }


async def test_a_request_that_is_accepted_between_two_pages_keeps_its_messages(
    unlimited_world: MessagingWorld,
) -> None:
    busy = await BusyInbox(unlimited_world).set_up()
    client = SyncClient(unlimited_world.messaging, busy.ana)
    await client.reload()
    unlimited_world.clock.advance(seconds=60)
    await a_word_more_with_a_request(busy)
    for n in range(25):
        await busy.opens(f"stranger{n}", "ana", "Hello!")
    unlimited_world.clock.advance(seconds=60)
    first = await sync(unlimited_world.messaging, busy.ana, client.cursor)
    assert first.more
    await accepting(busy)
    client.cursor = first.cursor
    for changed in first.threads:
        await client._apply(changed)
    unlimited_world.clock.advance(seconds=60)
    await client.sync()
    await client.sync()
    assert client.shown() == await client.reloaded()


async def test_a_long_absence_from_one_thread_is_truncated(
    unlimited_world: MessagingWorld,
) -> None:
    thread = await unlimited_world.inquiry()
    client = SyncClient(unlimited_world.messaging, unlimited_world.actors["ana"])
    await client.reload()
    unlimited_world.clock.advance(seconds=60)
    for n in range(looking.MAX_MESSAGES + 5):
        await unlimited_world.say("ben", thread.id, f"and {n}")
    answer_ = await sync(unlimited_world.messaging, unlimited_world.actors["ana"], client.cursor)
    assert [changed.truncated for changed in answer_.threads] == [True]
    await client.sync()
    assert client.shown() == await client.reloaded()


async def test_a_write_with_an_earlier_time_than_the_cursor_is_synced(
    world: MessagingWorld,
) -> None:
    """Written by a slow node, or one whose clock is behind."""
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Hello?")
    ana = world.actors["ana"]
    world.clock.advance(seconds=3600)
    behind = world.another_node(clock=ManualClock(world.clock.now_ms()))
    world.clock.advance(seconds=50)
    cursor = (await sync(world.messaging, ana)).cursor
    for _ in range(3):
        message = await behind.say("ben", thread.id, "Did you see?")
        found = await sync(world.messaging, ana, cursor)
        assert [f.id for changed in found.threads for f in changed.messages] == [message.id]
        cursor = found.cursor


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_nothing_comes_twice(unlimited_world: MessagingWorld, change: Change) -> None:
    """However often a client syncs within the slack of its cursor."""
    busy = await BusyInbox(unlimited_world).set_up()
    clients = await _devices(busy)
    unlimited_world.clock.advance(seconds=20)
    await change(busy)
    for client in clients:
        await client.sync()
        for _ in range(4):
            unlimited_world.clock.advance(seconds=7)
            assert client.cursor is not None
            again = await sync(busy.messaging, client.actor, client.cursor)
            assert (again.threads, again.gone, again.more, again.reset) == ((), (), False, False)
            client.cursor = again.cursor


@pytest.mark.parametrize("both", [*itertools.pairwise(CHANGES)], ids=lambda b: b[1].__name__)
async def test_nothing_written_after_a_sync_is_missed(
    unlimited_world: MessagingWorld, both: tuple[Change, Change]
) -> None:
    """Within the same millisecond as the cursor."""
    busy = await BusyInbox(unlimited_world).set_up()
    client = SyncClient(busy.messaging, busy.ana)
    await client.reload()
    for change in both:
        await change(busy)
        await client.sync()
        assert client.shown() == await client.reloaded()


async def test_a_polling_client_gets_each_message_and_change_once(
    unlimited_world: MessagingWorld,
) -> None:
    threads = [(await unlimited_world.inquiry("ana", f"seller{n}")).id for n in range(3)]
    ana = unlimited_world.actors["ana"]
    unlimited_world.clock.advance(seconds=3600)
    cursor, came = (await sync(unlimited_world.messaging, ana)).cursor, list[tuple[str, int]]()
    said: list[tuple[str, int]] = []
    for second in range(150):
        unlimited_world.clock.advance(seconds=1)
        name = f"seller{second % 3}"
        message = await unlimited_world.say(name, threads[second % 3], f"Number {second}")
        if second % 5 == 0:
            actor = unlimited_world.actors[name]
            await react.react(unlimited_world.messaging, actor, message.thread, message.id, "🎉")
            said.append((message.id, 2))
        else:
            said.append((message.id, 1))
        if second % 4 == 3:
            found = await sync(unlimited_world.messaging, ana, cursor)
            came += [(f.id, f.version) for changed in found.threads for f in changed.messages]
            cursor = found.cursor
    found = await sync(unlimited_world.messaging, ana, cursor)
    came += [(f.id, f.version) for changed in found.threads for f in changed.messages]
    assert sorted(came) == sorted(said)


async def test_a_reset_does_not_repeat_old_messages(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    await world.say("ben", thread.id, "A while ago.")
    world.clock.advance(seconds=10)
    ana = world.actors["ana"]
    cursor = (await sync(world.messaging, ana)).cursor
    world.clock.advance(seconds=10)
    assert not (await sync(world.messaging, ana, cursor)).threads
    message = await world.say("ben", thread.id, "Just now.")
    found = await sync(world.messaging, ana, cursor)
    assert [f.id for changed in found.threads for f in changed.messages] == [message.id]


async def test_a_cursor_fits_into_a_request_whatever_happened_within_a_minute(
    unlimited_world: MessagingWorld,
) -> None:
    threads = [(await unlimited_world.inquiry("ana", f"seller{n}")).id for n in range(120)]
    client = SyncClient(unlimited_world.messaging, unlimited_world.actors["ana"])
    await client.reload()
    unlimited_world.clock.advance(days=1)
    longest = 0
    for _ in range(3):
        for n, thread in enumerate(threads):
            await unlimited_world.say(f"seller{n}", thread, f"Number {n}")
        more = True
        while more:
            found = await sync(unlimited_world.messaging, client.actor, client.cursor)
            client.cursor, more = found.cursor, found.more
            longest = max(longest, len(found.cursor))
    assert MAX_CURSOR // 2 < longest <= MAX_CURSOR
    again = await sync(unlimited_world.messaging, client.actor, client.cursor)
    assert len(again.threads) <= len(threads) - known_threads.MOST


async def test_an_idle_thread_is_not_synced(world: MessagingWorld) -> None:
    await world.inquiry()
    world.clock.advance(seconds=3600)
    cursor = (await sync(world.messaging, world.actors["ana"])).cursor
    world.clock.advance(seconds=3600)
    found = await sync(world.messaging, world.actors["ana"], cursor)
    assert (found.threads, found.gone, found.more, found.reset) == ((), (), False, False)


async def test_declining_and_reading_a_request_are_not_synced_to_the_sender(
    world: MessagingWorld,
) -> None:
    ana, dora = await world.person("ana"), await world.person("dora")
    asked = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(dora.user),))
    thread = await opening.open_thread(world.messaging, ana, asked)
    await send.send(world.messaging, ana, thread.id, Outgoing("c", "Hello!"))
    world.clock.advance(seconds=3600)
    cursor = (await sync(world.messaging, ana)).cursor
    world.clock.advance(seconds=60)
    await read.mark_delivered(world.messaging, dora, thread.id, 1)
    await read.mark_read(world.messaging, dora, thread.id, 1)
    await respond.decline(world.messaging, dora, thread.gates[dora.user].id)
    found = await sync(world.messaging, ana, cursor)
    assert (found.threads, found.gone) == ((), ())


@pytest.mark.parametrize("pause_s", [0, 7, 45, 90])
@pytest.mark.parametrize("resumes", [False, True], ids=["polling", "resume"])
@pytest.mark.parametrize("meanwhile", [0, 2], ids=["nothing missed", "some missed"])
async def test_accepting_after_leaving_gives_the_whole_history_again(
    unlimited_world: MessagingWorld, pause_s: int, resumes: bool, meanwhile: int
) -> None:
    """`gone` made the client drop the thread; the request showed only new messages."""
    thread = await unlimited_world.inquiry()
    for n in range(3):
        await unlimited_world.say("ana", thread.id, f"Number {n}")
    ben = unlimited_world.actors["ben"]
    client = SyncClient(unlimited_world.messaging, ben)
    await client.reload()

    async def catch_up() -> None:
        unlimited_world.clock.advance(seconds=pause_s)
        await client.sync()
        assert client.shown() == await client.reloaded()
        if resumes:
            client.cursor = cursor_now(unlimited_world.messaging, client.cursor)

    for round_ in range(2):
        await participants.leave(unlimited_world.messaging, ben, thread.id)
        await catch_up()
        assert thread.id not in client.threads
        for n in range(1 + meanwhile):
            await unlimited_world.say("ana", thread.id, f"Are you there? {round_} {n}")
        await catch_up()
        gate = client.threads[thread.id].thread.gates[ben.user]
        await respond.accept(unlimited_world.messaging, ben, gate.id)
        await catch_up()
        assert len(client.threads[thread.id].messages) == 3 + (round_ + 1) * (1 + meanwhile)
