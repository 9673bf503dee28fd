"""Stores for tests, each with its own tables, which are dropped at the end of the test.

Careful: DynamoDB Local becomes ten times slower with the data that it keeps. Tables are dropped
even if a test fails, but stream records and transaction tokens stay for hours. Each access key has
a separate database, so a new key is used after some stores.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from itertools import count
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from greenroom.clock import Clock
from greenroom.store.base import Store
from greenroom.store.dynamo import DynamoStore, RetryPolicy
from greenroom.store.dynamo.endpoint import parse_endpoint
from greenroom.store.dynamo.sender import DynamoError, RequestSender
from greenroom.store.sqlite import SqliteStore
from greenroom.store.tables import Table

SECRET = b"a secret of more than 32 characters for tests"
IN_2100_MS = 4_102_444_800_000
"""The time of the tests' clocks. DynamoDB removes expired items by its own clock, and must not
remove items that are alive in the tests."""
SQLITE = "sqlite:///"

T = TypeVar("T")
_STORES_PER_KEY = 20  # DynamoDB Local never ends the four threads of a key
_stores = count()


@asynccontextmanager
async def fresh_store(url: str, tables: Sequence[Table], clock: Clock) -> AsyncIterator[Store]:
    """On the SQLite file or the DynamoDB of a URL as in GREENROOM_STORE."""
    if url.startswith(SQLITE):
        path = Path(url.removeprefix(SQLITE))
        async with await SqliteStore.open(path, tables, clock=clock, cursor_secret=SECRET) as file:
            yield file
    else:
        async with fresh_tables(url, tables, clock) as dynamo:
            yield dynamo


@asynccontextmanager
async def fresh_tables(
    url: str, tables: Sequence[Table], clock: Clock, *, retry: RetryPolicy | None = None
) -> AsyncIterator[DynamoStore]:
    """As `fresh_store`, for DynamoDB only."""
    async with (
        fresh_prefix(url, tables) as prefixed,
        await DynamoStore.open(
            prefixed,
            tables,
            clock=clock,
            cursor_secret=SECRET,
            create=True,
            retry=RetryPolicy() if retry is None else retry,
        ) as store,
    ):
        yield store


@asynccontextmanager
async def fresh_prefix(url: str, tables: Sequence[Table]) -> AsyncIterator[str]:
    """The URL with an unused prefix. Drops the prefix's tables at the end.

    For tests that open stores themselves, or create the tables in another process.
    """
    prefixed = f"{_with_key(url)}&prefix=t{uuid4().hex[:12]}-"
    try:
        yield prefixed
    finally:
        await _drop(prefixed, tables)


def _with_key(url: str) -> str:
    scheme, _, prefixed = url.partition("://")
    if "@" in prefixed:
        return url
    return f"{scheme}://tests{os.getpid()}x{next(_stores) // _STORES_PER_KEY}:secret@{prefixed}"


async def _drop(prefixed: str, tables: Sequence[Table]) -> None:
    """Over a separate connection, because the test's may be closed or failing."""
    endpoint = parse_endpoint(prefixed)
    sender = RequestSender(endpoint, RetryPolicy())

    async def drop(name: str) -> None:
        try:
            await sender.send("DeleteTable", {"TableName": name})
        except DynamoError as error:
            if error.kind != "ResourceNotFoundException":
                raise

    try:
        await asyncio.gather(*(drop(endpoint.prefix + table.name) for table in tables))
    finally:
        await sender.close()


@contextmanager
def kept_open(runner: asyncio.Runner, opening: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """For synchronous callers."""
    stack = AsyncExitStack()
    try:
        yield runner.run(stack.enter_async_context(opening))
    finally:
        runner.run(stack.aclose())
