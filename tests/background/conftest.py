"""One fixture, `store`, that is each engine in turn, with the tables of the background."""

from collections.abc import AsyncIterator

import pytest

from greenroom.background import records
from greenroom.clock import ManualClock
from greenroom.store.base import Store
from tests.background.fixtures import JOURNAL, NOTES
from tests.stores import IN_2100_MS, fresh_store

TABLES = (*records.TABLES, NOTES, JOURNAL)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
async def store(store_url: str, clock: ManualClock) -> AsyncIterator[Store]:
    async with fresh_store(store_url, TABLES, clock) as opened:
        yield opened
