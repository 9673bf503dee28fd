"""SQLite's own errors in the store's words.

Careful: SQLite says "disk I/O error" of many things. A full disk is one of them where a file is
not written but mapped, and a quota or a limit on a file's size always is.
"""

import errno
import os
from pathlib import Path

import apsw

from greenroom.errors import Problem
from greenroom.store.problems import StoreCorrupt, StoreFull, StoreUnavailable

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_full(number: int | None) -> bool:
    return number in _FULL


def translated(
    path: Path, error: apsw.Error, folder: Path, connection: apsw.Connection | None = None
) -> Problem:
    """What an error means that came while the file was opened, checked, laid out or copied."""
    reason = f"{path}: {error}"
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        return StoreCorrupt(str(path), str(error))
    number = connection.system_errno if connection is not None else 0
    if isinstance(error, apsw.FullError) or is_full(number):
        return StoreFull(f"{path}: {os.strerror(number)}" if number else reason)
    if isinstance(error, apsw.IOError | apsw.CantOpenError) and _has_no_room(folder):
        return StoreFull(reason)
    return StoreUnavailable(f"{reason} ({os.strerror(number)})" if number else reason)


def _has_no_room(folder: Path) -> bool:
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail == 0 or (found.f_files > 0 and found.f_favail == 0)
