"""Remembers what pictures looked like that moderators removed, and finds uploads that resemble
them.

Each node has all hashes in memory and reads only those that are new. Careful: clocks of nodes
differ, so it reads the last minutes again.
"""

import asyncio

from greenroom.clock import Clock, iso
from greenroom.files import items
from greenroom.files.models import File
from greenroom.files.records import FILES, REMOVED
from greenroom.ids import FileId
from greenroom.store.base import Put, Store
from greenroom.store.expressions import Bound

MOST_DIFFERENT_BITS = 31
"""Of 256. PDQ's authors recommend it: below it, hardly any two pictures differ."""
_OVERLAP_MS = 5 * 60_000
_FRESH_MS = 1000
_PAGE = 500
_AT_ONCE = 5000


def remember_removed(file: File, now_ms: int) -> tuple[Put, ...]:
    """For the transaction in which a moderator removes what shows the file. Nothing if the file is
    no picture that can be recognised."""
    return (items.removed_op(file, now_ms),) if file.perceptual_hash else ()


class RemovedPictures:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[FileId, int] = {}
        self._newest_ms = 0
        self._read_ms = 0
        self._reading = asyncio.Lock()

    async def resembling(self, perceptual_hash: str) -> FileId | None:
        """The removed picture that is most like this one, if any is."""
        if not perceptual_hash:
            return None
        await self._read_new()
        wanted = int(perceptual_hash, 16)
        best: tuple[int, FileId] = MOST_DIFFERENT_BITS + 1, FileId("")
        for number, (file, known) in enumerate(self._known.items()):
            if (known ^ wanted).bit_count() < best[0]:
                best = (known ^ wanted).bit_count(), file
            if number % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)
        return best[1] or None

    async def _read_new(self) -> None:
        async with self._reading:
            now_ms = self._clock.now_ms()
            if 0 <= now_ms - self._read_ms < _FRESH_MS:
                return
            since = Bound(">=", iso(max(0, self._newest_ms - _OVERLAP_MS)))
            cursor: str | None = None
            known = dict(self._known)
            newest_ms = self._newest_ms
            while True:
                page = await self._store.query(FILES, REMOVED, since, limit=_PAGE, cursor=cursor)
                for item in page.items:
                    removed = items.removed_of(item)
                    known[removed.file] = int(removed.hash, 16)
                    newest_ms = max(newest_ms, removed.at_ms)
                cursor = page.next
                if cursor is None:
                    break
            self._known, self._newest_ms, self._read_ms = known, newest_ms, now_ms
