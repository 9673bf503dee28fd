"""`people`: the context on each store engine in turn, with an empty table and a manual clock."""

from collections.abc import AsyncIterator

import pytest

from greenroom.clock import ManualClock
from greenroom.people import People, records
from tests.stores import fresh_store
from tests.world import World


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def people(store_url: str, clock: ManualClock) -> AsyncIterator[People]:
    async with fresh_store(store_url, records.TABLES, clock) as store:
        yield World.over(store, clock).people
