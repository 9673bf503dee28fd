"""`client`: the whole HTTP app on an empty SQLite file."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import AsyncTestClient

from greenroom.api.http import http_app
from greenroom.clock import HeldClock
from greenroom.demo import furnish
from greenroom.ids import Ids
from greenroom.people import People, records
from greenroom.store.sqlite import SqliteStore


@pytest.fixture
async def people(tmp_path: Path) -> AsyncIterator[People]:
    clock = HeldClock()
    async with await SqliteStore.open(
        tmp_path / "api.db", records.TABLES, clock=clock, cursor_secret=b"a secret for cursors"
    ) as store:
        yield People(store, clock, Ids(clock))


class World:
    """What `readyz` finds, which a test may change."""

    problem: Exception | None = None

    async def ready(self) -> None:
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def client(people: People, world: World) -> AsyncIterator[AsyncTestClient[Litestar]]:
    app = http_app(people, world.ready, await furnish(people))
    async with AsyncTestClient(app, raise_server_exceptions=False) as asked:
        yield asked
