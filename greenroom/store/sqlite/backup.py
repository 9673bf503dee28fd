"""A copy of the file, of one instant, while the server goes on writing."""

import errno
import os
from pathlib import Path
from secrets import token_hex

import apsw

from greenroom.errors import Problem
from greenroom.store.problems import StoreCorrupt, StoreFull, StoreUnavailable
from greenroom.store.sqlite.schema import APPLICATION_ID

_NO_SUCH_THING = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)
"""What a mount says that cannot sync a folder, or a folder that may be written and not read."""


class BackupExists(Problem):
    """{path} exists already; a backup overwrites nothing."""

    path: str


def backup(source: Path, target: Path) -> None:
    """Writes the copy beside its name first: `target` is there whole or not at all."""
    if not source.exists():
        raise StoreUnavailable(f"{source} does not exist")
    if target.exists():
        raise BackupExists(str(target))
    draft = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        _copy(source, draft)
        draft.chmod(0o600)
        _sync(draft)
        _name(draft, target)
        _sync_folder(target.parent)
    except FileExistsError:
        raise BackupExists(str(target)) from None
    except OSError as error:
        raise StoreUnavailable(f"{target}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)


def _name(draft: Path, target: Path) -> None:
    """Gives the copy its name unless it is taken, which a plain rename would not notice."""
    try:
        os.link(draft, target)
        return
    except FileExistsError:
        raise
    except OSError:  # exFAT and some network mounts have no links: an empty file holds the name
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        os.replace(draft, target)
    except BaseException:
        target.unlink()
        raise


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    try:
        _sync(folder)
    except OSError as error:
        if error.errno not in _NO_SUCH_THING:
            raise


def _copy(source: Path, draft: Path) -> None:
    try:
        connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            if connection.pragma("application_id") != APPLICATION_ID:
                raise StoreCorrupt(str(source), "it is another program's database")
            connection.set_busy_timeout(5000)
            connection.execute("VACUUM INTO ?", (str(draft),))
        finally:
            connection.close()
    except apsw.FullError as error:
        raise StoreFull(str(error)) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StoreCorrupt(str(source), str(error)) from error
    except apsw.Error as error:
        raise StoreUnavailable(str(error)) from error
