"""Stores for tests: each with tables of its own, which are gone when the test is over.

What one would get wrong: DynamoDB Local grows ten times slower with what it has to keep. Tables
are dropped, however a test ends; but the records of streams, and the tokens of transactions, stay
for hours. Each access key has a database of its own, so after some stores we take another key.
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
"""Where tests hold the clock: DynamoDB takes away by its own clock what has expired by that, and
must not take what these tests hold to be alive."""
SQLITE = "sqlite:///"

T = TypeVar("T")
_STORES_PER_KEY = 20  # a key costs DynamoDB Local four threads, for good
_stores = count()


@asynccontextmanager
async def fresh_store(url: str, tables: Sequence[Table], clock: Clock) -> AsyncIterator[Store]:
    """On the file, or on the DynamoDB, that the URL names as GREENROOM_STORE would."""
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
    """Only DynamoDB, for those who look inside it."""
    async with (
        fresh_prefix(url, tables) as place,
        await DynamoStore.open(
            place,
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
    """The URL with a prefix that nobody has used; what was made under it is dropped in the end.

    For those who open stores themselves, or have another process make the tables.
    """
    place = f"{_with_key(url)}&prefix=t{uuid4().hex[:12]}-"
    try:
        yield place
    finally:
        await _drop(place, tables)


def _with_key(url: str) -> str:
    scheme, _, place = url.partition("://")
    if "@" in place:
        return url
    return f"{scheme}://tests{os.getpid()}x{next(_stores) // _STORES_PER_KEY}:secret@{place}"


async def _drop(place: str, tables: Sequence[Table]) -> None:
    """Over a connection of its own: the test's may be closed, or made to fail."""
    endpoint = parse_endpoint(place)
    sender = RequestSender(endpoint, RetryPolicy())

    async def drop(name: str) -> None:
        try:
            await sender.send("DeleteTable", {"TableName": name})
        except DynamoError as refused:
            if refused.kind != "ResourceNotFoundException":
                raise

    try:
        await asyncio.gather(*(drop(endpoint.prefix + table.name) for table in tables))
    finally:
        await sender.close()


@contextmanager
def kept_open(runner: asyncio.Runner, opening: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """For those who are not asynchronous themselves."""
    stack = AsyncExitStack()
    try:
        yield runner.run(stack.enter_async_context(opening))
    finally:
        runner.run(stack.aclose())
