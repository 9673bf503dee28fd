"""Kills a node at every call to the store while a message waits for its file, is sent, fails and is
canceled. Another node goes on after each kill, and the result is there once."""

from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from greenroom.files.models import FileState
from greenroom.ids import FileId, ThreadId
from greenroom.messaging.cancel_waiting import cancel_waiting
from greenroom.messaging.history import history
from greenroom.messaging.models import Thread, WaitingStatus
from greenroom.messaging.problems import WaitingMessageNotFound
from greenroom.messaging.waiting import waiting_messages, waiting_state
from greenroom.store.base import Store
from tests.background.faults import Killed, KilledStore
from tests.background.test_kills import killed_at_every_call
from tests.messaging.file_steps import announce, follow_files, send_files, settle, stored
from tests.messaging.world import MessagingWorld, world_on
from tests.world import UNLIMITED


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[MessagingWorld]:
    async with world_on(store_url, UNLIMITED) as small:
        yield small


@pytest.fixture
async def thread(world: MessagingWorld) -> Thread:
    return await world.inquiry()


class Life:
    """Sends a message with a file that is not ready. What was done before the kill is repeated."""

    def __init__(self, world: MessagingWorld, thread: ThreadId) -> None:
        self._world = world
        self._thread = thread
        self._files: dict[str, FileId] = {}

    def node(self, mine: Store) -> MessagingWorld:
        """With nothing cached, on its own view of the store."""
        return MessagingWorld.over(mine, self._world.clock, UNLIMITED, actors=self._world.actors)

    async def file(self, name: str) -> FileId:
        if name not in self._files:
            self._files[name] = await announce(self._world, "ana", self._thread)
        return self._files[name]

    async def wait(self, node: MessagingWorld, name: str) -> None:
        file = await self.file(name)
        await send_files(node, "ana", self._thread, file, body=name, client_id=name)

    async def settle(self, name: str, state: FileState) -> None:
        """The check runs on another node."""
        file = await self.file(name)
        if (await stored(self._world, file)).state is FileState.UPLOADING:
            await settle(self._world, file, state)

    async def follow(self, node: MessagingWorld) -> None:
        await follow_files(node)
        if isinstance(node.store, KilledStore) and node.store.is_dead:
            raise Killed  # the runner has only noted it

    async def bodies(self) -> list[str]:
        node = self._world.another_node()
        page = await history(node.messaging, node.actors["ben"], self._thread)
        return [message.body for message in page.messages]


async def test_a_message_that_waits_is_sent_once(world: MessagingWorld, thread: Thread) -> None:
    one = Life(world, thread.id)

    async def life(mine: Store, name: str) -> None:
        node = one.node(mine)
        await one.wait(node, name)
        await one.settle(name, FileState.READY)
        await one.follow(node)

    async def proof(name: str) -> None:
        assert (await one.bodies()).count(name) == 1, name
        assert await waiting_messages(world.messaging, world.actors["ana"]) == ()
        assert (await waiting_state(world.messaging, world.user("ana"))).count == 0
        use = (await stored(world, await one.file(name))).use
        assert use is not None
        assert use.item, name

    assert await killed_at_every_call(world.store, life, proof) > 6


async def test_a_message_whose_file_is_refused_fails_once(
    world: MessagingWorld, thread: Thread
) -> None:
    one = Life(world, thread.id)
    ana = world.actors["ana"]

    async def life(mine: Store, name: str) -> None:
        node = one.node(mine)
        await one.wait(node, name)
        await one.settle(name, FileState.INFECTED)
        await one.follow(node)

    async def proof(name: str) -> None:
        assert await one.bodies() == []
        [failed] = await waiting_messages(world.messaging, ana)
        assert (failed.client_id, failed.status) == (name, WaitingStatus.FAILED)
        await cancel_waiting(world.messaging, ana, thread.id, name)
        assert (await waiting_state(world.messaging, ana.user)).count == 0

    assert await killed_at_every_call(world.store, life, proof) > 6


async def test_a_canceled_message_is_never_sent(world: MessagingWorld, thread: Thread) -> None:
    one = Life(world, thread.id)

    async def life(mine: Store, name: str) -> None:
        node = one.node(mine)
        await one.wait(node, name)
        with suppress(WaitingMessageNotFound):
            await cancel_waiting(node.messaging, world.actors["ana"], thread.id, name)
        await one.settle(name, FileState.READY)
        await one.follow(node)

    async def proof(name: str) -> None:
        assert await one.bodies() == []
        assert await waiting_messages(world.messaging, world.actors["ana"]) == ()
        assert (await stored(world, await one.file(name))).use is None

    assert await killed_at_every_call(world.store, life, proof) > 4
