"""Blob stores on S3 for tests. Each has a prefix of its own in the bucket of the test run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from greenroom.aws.retries import RetryPolicy
from greenroom.blobs.s3 import S3Blobs, parse_location
from greenroom.clock import Clock, SystemClock

QUICK = RetryPolicy(attempts=3, seconds=5.0, first_delay=0.01, longest_delay=0.1)


def with_prefix(url: str) -> str:
    """As in GREENROOM_BLOBS, with an unused prefix."""
    return f"{url}&prefix={uuid4().hex[:12]}/"


@asynccontextmanager
async def fresh_bucket(url: str, clock: Clock | None = None) -> AsyncIterator[S3Blobs]:
    """Careful: the server accepts the real time only."""
    async with opened(with_prefix(url), clock) as blobs:
        yield blobs


@asynccontextmanager
async def opened(url: str, clock: Clock | None = None) -> AsyncIterator[S3Blobs]:
    blobs = S3Blobs(parse_location(url), clock or SystemClock(), QUICK)
    try:
        await blobs.open()
        yield blobs
    finally:
        await blobs.close()
