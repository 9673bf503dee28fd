"""State before + sync == state after, for every kind of change: whether the thread was lively or
had come to rest, on the device of whoever did it and on those of the others."""

import itertools
from base64 import urlsafe_b64decode

import msgspec
import pytest

from greenroom.clock import HeldClock
from greenroom.messaging import (
    answer,
    given,
    inbox,
    look as looking,
    open as opening,
    react,
    read,
    seats,
    send,
)
from greenroom.messaging.models import Kind
from greenroom.messaging.sync import cursor_now, sync
from greenroom.store.cursors import MAX_CURSOR
from greenroom.store.problems import InvalidCursor
from tests.messaging.changes import (
    CHANGES,
    NOTHING_TO_SEE,
    Change,
    Stage,
    a_word_more_with_a_request,
    accepting,
)
from tests.messaging.device import Device
from tests.messaging.world import UNLIMITED, World, contexts


async def _devices(stage: Stage) -> list[Device]:
    found = [Device(stage.messaging, actor) for actor in stage.world.actors.values()]
    for device in found:
        await device.reload()
    return found


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("resting", [False, True], ids=["lively", "resting"])
async def test_whoever_comes_back_sees_what_a_reload_shows(
    roomy: World, change: Change, resting: bool
) -> None:
    stage = await Stage(roomy).set_up()
    if resting:
        await stage.comes_to_rest()
    devices = await _devices(stage)
    roomy.clock.advance(seconds=60)
    before = await devices[0].reloaded()
    await change(stage)
    roomy.clock.advance(seconds=60)
    for device in devices:
        await device.sync()
        assert device.shown() == await device.reloaded()
    if change not in NOTHING_TO_SEE:
        assert devices[0].shown() != before
    assert not any(device.resets for device in devices)


@pytest.mark.timeout(1200)
async def test_all_of_it_in_a_row_on_both_engines(world: World) -> None:
    spacious = World(contexts(world.store, world.clock, UNLIMITED), world.clock, rates=UNLIMITED)
    stage = await Stage(spacious).set_up()
    device = Device(stage.messaging, stage.ana)
    await device.reload()
    for change in CHANGES:
        stage.world.clock.advance(seconds=20)
        await change(stage)
        await device.sync()
        assert device.shown() == await device.reloaded(), change.__name__


async def test_a_device_that_was_away_for_weeks_finds_all_of_it_at_once(
    roomy: World,
) -> None:
    stage = await Stage(roomy).set_up()
    await stage.comes_to_rest()
    device = Device(stage.messaging, stage.ana)
    await device.reload()
    roomy.clock.advance(days=1)
    for change in CHANGES[:-2]:
        await change(stage)
    await stage.comes_to_rest()
    await device.sync()
    assert device.shown() == await device.reloaded()
    assert device.resets == 0


async def test_after_a_month_one_starts_over(world: World) -> None:
    thread = await world.inquiry()
    device = Device(world.messaging, world.actors["ana"])
    await device.reload()
    world.clock.advance(days=29)
    await device.sync()
    assert device.resets == 0
    world.clock.advance(days=30)
    await world.say("ben", thread.id, "Still there?")
    await device.sync()
    assert device.resets == 1
    assert device.shown() == await device.reloaded()
    await world.say("ben", thread.id, "Hello?")
    await device.sync()
    assert device.resets == 1
    assert device.shown() == await device.reloaded()


async def test_many_changed_threads_come_page_by_page_and_none_is_missed_when_rows_move_meanwhile(
    roomy: World,
) -> None:
    threads = [(await roomy.inquiry("ana", f"seller{n}")).id for n in range(50)]
    ana = roomy.actors["ana"]
    device = Device(roomy.messaging, ana)
    await device.reload()
    roomy.clock.advance(days=1)
    for n, thread in enumerate(threads):
        roomy.clock.advance(seconds=30)
        await roomy.say(f"seller{n}", thread, f"Number {n}")
    roomy.clock.advance(seconds=3600)
    first = await sync(roomy.messaging, ana, device.cursor)
    assert first.more
    seen = {changed.side.thread.id: changed for changed in first.threads}
    waiting = [n for n, thread in enumerate(threads) if thread not in seen]
    # Rows that were not read yet go to the top of the shelf, and one leaves it.
    for n in waiting[:3]:
        await roomy.say(f"seller{n}", threads[n], "Hello?")
    await read.mark_read(roomy.messaging, ana, threads[waiting[5]], 1)
    roomy.clock.advance(seconds=3600)
    await inbox.inbox(roomy.messaging, ana)
    await roomy.messaging.chores.run()
    cursor = first.cursor
    while True:
        page = await sync(roomy.messaging, ana, cursor)
        seen |= {changed.side.thread.id: changed for changed in page.threads}
        cursor = page.cursor
        if not page.more:
            break
    bodies = {thread: [frame.body for frame in found.frames] for thread, found in seen.items()}
    assert {thread: said[0] for thread, said in bodies.items()} == {
        thread: f"Number {n}" for n, thread in enumerate(threads)
    }


