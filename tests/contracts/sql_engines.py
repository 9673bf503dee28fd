"""The engines of the SQL database that test_sql.py runs on."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import pytest

from greenroom.sql.base import Database
from tests.sql_databases import fresh_postgres, fresh_sqlite

Opened: TypeAlias = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[Database]]
"""Opens an empty database for this test."""


@asynccontextmanager
async def _sqlite(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    async with fresh_sqlite(request.getfixturevalue("tmp_path")) as database:
        yield database


@asynccontextmanager
async def _postgres(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    async with fresh_postgres(request.getfixturevalue("postgresql_url")) as database:
        yield database


ENGINES: Mapping[str, Opened] = {"sqlite": _sqlite, "postgresql": _postgres}
