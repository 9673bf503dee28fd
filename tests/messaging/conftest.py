"""`world`: on each store engine in turn. `unlimited_world`: on SQLite, without rate limits."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.messaging.world import MessagingWorld, world_on
from tests.stores import SQLITE
from tests.world import UNLIMITED


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[MessagingWorld]:
    async with world_on(store_url) as small:
        yield small


@pytest.fixture
async def unlimited_world(tmp_path: Path) -> AsyncIterator[MessagingWorld]:
    """For many people or many cases, which would take too long on DynamoDB Local."""
    async with world_on(f"{SQLITE}{tmp_path}/world.db", UNLIMITED) as wide:
        yield wide
