"""One fixture, `store`, that is each engine in turn, with fresh and empty tables."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from greenroom.clock import HeldClock
from greenroom.store.base import Store
from greenroom.store.dynamo import DynamoStore
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import IN_2100_MS, TABLES, drop_tables

SECRET = b"a secret for cursors"


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(IN_2100_MS)


@pytest.fixture
def token() -> str:
    """One that nobody has used."""
    return uuid4().hex


@pytest.fixture(params=["sqlite", "dynamodb"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, clock: HeldClock
) -> AsyncIterator[Store]:
    if request.param == "sqlite":
        path = tmp_path / "store.db"
        sqlite = await SqliteStore.open(path, TABLES, clock=clock, cursor_secret=SECRET)
        yield sqlite
        await sqlite.close()
        return
    url = f"{request.getfixturevalue('dynamodb_url')}&prefix=t{uuid4().hex[:12]}-"
    dynamo = await DynamoStore.open(url, TABLES, clock=clock, cursor_secret=SECRET, create=True)
    yield dynamo
    await drop_tables(dynamo)
    await dynamo.close()
