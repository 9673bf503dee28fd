"""`world`: the small world, on each store engine in turn."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.clock import HeldClock
from tests.safety.world import IN_2100_MS, World, furnished, open_store


@pytest.fixture(params=["sqlite", "dynamodb"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    clock = HeldClock(IN_2100_MS)
    url = request.getfixturevalue("dynamodb_url") if request.param == "dynamodb" else ""
    store = await open_store(request.param, tmp_path, clock, url)
    yield await furnished(store, clock)
    await store.close()
