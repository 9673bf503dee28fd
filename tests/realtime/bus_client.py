"""A client of the bus that records messages and counts gaps.

Tests that run at the same time share a server, so messages to all nodes are recorded separately.
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
        self.received: list[tuple[Topic, BusMessage]] = []
        self.to_all_nodes: list[str] = []
        self.gaps = 0

    async def start(self, *topics: Topic) -> None:
        await self.bus.start(self._on_message, self._on_gap)
        await self.subscribe(*topics)

    async def subscribe(self, *topics: Topic) -> None:
        for topic in topics:
            self.bus.subscribe(topic)
        await self.bus.ready()

    def publish(self, topic: Topic, text: str) -> None:
        self.bus.publish([topic], BusMessage("test", text.encode()))

    def texts(self, topic: Topic) -> list[str]:
        return [message.payload.decode() for told, message in self.received if told == topic]

    def _on_message(self, topic: Topic, message: BusMessage) -> None:
        if topic == ALL_NODES:
            self.to_all_nodes.append(message.payload.decode())
        else:
            self.received.append((topic, message))

    def _on_gap(self) -> None:
        self.gaps += 1


@asynccontextmanager
async def nodes(*urls: str) -> AsyncIterator[list[BusClient]]:
    """A client for each URL."""
    clients = [BusClient(NatsBus(url)) for url in urls]
    try:
        for node in clients:
            await node.start()
        yield clients
    finally:
        for node in clients:
            await node.bus.close()


def a_topic() -> Topic:
    """A topic that no other test uses."""
    return Topic(f"user.{uuid4().hex}")


async def until(true: Callable[[], object], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
