"""`world`: the safety world, on each store engine in turn."""

from collections.abc import AsyncIterator

import pytest

from greenroom.clock import ManualClock
from tests.safety.world import TABLES, SafetyWorld, safety_world
from tests.stores import IN_2100_MS, fresh_store


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[SafetyWorld]:
    clock = ManualClock(IN_2100_MS)
    async with fresh_store(store_url, TABLES, clock) as store:
        yield await safety_world(store, clock)
