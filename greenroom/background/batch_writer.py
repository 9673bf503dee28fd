"""Writes a batch, splitting it until a failing change is alone."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from greenroom.background.follower import Follower
from greenroom.background.progress import StateChanged
from greenroom.background.retries import backoff_ms, describe, is_outage
from greenroom.store.base import Change, Key

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class TookTooLong(Exception):
    """A follower's own code did not end in time."""


class BatchWriter:
    """`size` shrinks when a part fails, be it too large for a transaction or not to be handled, and
    grows again with every part that succeeds."""

    def __init__(self, follower: Follower, chance: random.Random, sleep: Sleep) -> None:
        self._follower = follower
        self._chance = chance
        self._sleep = sleep
        self._size = follower.max_batch
        self.failed = 0
        self.set_aside = 0

    async def write_all(
        self,
        batch: Sequence[_T],
        write: Callable[[Sequence[_T]], Awaitable[None]],
        set_aside: Callable[[_T, str], Awaitable[None]],
    ) -> None:
        tries = 0
        while batch:
            part = batch[: self._size]
            try:
                await write(part)
                self._size = min(self._follower.max_batch, 2 * self._size)
            except StateChanged:
                raise
            except Exception as error:
                if is_outage(error):
                    raise
                self.failed += 1
                if len(part) > 1:
                    self._size = len(part) // 2
                    continue
                tries += 1
                if tries < self._follower.max_tries:
                    await self._pause(tries, error)
                    continue
                where = self._key_text(part[0])
                _log.error("%s sets %s aside", self._follower.name, where, exc_info=error)
                await set_aside(part[0], describe(error))
                self.set_aside += 1
            batch, tries = batch[len(part) :], 0

    def _key_text(self, one: object) -> str:
        """Where a change or an item is. What it holds may be private, and stays out of the log."""
        table = self._follower.table
        if isinstance(one, Change):
            return f"a change of {table.name} {one.key}"
        item: Any = one
        return f"{table.name} {Key(*(item[name] for name in table.key_names))}"

    async def _pause(self, tries: int, error: Exception) -> None:
        pause = backoff_ms(
            tries,
            first_ms=self._follower.first_pause_ms,
            longest_ms=self._follower.longest_pause_ms,
            chance=self._chance,
        )
        _log.warning("%s fails, try %d: %s", self._follower.name, tries, describe(error))
        await self._sleep(pause / 1000)


async def within(seconds: float, work: Awaitable[_T]) -> _T:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await work
    except TimeoutError:
        if limit.expired():
            raise TookTooLong(f"it took longer than {seconds:g} seconds") from None
        raise
