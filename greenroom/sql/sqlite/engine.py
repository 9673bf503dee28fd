"""The engine of the SQL database on one SQLite file: a thread that writes, and some that read."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from greenroom.errors import Problem
from greenroom.sql.base import Schema
from greenroom.sql.migrations import upgrade
from greenroom.sql.problems import DatabaseUnavailable, MigrationFailed
from greenroom.sql.sqlite.connections import (
    driver_of,
    engine_for,
    engine_to_migrate,
)
from greenroom.sql.sqlite.errors import translating
from greenroom.sql.sqlite.readers import Readers
from greenroom.sql.sqlite.writer import Job, Writer

T = TypeVar("T")
_MIGRATION_SECONDS = 60.0


class SqliteDatabase:
    """The file is opened with the first call. Other processes may use it at the same time."""

    def __init__(self, path: Path, *, synchronous: str = "FULL") -> None:
        self.path = path
        self.writer = Writer(partial(engine_for, path, synchronous))
        self._readers = Readers(path)
        self._is_closed = False

    async def write(self, work: Callable[[Connection], T]) -> T:
        self._check_open()
        job = Job(work, asyncio.get_running_loop().create_future())
        self.writer.submit(job)
        result: T = await job.done
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        self._check_open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers.threads, self._readers.run, work)

    async def migrate(self, schema: Schema) -> None:
        self._check_open()
        await asyncio.to_thread(_migrate, self.path, schema)

    async def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self.writer.stop()
            await asyncio.to_thread(self._wait_for_threads)

    def _wait_for_threads(self) -> None:
        self.writer.join()
        self._readers.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise DatabaseUnavailable("the server stops")


def _migrate(path: Path, schema: Schema) -> None:
    engine = engine_to_migrate(path, _MIGRATION_SECONDS)
    with translating(), engine.connect() as connection, connection.begin():
        driver = driver_of(connection)
        driver.execute("BEGIN IMMEDIATE")
        try:
            upgrade(connection, schema)
        except Problem:
            raise
        except Exception as error:
            raise MigrationFailed(schema.name, str(getattr(error, "orig", error))) from error
        if wrong := driver.execute("PRAGMA foreign_key_check").fetchone():
            reason = f"rows of {wrong[0]} name rows of {wrong[2]} that do not exist"
            raise MigrationFailed(schema.name, reason)
