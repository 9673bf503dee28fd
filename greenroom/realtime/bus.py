"""The bus protocol: publish and subscribe between nodes, by topic.

Delivery is at most once: a message reaches every node that subscribes to one of its topics, or is
lost. Correctness does not depend on it: after a gap a node calls `on_gap`, and its clients resume
from their cursor.

Careful: `publish` is on the hot path and must neither wait nor fail. A node that subscribes to two
topics of one message gets it twice.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NewType, Protocol, TypeAlias

from msgspec import Struct

from greenroom.ids import ThreadId, UserId

Topic = NewType("Topic", str)
ALL_NODES = Topic("all")
"""Every node subscribes to it. Carries cache invalidation."""


@lru_cache(10_000)
def user_topic(user: UserId) -> Topic:
    """Events for one user, on all of their connections."""
    return Topic(f"user.{user}")


def thread_topic(thread: ThreadId) -> Topic:
    """Ephemeral events of a thread: presence and typing."""
    return Topic(f"thread.{thread}")


class Invalidated(Struct, frozen=True, array_like=True):
    """A key that every node forgets in one of its caches."""

    cache: str
    key: str
    version: int = 0
    """Entries of this version and newer may stay; 0 means that none may."""


class ItemVersion(Struct, frozen=True, array_like=True):
    """What an event is about, so that a client that resumes does not get it twice."""

    id: str
    version: int
    log: str = ""
    """The log that it is an entry of, such as a thread."""
    seq: int = 0
    """Its position there."""


class BusMessage(Struct, frozen=True, array_like=True):
    """An event for the connections of its audience, and what the nodes on the way must forget."""

    kind: str
    """The event's name, such as `message.created`."""
    payload: bytes = b""
    """The event as clients get it, encoded once. Empty where only nodes are concerned."""
    audience: tuple[UserId, ...] | None = None
    """The users among the topic's subscribers that it is for; None is all of them."""
    invalidates: tuple[Invalidated, ...] = ()
    item: ItemVersion | None = None
    at_ms: int = 0
    """When a new message was accepted, to measure its delivery; 0 for everything else."""


Deliver: TypeAlias = Callable[[Topic, BusMessage], None]
"""Called on the event loop for each message on a topic that this node subscribes to."""

OnGap: TypeAlias = Callable[[], None]
"""Called when messages may have been lost."""


class Bus(Protocol):
    @property
    def is_up(self) -> bool:
        """Whether messages from other nodes arrive, as far as is known."""

    async def start(self, deliver: Deliver, on_gap: OnGap) -> None: ...

    def publish(self, topics: Iterable[Topic], message: BusMessage) -> None:
        """Sends to every subscribed node. If this node subscribes, it is delivered here at once."""

    def subscribe(self, topic: Topic) -> None: ...

    def unsubscribe(self, topic: Topic) -> None: ...

    async def ready(self) -> None:
        """Returns once all subscriptions so far are active on the bus."""

    async def close(self) -> None: ...
