"""Fixtures of the bookings tests."""

from collections.abc import AsyncIterator

import pytest

from tests.bookings.databases import ENGINES, opened
from tests.bookings.deal import Deal, deal_on


@pytest.fixture(params=ENGINES)
async def deal(request: pytest.FixtureRequest) -> AsyncIterator[Deal]:
    """A buyer and a provider in a thread, on each SQL engine."""
    async with opened(request.param, request) as database:
        yield deal_on(database)


@pytest.fixture
async def sqlite_deal(request: pytest.FixtureRequest) -> AsyncIterator[Deal]:
    """The same on SQLite alone, for rules that no engine changes."""
    async with opened("sqlite", request) as database:
        yield deal_on(database)
