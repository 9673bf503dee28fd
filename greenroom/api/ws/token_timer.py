"""Warns a client before its token expires, and closes the socket when it does."""

import asyncio
from collections.abc import Callable

from greenroom.clock import Clock

WARN_MS = 60_000
_LONGEST_WAIT_MS = 3_600_000
"""Timers are split into waits of this length, because the clock may be set meanwhile."""


class TokenTimer:
    def __init__(self, clock: Clock, warn: Callable[[int], None], end: Callable[[], None]) -> None:
        self._clock = clock
        self._warn = warn
        self._end = end
        self._warn_at_ms = 0
        self._expires_ms = 0
        self._warned = False
        self._timer: asyncio.TimerHandle | None = None

    def renew(self, expires_ms: int) -> None:
        """Starts again for a new token. For a short-lived token the warning comes at half of its
        time."""
        left_ms = expires_ms - self._clock.now_ms()
        self._warn_at_ms = expires_ms - min(WARN_MS, left_ms // 2)
        self._expires_ms, self._warned = expires_ms, False
        self.cancel()
        self._wait()

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        now_ms = self._clock.now_ms()
        if now_ms >= self._expires_ms:
            self._end()
            return
        if now_ms >= self._warn_at_ms and not self._warned:
            self._warned = True
            self._warn(self._expires_ms)
        until_ms = self._expires_ms if self._warned else self._warn_at_ms
        seconds = min(until_ms - now_ms, _LONGEST_WAIT_MS) / 1000
        self._timer = asyncio.get_running_loop().call_later(seconds, self._wait)
