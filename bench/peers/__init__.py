"""The chat servers that `make bench-chat` sets side by side, each behind the same small door.

A `Peer` is installed, started in a folder of its own and stopped by the benchmark. It hands out
pairs of connected users: what one of them sends counts when the other one's socket has it. A new
peer is a module with a class, and a line in bench/chat.py.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

Received: TypeAlias = Callable[[str], None]


class Pair(Protocol):
    """Two connected users with a thread of their own: one writes, the other one hears and reads."""

    def listen(self, received: Received) -> None:
        """From now on `received` is told each message's text as the recipient's socket has it."""

    def send(self, text: str) -> None:
        """Put a message on its way, without waiting for anything."""

    async def last(self, count: int) -> int:
        """Let the recipient read the thread's newest `count` messages; how many came."""


class Peer(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def note(self) -> str:
        """What one has to know to read its figures: what is on disk when a message is delivered."""

    async def start(self) -> None: ...

    async def stop(self) -> None:
        """Close the pairs and end the server. Also after a `start` that failed halfway."""

    async def pairs(self, count: int) -> Sequence[Pair]:
        """New users each time; they stay connected until `stop`."""

    def pids(self) -> Sequence[int]:
        """The server's processes; those they have started need not be listed."""
