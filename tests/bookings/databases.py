"""Migrated databases with the tables of bookings, on each engine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from greenroom.bookings.schema import SCHEMA
from greenroom.sql.base import Database
from tests.sql_databases import fresh_postgres, temporary_sql

ENGINES = ("sqlite", "postgresql")


@asynccontextmanager
async def opened(engine: str, request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    if engine == "sqlite":
        sqlite = temporary_sql((SCHEMA,))
        try:
            yield sqlite
        finally:
            await sqlite.close()
        return
    async with fresh_postgres(request.getfixturevalue("postgresql_url")) as database:
        await database.migrate(SCHEMA)
        yield database
