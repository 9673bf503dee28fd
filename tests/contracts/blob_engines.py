"""The engines of the blob store that test_blobs.py runs on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from greenroom.blobs.base import Blobs
from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import ManualClock
from tests.buckets import fresh_bucket
from tests.socket.node import serving
from tests.stores import IN_2100_MS, SECRET


@dataclass(frozen=True)
class BlobEngine:
    """An empty blob store, and what a test needs to reach it as a client does."""

    blobs: Blobs
    origin: str
    """Where a presigned URL leads that is relative to the server."""
    wait: Callable[[float], Awaitable[None]]
    """Returns when so many seconds have passed for the engine."""


Opened: TypeAlias = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[BlobEngine]]


@asynccontextmanager
async def _folder(request: pytest.FixtureRequest) -> AsyncIterator[BlobEngine]:
    path: Path = request.getfixturevalue("tmp_path")
    clock = ManualClock(IN_2100_MS)
    blobs = FolderBlobs(path / "files", SECRET, clock)

    async def wait(seconds: float) -> None:
        clock.advance(ms=int(seconds * 1000))
        await asyncio.sleep(0)

    async with serving(path, clock=clock, blobs=blobs) as node:
        yield BlobEngine(blobs, node.url, wait)
    await blobs.close()


@asynccontextmanager
async def _s3(request: pytest.FixtureRequest) -> AsyncIterator[BlobEngine]:
    async with fresh_bucket(request.getfixturevalue("s3_url")) as blobs:
        yield BlobEngine(blobs, "", asyncio.sleep)


ENGINES: Mapping[str, Opened] = {"folder": _folder, "s3": _s3}
