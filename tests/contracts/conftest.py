"""The fixtures `store` and `engine`: each engine in turn, with new empty tables, or no blobs.

The suites of ports that have no engine yet are left out: they would count as skipped.
"""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from greenroom.blobs.base import Blobs
from greenroom.clock import ManualClock
from greenroom.store.base import Store
from tests.contracts import sql_engines
from tests.contracts.blob_engines import ENGINES, BlobEngine
from tests.contracts.tables import TABLES
from tests.stores import IN_2100_MS, fresh_store

_SUITES = {"test_sql.py": sql_engines.ENGINES}
collect_ignore = [suite for suite, engines in _SUITES.items() if not engines]


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
