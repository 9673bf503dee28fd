"""What the messaging context works with. Use cases are functions that take it first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from greenroom.clock import Clock
from greenroom.ids import Ids, UserId
from greenroom.messaging.events import PersonPublisher, Publish, discard, unpublished
from greenroom.messaging.leases import Leases
from greenroom.messaging.thread_cache import ThreadCache
from greenroom.people import People
from greenroom.safety import Safety
from greenroom.store.base import Key, Store
from greenroom.store.cursors import CursorCodec

TWO_WEEKS_MS = 14 * 86_400_000


class Ties(Protocol):
    """What other contexts know of two people: that one follows the other, or has booked them."""

    async def knows(self, user: UserId, other: UserId) -> bool: ...


class NoTies:
    async def knows(self, user: UserId, other: UserId) -> bool:
        return False


class DeferredWork:
    """What may be done a little later, and not at all if the process ends: nothing rests on it."""

    def __init__(self, most: int = 1000) -> None:
        self._waiting: list[Callable[[], Awaitable[None]]] = []
        self._most = most

    def add(self, chore: Callable[[], Awaitable[None]]) -> None:
        if len(self._waiting) < self._most:
            self._waiting.append(chore)

    async def run(self) -> None:
        while self._waiting:
            chores, self._waiting = self._waiting, []
            for chore in chores:
                await chore()


@dataclass(frozen=True)
class Messaging:
    store: Store
    people: People
    safety: Safety
    clock: Clock
    ids: Ids
    thread_cache: ThreadCache
    cursors: CursorCodec
    ties: Ties = field(default_factory=NoTies)
    publish: Publish = discard
    publish_person: PersonPublisher = unpublished
    leases: Leases = field(default_factory=Leases)
    deferred: DeferredWork = field(default_factory=DeferredWork)
    secrets: dict[Key, bytes] = field(default_factory=dict)
    """Keys that the store keeps, once this node has read them (`pairs.py`)."""
    request_ms: int = TWO_WEEKS_MS
    """How long a request waits for its answer."""
    ask_again_ms: int = TWO_WEEKS_MS
    """How long after a request the same two have no other, whatever became of it; never shorter
    than it waits."""
