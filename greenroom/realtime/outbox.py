"""Bounded send queue of one client, used while its transport buffer is full.

If the queue overflows, it is dropped and the client is told to resume from its cursor, so a slow
reader does not affect others.

Careful: replies are never dropped, because the client waits for them. Their number is bounded: no
requests are read while the transport is full. After a drop no more events are sent, because resume
replays them all.
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
        """Events were dropped, and the client has not resumed since."""

    @property
    def waiting(self) -> int:
        return len(self._waiting or ())

    def send_event(self, payload: bytes) -> None:
        """Sends a durable event: delivered in order, or replayed on resume."""
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
        """Sends an ephemeral event, or drops it if the transport is full."""
        if not self.is_full:
            self._write(payload)

    def send_reply(self, payload: bytes) -> None:
        self._write(payload)

    def require_resync(self) -> None:
        """Drops the queue and tells the client, once, to resume."""
        if self.is_behind:
            return
        self.is_behind = True
        self._waiting, self._bytes = None, 0
        if self.is_full:
            self._owes_resync = True
        else:
            self._write(self._resync)

    def mark_resumed(self) -> None:
        """The client has resumed: report the next drop again."""
        self.is_behind = self._owes_resync = False

    def pause(self) -> None:
        """The transport buffer is full."""
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
        """The connection is closed."""
        self._waiting, self._bytes = None, 0
        self.is_full = False
        self._wake_waiters()

    async def wait_writable(self) -> None:
        """Returns once the transport accepts more, or is closed."""
        while self.is_full:
            if self._writable is None:
                self._writable = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._writable)

    def _wake_waiters(self) -> None:
        if self._writable is not None:
            self._writable.set_result(None)
            self._writable = None
