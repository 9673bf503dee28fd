"""Moves what was committed from the write-ahead log into the file, beside the commits.

SQLite by itself does it within a commit, every thousand pages: then everybody waits for it, and
those are the slowest answers. Here a thread with a connection of its own does it while commits go
on. Careful: as long as something is committed meanwhile the log never begins anew, and grows. So
once it is long, one commit does wait, right after the thread has moved nearly everything.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw

from greenroom.store.sqlite import schema

_log = logging.getLogger(__name__)


class Checkpoints:
    every_pages = 1_000
    most_pages = 16_000
    """Of 4 KB: about 64 MB, and twice that at most, unless somebody else reads the file for long.
    Reads go through the log, and a longer one makes them slower."""

    def __init__(self, path: Path, writing: apsw.Connection) -> None:
        self._writing = writing
        self._own = schema.connect(path)
        self._thread = ThreadPoolExecutor(1, "greenroom-checkpoint")
        self._is_busy = False
        self._has_moved = False
        """Whether the thread has just moved nearly everything that was in the log."""
        self._begun_at = self._ended_at = self._not_before = 0
        self.is_due = False
        """Whether the next commit has to do it."""
        writing.wal_autocheckpoint(0)

    def committed(self) -> None:
        """On the loop, after each commit."""
        written = self._written()
        if written < self._begun_at:  # SQLite counts to 2**31, and then begins anew
            self._begun_at = self._ended_at = self._not_before = 0
        self.is_due = written >= self._not_before and self._is_due(written - self._ended_at)
        self._has_moved = False
        if not self._is_busy and written - self._begun_at > self.every_pages:
            self._is_busy, self._begun_at = True, written
            self._thread.submit(self._beside)

    def _is_due(self, pages: int) -> bool:
        return pages > 2 * self.most_pages or (pages > self.most_pages and self._has_moved)

    def within(self) -> None:
        """In the commit's own thread, when nothing else is being written."""
        if _left(self._writing) == 0:
            self._ended_at = self._begun_at = self._written()
        else:
            self._not_before = self._written() + self.every_pages

    def close(self) -> None:
        self._thread.shutdown()
        self._own.close()

    def _beside(self) -> None:
        try:
            left = _left(self._own)
            self._has_moved = left is not None and left < self.every_pages
        finally:
            self._is_busy = False

    def _written(self) -> int:
        """How many pages the writer has written to its log in all."""
        return self._writing.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]


def _left(connection: apsw.Connection) -> int | None:
    """Moves what nobody else is reading, and says how many pages are left; None if it failed."""
    try:
        pages, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    except apsw.BusyError:
        return None  # the other one is at it
    except apsw.Error as error:  # a full disk, say: nothing is lost, it is all in the log
        _log.warning("what was committed stays in the log for now: %s", error)
        return None
    return pages - moved
