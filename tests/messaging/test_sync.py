"""State before + sync == state after, for every kind of change: whether the thread was lively or
had come to rest, on the device of whoever did it and on those of the others."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest

from greenroom.clock import HeldClock
from greenroom.ids import RequestId, ThreadId
from greenroom.messaging import (
    Messaging,
    answer,
    arrange,
    delete,
    draft,
    edit,
    history,
    inbox,
    lock,
    open as opening,
    react,
    read,
    rename,
    seats,
    send,
    sync as syncing,
)
from greenroom.messaging.block import block_person
from greenroom.messaging.models import Frame, Kind, Role
from greenroom.messaging.sync import sync
from greenroom.people.actor import Actor, Scope
from greenroom.store.problems import InvalidCursor
from tests.messaging.device import Device
from tests.messaging.world import IN_2100_MS, UNLIMITED, World, contexts, open_store

FRIENDS = ("ben", "eve", "finn", "gus", "hal")
ASKING = ("cleo", "carl", "cora", "cy")
ASKED = ("dora", "dirk")


@dataclass
class Stage:
    """Ana and her inbox: friends with whom she talks, strangers at her gate, and those at whose
    gates she waits herself."""

    world: World
    threads: dict[str, ThreadId] = field(default_factory=dict)
    gates: dict[str, RequestId] = field(default_factory=dict)

    @property
    def messaging(self) -> Messaging:
        return self.world.messaging

    @property
    def ana(self) -> Actor:
        return self.world.actors["ana"]

    def other(self, name: str) -> Actor:
        return self.world.actors[name]

    async def frames(self, name: str) -> tuple[Frame, ...]:
        return (await history.history(self.messaging, self.ana, self.threads[name])).frames

    async def set_up(self) -> "Stage":
        ana = await self.world.person("ana")
        for name in FRIENDS:
            await self._talks(name)
        for name in ASKING:
            await self.opens(name, "ana", "Hello!")
        for name in ASKED:
            await self.opens("ana", name, "Hello!")
        ben, zoe = self.other("ben"), await self.world.person("zoe")
        group = opening.Opening(
            kind=Kind.BOOKING,
            role=Role.SELLER,
            others=(opening.Invited(ana.user, Role.BUYER), opening.Invited(zoe.user)),
        )
        thread = await opening.open_thread(self.messaging, ben, group)
        if ana.user in thread.gates:
            await answer.accept(self.messaging, ana, thread.gates[ana.user].id)
        self.threads["group"] = thread.id
        return self

    async def _talks(self, name: str) -> None:
        thread = await self.world.inquiry("ana", name)
        self.threads[name] = thread.id
        for who, body in (("ana", "Is Friday free?"), (name, "Why?"), ("ana", "So.")):
            await self.world.say(who, thread.id, body)

    async def opens(self, name: str, other: str, body: str) -> None:
        actor, target = await self.world.person(name), await self.world.person(other)
        invited = (opening.Invited(target.user),)
        thread = await opening.open_thread(
            self.messaging, actor, opening.Opening(kind=Kind.INQUIRY, others=invited)
        )
        stranger = other if name == "ana" else name
        self.threads[stranger] = thread.id
        if target.user in thread.gates:
            self.gates[stranger] = thread.gates[target.user].id
        await self.world.say(name, thread.id, body)

    async def comes_to_rest(self) -> None:
        """Everybody but Finn has read everything, and the rows are back in their folders."""
        for name, actor in self.world.actors.items():
            page = await inbox.inbox(self.messaging, actor, limit=50)
            for row in page.rows if name != "finn" else ():
                await read.mark_read(self.messaging, actor, row.thread.id, row.thread.last_seq)
        self.world.clock.advance(days=3)
        for actor in self.world.actors.values():
            for _ in range(2):
                await inbox.inbox(self.messaging, actor, limit=50)
                await self.messaging.chores.run()
        self.world.clock.advance(days=7)


Change: TypeAlias = Callable[[Stage], Awaitable[object]]


def a_message(s: Stage) -> Awaitable[object]:
    return s.world.say("ben", s.threads["ben"], "Are you there?")


def ones_own_message_from_another_device(s: Stage) -> Awaitable[object]:
    return s.world.say("ana", s.threads["ben"], "From my phone.")


async def an_answer(s: Stage) -> None:
    first = (await s.frames("ben"))[1]
    await s.world.say("ana", s.threads["ben"], "May it?", reply_to=first.id)


async def an_edit(s: Stage) -> None:
    frame = (await s.frames("ben"))[1]
    await edit.edit(s.messaging, s.other("ben"), s.threads["ben"], frame.id, "It is!")


async def a_deletion(s: Stage) -> None:
    frame = (await s.frames("ben"))[1]
    await delete.delete(s.messaging, s.other("ben"), s.threads["ben"], frame.id)


async def a_reaction(s: Stage) -> None:
    frame = (await s.frames("eve"))[0]
    await react.react(s.messaging, s.other("eve"), s.threads["eve"], frame.id, "🎉")


async def a_reaction_taken_back(s: Stage) -> None:
    await a_reaction(s)
    frame = (await s.frames("eve"))[0]
    await react.take_back(s.messaging, s.other("eve"), s.threads["eve"], frame.id, "🎉")


def the_other_one_reads(s: Stage) -> Awaitable[object]:
    return read.mark_read(s.messaging, s.other("finn"), s.threads["finn"], 3)


def the_other_one_receives(s: Stage) -> Awaitable[object]:
    return read.mark_delivered(s.messaging, s.other("finn"), s.threads["finn"], 3)


def reading_on_another_device(s: Stage) -> Awaitable[object]:
    return read.mark_read(s.messaging, s.ana, s.threads["cleo"], 1)


def marking_as_unread(s: Stage) -> Awaitable[object]:
    return read.mark_unread(s.messaging, s.ana, s.threads["eve"], 2)


def a_mute(s: Stage) -> Awaitable[object]:
    until = s.world.clock.now_ms() + 3_600_000
    return arrange.mute(s.messaging, s.ana, s.threads["eve"], until)


def a_pin(s: Stage) -> Awaitable[object]:
    return arrange.pin(s.messaging, s.ana, s.threads["eve"], True)


def going_to_the_archive(s: Stage) -> Awaitable[object]:
    return arrange.archive(s.messaging, s.ana, s.threads["eve"], True)


def spam(s: Stage) -> Awaitable[object]:
    return arrange.mark_spam(s.messaging, s.ana, s.threads["eve"], True)


def a_draft(s: Stage) -> Awaitable[object]:
    return draft.save_draft(s.messaging, s.ana, s.threads["finn"], "I would")


def a_name(s: Stage) -> Awaitable[object]:
    return rename.rename(s.messaging, s.other("ben"), s.threads["ben"], "Friday")


def a_lock(s: Stage) -> Awaitable[object]:
    moderator = Actor(s.other("zoe").user, frozenset({Scope.MODERATOR}))
    return lock.lock(s.messaging, moderator, s.threads["ben"])


def somebody_added(s: Stage) -> Awaitable[object]:
    invited = opening.Invited(s.other("eve").user)
    return seats.add(s.messaging, s.other("ben"), s.threads["group"], invited)


def being_removed(s: Stage) -> Awaitable[object]:
    return seats.remove(s.messaging, s.other("ben"), s.threads["group"], s.ana.user)


async def being_added_again(s: Stage) -> None:
    group = s.threads["group"]
    page = await history.history(s.messaging, s.other("ben"), group)
    if s.ana.user in page.side.thread.seats:
        await being_removed(s)
    await s.world.say("ben", group, "While she is out.")
    invited = opening.Invited(s.ana.user, Role.BUYER)
    await seats.add(s.messaging, s.other("ben"), group, invited)


def the_other_one_leaves(s: Stage) -> Awaitable[object]:
    return seats.leave(s.messaging, s.other("eve"), s.threads["eve"])


def leaving(s: Stage) -> Awaitable[object]:
    return seats.leave(s.messaging, s.ana, s.threads["finn"])


def blocking(s: Stage) -> Awaitable[object]:
    user = s.other("gus").user
    return block_person(s.messaging, s.ana, user, thread_id=s.threads["gus"])


def being_blocked(s: Stage) -> Awaitable[object]:
    thread = s.threads["hal"]
    return block_person(s.messaging, s.other("hal"), s.ana.user, thread_id=thread)


def a_new_thread(s: Stage) -> Awaitable[object]:
    return s.opens("ben", "ana", "Another thing.")


def a_request(s: Stage) -> Awaitable[object]:
    return s.opens("stranger", "ana", "Hello!")


def a_word_more_with_a_request(s: Stage) -> Awaitable[object]:
    return s.world.say("cleo", s.threads["cleo"], "It is about Friday.")


def accepting(s: Stage) -> Awaitable[object]:
    return answer.accept(s.messaging, s.ana, s.gates["cleo"])


def declining(s: Stage) -> Awaitable[object]:
    return answer.decline(s.messaging, s.ana, s.gates["carl"])


def blocking_at_the_gate(s: Stage) -> Awaitable[object]:
    return answer.block_sender(s.messaging, s.ana, s.gates["cora"])


def being_accepted(s: Stage) -> Awaitable[object]:
    return answer.accept(s.messaging, s.other("dora"), s.gates["dora"])


def being_declined(s: Stage) -> Awaitable[object]:
    return answer.decline(s.messaging, s.other("dirk"), s.gates["dirk"])


async def a_request_that_runs_out(s: Stage) -> None:
    s.world.clock.advance(days=14)


async def rows_that_settle(s: Stage) -> None:
    await s.comes_to_rest()


CHANGES: tuple[Change, ...] = (
    a_message,
    ones_own_message_from_another_device,
    an_answer,
    an_edit,
    a_deletion,
    a_reaction,
    a_reaction_taken_back,
    the_other_one_reads,
    the_other_one_receives,
    reading_on_another_device,
    marking_as_unread,
    a_mute,
    a_pin,
    going_to_the_archive,
    spam,
    a_draft,
    a_name,
    a_lock,
    somebody_added,
    being_removed,
    being_added_again,
    the_other_one_leaves,
    leaving,
    blocking,
    being_blocked,
    a_new_thread,
    a_request,
    a_word_more_with_a_request,
    accepting,
    declining,
    blocking_at_the_gate,
    being_accepted,
    being_declined,
    a_request_that_runs_out,
    rows_that_settle,
)


NOTHING_TO_SEE = (
    a_reaction_taken_back,
    reading_on_another_device,
    being_declined,
    being_blocked,
    the_other_one_leaves,
    rows_that_settle,
)
"""Once read, a request is read; and of being declined, blocked or left one learns nothing."""


async def _on_sqlite(folder: Path) -> World:
    clock = HeldClock(IN_2100_MS)
    store = await open_store("sqlite", folder, clock, "")
    return World(contexts(store, clock, UNLIMITED), clock, rates=UNLIMITED)


async def _devices(stage: Stage) -> list[Device]:
    found = [Device(stage.messaging, actor) for actor in stage.world.actors.values()]
    for device in found:
        await device.reload()
    return found


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("resting", [False, True], ids=["lively", "resting"])
async def test_whoever_comes_back_sees_what_a_reload_shows(
    tmp_path: Path, change: Change, resting: bool
) -> None:
    world = await _on_sqlite(tmp_path)
    stage = await Stage(world).set_up()
    if resting:
        await stage.comes_to_rest()
    devices = await _devices(stage)
    world.clock.advance(seconds=60)
    before = await devices[0].reloaded()
    await change(stage)
    world.clock.advance(seconds=60)
    for device in devices:
        await device.sync()
        assert device.shown() == await device.reloaded()
    if change not in NOTHING_TO_SEE:
        assert devices[0].shown() != before
    assert not any(device.resets for device in devices)
    await world.store.close()


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


async def test_a_device_that_was_away_for_weeks_finds_all_of_it_at_once(tmp_path: Path) -> None:
    world = await _on_sqlite(tmp_path)
    stage = await Stage(world).set_up()
    await stage.comes_to_rest()
    device = Device(stage.messaging, stage.ana)
    await device.reload()
    world.clock.advance(days=1)
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
    tmp_path: Path,
) -> None:
    world = await _on_sqlite(tmp_path)
    threads = [(await world.inquiry("ana", f"seller{n}")).id for n in range(50)]
    ana = world.actors["ana"]
    device = Device(world.messaging, ana)
    await device.reload()
    world.clock.advance(days=1)
    for n, thread in enumerate(threads):
        world.clock.advance(seconds=30)
        await world.say(f"seller{n}", thread, f"Number {n}")
    world.clock.advance(seconds=3600)
    first = await sync(world.messaging, ana, device.cursor)
    assert first.more
    seen = {changed.side.thread.id: changed for changed in first.threads}
    waiting = [n for n, thread in enumerate(threads) if thread not in seen]
    # Rows that were not read yet go to the top of the shelf, and one leaves it.
    for n in waiting[:3]:
        await world.say(f"seller{n}", threads[n], "Hello?")
    await read.mark_read(world.messaging, ana, threads[waiting[5]], 1)
    world.clock.advance(seconds=3600)
    await inbox.inbox(world.messaging, ana)
    await world.messaging.chores.run()
    cursor = first.cursor
    while True:
        page = await sync(world.messaging, ana, cursor)
        seen |= {changed.side.thread.id: changed for changed in page.threads}
        cursor = page.cursor
        if not page.more:
            break
    bodies = {thread: [frame.body for frame in found.frames] for thread, found in seen.items()}
    assert {thread: said[0] for thread, said in bodies.items()} == {
        thread: f"Number {n}" for n, thread in enumerate(threads)
    }


async def test_a_request_that_is_accepted_between_two_pages_keeps_its_messages(
    tmp_path: Path,
) -> None:
    world = await _on_sqlite(tmp_path)
    stage = await Stage(world).set_up()
    device = Device(world.messaging, stage.ana)
    await device.reload()
    world.clock.advance(seconds=60)
    await a_word_more_with_a_request(stage)
    for n in range(25):
        await stage.opens(f"stranger{n}", "ana", "Hello!")
    world.clock.advance(seconds=60)
    first = await sync(world.messaging, stage.ana, device.cursor)
    assert first.more
    await accepting(stage)
    device.cursor = first.cursor
    for changed in first.threads:
        await device._apply(changed)
    world.clock.advance(seconds=60)
    await device.sync()
    await device.sync()
    assert device.shown() == await device.reloaded()


async def test_a_long_absence_from_one_thread_is_said_to_be_truncated(tmp_path: Path) -> None:
    world = await _on_sqlite(tmp_path)
    thread = await world.inquiry()
    device = Device(world.messaging, world.actors["ana"])
    await device.reload()
    world.clock.advance(seconds=60)
    for n in range(syncing.MAX_FRAMES + 5):
        await world.say("ben", thread.id, f"and {n}")
    answer_ = await sync(world.messaging, world.actors["ana"], device.cursor)
    assert [changed.truncated for changed in answer_.threads] == [True]
    await device.sync()
    assert device.shown() == await device.reloaded()


async def test_what_was_written_just_before_the_cursor_and_seen_late_is_told_again(
    world: World,
) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    world.clock.advance(seconds=3600)
    frame = await world.say("ben", thread.id, "Did you see?")
    world.clock.advance(seconds=5)
    cursor = (await sync(world.messaging, ana)).cursor
    world.clock.advance(seconds=3600)
    found = await sync(world.messaging, ana, cursor)
    assert [f.id for changed in found.threads for f in changed.frames] == [frame.id]


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
