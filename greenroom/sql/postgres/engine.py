"""The engine of the SQL database on PostgreSQL, with a pool of connections.

    write   READ COMMITTED                 run again after a deadlock or a lost connection
    read    REPEATABLE READ, READ ONLY     one snapshot

Careful: what is lost during the commit is not run again, because it may have been committed.
"""

import asyncio
import random
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, NullPool, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from greenroom.errors import Problem
from greenroom.sql.base import Schema
from greenroom.sql.checked_values import check_values
from greenroom.sql.migrations import upgrade
from greenroom.sql.postgres.errors import Kind, kind_of, reason_of
from greenroom.sql.postgres.location import Location
from greenroom.sql.problems import (
    DatabaseBusy,
    DatabaseOutcomeUnknown,
    DatabaseUnavailable,
    MigrationFailed,
)

T = TypeVar("T")
_ATTEMPTS = 5
_FIRST_DELAY = 0.01
_CONNECT_SECONDS, _POOL_SECONDS, _COMMAND_SECONDS = 5.0, 5.0, 20.0
_LIMITS = {
    "lock_timeout": "5s",
    "statement_timeout": "10s",
    "idle_in_transaction_session_timeout": "30s",
}
_LIMITS_TO_MIGRATE = {"lock_timeout": "60s", "statement_timeout": "0"}
_MIGRATE_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


class PostgresDatabase:
    """Connects with the first call."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._engine = _engine(
            location,
            _LIMITS,
            pool_size=location.pool,
            max_overflow=0,
            pool_timeout=_POOL_SECONDS,
            pool_recycle=1800,
            isolation_level="READ COMMITTED",
        )
        self._reading = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        self._is_closed = False

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._repeated(self._engine, work, commits=True)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._repeated(self._reading, work, commits=False)

    async def migrate(self, schema: Schema) -> None:
        engine = _engine(self._location, _LIMITS_TO_MIGRATE, seconds=None, poolclass=NullPool)
        place = self._location.schema

        def work(connection: Connection) -> None:
            connection.execute(_MIGRATE_LOCK, {"name": f"greenroom migrations of {place}"})
            if place is not None:
                connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{place}"'))
            try:
                upgrade(connection, schema)
            except Exception as error:
                if isinstance(error, Problem) or kind_of(error) is not Kind.OTHER:
                    raise
                raise MigrationFailed(schema.name, reason_of(error)) from error

        try:
            await self._repeated(engine, work, commits=True)
        finally:
            await engine.dispose()

    async def close(self) -> None:
        self._is_closed = True
        await self._engine.dispose()

    async def _repeated(
        self, engine: AsyncEngine, work: Callable[[Connection], T], *, commits: bool
    ) -> T:
        attempt = 0
        while True:
            if self._is_closed:
                raise DatabaseUnavailable("the server stops")
            attempt += 1
            try:
                return await _run(engine, work, commits=commits)
            except Problem:
                raise
            except Exception as error:
                problem = _problem(error)
                if problem is None:
                    raise
                if attempt == _ATTEMPTS or kind_of(error) is Kind.BUSY:
                    raise problem from error
            await asyncio.sleep(_FIRST_DELAY * 2**attempt * random.uniform(0.5, 1))


async def _run(engine: AsyncEngine, work: Callable[[Connection], T], *, commits: bool) -> T:
    async with engine.connect() as connection:
        result = await connection.run_sync(work)
        if commits:
            await _commit(connection)
        return result


async def _commit(connection: AsyncConnection) -> None:
    try:
        await connection.commit()
    except Exception as error:
        if kind_of(error) is Kind.LOST:
            raise DatabaseOutcomeUnknown(reason_of(error)) from error
        raise


def _problem(error: Exception) -> Problem | None:
    match kind_of(error):
        case Kind.CONFLICT | Kind.BUSY:
            return DatabaseBusy()
        case Kind.LOST:
            return DatabaseUnavailable(reason_of(error))
        case Kind.OTHER:
            return None


def _engine(
    location: Location,
    limits: dict[str, str],
    *,
    seconds: float | None = _COMMAND_SECONDS,
    **options: Any,
) -> AsyncEngine:
    server = {"application_name": "greenroom", **limits}
    if location.schema is not None:
        server["search_path"] = location.schema
    connect = {"timeout": _CONNECT_SECONDS, "command_timeout": seconds, "server_settings": server}
    engine = create_async_engine(location.url, connect_args=connect, **options)
    check_values(engine.sync_engine)
    return engine
