"""The DynamoDB units of a message and an inbox page."""

import asyncio

from greenroom.messaging import draft, inbox, read
from greenroom.messaging.models import Folder
from tests.messaging.world import MessagingWorld


async def test_a_message_in_a_running_conversation_costs_six_write_units(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Is Friday still free?")
    with world.store.counting() as cost:
        await world.say("ben", thread.id, "It is. Shall I keep it for you?")
    assert cost.write_units <= 6


async def test_the_first_message_after_a_pause_costs_twelve_write_units(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Is Friday still free?")
    await world.say("ben", thread.id, "It is.")
    await read.mark_read(world.messaging, world.actors["ana"], thread.id, 2)
    world.clock.advance(seconds=3600)
    for name in ("ana", "ben"):
        await inbox.inbox(world.messaging, world.actors[name])
    await world.messaging.deferred.run()
    with world.store.counting() as cost:
        await world.say("ana", thread.id, "Then let us do it.")
    assert cost.write_units <= 12


async def test_opening_the_inbox_of_twenty_threads_costs_twenty_read_units(
    world: MessagingWorld,
) -> None:
    await asyncio.gather(*(world.person(f"seller{n}") for n in range(20)))
    for n in range(20):
        thread = await world.inquiry("ana", f"seller{n}")
        await world.say(f"seller{n}", thread.id, "Hello!")
    with world.store.counting() as cost:
        opened = await inbox.inbox(world.messaging, world.actors["ana"])
    assert len(opened.rows) == 20
    assert opened.counts is not None
    assert opened.counts.unread[Folder.ALL] == 20
    assert cost.read_units <= 20


async def test_updating_a_draft_costs_two_write_units(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    await draft.save_draft(world.messaging, world.actors["ana"], thread.id, "Dear Ben")
    with world.store.counting() as cost:
        await draft.save_draft(world.messaging, world.actors["ana"], thread.id, "Dear Ben, how")
    assert cost.write_units <= 2
    found = await draft.draft(world.messaging, world.actors["ana"], thread.id)
    assert found is not None
    assert found.body == "Dear Ben, how"


async def test_multibyte_characters_do_not_cost_more(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Да " * 200)
    with world.store.counting() as cost:
        await world.say("ben", thread.id, "Хорошо, до пятницы.")
    assert cost.write_units <= 6
