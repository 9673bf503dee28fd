"""The chat servers that `make bench-chat` compares, behind one interface.

A `Peer` is installed, started in a folder of its own and stopped by the benchmark. It provides
pairs of connected users: a message counts when the recipient's socket has it. A new peer is a
module with a class, and a line in bench/chat.py.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

Received: TypeAlias = Callable[[str], None]


class Pair(Protocol):
    """Two connected users with a thread of their own: one writes, the other receives and reads."""

    def listen(self, received: Received) -> None:
        """Calls `received` with the text of each message that the recipient's socket gets."""

    def send(self, text: str) -> None:
        """Sends a message without waiting."""

    async def last(self, count: int) -> int:
        """Reads the thread's newest `count` messages as the recipient; returns how many came."""


class Peer(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def note(self) -> str:
        """How durable a message is when it is delivered: needed to read the figures."""

    async def start(self) -> None: ...

    async def stop(self) -> None:
        """Closes the pairs and ends the server. Also called after a `start` that failed."""

    async def pairs(self, count: int) -> Sequence[Pair]:
        """New users on each call; they stay connected until `stop`."""

    def pids(self) -> Sequence[int]:
        """The server's processes; their children need not be listed."""
