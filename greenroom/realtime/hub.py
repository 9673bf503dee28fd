"""Delivers bus messages to the connections of this node that subscribe to their topic.

A message is encoded once, by its publisher; every connection gets the same bytes.

Careful: a subscriber may be added or removed while a message is being delivered. After a gap every
client resumes, so clients are told of the gap in small groups, spread over some seconds.
"""

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Protocol

from greenroom.ids import UserId
from greenroom.realtime.bus import ALL_NODES, Bus, BusMessage, Topic

SPREAD_SECONDS = 10
"""How long it takes to tell all clients of a gap. Cursors reach back further than this."""
_AT_ONCE = 50
_PAUSE_SECONDS = 0.1
_log = logging.getLogger(__name__)


class Subscriber(Protocol):
    """One connection."""

    @property
    def user(self) -> UserId: ...

    def on_message(self, message: BusMessage) -> None: ...

    def on_gap(self) -> None:
        """Messages may have been lost."""


class NodeCache(Protocol):
    """A cache of this node over data that other nodes write too."""

    def invalidate(self, key: str, version: int) -> None: ...

    def invalidate_all(self) -> None:
        """Messages may have been lost."""


class Hub:
    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._subscribers: dict[Topic, list[Subscriber]] = {}
        self._caches: dict[str, NodeCache] = {}
        self._announcing = 0
        self.on_delivered: Callable[[int], None] | None = None
        """Called with the `at_ms` of a message once it is with the subscribers of a topic."""

    @property
    def is_caught_up(self) -> bool:
        """True if every client has all messages or was told of the gap. While this is False, give
        out no cursor: the missing messages would lie before it."""
        return self.bus.is_up and not self._announcing

    async def start(self) -> None:
        await self.bus.start(self._deliver, self._on_gap)
        self.bus.subscribe(ALL_NODES)

    async def close(self) -> None:
        await self.bus.close()

    def add_cache(self, name: str, cache: NodeCache) -> None:
        """Registers a cache of this node: messages name it in `invalidates`."""
        self._caches[name] = cache

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
        """Whether a connection of this user on this node subscribes to the topic."""
        return any(subscriber.user == user for subscriber in self._subscribers.get(topic, ()))

    def _deliver(self, topic: Topic, message: BusMessage) -> None:
        for invalidated in message.invalidates:
            cache = self._caches.get(invalidated.cache)
            if cache is not None:
                cache.invalidate(invalidated.key, invalidated.version)
        subscribers = tuple(self._subscribers.get(topic, ()))
        for subscriber in subscribers:
            if message.audience is None or subscriber.user in message.audience:
                try:
                    subscriber.on_message(message)
                except Exception:  # must not affect other connections or the writer
                    _log.exception("delivery to a connection failed")
        if message.at_ms and subscribers and self.on_delivered is not None:
            self.on_delivered(message.at_ms)

    def _on_gap(self) -> None:
        for cache in self._caches.values():
            cache.invalidate_all()
        everybody = {id(one): one for some in self._subscribers.values() for one in some}
        self._announcing += 1
        turns = SPREAD_SECONDS / _PAUSE_SECONDS
        self._announce_gap(
            list(everybody.values()), max(_AT_ONCE, math.ceil(len(everybody) / turns))
        )

    def _announce_gap(self, remaining: list[Subscriber], at_once: int) -> None:
        for subscriber in remaining[:at_once]:
            try:
                subscriber.on_gap()
            except Exception:
                _log.exception("a connection could not be told of a gap")
        if remaining := remaining[at_once:]:
            loop = asyncio.get_running_loop()
            loop.call_later(_PAUSE_SECONDS, self._announce_gap, remaining, at_once)
        else:
            self._announcing -= 1
