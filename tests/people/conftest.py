"""`people`: the context on each store engine in turn, with an empty table and a held clock."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from greenroom.clock import HeldClock
from greenroom.ids import Ids
from greenroom.people import People, records
from greenroom.store.base import Store
from greenroom.store.dynamo import DynamoStore
from greenroom.store.sqlite import SqliteStore

_SECRET = b"a secret for the cursors of tests"


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock()


@pytest.fixture(params=["sqlite", "dynamodb"])
async def people(
    request: pytest.FixtureRequest, tmp_path: Path, clock: HeldClock
) -> AsyncIterator[People]:
    store: Store
    if request.param == "sqlite":
        store = await SqliteStore.open(
            tmp_path / "people.db", records.TABLES, clock=clock, cursor_secret=_SECRET
        )
    else:
        url = f"{request.getfixturevalue('dynamodb_url')}&prefix=people-{uuid4().hex[:12]}-"
        store = await DynamoStore.open(
            url, records.TABLES, clock=clock, cursor_secret=_SECRET, create=True
        )
    yield People(store, clock, Ids(clock))
    await store.close()
