"""The fixture `store`: each engine in turn, with new empty tables."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Store
from tests.contracts.tables import TABLES
from tests.stores import IN_2100_MS, fresh_store


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
def token() -> str:
    """A new random token."""
    return uuid4().hex


@pytest.fixture
async def store(store_url: str, clock: ManualClock) -> AsyncIterator[Store]:
    async with fresh_store(store_url, TABLES, clock) as opened:
        yield opened
