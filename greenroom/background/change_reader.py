"""Reads a change feed ahead of its follower, and hands the changes out in batches."""

import asyncio
from collections import deque
from contextlib import aclosing
from types import TracebackType
from typing import Any

from msgspec import Struct

from greenroom.background.follower import Follower
from greenroom.store.base import Change, Store

_MIN_WAITING = 1_000


class Batch(Struct, frozen=True):
    changes: tuple[Change, ...]
    checkpoint: str
    """After the changes. It may have moved without any."""


class ChangeReader:
    """Use it as a context manager, within one task."""

    def __init__(
        self, store: Store, follower: Follower, after: str | None, *, follow: bool
    ) -> None:
        self._store = store
        self._follower = follower
        self._after = after
        self._follow = follow
        self._most = max(_MIN_WAITING, follower.max_batch)
        self._waiting: deque[Change | str] = deque()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "ChangeReader":
        self._task = asyncio.create_task(self._read())
        self._task.add_done_callback(lambda _: self._news.set())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    @property
    def oldest_ms(self) -> int | None:
        """When the first change was made of those that wait."""
        return next((one.at_ms for one in self._waiting if isinstance(one, Change)), None)

    async def take(self, *, seconds: float) -> Batch | None:
        """The next changes, or None if none came in so many seconds, or none will come."""
        assert self._task is not None
        if not self._waiting and not self._task.done():
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), seconds)
            except TimeoutError:
                return None
        if not self._waiting:
            self._task.result()  # raises what ended the feed
            return None
        return self._batch()

    @property
    def is_at_end(self) -> bool:
        """The feed has ended, and everything was taken."""
        return not self._waiting and self._task is not None and self._task.done()

    def _batch(self) -> Batch:
        changes: list[Change] = []
        last: Any = None
        while self._waiting and len(changes) < self._follower.max_batch:
            last = self._waiting.popleft()
            if isinstance(last, Change):
                changes.append(last)
        self._room.set()
        return Batch(tuple(changes), last.checkpoint if isinstance(last, Change) else last)

    async def _read(self) -> None:
        feed: Any = self._store.changes(
            self._follower.table,
            after=self._after,
            follow=self._follow,
            moved=self._add,
            prefixes=self._follower.prefixes,
            with_old=self._follower.needs_old,
            attributes=self._follower.attributes,
            linger=self._follower.linger,
        )
        async with aclosing(feed):
            async for change in feed:
                self._add(change)
                while len(self._waiting) >= self._most:
                    self._room.clear()
                    await self._room.wait()

    def _add(self, one: Change | str) -> None:
        self._waiting.append(one)
        self._news.set()
