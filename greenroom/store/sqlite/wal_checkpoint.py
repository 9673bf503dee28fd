"""Moves committed pages from the write-ahead log into the file, in a background thread.

SQLite's own automatic checkpoint runs inside a commit every thousand pages, and delays every write
that waits for it. Here a thread with its own connection runs it while commits continue.

Careful: the log never restarts while commits continue, so it grows. Once it is long, one commit
does wait for a checkpoint, right after the thread has moved nearly everything.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw

from greenroom.store.sqlite import schema

_log = logging.getLogger(__name__)


class WalCheckpointer:
    every_pages = 1_000
    most_pages = 16_000
    """Of 4 KB: about 64 MB, and at most twice that unless another process reads the file for long.
    A long log makes reads slower."""

    def __init__(self, path: Path, writing: apsw.Connection) -> None:
        self._writing = writing
        self._own = schema.connect(path)
        self._thread = ThreadPoolExecutor(1, "greenroom-checkpoint")
        self._is_busy = False
        self._has_moved = False
        """Whether the thread has just moved nearly the whole log."""
        self._begun_at = self._ended_at = self._not_before = 0
        self.is_due = False
        """Whether the next commit has to checkpoint."""
        writing.wal_autocheckpoint(0)

    def committed(self) -> None:
        """Called on the event loop after each commit."""
        written = self._written()
        if written < self._begun_at:  # the counter wraps at 2**31
            self._begun_at = self._ended_at = self._not_before = 0
        self.is_due = written >= self._not_before and self._is_due(written - self._ended_at)
        self._has_moved = False
        if not self._is_busy and written - self._begun_at > self.every_pages:
            self._is_busy, self._begun_at = True, written
            self._thread.submit(self._run)

    def _is_due(self, pages: int) -> bool:
        return pages > 2 * self.most_pages or (pages > self.most_pages and self._has_moved)

    def within(self) -> None:
        """Called in the commit thread, when nothing else is being written."""
        if _checkpoint(self._writing) == 0:
            self._ended_at = self._begun_at = self._written()
        else:
            self._not_before = self._written() + self.every_pages

    def close(self) -> None:
        self._thread.shutdown()
        self._own.close()

    def _run(self) -> None:
        try:
            left = _checkpoint(self._own)
            self._has_moved = left is not None and left < self.every_pages
        finally:
            self._is_busy = False

    def _written(self) -> int:
        """How many pages the writer has written to the log so far."""
        return self._writing.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]


def _checkpoint(connection: apsw.Connection) -> int | None:
    """Moves the pages that no reader needs; returns how many are left, None on failure."""
    try:
        pages, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    except apsw.BusyError:
        return None  # another checkpoint is running
    except apsw.Error as error:  # for example a full disk; everything is still in the log
        _log.warning("the write-ahead log was not checkpointed: %s", error)
        return None
    return pages - moved
