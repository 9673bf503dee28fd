"""The bus of a single node: delivers by a function call."""

from collections.abc import Iterable

from greenroom.realtime.bus import BusMessage, Deliver, OnGap, Topic


class MemoryBus:
    is_up = True

    def __init__(self) -> None:
        self._deliver: Deliver | None = None
        self._topics: set[Topic] = set()

    async def start(self, deliver: Deliver, on_gap: OnGap) -> None:
        self._deliver = deliver

    def publish(self, topics: Iterable[Topic], message: BusMessage) -> None:
        if self._deliver is not None:
            for topic in topics:
                if topic in self._topics:
                    self._deliver(topic, message)

    def subscribe(self, topic: Topic) -> None:
        self._topics.add(topic)

    def unsubscribe(self, topic: Topic) -> None:
        self._topics.discard(topic)

    async def ready(self) -> None:
        return

    async def close(self) -> None:
        self._deliver = None
