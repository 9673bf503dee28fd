"""Rebuilds of the event log on both engines: after the feed was lost, and while people write."""

import asyncio
from collections import Counter, defaultdict

from greenroom.background.models import Stage
from greenroom.background.progress import load_state, save
from greenroom.background.rebuild import request_rebuild
from greenroom.messaging import delete, edit, lock, open as opening, participants, react
from greenroom.messaging.models import Kind
from greenroom.people.actor import Scope
from greenroom.store.base import Delete, Key
from greenroom.webhooks import Webhooks
from greenroom.webhooks.event_log import EventLog, follower_name
from greenroom.webhooks.models import PublicEvent, event_id
from greenroom.webhooks.records import EVENTS, log_partition
from tests.messaging.world import MessagingWorld
from tests.webhooks.fixtures import SOURCE, differences, events, follow, kinds, runner_on

DAY = 86_400


async def lose_the_feed(world: MessagingWorld) -> None:
    """The follower's checkpoint moves past what it has not seen, as if nobody had run for days."""
    checkpoint = await world.store.checkpoint(SOURCE.table)
    state = await load_state(world.store, follower_name(SOURCE))
    assert state is not None
    lost = type(state)(state.name, state.version, Stage.NEEDS_REBUILD, checkpoint)
    await save(world.store, state, lost)


async def rebuild(world: MessagingWorld) -> None:
    follower = EventLog(Webhooks(world.store, world.clock), SOURCE).follower()
    await request_rebuild(world.store, follower)
    await follow(world)


def once(found: list[PublicEvent]) -> bool:
    return [one.number for one in found] == list(range(1, len(found) + 1)) and (
        max(Counter(one.id for one in found).values(), default=1) == 1
    )


async def test_a_rebuild_adds_what_the_feed_has_lost(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    moderator = await world.person("mod", Scope.MODERATOR)
    first = await world.say("ana", thread.id, "one")
    await follow(world)
    before = await events(world)
    world.clock.advance(seconds=3 * DAY)
    second = await world.say("ben", thread.id, "two")
    await edit.edit(world.messaging, ana, thread.id, first.id, "one, better")
    await edit.edit(world.messaging, ana, thread.id, first.id, "one, best")
    await react.react(world.messaging, ana, thread.id, second.id, "👍")
    await delete.delete(world.messaging, ben, thread.id, second.id)
    await lock.lock(world.messaging, moderator, thread.id)
    await world.inquiry("cleo", "dan")
    await lose_the_feed(world)
    lost = await differences(world)
    assert len(lost) == 9
    await rebuild(world)
    found = await events(world)
    assert found[: len(before)] == before
    added = Counter(kinds(found[len(before) :]))
    del added["reaction.changed"]  # only a feed that goes back further has it
    assert added == Counter(
        {"message.created": 2, "message.edited": 2, "message.deleted": 1, "thread.locked": 1}
        | {"thread.created": 1, "request.created": 1, "request.accepted": 1}
    )
    assert once(found)
    assert await differences(world) == []


async def test_a_rebuild_of_a_complete_log_adds_nothing(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "one")
    await react.react(world.messaging, world.actors["ben"], thread.id, message.id, "👍")
    await follow(world)
    before = await events(world)
    for _ in range(2):
        await rebuild(world)
        assert await events(world) == before
    await world.say("ana", thread.id, "two")
    await follow(world)
    assert kinds((await events(world))[len(before) :]) == ["message.created"]


async def test_a_rebuild_while_people_write_loses_and_doubles_nothing(
    world: MessagingWorld,
) -> None:
    threads = [await world.inquiry("ana", name) for name in ("ben", "cleo", "dan")]
    for n in range(30):
        await world.say("ana", threads[n % 3].id, f"before {n}")
    await follow(world)
    world.clock.advance(seconds=2 * DAY)
    for n in range(30):
        await world.say("ana", threads[n % 3].id, f"lost {n}")
    await lose_the_feed(world)

    async def keep_writing() -> None:
        for n in range(60):
            world.clock.advance(ms=7)
            await world.say("ana", threads[n % 3].id, f"meanwhile {n}")

    follower = EventLog(Webhooks(world.store, world.clock), SOURCE).follower()
    await request_rebuild(world.store, follower)
    await asyncio.gather(keep_writing(), runner_on(world, max_batch=9).catch_up())
    await follow(world)
    found = await events(world)
    seqs: defaultdict[str, list[object]] = defaultdict(list)
    for one in found:
        if one.kind == "message.created":
            seqs[one.subject].append(one.data["seq"])
    assert seqs == {thread.id: list(range(1, 41)) for thread in threads}
    assert once(found)
    assert await differences(world) == []


async def test_a_rebuild_adds_nothing_that_is_older_than_what_is_kept(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "long ago")
    world.clock.advance(seconds=40 * DAY)
    await world.say("ana", thread.id, "lately")
    await follow(world)
    for item in (await world.store.query(EVENTS, log_partition("messaging"), limit=100)).items:
        await world.store.write(Delete(EVENTS, Key(str(item["pk"]), str(item["sk"]))))
    await rebuild(world)
    found = await events(world)
    assert [(one.kind, one.data["seq"]) for one in found] == [("message.created", 2)]


async def test_what_a_rebuild_finds_in_a_group_is_what_the_feed_told(
    world: MessagingWorld,
) -> None:
    """The ids of both are equal, so that a receiver recognises an event."""
    ana, ben = await world.person("ana"), await world.person("ben")
    group = opening.Opening(kind=Kind.GROUP, others=(opening.Invited(ben.user),))
    thread = await opening.open_thread(world.messaging, ana, group)
    cleo = await world.person("cleo")
    await participants.add(world.messaging, ana, thread.id, opening.Invited(cleo.user))
    message = await world.say("ana", thread.id, "hello")
    await edit.edit(world.messaging, ana, thread.id, message.id, "hello all")
    await participants.remove(world.messaging, ana, thread.id, cleo.user)
    await follow(world)
    fed = await events(world)
    restored = {kind.name for kind in SOURCE.kinds if kind.is_restored}
    ids: set[str] = set()
    page = await world.store.scan(SOURCE.table, limit=200)
    for item in page.items:
        if (group_of := SOURCE.of_item(item)) is not None:
            ids |= {event_id(group_of.subject, event) for event in group_of.events}
    fed_ids = {one.id for one in fed}
    assert ids <= fed_ids
    assert {one.kind for one in fed if one.id not in ids} <= {"request.withdrawn"}
    assert {one.kind for one in fed} - {"request.withdrawn"} <= restored


async def test_a_clock_that_was_set_back_hides_nothing(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "one")
    await follow(world)
    await world.say("ben", thread.id, "two")
    await follow(world)
    world.clock.set_back(days=2)
    await world.say("ana", thread.id, "three")
    await follow(world)
    world.clock.advance(seconds=3 * DAY)
    await world.say("ana", thread.id, "four")
    await follow(world)
    world.clock.advance(seconds=3600)
    before = await events(world)
    assert await differences(world) == []
    await rebuild(world)
    assert await events(world) == before, "a rebuild doubles nothing"