async def test_a_request_that_is_accepted_between_two_pages_keeps_its_messages(
    roomy: World,
) -> None:
    stage = await Stage(roomy).set_up()
    device = Device(roomy.messaging, stage.ana)
    await device.reload()
    roomy.clock.advance(seconds=60)
    await a_word_more_with_a_request(stage)
    for n in range(25):
        await stage.opens(f"stranger{n}", "ana", "Hello!")
    roomy.clock.advance(seconds=60)
    first = await sync(roomy.messaging, stage.ana, device.cursor)
    assert first.more
    await accepting(stage)
    device.cursor = first.cursor
    for changed in first.threads:
        await device._apply(changed)
    roomy.clock.advance(seconds=60)
    await device.sync()
    await device.sync()
    assert device.shown() == await device.reloaded()


async def test_a_long_absence_from_one_thread_is_said_to_be_truncated(roomy: World) -> None:
    thread = await roomy.inquiry()
    device = Device(roomy.messaging, roomy.actors["ana"])
    await device.reload()
    roomy.clock.advance(seconds=60)
    for n in range(looking.MAX_FRAMES + 5):
        await roomy.say("ben", thread.id, f"and {n}")
    answer_ = await sync(roomy.messaging, roomy.actors["ana"], device.cursor)
    assert [changed.truncated for changed in answer_.threads] == [True]
    await device.sync()
    assert device.shown() == await device.reloaded()


async def test_a_write_that_bears_an_earlier_time_than_the_cursor_is_given(world: World) -> None:
    """Of a node whose clock is behind, or that was slow."""
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Hello?")
    ana = world.actors["ana"]
    world.clock.advance(seconds=3600)
    behind = World(
        contexts(world.store, HeldClock(world.clock.now_ms()), world.rates),
        world.clock,
        world.actors,
        _sent=100,
    )
    world.clock.advance(seconds=50)
    cursor = (await sync(world.messaging, ana)).cursor
    for _ in range(3):
        frame = await behind.say("ben", thread.id, "Did you see?")
        found = await sync(world.messaging, ana, cursor)
        assert [f.id for changed in found.threads for f in changed.frames] == [frame.id]
        cursor = found.cursor


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_nothing_comes_twice(roomy: World, change: Change) -> None:
    """However often somebody asks within the time for which a cursor reaches back."""
    stage = await Stage(roomy).set_up()
    devices = await _devices(stage)
    roomy.clock.advance(seconds=20)
    await change(stage)
    for device in devices:
        await device.sync()
        for _ in range(4):
            roomy.clock.advance(seconds=7)
            assert device.cursor is not None
            again = await sync(stage.messaging, device.actor, device.cursor)
            assert (again.threads, again.gone, again.more, again.reset) == ((), (), False, False)
            device.cursor = again.cursor


@pytest.mark.parametrize("both", [*itertools.pairwise(CHANGES)], ids=lambda b: b[1].__name__)
async def test_of_what_comes_after_a_sync_nothing_is_missed(
    roomy: World, both: tuple[Change, Change]
) -> None:
    """Within the same millisecond, and of what the cursor remembers."""
    stage = await Stage(roomy).set_up()
    device = Device(stage.messaging, stage.ana)
    await device.reload()
    for change in both:
        await change(stage)
        await device.sync()
        assert device.shown() == await device.reloaded()


async def test_each_message_and_each_change_of_one_comes_once_to_somebody_who_polls(
    roomy: World,
) -> None:
    threads = [(await roomy.inquiry("ana", f"seller{n}")).id for n in range(3)]
    ana = roomy.actors["ana"]
    roomy.clock.advance(seconds=3600)
    cursor, came = (await sync(roomy.messaging, ana)).cursor, list[tuple[str, int]]()
    said: list[tuple[str, int]] = []
    for second in range(150):
        roomy.clock.advance(seconds=1)
        name = f"seller{second % 3}"
        frame = await roomy.say(name, threads[second % 3], f"Number {second}")
        if second % 5 == 0:
            actor = roomy.actors[name]
            await react.react(roomy.messaging, actor, frame.thread, frame.id, "🎉")
            said.append((frame.id, 2))
        else:
            said.append((frame.id, 1))
        if second % 4 == 3:
            found = await sync(roomy.messaging, ana, cursor)
            came += [(f.id, f.version) for changed in found.threads for f in changed.frames]
            cursor = found.cursor
    found = await sync(roomy.messaging, ana, cursor)
    came += [(f.id, f.version) for changed in found.threads for f in changed.frames]
    assert sorted(came) == sorted(said)


async def test_what_was_there_before_one_started_over_is_not_given_again(world: World) -> None:
    thread = await world.inquiry()
    await world.say("ben", thread.id, "A while ago.")
    world.clock.advance(seconds=10)
    ana = world.actors["ana"]
    cursor = (await sync(world.messaging, ana)).cursor
    world.clock.advance(seconds=10)
    assert not (await sync(world.messaging, ana, cursor)).threads
    frame = await world.say("ben", thread.id, "Just now.")
    found = await sync(world.messaging, ana, cursor)
    assert [f.id for changed in found.threads for f in changed.frames] == [frame.id]


