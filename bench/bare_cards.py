"""The upper limit of `make bench-cards`: the same rows, with nothing read and nothing decided.

The statements of real transitions are recorded once, with their values. They are then written by a
plain `sqlite3` connection, one transaction and commit after the other, and by as many plain
`asyncpg` connections as our pool has, as prepared statements. Both are as durable as ours.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy import Connection, event

from bench.card_load import Haggling, Rates, Timings, bookings_on
from greenroom.bookings.schema import SCHEMA
from greenroom.sql.base import Database
from greenroom.sql.sqlite import SqliteDatabase

T = TypeVar("T")
Statement: TypeAlias = tuple[str, tuple[Any, ...]]
Transaction: TypeAlias = Sequence[Statement]


class Recorded:
    """What each booking writes: to begin, and with each transition."""

    def __init__(self, bookings: Sequence[Sequence[Transaction]]) -> None:
        self.begins = [one[0] for one in bookings]
        self.moves = [one[1:] for one in bookings]


class _Recorder:
    """A database that notes the values that each transaction writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.transactions: list[list[Statement]] = []

    async def write(self, work: Callable[[Connection], T]) -> T:
        def recorded(connection: Connection) -> T:
            made: list[Statement] = []

            def note(_: Any, __: Any, sql: str, values: Any, *___: Any) -> None:
                if not sql.startswith("SELECT"):
                    rows = values if isinstance(values, list) else [values]
                    made.extend((sql, tuple(row)) for row in rows)

            event.listen(connection, "before_cursor_execute", note)
            try:
                return work(connection)
            finally:
                event.remove(connection, "before_cursor_execute", note)
                self.transactions.append(made)

        return await self._database.write(recorded)


async def recorded(folder: Path, bookings: int, moves: int) -> Recorded:
    database = SqliteDatabase(folder / "recorded.db", synchronous="OFF")
    await database.migrate(SCHEMA)
    found = list[Sequence[Transaction]]()
    for number in range(bookings):
        recorder = _Recorder(database)
        one = Haggling(bookings_on(recorder), number)  # type: ignore[arg-type]
        await one.begin()
        for _ in range(moves):
            await one.counter()
        found.append(recorder.transactions)
    await database.close()
    return Recorded(found)


class BareSqlite:
    """On a migrated file."""

    def __init__(self, path: Path, load: Recorded) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._load = load
        self._next = count()
        self._db.execute("BEGIN")
        for one in load.begins:
            self._write(one)
        self._db.execute("COMMIT")

    def measure(self, seconds: float) -> Rates:
        timings, until = Timings(), time.perf_counter() + seconds
        while (begun := time.perf_counter()) < until:
            at, number = divmod(next(self._next), len(self._load.moves))
            if at == len(self._load.moves[number]):
                break  # all that was recorded
            self._db.execute("BEGIN IMMEDIATE")
            self._write(self._load.moves[number][at])
            self._db.execute("COMMIT")
            timings.add(begun)
        return timings.rates()

    def close(self) -> None:
        self._db.close()

    def _write(self, transaction: Transaction) -> None:
        for sql, values in transaction:
            self._db.execute(sql, values)


class BarePostgres:
    """On a migrated schema."""

    def __init__(self, connections: Sequence[asyncpg.Connection], load: Recorded) -> None:
        self._connections = connections
        self._load = load
        self._sql: dict[str, str] = {}
        self._next = [0] * len(load.moves)

    @classmethod
    async def opened(
        cls, url: str, schema: str, connections: int, load: Recorded
    ) -> "BarePostgres":
        settings = {"search_path": schema}
        opened = [await asyncpg.connect(url, server_settings=settings) for _ in range(connections)]
        made = cls(opened, load)
        for one in load.begins:
            await made._write(opened[0], one)
        return made

    async def measure(self, seconds: float) -> Rates:
        timings, until = Timings(), time.perf_counter() + seconds
        pool: asyncio.Queue[asyncpg.Connection] = asyncio.Queue()
        for one in self._connections:
            pool.put_nowait(one)

        async def haggle(number: int) -> None:
            while (begun := time.perf_counter()) < until:
                at = self._next[number]
                if at == len(self._load.moves[number]):
                    break  # all that was recorded
                self._next[number] += 1
                connection = await pool.get()
                await self._write(connection, self._load.moves[number][at])
                pool.put_nowait(connection)
                timings.add(begun)

        await asyncio.gather(*map(haggle, range(len(self._load.moves))))
        return timings.rates()

    async def close(self) -> None:
        for one in self._connections:
            await one.close()

    async def _write(self, connection: asyncpg.Connection, transaction: Transaction) -> None:
        async with connection.transaction():
            for sql, values in transaction:
                statement = self._sql.get(sql) or self._numbered(sql)
                await connection.execute(statement, *values)

    def _numbered(self, sql: str) -> str:
        """`?` as `$1`, `$2`: the way in which asyncpg names values."""
        parts, numbers = sql.split("?"), count(1)
        self._sql[sql] = parts[0] + "".join(f"${next(numbers)}{part}" for part in parts[1:])
        return self._sql[sql]
