"""The bus: one node's word to all others, by topic.

It is quick and forgetful: a notice reaches every node that listens for one of its topics, or is
lost when the bus is. Nothing rests on it: a node that was cut off says so (`on_gap`), and its
clients come back with their cursor. What one would get wrong: `publish` is called on the hot path,
and must neither wait nor fail; and a notice with two topics reaches a node that listens for both
of them twice, once for each.
"""

from collections.abc import Callable, Iterable
from typing import NewType, Protocol, TypeAlias

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId, UserId

Topic = NewType("Topic", str)
ALL_NODES = Topic("all")
"""What every node listens for: what it has to forget."""


def user_topic(user: UserId) -> Topic:
    """What is told to one user, wherever they are connected."""
    return Topic(f"user.{user}")


def thread_topic(thread: ThreadId) -> Topic:
    """What shows only while the thread is on screen: who looks at it, and who is typing."""
    return Topic(f"thread.{thread}")


class BusMessage(Struct, frozen=True, array_like=True):
    """What clients are told, encoded once, and what the nodes on the way need to know of it."""

    payload: bytes
    """A frame of the socket, ready to be sent."""
    thread_id: ThreadId | None = None
    head_version: int = 0
    """The version of the thread's head: whoever keeps an older one has to forget it."""
    message_id: MessageId | None = None
    version: int = 0
    """Of the message: whoever has been given it already need not be told again."""
    only: tuple[UserId, ...] | None = None
    """Of those who listen for the topic, whose connections it is for; None is everybody's."""
    seq: int = 0
    """Of the message."""


Deliver: TypeAlias = Callable[[Topic, BusMessage], None]
"""Called on the event loop for each notice on a topic that this node listens for."""

OnGap: TypeAlias = Callable[[], None]
"""Called when notices may have been lost."""


class Bus(Protocol):
    @property
    def is_up(self) -> bool:
        """Whether what others publish comes, as far as anybody knows."""

    async def start(self, deliver: Deliver, on_gap: OnGap) -> None: ...

    def publish(self, topics: Iterable[Topic], message: BusMessage) -> None:
        """To every node that listens, this one too, and at once where this one does."""

    def subscribe(self, topic: Topic) -> None: ...

    def unsubscribe(self, topic: Topic) -> None: ...

    async def ready(self) -> None:
        """Returns once everything that was asked to be listened for is: what is published
        elsewhere from now on comes."""

    async def close(self) -> None: ...
