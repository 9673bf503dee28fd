"""A message is found by its seq with few reads, however long the thread and uneven its pace."""

from random import Random

import pytest

from greenroom.messaging import access, participants
from greenroom.messaging.find_by_seq import find_by_seq
from greenroom.messaging.history import history
from greenroom.messaging.open import Invited
from greenroom.people.actor import Actor
from tests.messaging.world import MessagingWorld


async def _seq(world: MessagingWorld, actor: Actor, thread: str, seq: int) -> int:
    view = await access.thread(world.messaging, actor, thread)  # type: ignore[arg-type]
    found = await find_by_seq(world.messaging, view, seq)
    page = await history(world.messaging, actor, view.thread.id, around=found, limit=1)
    return page.messages[0].seq


@pytest.mark.parametrize("pace", ["even", "bursts", "one long sleep"])
async def test_every_seq_is_found_with_few_reads(
    unlimited_world: MessagingWorld, pace: str
) -> None:
    world, chance = unlimited_world, Random(7)
    thread = await world.inquiry()
    for number in range(400):
        match pace:
            case "even":
                world.clock.advance(seconds=60)
            case "bursts":
                world.clock.advance(ms=chance.choice((1, 5, 900_000_000)))
            case _:
                world.clock.advance(ms=5, days=900 if number == 390 else 0)
        await world.say("ana", thread.id, f"number {number}")
    ana = world.actors["ana"]
    for seq in (1, 2, 51, 52, 200, 201, 349, 350, 351, 390, 391, 399, 400):
        view = await access.thread(world.messaging, ana, thread.id)
        with world.store.counting() as cost:
            found = await find_by_seq(world.messaging, view, seq)
        assert cost.read_units <= 30, (pace, seq)
        page = await history(world.messaging, ana, thread.id, around=found, limit=1)
        assert page.messages[0].seq == seq


async def test_a_seq_beyond_the_ends_finds_the_end(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    view = await access.thread(world.messaging, ana, thread.id)
    assert await find_by_seq(world.messaging, view, 1) is None
    for text in ("one", "two", "three"):
        await world.say("ana", thread.id, text)
    assert [await _seq(world, ana, thread.id, seq) for seq in (0, 1, 3, 99)] == [1, 1, 3, 3]


async def test_a_later_member_gets_their_own_first_message(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    for text in ("one", "two"):
        await world.say("ana", thread.id, text)
    cleo = await world.person("cleo")
    await world.inquiry("cleo", "ana")
    await participants.add(world.messaging, world.actors["ana"], thread.id, Invited(cleo.user))
    await world.say("ana", thread.id, "three")
    assert await _seq(world, cleo, thread.id, 1) == 3
