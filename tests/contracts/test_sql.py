"""What every engine of the SQL database does. conftest.py leaves it out while there is none."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.sql.base import Database, Migration, Row
from tests.contracts.sql_engines import ENGINES

CREATE = Migration("accounts", ("CREATE TABLE accounts (id TEXT PRIMARY KEY, cents BIGINT)",))
FILL = Migration("first account", ("INSERT INTO accounts (id, cents) VALUES ('a', 100)",))


@pytest.fixture(params=ENGINES)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    async with ENGINES[request.param](tmp_path) as opened:
        await opened.migrate([CREATE])
        yield opened


async def accounts(database: Database) -> list[Row]:
    async with database.transaction() as transaction:
        rows = await transaction.execute("SELECT id, cents FROM accounts ORDER BY id")
        return [dict(row) for row in rows]


async def insert(database: Database, id: str, cents: int) -> None:
    async with database.transaction() as transaction:
        await transaction.execute(
            "INSERT INTO accounts (id, cents) VALUES (:id, :cents)", id=id, cents=cents
        )


async def test_a_migration_is_applied_once_even_by_two_nodes(database: Database) -> None:
    await asyncio.gather(*(database.migrate([CREATE, FILL]) for _ in range(2)))
    await database.migrate([CREATE, FILL])
    assert await accounts(database) == [{"id": "a", "cents": 100}]


async def test_a_transaction_is_seen_after_its_commit(database: Database) -> None:
    await insert(database, "it's; --", 2**53 + 1)
    assert await accounts(database) == [{"id": "it's; --", "cents": 2**53 + 1}]


async def test_an_exception_rolls_everything_back(database: Database) -> None:
    await insert(database, "a", 1)

    async def fail_halfway() -> None:
        async with database.transaction() as transaction:
            await transaction.execute("UPDATE accounts SET cents = 2")
            [row] = await transaction.execute("SELECT cents FROM accounts")
            raise LookupError(row["cents"])

    with pytest.raises(LookupError, match="2"):
        await fail_halfway()
    assert await accounts(database) == [{"id": "a", "cents": 1}]


async def test_a_failed_migration_leaves_nothing(database: Database) -> None:
    broken = Migration("broken", (*FILL.statements, "this is no SQL"))
    with pytest.raises(Exception, match=r"."):
        await database.migrate([CREATE, broken])
    assert await accounts(database) == []
    await database.migrate([CREATE, FILL])
    assert await accounts(database) == [{"id": "a", "cents": 100}]
