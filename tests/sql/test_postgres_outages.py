"""What happens when the connection to PostgreSQL is lost, before and during a commit."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection, func, insert, select

from greenroom.errors import Unavailable
from greenroom.sql.postgres import PostgresDatabase, parse_location
from greenroom.sql.problems import DatabaseOutcomeUnknown, DatabaseUnavailable
from tests.contracts.sql_tables import ACCOUNTS, SCHEMA
from tests.sql.cut_proxy import CutProxy, cut_proxy
from tests.sql_databases import fresh_postgres_url


@dataclass
class Remote:
    database: PostgresDatabase
    proxy: CutProxy
    runs: int = 0

    def inserting(self, id: str) -> Callable[[Connection], None]:
        def work(connection: Connection) -> None:
            self.runs += 1
            connection.execute(insert(ACCOUNTS).values(id=id, cents=1))

        return work

    async def count(self) -> int:
        query = select(func.count()).select_from(ACCOUNTS)
        found: int = await self.database.read(lambda c: c.execute(query).scalar_one())
        return found


@pytest.fixture
async def remote(postgresql_url: str) -> AsyncIterator[Remote]:
    async with fresh_postgres_url(postgresql_url) as own, cut_proxy(own) as (proxy, url):
        database = PostgresDatabase(parse_location(url))
        await database.migrate(SCHEMA)
        yield Remote(database, proxy)
        await database.close()


@pytest.mark.parametrize("arrives", [False, True])
async def test_a_connection_lost_before_the_commit_is_not_noticed(
    remote: Remote, arrives: bool
) -> None:
    remote.proxy.cut(b"INSERT", arrives=arrives)
    await remote.database.write(remote.inserting("a"))
    assert await remote.count() == 1
    assert remote.runs == 2


async def test_connections_that_broke_while_idle_are_replaced(remote: Remote) -> None:
    await asyncio.gather(*(remote.database.write(remote.inserting(f"{n}")) for n in range(5)))
    remote.proxy.drop_all()
    await asyncio.gather(*(remote.database.write(remote.inserting(f"b{n}")) for n in range(5)))
    assert await remote.count() == 10


@pytest.mark.parametrize(("arrives", "saved"), [(False, 0), (True, 1)])
async def test_a_commit_whose_answer_is_lost_is_not_repeated(
    remote: Remote, arrives: bool, saved: int
) -> None:
    remote.proxy.cut(b"COMMIT;", arrives=arrives)
    with pytest.raises(DatabaseOutcomeUnknown, match="same key"):
        await remote.database.write(remote.inserting("a"))
    assert await remote.count() == saved
    assert remote.runs == 1


async def test_while_the_server_is_gone_calls_are_refused_and_then_work_again(
    remote: Remote,
) -> None:
    remote.proxy.is_down = True
    remote.proxy.drop_all()
    with pytest.raises(DatabaseUnavailable) as refused:
        await asyncio.wait_for(remote.database.write(remote.inserting("a")), 5)
    assert isinstance(refused.value, Unavailable), "background work tries again"
    remote.proxy.is_down = False
    await remote.database.write(remote.inserting("a"))
    assert await remote.count() == 1
