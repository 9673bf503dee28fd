"""The fixtures `store` and `engine`: each engine in turn, with new empty tables, or no blobs."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from greenroom.blobs.base import Blobs
from greenroom.clock import ManualClock
from greenroom.store.base import Store
from tests.contracts.blob_engines import ENGINES, BlobEngine
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


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[BlobEngine]:
    async with ENGINES[request.param](request) as opened:
        yield opened


@pytest.fixture
def blobs(engine: BlobEngine) -> Blobs:
    return engine.blobs
