"""What happens when the SQLite file is foreign, full, or in use by another process."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, insert, select, text

from greenroom.sql.problems import DatabaseForeign, DatabaseUnavailable
from greenroom.sql.sqlite import SqliteDatabase
from tests.contracts.sql_tables import ACCOUNTS, SCHEMA
from tests.sql_databases import fresh_sqlite


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with fresh_sqlite(tmp_path) as opened:
        await opened.migrate(SCHEMA)
        yield opened


def add(connection: Connection, id: str = "a", size: int = 1) -> None:
    connection.execute(insert(ACCOUNTS).values(id=id + "x" * size, cents=1))


def count(connection: Connection) -> int:
    found: int = connection.execute(select(func.count()).select_from(ACCOUNTS)).scalar_one()
    return found


async def test_a_full_disk_refuses_one_work_and_the_next_ones_are_saved(
    database: SqliteDatabase,
) -> None:
    await database.write(lambda c: c.execute(text("PRAGMA max_page_count=20")).all())
    works = [
        database.write(lambda c, n=n: add(c, f"{n}", 500_000 if n == 3 else 1))  # type: ignore[misc]
        for n in range(8)
    ]
    ended = await asyncio.gather(*works, return_exceptions=True)
    assert [isinstance(one, DatabaseUnavailable) for one in ended] == [n == 3 for n in range(8)]
    assert await database.read(count) == 7


async def test_works_that_wait_together_share_a_commit(database: SqliteDatabase) -> None:
    before = database.writer.commits
    await asyncio.gather(
        *(database.write(lambda c, n=n: add(c, f"{n}")) for n in range(64))  # type: ignore[misc]
    )
    assert await database.read(count) == 64
    assert database.writer.commits - before < 40


async def test_another_process_may_write_in_between(database: SqliteDatabase) -> None:
    await database.write(add)
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writing = asyncio.create_task(database.write(lambda c: add(c, "b")))
    await asyncio.sleep(0.05)
    other.execute("INSERT INTO accounts VALUES ('c', 1)")
    other.execute("COMMIT")
    other.close()
    await writing
    assert await database.read(count) == 3


@pytest.mark.parametrize("content", ["CREATE TABLE t (id)", "PRAGMA application_id=7"])
async def test_the_file_of_another_program_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute(content)
    database = SqliteDatabase(path)
    with pytest.raises(DatabaseForeign):
        await database.write(count)
    with pytest.raises(DatabaseForeign):
        await database.migrate(SCHEMA)
    await database.close()


async def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("these are words, not pages" * 100)
    database = SqliteDatabase(path)
    for call in (database.read(count), database.write(count), database.migrate(SCHEMA)):
        with pytest.raises(DatabaseUnavailable, match="not a database"):
            await call
    await database.close()


async def test_a_write_is_on_disk_when_it_returns(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "sql.db")
    level = text("PRAGMA synchronous")
    assert await database.write(lambda c: c.execute(level).scalar_one()) == 2, "FULL"
    await database.close()
