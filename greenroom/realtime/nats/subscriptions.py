"""What this node listens for, and how much of that the server is known to know.

What one would get wrong: a subscription that was written is not one that the server has read; until
it says so, what is published elsewhere may pass us by.
"""

import asyncio

from greenroom.realtime.bus import ALL_NODES, Topic
from greenroom.realtime.nats.connection import NatsConnection
from greenroom.realtime.nats.send_queue import BATCH
from greenroom.realtime.nats.subjects import fits, subject_of


class Subscriptions:
    def __init__(self) -> None:
        self.to_confirm = asyncio.Event()
        """Something new is written, and the server is to be asked whether it knows."""
        self.written = 0
        """How far the server has been told, of how many times something new was asked for."""
        self._topics = {ALL_NODES}
        self._stale: set[Topic] = set()
        """Where the server may think otherwise."""
        self._asked = self._confirmed = 0
        self._confirmation = asyncio.Event()

    def __contains__(self, topic: Topic) -> bool:
        return topic in self._topics

    @property
    def is_stale(self) -> bool:
        return bool(self._stale)

    def add(self, topic: Topic) -> bool:
        """Whether it is new."""
        if topic in self._topics:
            return False
        self._topics.add(topic)
        self._stale.add(topic)
        self._asked += 1
        return True

    def remove(self, topic: Topic) -> bool:
        """Whether it was there, and is not for good."""
        if topic not in self._topics or topic == ALL_NODES:
            return False
        self._topics.remove(topic)
        self._stale.add(topic)
        return True

    def mark_all_stale(self) -> None:
        """Another server, which knows nothing."""
        self._stale = set(self._topics)

    def on_disconnect(self) -> None:
        """Whoever waits has to wait until there is a server again."""
        self._asked += 1

    async def write(self, connection: NatsConnection) -> None:
        while self._stale:
            for _ in range(min(BATCH, len(self._stale))):
                topic = self._stale.pop()
                subject = subject_of(topic)
                if topic not in self._topics:
                    await connection.unsubscribe(subject)
                elif fits(subject):
                    await connection.subscribe(subject)
            await asyncio.sleep(0)
        if self.written < self._asked:
            self.written = self._asked
            self.to_confirm.set()

    def confirmed(self, written: int) -> None:
        self._confirmed = written
        self._confirmation.set()
        self._confirmation = asyncio.Event()

    async def ready(self) -> None:
        """Returns once the server knows all that is asked for now."""
        asked = self._asked
        while self._confirmed < asked:
            await self._confirmation.wait()
