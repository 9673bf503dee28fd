"""The item store on one SQLite file: WAL, `synchronous=FULL`, one writer with group commit.

Reads run directly on the event loop's thread. They see what is committed and never wait for the
writer. One store belongs to one event loop, and one file to one process. Opening checks the file
first and refuses one that is damaged, foreign or too new.
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
from greenroom.store.base import Change, Key, Op, Page, PageOf, address_at
from greenroom.store.capacity import Cost
from greenroom.store.cursors import CursorCodec
from greenroom.store.expressions import SortRange
from greenroom.store.limits import check_batch, check_key, check_limit, check_query
from greenroom.store.problems import NoSuchTable, StoreCorrupt, StoreUnavailable
from greenroom.store.sqlite import change_log, schema
from greenroom.store.sqlite.codec import unpack
from greenroom.store.sqlite.flush import Flusher
from greenroom.store.sqlite.model_cache import ModelCache
from greenroom.store.sqlite.plan import Planner, prepare_write
from greenroom.store.sqlite.reader import Reader
from greenroom.store.sqlite.recovery import Expected, restore
from greenroom.store.sqlite.rows import Rows
from greenroom.store.sqlite.scan import Scan
from greenroom.store.sqlite.wal_checkpoint import WalCheckpointer
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
        self._cursors = CursorCodec(cursor_secret)
        self._check = check
        self._models = ModelCache()
        self._commits = 0
        self._committed_writes = 0
        self._committed = asyncio.Event()
        self._sweeper: asyncio.Task[None] | None = None
        self._recovering: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[Problem] = asyncio.get_running_loop().create_future()
        self.read_only_reason: str | None = None
        self._is_reopening = False
        self._assemble()

    def _assemble(self) -> None:
        """Opens the connections and builds everything that uses them."""
        path, clock, tables = self._path, self._clock, tuple(self._tables.values())
        self._connection = schema.connect(path)
        schema.prepare(path, self._connection, tables)
        self._reader = Reader(schema.connect(path), clock, self._cursors, self._idle_connection)
        self._rows = rows = Rows()
        self._planner = planner = Planner(lambda: self._reader.connection, rows, tables, clock)
        self._flusher = Flusher(self._connection, planner, rows, tables, clock)
        self._checkpoints = WalCheckpointer(path, self._connection)
        self._writer = Writer(
            self._connection,
            planner,
            self._flusher,
            rows,
            self._checkpoints,
            self._notify_followers,
            self._on_commit_failure,
        )
        planner.reset()

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
        lock = schema.lock_file(path)
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
            self._notify_followers()

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
        known, row = self._rows.committed(address_at(table, key))
        if not known:
            return self._reader.get(table, key, consistent)
        if row is None:
            return self._reader.to_item(table, None, consistent)
        return self._reader.to_item(table, (row.size, row.expires, row.blob), consistent)

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
        models = partial(self._models.decode, model)
        return self._reader.query(
            models, table, partition, sort, None, limit, backward, None, consistent
        )

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        for table in {op.table.name: op.table for op in ops}.values():
            self._check_known(table)
        write = prepare_write(ops, token, capacity.open_costs())
        answer: Item | None = await self._writer.submit(write)
        return answer

    async def changes(
        self,
        table: Table,
        *,
        after: str | None = None,
        follow: bool = True,
        moved: Callable[[str], None] | None = None,
        prefixes: Sequence[str] = (),
        with_old: bool = True,
        attributes: Sequence[str] = (),
        linger: float = 0.0,
    ) -> AsyncIterator[Change]:
        self._check_known(table)
        last = change_log.check_checkpoint(self._reader.connection, table, after)
        while True:
            self._check_known(table)
            committed = self._committed
            connection = self._reader.connection
            page = change_log.page(
                connection,
                table,
                last,
                self._planner.last_committed_change(table),
                prefixes,
                with_old=with_old,
                attributes=attributes,
            )
            for change in page.changes:
                yield change
            is_passed = not page.changes or page.changes[-1].checkpoint != page.checkpoint
            if moved is not None and page.last > last and is_passed:
                moved(page.checkpoint)
            last = page.last
            if not page.is_newest:
                await asyncio.sleep(0)
                continue
            if not follow:
                return
            await committed.wait()
            if linger:
                await asyncio.sleep(linger)

    async def checkpoint(self, table: Table) -> str:
        self._check_known(table)
        last = self._planner.last_committed_change(table)
        return change_log.newest(self._reader.connection, table, last)

    async def scan(
        self, table: Table, *, limit: int, cursor: str | None = None, consistent: bool = False
    ) -> Page:
        self._check_known(table)
        check_limit(limit)
        scan = Scan(self._cursors, table, self._clock.now_ms() // 1000, consistent)
        return scan.page(self._reader.connection, limit, cursor)

    def counting(self) -> AbstractContextManager[Cost]:
        return capacity.counting()

    @property
    def commits(self) -> int:
        """The number of groups committed since the store was opened."""
        return self._commits + self._writer.commits

    @property
    def committed_writes(self) -> int:
        """The number of writes in these groups."""
        return self._committed_writes + self._writer.committed_writes

    async def wait_for_data_loss(self) -> Problem:
        return await asyncio.shield(self._lost)

    def _check_known(self, table: Table) -> None:
        if self._sweeper is None:
            raise StoreUnavailable("the store is closed")
        if self._is_reopening:
            raise StoreUnavailable(self.read_only_reason or "the file is being reopened")
        if self._tables.get(table.name) is not table and self._tables.get(table.name) != table:
            raise NoSuchTable(table.name)

    def _on_commit_failure(self, reason: str) -> None:
        """After a failed commit nothing is written until the file has been reopened."""
        _log.error("the store is read-only: %s; trying to recover", reason)
        self.read_only_reason = reason
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
                _log.critical("the store has lost acknowledged data: %s", problem)
                self._lost.set_result(problem)
                return
            except (Problem, apsw.Error, OSError) as problem:
                self._read_only()
                _log.debug("recovery failed, will retry: %s", problem)
            else:
                _log.warning(
                    "the store has recovered: no acknowledged data was lost, writes are accepted"
                )
                return

    async def _reopen(self, expected: Expected) -> None:
        self._is_reopening = True
        await asyncio.to_thread(self._close_connections)
        tables = tuple(self._tables.values())
        await asyncio.to_thread(restore, self._path, tables, expected, check=self._check)
        self._commits += self._writer.commits
        self._committed_writes += self._writer.committed_writes
        self._assemble()
        self._is_reopening, self.read_only_reason = False, None
        self._notify_followers()

    def _read_only(self) -> None:
        """Allows reads until the next attempt."""
        with suppress(Problem, apsw.Error):
            self._rows.clear()
            self._reader = Reader(schema.connect(self._path), self._clock, self._cursors)
            self._is_reopening = False

    def _close_connections(self) -> None:
        self._writer.end()
        self._checkpoints.close()
        self._reader.close()
        self._connection.close()

    def _idle_connection(self) -> apsw.Connection | None:
        return None if self._writer.is_open else self._connection

    def _notify_followers(self) -> None:
        committed, self._committed = self._committed, asyncio.Event()
        committed.set()

    async def _sweep(self, seconds: float, keep_changes_ms: int) -> None:
        """Removes expired items, old changes and old tokens in small batches, so that no write
        waits long."""
        while True:
            await asyncio.sleep(seconds)
            if self.read_only_reason is not None:
                continue
            try:
                await self._sweep_once(keep_changes_ms)
            except Exception as error:  # for example a full disk; the next sweep may succeed
                _log.warning("expired items could not be removed: %s", error)

    async def _sweep_once(self, keep_changes_ms: int) -> None:
        await self._writer.submit(self._flusher.forget_tokens)
        for table in self._tables.values():
            if table.ttl is not None:
                await self._repeat(partial(self._flusher.remove_expired, table, 200))
            if table.stream:
                await self._repeat(partial(self._flusher.trim, table, keep_changes_ms, 500))

    async def _repeat(self, task: Callable[[], int]) -> None:
        """Repeats the task until it finds nothing to do, with pauses for waiting writes."""
        while await self._writer.submit(task):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def _unpacked(blobs: Sequence[bytes]) -> tuple[Item, ...]:
    return tuple(map(unpack, blobs))
