"""Remembers what pictures looked like that moderators removed, and finds uploads that resemble
them.

Each node has the newest hashes in memory and reads only those that are new. Careful: clocks of
nodes differ, so it reads the last minutes again.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from heapq import nlargest
from itertools import count

from greenroom.clock import Clock, iso
from greenroom.files import items
from greenroom.files.items import Removed
from greenroom.files.models import File
from greenroom.files.records import FILES, removed_in, removed_until
from greenroom.ids import FileId
from greenroom.store.base import Put, Store
from greenroom.store.expressions import Bound

MOST_DIFFERENT_BITS = 31
"""Of 256. PDQ's authors recommend it: below it, hardly any two pictures differ."""
MOST_KNOWN = 10_000
"""Pictures that a node compares with: the newest ones."""
MONTHS = 24
"""How far back it reads."""
_OVERLAP_MS = 5 * 60_000
_FRESH_MS = 1000
_STALE_MS = 86_400_000
"""After a day without any it reads no more than the newest."""
_PAGE = 500
_AT_ONCE = 5000


def remember_removed(file: File, now_ms: int) -> tuple[Put, ...]:
    """For the transaction in which a moderator removes what shows the file. Nothing if the file is
    no picture that can be recognised."""
    if not file.hashes:
        return ()
    return (items.removed_op(Removed(file.id, now_ms, file.hashes)),)


class RemovedPictures:
    def __init__(self, store: Store, clock: Clock, most: int = MOST_KNOWN) -> None:
        self._store = store
        self._clock = clock
        self._most = most
        self._known: dict[FileId, Removed] = {}
        self._hashes: tuple[tuple[int, Removed], ...] = ()
        """The newest first."""
        self._read_ms = 0
        self._reading = asyncio.Lock()

    async def resembling(self, hashes: Sequence[str], since_ms: int = 0) -> FileId | None:
        """The picture that is most like one of these, of those that were removed since then."""
        wanted = [int(one, 16) for one in hashes if one]
        if not wanted:
            return None
        await self._read_new()
        best: tuple[int, FileId] = MOST_DIFFERENT_BITS + 1, FileId("")
        compared = count(1)
        for known, removed in self._hashes:
            if removed.at_ms < since_ms - _OVERLAP_MS:
                break
            for one in wanted:
                if (known ^ one).bit_count() < best[0]:
                    best = (known ^ one).bit_count(), removed.file
                if next(compared) % _AT_ONCE == 0:
                    await asyncio.sleep(0)
        return best[1] or None

    async def _read_new(self) -> None:
        async with self._reading:
            now_ms = self._clock.now_ms()
            if 0 <= now_ms - self._read_ms < _FRESH_MS:
                return
            is_stale = now_ms - self._read_ms > _STALE_MS  # or nothing was read yet
            found = self._newest(now_ms) if is_stale else self._since(min(now_ms, self._read_ms))
            read = {one.file: one async for one in found}
            self._read_ms = now_ms
            if not read.keys() <= self._known.keys():
                self._keep(self._known | read)

    def _keep(self, known: dict[FileId, Removed]) -> None:
        newest = nlargest(self._most, known.values(), key=lambda one: one.at_ms)
        self._known = {one.file: one for one in newest}
        self._hashes = tuple((int(hash, 16), one) for one in newest for hash in one.hashes)

    async def _newest(self, now_ms: int) -> AsyncIterator[Removed]:
        left = self._most
        for partition in removed_until(now_ms + _OVERLAP_MS, MONTHS):
            cursor: str | None = None
            while left > 0:
                page = await self._store.query(
                    FILES, partition, limit=min(_PAGE, left), backward=True, cursor=cursor
                )
                for item in page.items:
                    yield items.removed_of(item)
                left -= len(page.items)
                if (cursor := page.next) is None:
                    break

    async def _since(self, read_ms: int) -> AsyncIterator[Removed]:
        """What was removed since then, which is at most a day ago: so in two months at most."""
        begin_ms, end_ms = read_ms - _OVERLAP_MS, self._clock.now_ms() + _OVERLAP_MS
        since = Bound(">=", iso(max(0, begin_ms)))
        for partition in {removed_in(end_ms), removed_in(max(0, begin_ms))}:
            cursor: str | None = None
            while True:
                page = await self._store.query(FILES, partition, since, limit=_PAGE, cursor=cursor)
                for item in page.items:
                    yield items.removed_of(item)
                if (cursor := page.next) is None:
                    break
