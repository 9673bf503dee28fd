"""Repeats requests that failed for a moment: exponential backoff with full jitter."""

import asyncio
import random

from msgspec import Struct


class RetryPolicy(Struct, frozen=True):
    """Up to `attempts`, none started after `seconds`."""

    attempts: int = 8
    seconds: float = 10.0
    first_delay: float = 0.05
    longest_delay: float = 2.0
    connect_seconds: float = 2.0
    response_seconds: float = 6.0


class Attempts:
    """`while await attempts.next_attempt()`: returns at once the first time, then after a delay."""

    def __init__(self, retry: RetryPolicy) -> None:
        self._retry = retry
        self._count = 0
        self._end = asyncio.get_running_loop().time() + retry.seconds

    async def next_attempt(self) -> bool:
        retry = self._retry
        self._count += 1
        if self._count == 1:
            return True
        ceiling = min(retry.longest_delay, retry.first_delay * 2 ** (self._count - 2))
        delay = random.uniform(0, ceiling)
        if self._count > retry.attempts or asyncio.get_running_loop().time() + delay > self._end:
            return False
        await asyncio.sleep(delay)
        return True
