"""Fixtures of the tests of files."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.clock import ManualClock
from tests.files.checks import CheckWorld, check_world
from tests.files.world import TABLES, FilesWorld, files_world
from tests.stores import IN_2100_MS, fresh_store


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[FilesWorld]:
    """People and files, on each store engine in turn."""
    clock = ManualClock(IN_2100_MS)
    async with fresh_store(store_url, TABLES, clock) as store:
        yield await files_world(store, clock)


@pytest.fixture
async def checks(tmp_path: Path) -> AsyncIterator[CheckWorld]:
    async with check_world(tmp_path) as world:
        yield world
