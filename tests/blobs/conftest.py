"""A folder of blobs, and a clock that the test moves."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import ManualClock
from tests.stores import SECRET


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
async def blobs(folder: Path, clock: ManualClock) -> AsyncIterator[FolderBlobs]:
    opened = FolderBlobs(folder, SECRET, clock)
    yield opened
    await opened.close()
