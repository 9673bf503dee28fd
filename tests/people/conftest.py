"""`people`: the context on each store engine in turn, with an empty table and a held clock."""

from collections.abc import AsyncIterator

import pytest

from greenroom.clock import HeldClock
from greenroom.ids import Ids
from greenroom.people import People, records
from tests.stores import fresh_store


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock()


@pytest.fixture
async def people(store_url: str, clock: HeldClock) -> AsyncIterator[People]:
    async with fresh_store(store_url, records.TABLES, clock) as store:
        yield People(store, clock, Ids(clock))
