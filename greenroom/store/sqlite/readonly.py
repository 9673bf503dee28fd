"""Opens a store file read-only, without the lock: another process may be serving it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from greenroom.clock import Clock
from greenroom.store.cursors import CursorCodec
from greenroom.store.problems import StoreCorrupt, StoreUnavailable
from greenroom.store.sqlite import schema
from greenroom.store.sqlite.reader import Reader


@contextmanager
def open_readonly(path: Path, clock: Clock) -> Iterator[Reader]:
    """Do not use the `next` of its pages: the cursors are sealed without the secret."""
    if not path.exists():
        raise StoreUnavailable(f"{path} does not exist")
    try:
        schema.check_file(path, thoroughly=False)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(5000)
            connection.execute("PRAGMA query_only=ON")
            yield Reader(connection, clock, CursorCodec(b""))
        finally:
            connection.close()
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StoreCorrupt(str(path), str(error)) from error
    except apsw.Error as error:
        raise StoreUnavailable(f"{path}: {error}") from error
