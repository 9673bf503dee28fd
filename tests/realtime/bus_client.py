"""A node as the bus knows it: what it was told, and how often it was told that it missed some.

Tests that run at the same time share a server, so what is told everybody is kept apart.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

from greenroom.realtime.bus import ALL_NODES, Bus, BusMessage, Topic
from greenroom.realtime.nats import NatsBus


class BusClient:
    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.heard: list[tuple[Topic, BusMessage]] = []
        self.forgotten: list[str] = []
        self.missed = 0

    async def start(self, *topics: Topic) -> None:
        await self.bus.start(self._hear, self._miss)
        await self.subscribe(*topics)

    async def subscribe(self, *topics: Topic) -> None:
        for topic in topics:
            self.bus.subscribe(topic)
        await self.bus.ready()

    def say(self, topic: Topic, text: str) -> None:
        self.bus.publish([topic], BusMessage(text.encode()))

    def texts(self, topic: Topic) -> list[str]:
        return [message.payload.decode() for told, message in self.heard if told == topic]

    def _hear(self, topic: Topic, message: BusMessage) -> None:
        if topic == ALL_NODES:
            self.forgotten.append(message.payload.decode())
        else:
            self.heard.append((topic, message))

    def _miss(self) -> None:
        self.missed += 1


@asynccontextmanager
async def nodes(*urls: str) -> AsyncIterator[list[BusClient]]:
    """A node on each."""
    made = [BusClient(NatsBus(url)) for url in urls]
    try:
        for node in made:
            await node.start()
        yield made
    finally:
        for node in made:
            await node.bus.close()


def a_topic() -> Topic:
    """One that no other test talks about."""
    return Topic(f"user.{uuid4().hex}")


async def until(true: Callable[[], object], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
