"""Who on this node listens for what, and how a notice reaches them.

A notice is encoded once, by whoever publishes it, and the same bytes go to every connection. What
one would get wrong: a listener may come or go while a notice is being told.
"""

import logging
from typing import Protocol

from greenroom.ids import UserId
from greenroom.realtime.base import EVERYBODY, Bus, Notice, Topic

_log = logging.getLogger(__name__)


class Listener(Protocol):
    """One connection."""

    @property
    def user(self) -> UserId: ...

    def hear(self, notice: Notice) -> None: ...

    def missed(self) -> None:
        """Something may not have come."""


class Memory(Protocol):
    """What this node keeps of what others may write."""

    def hear(self, notice: Notice) -> None: ...

    def missed(self) -> None: ...


class Hub:
    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._listeners: dict[Topic, list[Listener]] = {}
        self._nodes: list[Memory] = []

    async def start(self) -> None:
        await self.bus.start(self._deliver, self._missed)
        self.bus.listen(EVERYBODY)

    async def close(self) -> None:
        await self.bus.close()

    def overhear(self, memory: Memory) -> None:
        """For what this node keeps: it hears each notice that comes by."""
        self._nodes.append(memory)

    def add(self, topic: Topic, listener: Listener) -> None:
        listeners = self._listeners.get(topic)
        if listeners is None:
            self._listeners[topic] = [listener]
            self.bus.listen(topic)
        elif listener not in listeners:
            listeners.append(listener)

    def remove(self, topic: Topic, listener: Listener) -> None:
        listeners = self._listeners.get(topic, [])
        if listener in listeners:
            listeners.remove(listener)
            if not listeners:
                del self._listeners[topic]
                self.bus.unlisten(topic)

    def hears(self, topic: Topic, user: UserId) -> bool:
        """Whether one of the user's connections listens for it here."""
        return any(listener.user == user for listener in self._listeners.get(topic, ()))

    def _deliver(self, topic: Topic, notice: Notice) -> None:
        for memory in self._nodes:
            memory.hear(notice)
        for listener in tuple(self._listeners.get(topic, ())):
            if notice.only is None or listener.user in notice.only:
                try:
                    listener.hear(notice)
                except Exception:  # one connection's trouble is not the others', nor the writer's
                    _log.exception("a connection could not be told")

    def _missed(self) -> None:
        for memory in self._nodes:
            memory.missed()
        everybody = {id(one): one for some in self._listeners.values() for one in some}
        for listener in everybody.values():
            listener.missed()
