"""Clocks: the system's, and one that tests move by hand.

Times are whole milliseconds since 1970, UTC.

Careful: a clock may jump backwards (NTP, a suspended laptop). Messages are ordered by `seq`, not by
time.
"""

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol


class Clock(Protocol):
    @property
    def epoch(self) -> int:
        """Changes when the clock is set back. Times of different epochs are not comparable."""

    @property
    def began_ms(self) -> int:
        """When the epoch began; 0 in the first. An item whose time is in the future was written in
        an earlier epoch."""

    def now_ms(self) -> int: ...


class SystemClock:
    """The system clock. It may be set at any time."""

    epoch = 0
    began_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that only moves when told to: for tests and for the demo's sample data."""

    def __init__(self, now_ms: int = 1_760_000_000_000) -> None:
        self._now_ms = now_ms
        self.epoch = 0
        self.began_ms = 0

    def now_ms(self) -> int:
        return self._now_ms

    def advance(self, *, ms: int = 0, seconds: int = 0, days: int = 0) -> None:
        self._now_ms += ms + seconds * 1000 + days * 86_400_000

    def set_back(self, *, days: int) -> None:
        """Starts a new epoch, as when an operator corrects a clock that was ahead."""
        self.advance(days=-days)
        self.epoch, self.began_ms = self.epoch + 1, self._now_ms


@lru_cache(4096)
def iso(ms: int) -> str:
    """`2025-11-05T14:12:07.123Z`: fixed width, so that text order is time order."""
    return f"{_second(ms // 1000)}.{ms % 1000:03d}Z"


@lru_cache(1024)
def _second(second: int) -> str:
    """Cached: most times that are formatted are in the current second."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"
