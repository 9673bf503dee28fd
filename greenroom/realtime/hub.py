"""Who on this node listens for what, and how a notice reaches them.

A notice is encoded once, by whoever publishes it, and the same bytes go to every connection. What
one would get wrong: a listener may come or go while a notice is being told; and when something may
have been lost, everybody comes to ask what it was, so that they are not told all at once.
"""

import asyncio
import logging
import math
from typing import Protocol

from greenroom.ids import UserId
from greenroom.realtime.base import EVERYBODY, Bus, Notice, Topic

SPREAD_SECONDS = 10
"""In which everybody is told that they may have missed something. Cursors reach back further."""
_AT_ONCE = 50
_PAUSE_SECONDS = 0.1
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
        self._telling = 0

    @property
    def is_whole(self) -> bool:
        """Whether everybody here has been told what there was, or that they missed it. While it is
        not, no cursor may be given: what is missing would lie before it."""
        return self.bus.is_up and not self._telling

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
        self._telling += 1
        turns = SPREAD_SECONDS / _PAUSE_SECONDS
        self._tell_missed(
            list(everybody.values()), max(_AT_ONCE, math.ceil(len(everybody) / turns))
        )

    def _tell_missed(self, left: list[Listener], at_once: int) -> None:
        for listener in left[:at_once]:
            try:
                listener.missed()
            except Exception:
                _log.exception("a connection could not be told that it missed something")
        if left := left[at_once:]:
            loop = asyncio.get_running_loop()
            loop.call_later(_PAUSE_SECONDS, self._tell_missed, left, at_once)
        else:
            self._telling -= 1
