"""Fixtures of the tests of cards in conversations."""

from collections.abc import AsyncIterator

import pytest

from tests.cards.world import ENGINES, CardWorld, card_world


@pytest.fixture(params=ENGINES)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[CardWorld]:
    """On each pair of engines."""
    async with card_world(request.param, request) as opened:
        yield opened


@pytest.fixture
async def local(request: pytest.FixtureRequest) -> AsyncIterator[CardWorld]:
    """On SQLite alone."""
    async with card_world("sqlite", request) as opened:
        yield opened
