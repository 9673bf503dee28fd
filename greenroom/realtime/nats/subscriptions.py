"""The topics that this node subscribes to, and which subscriptions the server has confirmed.

Careful: a subscription that was written may not be active yet. Until the server confirms it,
messages from other nodes may be missed.
"""

import asyncio

from greenroom.realtime.bus import ALL_NODES, Topic
from greenroom.realtime.nats.connection import NatsConnection
from greenroom.realtime.nats.send_queue import BATCH
from greenroom.realtime.nats.subjects import fits, subject_of


class Subscriptions:
    def __init__(self) -> None:
        self.to_confirm = asyncio.Event()
        """New subscriptions were written and await confirmation."""
        self.written = 0
        """How many of the changes counted in `_asked` were written to the server."""
        self._topics = {ALL_NODES}
        self._stale: set[Topic] = set()
        """Topics whose state on the server may differ."""
        self._asked = self._confirmed = 0
        self._confirmation = asyncio.Event()

    def __contains__(self, topic: Topic) -> bool:
        return topic in self._topics

    @property
    def is_stale(self) -> bool:
        return bool(self._stale)

    def add(self, topic: Topic) -> bool:
        """True if it is new."""
        if topic in self._topics:
            return False
        self._topics.add(topic)
        self._stale.add(topic)
        self._asked += 1
        return True

    def remove(self, topic: Topic) -> bool:
        """True if it was subscribed. ALL_NODES is never removed."""
        if topic not in self._topics or topic == ALL_NODES:
            return False
        self._topics.remove(topic)
        self._stale.add(topic)
        return True

    def mark_all_stale(self) -> None:
        """For a new connection, whose server knows no subscriptions."""
        self._stale = set(self._topics)

    def on_disconnect(self) -> None:
        """Callers of `ready` now wait for the next connection."""
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
        """Returns once the server has confirmed all current subscriptions."""
        asked = self._asked
        while self._confirmed < asked:
            await self._confirmation.wait()
