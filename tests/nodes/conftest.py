"""`cluster`: nodes on the same tables and bus with a stopped clock, so that no cache expires by
time; `living`: the same with the real clock.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import uvloop

from greenroom.clock import ManualClock, SystemClock
from tests.nodes.cluster import Cluster, cluster_on
from tests.stores import IN_2100_MS


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
async def cluster(dynamodb_url: str) -> AsyncIterator[Cluster]:
    async with cluster_on(dynamodb_url, ManualClock(IN_2100_MS)) as made:
        yield made


@pytest.fixture
async def living(dynamodb_url: str) -> AsyncIterator[Cluster]:
    async with cluster_on(dynamodb_url, SystemClock()) as made:
        yield made
