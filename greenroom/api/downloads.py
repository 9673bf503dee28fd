"""Bounds how many files a node sends at the same time, by ending the slowest downloads.

A slow client can keep its connection for hours. A download that was ended can be resumed with a
range.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MOST = 512
GRACE_SECONDS = 10.0
"""A younger download is not ended: its rate is not known yet."""


class Download:
    """A file that is being sent to one client."""

    def __init__(self, end: Callable[[], None], now: float) -> None:
        self.sent = 0
        """Bytes."""
        self.end = end
        self.began = now

    def rate(self, now: float) -> float:
        """Bytes per second."""
        return self.sent / (now - self.began)


class Downloads:
    """The downloads that run on this node."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._running: set[Download] = set()

    @contextmanager
    def one(self, end: Callable[[], None]) -> Iterator[Download]:
        """Registers a download. `end` closes its connection."""
        now = asyncio.get_running_loop().time()
        if len(self._running) >= self._most:
            self._end_slowest(now)
        download = Download(end, now)
        self._running.add(download)
        try:
            yield download
        finally:
            self._running.discard(download)

    def _end_slowest(self, now: float) -> None:
        old = [one for one in self._running if now - one.began >= GRACE_SECONDS]
        if old:
            slowest = min(old, key=lambda one: one.rate(now))
            self._running.discard(slowest)
            slowest.end()
