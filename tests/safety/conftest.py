"""`world`: the small world, on each store engine in turn."""

from collections.abc import AsyncIterator

import pytest

from greenroom.clock import HeldClock
from tests.safety.world import TABLES, World, furnished
from tests.stores import IN_2100_MS, fresh_store


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[World]:
    clock = HeldClock(IN_2100_MS)
    async with fresh_store(store_url, TABLES, clock) as store:
        yield await furnished(store, clock)
