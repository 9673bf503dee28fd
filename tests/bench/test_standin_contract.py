"""The store's contract tests, without those of limits, on the benchmark's stand-in."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest

from greenroom.clock import ManualClock
from greenroom.store.dynamo import DynamoStore
from tests.contracts.tables import TABLES
from tests.contracts.test_store_conditions import *  # noqa: F403
from tests.contracts.test_store_expiry import *  # noqa: F403
from tests.contracts.test_store_transactions import *  # noqa: F403
from tests.stores import IN_2100_MS, SECRET


@pytest.fixture(scope="module")
def standin_at() -> Iterator[str]:
    command = [sys.executable, "-m", "bench.standin.server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
def token() -> str:
    return uuid4().hex


@pytest.fixture
async def store(standin_at: str, clock: ManualClock) -> AsyncIterator[DynamoStore]:
    url = f"dynamodb+http://{standin_at}?prefix=t{uuid4().hex[:12]}-"
    async with await DynamoStore.open(
        url, TABLES, clock=clock, cursor_secret=SECRET, create=True
    ) as opened:
        yield opened
