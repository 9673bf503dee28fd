"""What waits for one client while its wire is full: bounded, and given up when that overflows.

The client is then told to come back with its cursor: a slow reader costs nobody else a thing. What
one would get wrong: an answer is never dropped, or the client would wait for it; there are only so
many, because nothing is read from a client whose wire is full. And once something was dropped
nothing more is told, because all of it is replayed when the client resumes.
"""

import asyncio
from collections import deque
from collections.abc import Callable

MOST_WAITING = 500
MOST_WAITING_BYTES = 1_000_000


class Outbox:
    def __init__(self, write: Callable[[bytes], None], resync: bytes) -> None:
        self._write = write
        self._resync = resync
        self._waiting: deque[bytes] | None = None
        self._bytes = 0
        self._owes_resync = False
        self._writable: asyncio.Future[None] | None = None
        self.is_full = False
        self.is_behind = False
        """Something was dropped, and the client has not resumed since."""

    @property
    def waiting(self) -> int:
        return len(self._waiting or ())

    def send_event(self, payload: bytes) -> None:
        """What stays, and must come, in order, or be replayed."""
        if self.is_behind:
            return
        if not self.is_full:
            self._write(payload)
            return
        self._waiting = self._waiting or deque()
        self._waiting.append(payload)
        self._bytes += len(payload)
        if len(self._waiting) > MOST_WAITING or self._bytes > MOST_WAITING_BYTES:
            self.require_resync()

    def send_ephemeral(self, payload: bytes) -> None:
        """What passes: nobody misses it."""
        if not self.is_full:
            self._write(payload)

    def send_reply(self, payload: bytes) -> None:
        self._write(payload)

    def require_resync(self) -> None:
        """The client has to ask what it has missed. It is told so once."""
        if self.is_behind:
            return
        self.is_behind = True
        self._waiting, self._bytes = None, 0
        if self.is_full:
            self._owes_resync = True
        else:
            self._write(self._resync)

    def mark_resumed(self) -> None:
        """The client has asked: what is dropped from now on is news."""
        self.is_behind = self._owes_resync = False

    def pause(self) -> None:
        """The wire is full."""
        self.is_full = True

    def resume(self) -> None:
        self.is_full = False
        if self._owes_resync:
            self._owes_resync = False
            self._write(self._resync)
        while self._waiting and not self.is_full:
            payload = self._waiting.popleft()
            self._bytes -= len(payload)
            self._write(payload)
        if not self.is_full:
            self._wake_waiters()

    def close(self) -> None:
        """Nobody reads any more."""
        self._waiting, self._bytes = None, 0
        self.is_full = False
        self._wake_waiters()

    async def wait_writable(self) -> None:
        """Returns once the wire takes more, or is gone."""
        while self.is_full:
            if self._writable is None:
                self._writable = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._writable)

    def _wake_waiters(self) -> None:
        if self._writable is not None:
            self._writable.set_result(None)
            self._writable = None
