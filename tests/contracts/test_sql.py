"""What every engine of the SQL database does."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, inspect, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from greenroom.errors import Problem
from greenroom.sql.base import Database
from greenroom.sql.problems import (
    DatabaseTooNew,
    DatabaseUnavailable,
    InvalidSqlValue,
    MigrationFailed,
)
from greenroom.sql.sqlite import SqliteDatabase
from tests.contracts.sql_engines import ENGINES
from tests.contracts.sql_tables import ACCOUNTS, BROKEN, NEXT, POSTINGS, SCHEMA
from tests.sql_databases import differences


@pytest.fixture(params=ENGINES)
async def empty(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    async with ENGINES[request.param](request) as opened:
        yield opened


@pytest.fixture
async def database(empty: Database) -> Database:
    await empty.migrate(SCHEMA)
    return empty


def accounts(connection: Connection) -> dict[str, int]:
    rows = connection.execute(select(ACCOUNTS).order_by(ACCOUNTS.c.id))
    return {row.id: row.cents for row in rows}


def inserting(id: str, cents: int) -> Callable[[Connection], None]:
    def work(connection: Connection) -> None:
        connection.execute(insert(ACCOUNTS).values(id=id, cents=cents))

    return work


def adding(id: str, cents: int) -> Callable[[Connection], int]:
    """Reads the account, and writes what it makes of it."""

    def work(connection: Connection) -> int:
        query = select(ACCOUNTS.c.cents).where(ACCOUNTS.c.id == id).with_for_update()
        total: int = connection.execute(query).scalar_one() + cents
        connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == id).values(cents=total))
        return total

    return work


# Transactions.


async def test_a_write_is_seen_after_its_commit(database: Database) -> None:
    await database.write(inserting("it's; -- \U0001f469\u200d\U0001f680", 2**53 + 1))
    found = await database.read(accounts)
    assert found == {"it's; -- \U0001f469\u200d\U0001f680": 2**53 + 1}


async def test_a_write_returns_what_its_work_returns(database: Database) -> None:
    await database.write(inserting("a", 1))
    assert await database.write(adding("a", 2)) == 3


async def test_an_exception_rolls_everything_back(database: Database) -> None:
    await database.write(inserting("a", 1))

    def fail_halfway(connection: Connection) -> None:
        raise LookupError(adding("a", 1)(connection))

    with pytest.raises(LookupError, match="2"):
        await database.write(fail_halfway)
    assert await database.read(accounts) == {"a": 1}


async def test_a_refused_statement_rolls_everything_back(database: Database) -> None:
    await database.write(inserting("a", 1))

    def insert_twice(connection: Connection) -> None:
        inserting("b", 1)(connection)
        inserting("a", 1)(connection)

    with pytest.raises(IntegrityError):
        await database.write(insert_twice)
    assert await database.read(accounts) == {"a": 1}


async def test_a_row_that_another_one_must_have_cannot_be_missing(database: Database) -> None:
    with pytest.raises(IntegrityError):
        await database.write(
            lambda c: c.execute(insert(POSTINGS).values(id="t", account="a", cents=1))
        )


async def test_a_failing_work_takes_nobody_with_it(database: Database) -> None:
    """They may share a commit."""
    await database.write(inserting("a", 0))
    works = [adding("a", 1) if n % 3 else inserting("a", 1) for n in range(30)]
    ended = await asyncio.gather(*map(database.write, works), return_exceptions=True)
    assert sum(isinstance(one, IntegrityError) for one in ended) == 10
    assert sorted(one for one in ended if isinstance(one, int)) == list(range(1, 21))
    assert await database.read(accounts) == {"a": 20}


async def test_writers_of_a_locked_row_pass_one_after_the_other(database: Database) -> None:
    await database.write(inserting("a", 0))
    totals = await asyncio.gather(*(database.write(adding("a", 1)) for _ in range(50)))
    assert sorted(totals) == list(range(1, 51))


async def test_a_cancelled_write_leaves_the_database_usable(database: Database) -> None:
    await database.write(inserting("a", 0))
    tasks = [asyncio.create_task(database.write(adding("a", 1))) for _ in range(20)]
    await asyncio.sleep(0.005)
    for task in tasks[::2]:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    kept = [one for one in ended if isinstance(one, int)]
    assert len(kept) >= 10
    assert max(kept) <= await database.write(adding("a", 0)) <= 20


async def test_a_work_is_run_again_after_a_deadlock_and_takes_effect_once(
    database: Database,
) -> None:
    await database.write(inserting("a", 0))
    await database.write(inserting("b", 0))
    runs: list[str] = []

    async def cross(first: str, second: str) -> None:
        def work(connection: Connection) -> None:
            adding(first, 1)(connection)
            runs.append(first)
            while not is_alone and len(runs) < 2:  # both hold what the other one wants
                connection.execute(text("SELECT pg_sleep(0.005)"))
            adding(second, 1)(connection)

        await database.write(work)

    is_alone = isinstance(database, SqliteDatabase)
    await asyncio.gather(cross("a", "b"), cross("b", "a"))
    assert await database.read(accounts) == {"a": 2, "b": 2}
    assert len(runs) == 2 if is_alone else len(runs) > 2, "PostgreSQL ends one of two in a deadlock"


async def test_a_read_sees_one_snapshot(database: Database) -> None:
    await database.write(inserting("a", 1))
    loop = asyncio.get_running_loop()

    def twice(connection: Connection) -> tuple[dict[str, int], dict[str, int]]:
        before = accounts(connection)
        return before, accounts(connection)

    async def keep_writing() -> None:
        while not done.is_set():
            await database.write(adding("a", 1))

    done = asyncio.Event()
    writing = loop.create_task(keep_writing())
    for before, after in await asyncio.gather(*(database.read(twice) for _ in range(20))):
        assert before == after
    done.set()
    await writing


async def test_a_read_cannot_write(database: Database) -> None:
    with pytest.raises((DBAPIError, Problem)):
        await database.read(inserting("a", 1))
    assert await database.read(accounts) == {}
    await database.write(inserting("a", 1))


async def test_a_closed_database_refuses(database: Database) -> None:
    await database.write(inserting("a", 1))
    await database.close()
    await database.close()
    for call in (database.read(accounts), database.write(accounts), database.migrate(SCHEMA)):
        with pytest.raises(DatabaseUnavailable):
            await call


# Values.


@pytest.mark.parametrize("id", ["\0", "a\0b", "\ud800"])
async def test_a_text_that_one_engine_cannot_store_is_refused_by_both(
    database: Database, id: str
) -> None:
    with pytest.raises(InvalidSqlValue):
        await database.write(inserting(id, 1))


@pytest.mark.parametrize("cents", [2**63, -(2**63) - 1, 10**40])
async def test_a_number_of_more_than_64_bits_is_refused(database: Database, cents: int) -> None:
    with pytest.raises(InvalidSqlValue):
        await database.write(inserting("a", cents))


async def test_the_largest_numbers_are_kept(database: Database) -> None:
    await database.write(inserting("a", 2**63 - 1))
    await database.write(inserting("b", -(2**63)))
    assert await database.read(accounts) == {"a": 2**63 - 1, "b": -(2**63)}


async def test_text_is_ordered_by_its_bytes(database: Database) -> None:
    ids = ["a", "B", "Z", "_", "ä", "é", "~", "ab", "a b", "😀", "\ufb01", ""]
    for id in ids:
        await database.write(inserting(id, 1))
    assert list(await database.read(accounts)) == sorted(ids, key=str.encode)
    least = select(func.count()).where(ACCOUNTS.c.id < "a")
    count = await database.read(lambda connection: connection.execute(least).scalar_one())
    assert count == sum(id < "a" for id in ids)


# Migrations.


async def test_a_migrated_database_has_the_tables_of_the_schema(database: Database) -> None:
    assert await differences(database, SCHEMA) == []
    assert await differences(database, replace(SCHEMA, metadata=type(SCHEMA.metadata)())) != []


async def test_a_migration_is_applied_once_even_by_two_nodes(empty: Database) -> None:
    await asyncio.gather(*(empty.migrate(NEXT) for _ in range(4)))
    await empty.migrate(NEXT)
    assert await empty.read(accounts) == {"first": 100}


async def test_a_later_migration_finds_what_the_earlier_one_made(database: Database) -> None:
    await database.write(inserting("a", 1))
    await database.migrate(NEXT)
    assert await database.read(accounts) == {"a": 1, "first": 100}


async def test_a_failed_migration_leaves_nothing(database: Database) -> None:
    with pytest.raises(MigrationFailed):
        await database.migrate(BROKEN)
    assert await database.read(accounts) == {}
    assert await database.read(tables) == {"accounts", "postings", SCHEMA.version_table}
    await database.migrate(NEXT)
    assert await database.read(accounts) == {"first": 100}


async def test_a_database_of_a_newer_version_is_refused(database: Database) -> None:
    await database.migrate(NEXT)
    with pytest.raises(DatabaseTooNew, match="0002"):
        await database.migrate(SCHEMA)


async def test_each_schema_has_its_own_version(database: Database) -> None:
    other = replace(SCHEMA, name="others")
    with pytest.raises(Exception, match="accounts"):  # its tables are there already
        await database.migrate(other)


def tables(connection: Connection) -> set[Any]:
    return set(inspect(connection).get_table_names())
