"""A copy of the file, of one instant, while the server goes on writing."""

import os
from pathlib import Path

import apsw

from greenroom.errors import Problem
from greenroom.store.problems import StoreCorrupt, StoreFull, StoreUnavailable
from greenroom.store.sqlite.schema import APPLICATION_ID


class BackupExists(Problem):
    """{path} exists already; a backup overwrites nothing."""

    path: str


def backup(source: Path, target: Path) -> None:
    """Writes the copy beside its name first: `target` is there whole or not at all."""
    if not source.exists():
        raise StoreUnavailable(f"{source} does not exist")
    if target.exists():
        raise BackupExists(str(target))
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        _copy(source, draft)
        descriptor = os.open(draft, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        os.link(draft, target)
    except FileExistsError:
        raise BackupExists(str(target)) from None
    except OSError as error:
        raise StoreUnavailable(f"{target}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)


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
