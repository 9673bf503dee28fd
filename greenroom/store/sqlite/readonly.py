"""Opens a store file read-only, without the lock: another process may be serving it."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import apsw

from greenroom.clock import Clock
from greenroom.store.base import Change, Key, Page, PageOf
from greenroom.store.cursors import CursorCodec
from greenroom.store.expressions import SortRange
from greenroom.store.problems import StoreCorrupt, StoreUnavailable
from greenroom.store.sqlite import change_log, schema
from greenroom.store.sqlite.codec import unpack
from greenroom.store.sqlite.reader import Reader
from greenroom.store.sqlite.scan import Scan
from greenroom.store.tables import Index, Table
from greenroom.store.values import Item

_Model = TypeVar("_Model")


@contextmanager
def open_readonly(path: Path, clock: Clock) -> Iterator[Reader]:
    """The cursors of its pages are sealed without the secret: no server accepts them."""
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


class ReadonlyStore:
    """The reads of a `Store`, for a file that another process may be serving."""

    is_local = True
    read_only_reason = "it was opened for reading"

    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._cursors = CursorCodec(b"")

    async def get(self, table: Table, key: Key, *, consistent: bool = False) -> Item | None:
        return self._reader.get(table, key, consistent)

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        found = {key: self._reader.get(table, key, consistent) for key in keys}
        return {key: item for key, item in found.items() if item is not None}

    async def query(
        self,
        table: Table,
        partition: str,
        sort: SortRange | None = None,
        *,
        index: Index | None = None,
        limit: int,
        backward: bool = False,
        cursor: str | None = None,
        consistent: bool = False,
    ) -> Page:
        return self._reader.query(
            lambda blobs: tuple(map(unpack, blobs)),
            table,
            partition,
            sort,
            index,
            limit,
            backward,
            cursor,
            consistent,
        )

    async def query_as(
        self,
        model: Callable[[Item], _Model],
        table: Table,
        partition: str,
        sort: SortRange | None = None,
        *,
        limit: int,
        backward: bool = False,
        consistent: bool = False,
    ) -> PageOf[_Model]:
        page = await self.query(
            table, partition, sort, limit=limit, backward=backward, consistent=consistent
        )
        return page.map(model)

    async def changes(
        self,
        table: Table,
        *,
        after: str | None = None,
        follow: bool = False,
        prefixes: Sequence[str] = (),
    ) -> AsyncIterator[Change]:
        connection = self._reader.connection
        last, is_newest = change_log.check_checkpoint(connection, table, after), False
        while not is_newest:
            page = change_log.page(connection, table, last, None, prefixes)
            for change in page.changes:
                yield change
            last, is_newest = page.last, page.is_newest

    async def scan(
        self, table: Table, *, limit: int, cursor: str | None = None, consistent: bool = False
    ) -> Page:
        scan = Scan(self._cursors, table, self._clock.now_ms() // 1000, consistent)
        return scan.page(self._reader.connection, limit, cursor)
