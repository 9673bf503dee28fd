"""Kills the event log's node at every call to the store, before and after it takes effect."""

from greenroom.background.rebuild import request_rebuild
from greenroom.messaging import edit
from greenroom.store.base import Store
from greenroom.webhooks import Webhooks
from greenroom.webhooks.event_log import EventLog
from tests.background.test_kills import killed_at_every_call
from tests.messaging.world import MessagingWorld
from tests.webhooks.fixtures import events, named, runner_on


async def test_a_log_that_is_killed_anywhere_has_each_event_once(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "one")
    for n in range(6):
        await world.say("ben", thread.id, f"more {n}")
    await edit.edit(world.messaging, world.actors["ana"], thread.id, message.id, "two")

    async def run(mine: Store, name: str) -> None:
        await runner_on(world, mine, named(name), max_batch=9).catch_up()

    async def check(name: str) -> None:
        found = await events(world, named(name))
        seqs = [one.data["seq"] for one in found if one.kind == "message.created"]
        assert (len(found), seqs) == (11, list(range(1, 8))), name
        assert found[-1].kind == "message.edited"

    assert await killed_at_every_call(world.store, run, check) > 6


async def test_a_rebuild_that_is_killed_anywhere_has_each_event_once(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    for n in range(6):
        await world.say("ben", thread.id, f"more {n}")

    async def run(mine: Store, name: str) -> None:
        follower = EventLog(Webhooks(mine, world.clock), named(name)).follower()
        await request_rebuild(mine, follower)
        await runner_on(world, mine, named(name), max_batch=9).catch_up()

    async def check(name: str) -> None:
        found = await events(world, named(name))
        assert len({one.id for one in found}) == len(found) == 9, name
        assert [one.number for one in found] == list(range(1, 10)), name
        seqs = [one.data["seq"] for one in found if one.kind == "message.created"]
        assert seqs == list(range(1, 7)), name

    assert await killed_at_every_call(world.store, run, check) > 6
