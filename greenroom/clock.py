"""Time comes in from outside, so that a test can hold the clock still or push it.

Everything that is stored or compared is whole milliseconds since 1970, UTC. A clock may jump
backwards (NTP, a suspended laptop); no order in the product rests on it, see `seq` in messaging.
"""

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol


class Clock(Protocol):
    @property
    def epoch(self) -> int:
        """Another one after the clock was set back: times from before are not comparable."""

    @property
    def began_ms(self) -> int:
        """When the epoch began: what bears a time of the future was written before. 0 in the
        first."""

    def now_ms(self) -> int: ...


class SystemClock:
    """What the machine says; it may be set while we look."""

    epoch = 0
    began_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that stands until it is told to move: for tests and for the demo's history."""

    def __init__(self, now_ms: int = 1_760_000_000_000) -> None:
        self._now_ms = now_ms
        self.epoch = 0
        self.began_ms = 0

    def now_ms(self) -> int:
        return self._now_ms

    def advance(self, *, ms: int = 0, seconds: int = 0, days: int = 0) -> None:
        self._now_ms += ms + seconds * 1000 + days * 86_400_000

    def set_back(self, *, days: int) -> None:
        """As somebody does who finds that it was ahead."""
        self.advance(days=-days)
        self.epoch, self.began_ms = self.epoch + 1, self._now_ms


@lru_cache(4096)
def iso(ms: int) -> str:
    """`2025-11-05T14:12:07.123Z`: fixed width, so that text order is time order."""
    return f"{_second(ms // 1000)}.{ms % 1000:03d}Z"


@lru_cache(1024)
def _second(second: int) -> str:
    """Most of what is written down is of this second."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"
