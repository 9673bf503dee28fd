"""Writes files and folders so that they survive a power cut: content first, then names.

Careful: syncing a file does not sync its name. The name is in the folder, which must be synced too.
"""

import ctypes
import errno
import os
from pathlib import Path
from secrets import token_hex

_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EROFS)
"""Errors of mounts that cannot sync folders, and of folders that cannot be read."""

_WRITE = 2
_sync_file_range = getattr(ctypes.CDLL(None), "sync_file_range", None)  # only Linux has it
if _sync_file_range is not None:
    _sync_file_range.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Creates the folder and its parents, and syncs its name. Also syncs the name of an existing
    folder, because the process that created it may have been killed before the sync."""
    if not folder.is_dir():
        if not folder.parent.exists():
            make_folder(folder.parent)
        folder.mkdir(mode=mode, exist_ok=True)
    sync_folder(folder.parent)


def write_new(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Writes the file unless it exists, completely or not at all."""
    draft = path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        claim_name(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def claim_name(draft: Path, path: Path) -> None:
    """Renames the draft unless the name is taken, which a plain rename would not notice."""
    try:
        os.link(draft, path)
        return
    except FileExistsError:
        raise
    except OSError:  # no hard links (exFAT, some mounts): an empty file reserves the name
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        os.replace(draft, path)
    except BaseException:
        path.unlink()
        raise


def sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    try:
        sync_file(folder)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def begin_sync(descriptor: int) -> None:
    """Has the system write what is dirty now, without waiting for it. So a large file is on its way
    to the disk while it grows, and the sync at its end is short: a long one holds up every other
    sync on the same disk. Where that is not possible, it has no effect."""
    if _sync_file_range is not None:
        _sync_file_range(descriptor, 0, 0, _WRITE)
