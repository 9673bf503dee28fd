"""Kills a node at every call to the store while it schedules, changes, cancels and sends a message,
and while it lets a request expire. Another node goes on after each kill, and the result is there
once, in the thread and in the event log."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from greenroom.background.records import SHARDS, TIMERS, TIMERS_DUE, due_key
from greenroom.ids import ThreadId
from greenroom.messaging import open as opening
from greenroom.messaging.cancel_scheduled import cancel_scheduled
from greenroom.messaging.change_scheduled import ScheduledChange, change_scheduled
from greenroom.messaging.history import history
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import Folder, Kind, Thread
from greenroom.messaging.problems import InvalidSendTime, ScheduledMessageNotFound
from greenroom.messaging.records import MESSAGING, request_key
from greenroom.messaging.requests import sent_requests
from greenroom.messaging.schedule_message import NewScheduled, schedule_message
from greenroom.messaging.scheduled import scheduled_messages, scheduled_state
from greenroom.store.base import Store
from tests.background.faults import Killed, KilledStore
from tests.background.test_kills import killed_at_every_call
from tests.messaging.world import MessagingWorld, world_on
from tests.webhooks.fixtures import differences, events, follow
from tests.world import UNLIMITED


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[MessagingWorld]:
    async with world_on(store_url, UNLIMITED) as small:
        yield small


def _node(world: MessagingWorld, mine: Store) -> MessagingWorld:
    """With nothing cached, on its own view of the store."""
    return MessagingWorld.over(mine, world.clock, UNLIMITED, actors=world.actors)


async def _run_timers(node: MessagingWorld) -> None:
    await node.run_timers()
    if isinstance(node.store, KilledStore) and node.store.is_dead:
        raise Killed  # the runner has only noted it


class Life:
    """Schedules a message for the next second. What was done before the kill is repeated."""

    def __init__(self, world: MessagingWorld, thread: ThreadId) -> None:
        self._world = world
        self._thread = thread
        self._due_ms: dict[str, int] = {}

    def due_ms(self, name: str) -> int:
        return self._due_ms.setdefault(name, self._world.clock.now_ms() + 1000)

    async def schedule(self, node: MessagingWorld, name: str) -> None:
        new = NewScheduled(f"{name} is due", self.due_ms(name))
        with suppress(InvalidSendTime):  # its time has come before the kill
            await schedule_message(node.messaging, node.actors["ana"], self._thread, new, key=name)

    async def pass_time(self, node: MessagingWorld, name: str, seconds: int = 1) -> None:
        """Up to so many seconds after it was scheduled."""
        until_ms = self.due_ms(name) + 1000 * (seconds - 1)
        self._world.clock.advance(ms=max(0, until_ms - self._world.clock.now_ms()))
        await _run_timers(node)

    async def bodies(self) -> list[str]:
        """The last messages of the thread."""
        node = self._world.another_node()
        page = await history(node.messaging, node.actors["ben"], self._thread)
        return [message.body for message in page.messages]


async def _check_nothing_left(world: MessagingWorld) -> None:
    ana = world.actors["ana"]
    assert await scheduled_messages(world.messaging, ana) == ()
    assert (await scheduled_state(world.messaging, ana.user)).count == 0
    assert await _timers(world) == []


async def _timers(world: MessagingWorld) -> list[str]:
    pages = [
        await world.store.query(TIMERS, due_key(shard), index=TIMERS_DUE, limit=99)
        for shard in range(SHARDS)
    ]
    return [str(item["pk"]) for page in pages for item in page.items]


async def _check_log(world: MessagingWorld, thread: Thread, messages: int) -> None:
    await follow(world)
    created = [
        event.data["seq"]
        for event in await events(world)
        if event.kind == "message.created" and event.subject == thread.id
    ]
    assert created == list(range(1, messages + 1))
    assert await differences(world) == []


async def test_a_message_is_scheduled_and_sent_once(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    one, names = Life(world, thread.id), list[str]()

    async def life(mine: Store, name: str) -> None:
        node = _node(world, mine)
        await one.schedule(node, name)
        await one.pass_time(node, name)

    async def proof(name: str) -> None:
        names.append(name)
        assert (await one.bodies()).count(f"{name} is due") == 1, name
        await _check_nothing_left(world)

    assert await killed_at_every_call(world.store, life, proof) > 6
    await _check_log(world, thread, len(names))


async def test_a_canceled_message_is_never_sent(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    one = Life(world, thread.id)

    async def life(mine: Store, name: str) -> None:
        node = _node(world, mine)
        ana = node.actors["ana"]
        await one.schedule(node, name)
        for scheduled in await scheduled_messages(node.messaging, ana):
            await cancel_scheduled(node.messaging, ana, scheduled.id)
        await one.pass_time(node, name)

    async def proof(name: str) -> None:
        assert await one.bodies() == [], name
        await _check_nothing_left(world)

    assert await killed_at_every_call(world.store, life, proof) > 6
    await _check_log(world, thread, 0)


async def test_a_changed_message_is_sent_once_as_it_was_changed(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    one, names = Life(world, thread.id), list[str]()

    async def life(mine: Store, name: str) -> None:
        node = _node(world, mine)
        ana = node.actors["ana"]
        await one.schedule(node, name)
        change = ScheduledChange(f"{name} is changed", one.due_ms(name) + 1000)
        for scheduled in await scheduled_messages(node.messaging, ana):
            with suppress(InvalidSendTime, ScheduledMessageNotFound):
                await change_scheduled(node.messaging, ana, scheduled.id, change)
        await one.pass_time(node, name)
        await one.pass_time(node, name, 2)

    async def proof(name: str) -> None:
        names.append(name)
        found = Counter(body for body in await one.bodies() if body.startswith(f"{name} "))
        assert found == {f"{name} is changed": 1}, name
        await _check_nothing_left(world)

    assert await killed_at_every_call(world.store, life, proof) > 6
    await _check_log(world, thread, len(names))


async def test_a_request_expires_once(world: MessagingWorld) -> None:
    ana = await world.person("ana")
    threads: dict[str, Thread] = {}

    async def life(mine: Store, name: str) -> None:
        if name not in threads:
            target = await world.person(f"{name.replace('-', '')}x")
            asks = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(target.user),))
            threads[name] = await opening.open_thread(world.messaging, ana, asks)
            await world.say("ana", threads[name].id, "Hello!")
            world.clock.advance(days=14)
        await _run_timers(_node(world, mine))

    async def proof(name: str) -> None:
        node, [(target, gate)] = world.another_node(), threads[name].gates.items()
        [person] = [actor for actor in world.actors.values() if actor.user == target]
        record = await node.store.get(MESSAGING, request_key(gate.id), consistent=True)
        assert record is not None
        assert record["status"] == "expired", name
        assert (await inbox(node.messaging, person, Folder.REQUESTS)).rows == ()
        assert (await sent_requests(node.messaging, ana)).requests == ()
        assert await _timers(node) == [], name
        await follow(world)
        told = [one.kind for one in await events(world) if one.subject == threads[name].id]
        assert told.count("request.expired") == 1, name

    assert await killed_at_every_call(world.store, life, proof) > 4
