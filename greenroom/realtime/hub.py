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
from greenroom.realtime.bus import ALL_NODES, Bus, BusMessage, Topic

SPREAD_SECONDS = 10
"""In which everybody is told that they may have missed something. Cursors reach back further."""
_AT_ONCE = 50
_PAUSE_SECONDS = 0.1
_log = logging.getLogger(__name__)


class Subscriber(Protocol):
    """One connection."""

    @property
    def user(self) -> UserId: ...

    def on_message(self, message: BusMessage) -> None: ...

    def on_gap(self) -> None:
        """Something may not have come."""


class NodeCache(Protocol):
    """What this node keeps of what others may write."""

    def on_message(self, message: BusMessage) -> None: ...

    def on_gap(self) -> None: ...


class Hub:
    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._subscribers: dict[Topic, list[Subscriber]] = {}
        self._caches: list[NodeCache] = []
        self._announcing = 0

    @property
    def is_caught_up(self) -> bool:
        """Whether everybody here has been told what there was, or that they missed it. While it is
        not, no cursor may be given: what is missing would lie before it."""
        return self.bus.is_up and not self._announcing

    async def start(self) -> None:
        await self.bus.start(self._deliver, self._on_gap)
        self.bus.subscribe(ALL_NODES)

    async def close(self) -> None:
        await self.bus.close()

    def add_cache(self, cache: NodeCache) -> None:
        """For what this node keeps: it hears each notice that comes by."""
        self._caches.append(cache)

    def add(self, topic: Topic, subscriber: Subscriber) -> None:
        subscribers = self._subscribers.get(topic)
        if subscribers is None:
            self._subscribers[topic] = [subscriber]
            self.bus.subscribe(topic)
        elif subscriber not in subscribers:
            subscribers.append(subscriber)

    def remove(self, topic: Topic, subscriber: Subscriber) -> None:
        subscribers = self._subscribers.get(topic, [])
        if subscriber in subscribers:
            subscribers.remove(subscriber)
            if not subscribers:
                del self._subscribers[topic]
                self.bus.unsubscribe(topic)

    def has_subscriber(self, topic: Topic, user: UserId) -> bool:
        """Whether one of the user's connections listens for it here."""
        return any(subscriber.user == user for subscriber in self._subscribers.get(topic, ()))

    def _deliver(self, topic: Topic, message: BusMessage) -> None:
        for cache in self._caches:
            cache.on_message(message)
        for subscriber in tuple(self._subscribers.get(topic, ())):
            if message.only is None or subscriber.user in message.only:
                try:
                    subscriber.on_message(message)
                except Exception:  # one connection's trouble is not the others', nor the writer's
                    _log.exception("a connection could not be told")

    def _on_gap(self) -> None:
        for cache in self._caches:
            cache.on_gap()
        everybody = {id(one): one for some in self._subscribers.values() for one in some}
        self._announcing += 1
        turns = SPREAD_SECONDS / _PAUSE_SECONDS
        self._announce_gap(
            list(everybody.values()), max(_AT_ONCE, math.ceil(len(everybody) / turns))
        )

    def _announce_gap(self, left: list[Subscriber], at_once: int) -> None:
        for subscriber in left[:at_once]:
            try:
                subscriber.on_gap()
            except Exception:
                _log.exception("a connection could not be told that it missed something")
        if left := left[at_once:]:
            loop = asyncio.get_running_loop()
            loop.call_later(_PAUSE_SECONDS, self._announce_gap, left, at_once)
        else:
            self._announcing -= 1
