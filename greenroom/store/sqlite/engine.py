"""The item store on one SQLite file: WAL, `synchronous=FULL`, one writer with group commit.

Reads run at once, on the event loop's thread: they see what is committed and never wait for the
writer. One store belongs to one event loop, and one file to one
process. Opening checks the file first and refuses what it does not understand.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import apsw

from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.store import capacity
from greenroom.store.base import Change, Key, Op, Page, PageOf, place_at
from greenroom.store.capacity import Cost
from greenroom.store.cursors import Cursors
from greenroom.store.expressions import SortRange
from greenroom.store.limits import check_batch, check_key, check_query
from greenroom.store.problems import NoSuchTable, StoreCorrupt, StoreUnavailable
from greenroom.store.sqlite import feed, schema
from greenroom.store.sqlite.checkpoint import Checkpoints
from greenroom.store.sqlite.codec import unpack
from greenroom.store.sqlite.flush import Flusher
from greenroom.store.sqlite.made import Made
from greenroom.store.sqlite.plan import Planner, written
from greenroom.store.sqlite.reader import Reader
from greenroom.store.sqlite.recovery import Expected, restore
from greenroom.store.sqlite.rows import Rows
from greenroom.store.sqlite.writer import Writer
from greenroom.store.tables import Index, Table, check_tables
from greenroom.store.values import Item

_DAY_MS = 86_400_000
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 30.0
_Model = TypeVar("_Model")
_log = logging.getLogger(__name__)


class SqliteStore:
    is_local = True

    def __init__(
        self,
        path: Path,
        tables: Sequence[Table],
        lock: int,
        clock: Clock,
        cursor_secret: bytes,
        *,
        check: bool = True,
    ) -> None:
        self._path = path
        self._tables = {table.name: table for table in tables}
        self._lock = lock
        self._clock = clock
        self._cursors = Cursors(cursor_secret)
        self._check = check
        self._made = Made()
        self._commits = 0
        self._committed = asyncio.Event()
        self._sweeper: asyncio.Task[None] | None = None
        self._recovering: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[Problem] = asyncio.get_running_loop().create_future()
        self.trouble: str | None = None
        self._is_reopening = False
        self._assemble()

    def _assemble(self) -> None:
        """Connections, and what stands on them."""
        path, clock, tables = self._path, self._clock, tuple(self._tables.values())
        self._connection = schema.connect(path)
        schema.prepare(path, self._connection, tables)
        self._reader = Reader(schema.connect(path), clock, self._cursors, self._resting_connection)
        self._rows = rows = Rows()
        planner = Planner(lambda: self._reader.connection, rows, tables, clock)
        self._flusher = Flusher(self._connection, planner, rows, tables, clock)
        self._checkpoints = Checkpoints(path, self._connection)
        self._writer = Writer(
            self._connection,
            planner,
            self._flusher,
            rows,
            self._checkpoints,
            self._tell_followers,
            self._broke,
        )
        planner.start_over()

    @classmethod
    async def open(
        cls,
        path: Path,
        tables: Sequence[Table],
        *,
        clock: Clock,
        cursor_secret: bytes,
        check: bool = True,
        sweep_seconds: float = 5.0,
        keep_changes_ms: int = _DAY_MS,
    ) -> "SqliteStore":
        check_tables(tables)
        lock = schema.hold(path)
        try:
            await asyncio.to_thread(schema.check_file, path, thoroughly=check)
            store = cls(path, tables, lock, clock, cursor_secret, check=check)
        except BaseException:
            os.close(lock)
            raise
        store._sweeper = asyncio.create_task(store._sweep(sweep_seconds, keep_changes_ms))
        return store

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeper
            self._sweeper = None
            if self._recovering is not None:
                self._recovering.cancel()
                await asyncio.gather(self._recovering, return_exceptions=True)
            await self._writer.close()
            self._close_connections()
            os.close(self._lock)
            self._tell_followers()

    async def __aenter__(self) -> "SqliteStore":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def get(self, table: Table, key: Key, *, consistent: bool = False) -> Item | None:
        self._check_known(table)
        check_key(table, key)
        return self._get(table, key, consistent)

    def _get(self, table: Table, key: Key, consistent: bool) -> Item | None:
        known, row = self._rows.committed(place_at(table, key))
        if not known:
            return self._reader.get(table, key, consistent)
        if row is None:
            return self._reader.shown(table, None, consistent)
        return self._reader.shown(table, (row.size, row.expires, row.blob), consistent)

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        self._check_known(table)
        check_batch(table, keys)
        found = {key: self._get(table, key, consistent) for key in dict.fromkeys(keys)}
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
        self._check_known(table)
        check_query(table, partition, sort, index, limit, consistent)
        return self._reader.query(
            _unpacked, table, partition, sort, index, limit, backward, cursor, consistent
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
        self._check_known(table)
        check_query(table, partition, sort, None, limit, consistent)
        made = partial(self._made.of, model)
        return self._reader.query(
            made, table, partition, sort, None, limit, backward, None, consistent
        )

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        for table in {op.table.name: op.table for op in ops}.values():
            self._check_known(table)
        write = written(ops, token, capacity.open_costs())
        answer: Item | None = await self._writer.submit(write)
        return answer

    async def changes(
        self, table: Table, *, after: str | None = None, follow: bool = True
    ) -> AsyncIterator[Change]:
        self._check_known(table)
        last = feed.check_checkpoint(self._reader.connection, table, after)
        while True:
            self._check_known(table)
            committed = self._committed
            page = feed.page(self._reader.connection, table, last)
            for seq, change in page:
                yield change
                last = seq
            if page:
                continue
            if not follow:
                return
            await committed.wait()
            self._check_known(table)
            feed.check_kept(self._reader.connection, table, last)

    def counting(self) -> AbstractContextManager[Cost]:
        return capacity.counting()

    @property
    def commits(self) -> int:
        """How many groups have been committed since the store was opened."""
        return self._commits + self._writer.commits

    async def lost(self) -> Problem:
        return await asyncio.shield(self._lost)

    def _check_known(self, table: Table) -> None:
        if self._sweeper is None:
            raise StoreUnavailable("the store is closed")
        if self._is_reopening:
            raise StoreUnavailable(self.trouble or "the file is being opened again")
        if self._tables.get(table.name) is not table and self._tables.get(table.name) != table:
            raise NoSuchTable(table.name)

    def _broke(self, reason: str) -> None:
        """A commit failed: nothing is written until the file has been opened again."""
        _log.error("nothing can be written: %s; trying to recover", reason)
        self.trouble = reason
        expected = Expected(self._rows.last, dict(self._rows.committing))
        self._recovering = asyncio.create_task(self._recover(expected))

    async def _recover(self, expected: Expected) -> None:
        pause = _FIRST_PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            try:
                await self._reopen(expected)
            except StoreCorrupt as problem:
                _log.critical("the store cannot be trusted any more: %s", problem)
                self._lost.set_result(problem)
                return
            except (Problem, apsw.Error, OSError) as problem:
                self._read_only()
                _log.debug("it could not be recovered yet: %s", problem)
            else:
                _log.warning("recovered: what was acknowledged is there, and writes are taken")
                return

    async def _reopen(self, expected: Expected) -> None:
        self._is_reopening = True
        await asyncio.to_thread(self._close_connections)
        tables = tuple(self._tables.values())
        await asyncio.to_thread(restore, self._path, tables, expected, check=self._check)
        self._commits += self._writer.commits
        self._assemble()
        self._is_reopening, self.trouble = False, None
        self._tell_followers()

    def _read_only(self) -> None:
        """Until the next try. What can still be read is read."""
        with suppress(Problem, apsw.Error):
            self._rows.forget()
            self._reader = Reader(schema.connect(self._path), self._clock, self._cursors)
            self._is_reopening = False

    def _close_connections(self) -> None:
        self._writer.end()
        self._checkpoints.close()
        self._reader.close()
        self._connection.close()

    def _resting_connection(self) -> apsw.Connection | None:
        return None if self._writer.is_open else self._connection

    def _tell_followers(self) -> None:
        told, self._committed = self._committed, asyncio.Event()
        told.set()

    async def _sweep(self, seconds: float, keep_changes_ms: int) -> None:
        """Takes out expired items and forgotten changes, a few at a time, so that no write waits
        long behind it."""
        while True:
            await asyncio.sleep(seconds)
            if self.trouble is not None:
                continue
            try:
                await self._sweep_once(keep_changes_ms)
            except Exception as error:  # a full disk, say; it may have room the next time
                _log.warning("nothing more is swept this time: %s", error)

    async def _sweep_once(self, keep_changes_ms: int) -> None:
        await self._writer.submit(self._flusher.forget_tokens)
        for table in self._tables.values():
            if table.ttl is not None:
                await self._repeat(partial(self._flusher.remove_expired, table, 200))
            if table.stream:
                await self._repeat(partial(self._flusher.trim, table, keep_changes_ms, 500))

    async def _repeat(self, chore: Callable[[], int]) -> None:
        """Until it finds nothing to do, with room between for the writes that wait."""
        while await self._writer.submit(chore):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def _unpacked(blobs: Sequence[bytes]) -> tuple[Item, ...]:
    return tuple(map(unpack, blobs))
