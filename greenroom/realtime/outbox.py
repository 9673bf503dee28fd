"""What waits for one client while its wire is full: bounded, and given up when that overflows.

The client is then told to come back with its cursor: a slow reader costs nobody else a thing. What
one would get wrong: an answer is never dropped, or the client would wait for it; there are only so
many, because a client has only so many requests under way.
"""

from collections import deque
from collections.abc import Callable

MOST_WAITING = 500
MOST_WAITING_BYTES = 1_000_000


class Outbox:
    def __init__(self, write: Callable[[bytes], None], resync: bytes) -> None:
        self._write = write
        self._resync = resync
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._full = False
        self._overflowed = False

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def tell(self, payload: bytes) -> None:
        if not self._full:
            self._write(payload)
        elif not self._overflowed:
            self._waiting.append(payload)
            self._bytes += len(payload)
            if len(self._waiting) > MOST_WAITING or self._bytes > MOST_WAITING_BYTES:
                self.give_up()

    def answer(self, payload: bytes) -> None:
        self._write(payload)

    def give_up(self) -> None:
        """The client has to ask what it has missed."""
        self._waiting.clear()
        self._bytes = 0
        if self._full:
            self._overflowed = True
        else:
            self._write(self._resync)

    def pause(self) -> None:
        """The wire is full."""
        self._full = True

    def resume(self) -> None:
        self._full = False
        if self._overflowed:
            self._overflowed = False
            self._write(self._resync)
        while self._waiting and not self._full:
            payload = self._waiting.popleft()
            self._bytes -= len(payload)
            self._write(payload)