async def test_a_cursor_fits_into_a_request_whatever_happened_within_a_minute(
    roomy: World,
) -> None:
    threads = [(await roomy.inquiry("ana", f"seller{n}")).id for n in range(120)]
    device = Device(roomy.messaging, roomy.actors["ana"])
    await device.reload()
    roomy.clock.advance(days=1)
    longest = 0
    for _ in range(3):
        for n, thread in enumerate(threads):
            await roomy.say(f"seller{n}", thread, f"Number {n}")
        more = True
        while more:
            found = await sync(roomy.messaging, device.actor, device.cursor)
            device.cursor, more = found.cursor, found.more
            longest = max(longest, len(found.cursor))
    assert MAX_CURSOR // 2 < longest <= MAX_CURSOR
    again = await sync(roomy.messaging, device.actor, device.cursor)
    assert len(again.threads) <= len(threads) - given.MOST


async def test_a_cursor_does_not_show_what_it_remembers(world: World) -> None:
    """The version of a head moves when somebody declines, which its sender may not know."""
    thread = await world.inquiry()
    await world.say("ben", thread.id, "Hello.")
    world.clock.advance(seconds=10)
    cursor = (await sync(world.messaging, world.actors["ana"])).cursor
    raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    for ms in (world.clock.now_ms(), world.clock.now_ms() - 1):
        assert msgspec.msgpack.encode(ms) not in raw


async def test_where_nothing_happened_nothing_is_told(world: World) -> None:
    await world.inquiry()
    world.clock.advance(seconds=3600)
    cursor = (await sync(world.messaging, world.actors["ana"])).cursor
    world.clock.advance(seconds=3600)
    found = await sync(world.messaging, world.actors["ana"], cursor)
    assert (found.threads, found.gone, found.more, found.reset) == ((), (), False, False)


async def test_a_cursor_is_for_its_user_alone_and_cannot_be_altered(world: World) -> None:
    await world.inquiry()
    cursor = (await sync(world.messaging, world.actors["ana"])).cursor
    with pytest.raises(InvalidCursor):
        await sync(world.messaging, world.actors["ben"], cursor)
    for altered in (cursor[:-2] + "AA", "x" + cursor, "", "é"):
        with pytest.raises(InvalidCursor):
            await sync(world.messaging, world.actors["ana"], altered)


async def test_being_declined_and_being_read_at_the_gate_are_not_even_told_as_a_change(
    world: World,
) -> None:
    ana, dora = await world.person("ana"), await world.person("dora")
    asked = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(dora.user),))
    thread = await opening.open_thread(world.messaging, ana, asked)
    await send.send(world.messaging, ana, thread.id, send.Outgoing("c", "Hello!"))
    world.clock.advance(seconds=3600)
    cursor = (await sync(world.messaging, ana)).cursor
    world.clock.advance(seconds=60)
    await read.mark_delivered(world.messaging, dora, thread.id, 1)
    await read.mark_read(world.messaging, dora, thread.id, 1)
    await answer.decline(world.messaging, dora, thread.gates[dora.user].id)
    found = await sync(world.messaging, ana, cursor)
    assert (found.threads, found.gone) == ((), ())


@pytest.mark.parametrize("pause_s", [0, 7, 45, 90])
@pytest.mark.parametrize("resumes", [False, True], ids=["polling", "resume"])
@pytest.mark.parametrize("meanwhile", [0, 2], ids=["nothing missed", "some missed"])
async def test_accepting_after_leaving_gives_the_whole_history_again(
    roomy: World, pause_s: int, resumes: bool, meanwhile: int
) -> None:
    """`gone` told the device to drop it; the request showed only what is new."""
    thread = await roomy.inquiry()
    for n in range(3):
        await roomy.say("ana", thread.id, f"Number {n}")
    ben = roomy.actors["ben"]
    device = Device(roomy.messaging, ben)
    await device.reload()

    async def catch_up() -> None:
        roomy.clock.advance(seconds=pause_s)
        await device.sync()
        assert device.shown() == await device.reloaded()
        if resumes:
            device.cursor = cursor_now(roomy.messaging, ben.user, device.cursor)

    for round_ in range(2):
        await seats.leave(roomy.messaging, ben, thread.id)
        await catch_up()
        assert thread.id not in device.threads
        for n in range(1 + meanwhile):
            await roomy.say("ana", thread.id, f"Are you there? {round_} {n}")
        await catch_up()
        gate = device.threads[thread.id].thread.gates[ben.user]
        await answer.accept(roomy.messaging, ben, gate.id)
        await catch_up()
        assert len(device.threads[thread.id].frames) == 3 + (round_ + 1) * (1 + meanwhile)
