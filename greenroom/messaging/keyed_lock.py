"""A lock for each key, granted in the order of arrival.

Careful: `acquire_now` is for a free key only, and creates no future: that is the usual case of a
send, and one future for each message would be measurable.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)


class KeyedLock(Generic[_Key]):
    def __init__(self) -> None:
        self._locked: dict[_Key, deque[asyncio.Future[None]] | None] = {}
        """The waiters of each locked key, if there are any."""

    def is_locked(self, key: _Key) -> bool:
        return key in self._locked

    def acquire_now(self, key: _Key) -> None:
        """Locks a free key. The caller must call `release` afterwards."""
        self._locked[key] = None

    async def acquire_after_others(self, key: _Key) -> None:
        """Locks a key that is locked now, after everyone who asked before."""
        granted = asyncio.get_running_loop().create_future()
        waiters = self._locked[key]
        if waiters is None:
            waiters = self._locked[key] = deque()
        waiters.append(granted)
        try:
            await granted
        except asyncio.CancelledError:
            if not granted.cancelled():  # the lock was granted at the same moment
                self.release(key)
            raise

    def release(self, key: _Key) -> None:
        """Grants the lock to the next waiter, if there is one."""
        waiters = self._locked[key]
        while waiters:
            granted = waiters.popleft()
            if not granted.done():
                granted.set_result(None)
                return
        del self._locked[key]

    @asynccontextmanager
    async def hold(self, key: _Key) -> AsyncIterator[bool]:
        """Holds the lock, and says whether it had to wait for it."""
        has_waited = self.is_locked(key)
        if has_waited:
            await self.acquire_after_others(key)
        else:
            self.acquire_now(key)
        try:
            yield has_waited
        finally:
            self.release(key)
