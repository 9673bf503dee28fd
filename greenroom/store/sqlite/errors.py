"""Maps SQLite's errors to the store's problems.

Careful: SQLite reports many things as "disk I/O error": a full disk if the file is memory-mapped,
and always an exceeded quota or file size limit.
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


def translate_error(
    path: Path, error: apsw.Error, folder: Path, connection: apsw.Connection | None = None
) -> Problem:
    """The problem for an error while opening, checking, preparing or copying the file."""
    reason = f"{path}: {error}"
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        return StoreCorrupt(str(path), str(error))
    number = connection.system_errno if connection is not None else 0
    if isinstance(error, apsw.FullError) or is_full(number):
        return StoreFull(f"{path}: {os.strerror(number)}" if number else reason)
    if isinstance(error, apsw.IOError | apsw.CantOpenError) and _is_disk_full(folder):
        return StoreFull(reason)
    return StoreUnavailable(f"{reason} ({os.strerror(number)})" if number else reason)


def _is_disk_full(folder: Path) -> bool:
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail == 0 or (found.f_files > 0 and found.f_favail == 0)
