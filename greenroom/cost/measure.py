"""Measures the patterns: each on a fixture of its own, side by side on one store."""

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from greenroom.app import TABLES
from greenroom.clock import ManualClock
from greenroom.cost.counted_blobs import (
    DOLLARS_PER_MILLION_GETS,
    DOLLARS_PER_MILLION_PUTS,
    BlobRequests,
)
from greenroom.cost.fixture import BEGIN_MS, Fixture
from greenroom.cost.pattern import Pattern
from greenroom.store.base import Store
from greenroom.store.capacity import Cost
from greenroom.store.sqlite import SqliteStore

DOLLARS_PER_MILLION_WRITES = 0.625
DOLLARS_PER_MILLION_READS = 0.125
LIST_PRICE = (
    f"${DOLLARS_PER_MILLION_WRITES} for a million write units and ${DOLLARS_PER_MILLION_READS} for "
    "a million read units: AWS's list price for DynamoDB on demand, standard tables, us-east-1, "
    "since 1 November 2024; looked up in November 2026"
)

BLOB_PRICE = (
    f"${DOLLARS_PER_MILLION_PUTS:g} for a million requests that write or list and "
    f"${DOLLARS_PER_MILLION_GETS:g} for a million that read: AWS's list price for S3 Standard, "
    "us-east-1; looked up in November 2026. Requests that delete are free"
)


class Measured(Struct, frozen=True):
    pattern: Pattern
    read: float
    write: float
    by_source: dict[str, tuple[float, float]]
    """Read and write units of each table and index."""
    blobs: BlobRequests | None = None
    """Requests to S3; None for a pattern that uses no files."""

    @property
    def dollars(self) -> float:
        """For a million of these operations."""
        return self.read * DOLLARS_PER_MILLION_READS + self.write * DOLLARS_PER_MILLION_WRITES

    @property
    def blob_dollars(self) -> float:
        """For the requests to S3 of a million of these operations."""
        asked = self.blobs or BlobRequests()
        return asked.puts * DOLLARS_PER_MILLION_PUTS + asked.gets * DOLLARS_PER_MILLION_GETS

    @property
    def holds(self) -> bool:
        most_read, most_write = self.pattern.most_read, self.pattern.most_write
        return (most_read is None or self.read <= most_read) and (
            most_write is None or self.write <= most_write
        )


_MEMORY = Path("/dev/shm")
"""A folder in memory, if the system has one: the file is thrown away."""


async def on_a_fresh_file(patterns: Sequence[Pattern]) -> list[Measured]:
    where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="greenroom-cost-", dir=where) as folder:
        store = await SqliteStore.open(
            Path(folder) / "cost.db", TABLES, clock=ManualClock(BEGIN_MS), cursor_secret=b"cost"
        )
        async with store:
            return await measured(store, patterns)


async def measured(
    store: Store, patterns: Sequence[Pattern], *, at_once: int = 100
) -> list[Measured]:
    """The results, in the order of the patterns. The store has the clock of the fixtures, so that
    items expire by it."""
    turns = asyncio.Semaphore(at_once)

    async def measure(number: int, pattern: Pattern) -> Measured:
        async with turns:
            fixture = Fixture(store, f"world{number:02d}")
            act = await pattern.prepare(fixture)
            if fixture.blobs is not None:
                fixture.blobs.requests = BlobRequests()
            with store.counting() as cost:
                await act()
        return _of(pattern, cost, None if fixture.blobs is None else fixture.blobs.requests)

    return await asyncio.gather(*(measure(n, pattern) for n, pattern in enumerate(patterns)))


def _of(pattern: Pattern, cost: Cost, blobs: BlobRequests | None) -> Measured:
    each = {
        source: (units.read / pattern.times, units.write / pattern.times)
        for source, units in sorted(cost.by_source.items())
    }
    read, write = cost.read_units / pattern.times, cost.write_units / pattern.times
    return Measured(pattern, read, write, each, blobs)
