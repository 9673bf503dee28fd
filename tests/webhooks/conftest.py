"""`world`: messaging and the event log, on each store engine in turn."""

from collections.abc import AsyncIterator

import pytest

from tests.messaging.world import MessagingWorld, world_on
from tests.world import UNLIMITED


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[MessagingWorld]:
    async with world_on(store_url, UNLIMITED) as small:
        yield small
