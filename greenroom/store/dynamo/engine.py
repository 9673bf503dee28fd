"""The item store on DynamoDB: runs the common checks, then calls reads, writes and streams.

One store belongs to one event loop. Opening it checks the tables against their declarations, so
that a table made by an older version is refused at start and not by the first query.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

from greenroom.aws.retries import RetryPolicy
from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.store import capacity
from greenroom.store.base import Change, Key, Op, Page, PageOf
from greenroom.store.capacity import Cost
from greenroom.store.cursors import CursorCodec
from greenroom.store.dynamo import reads, schema, writes
from greenroom.store.dynamo.client import DynamoClient
from greenroom.store.dynamo.endpoint import parse_endpoint
from greenroom.store.dynamo.scan import Scan
from greenroom.store.dynamo.sender import RequestSender
from greenroom.store.dynamo.streams import Feed
from greenroom.store.expressions import SortRange
from greenroom.store.limits import check_batch, check_key, check_limit, check_query, check_write
from greenroom.store.problems import NoSuchTable
from greenroom.store.tables import Index, Table, check_tables
from greenroom.store.values import Item

_DEFAULT_RETRY = RetryPolicy()
_Model = TypeVar("_Model")


class DynamoStore:
    is_local = False
    read_only_reason: str | None = None

    def __init__(self, client: DynamoClient, tables: Sequence[Table], cursor_secret: bytes) -> None:
        self._client = client
        self._tables = {table.name: table for table in tables}
        self._cursors = CursorCodec(cursor_secret)

    @classmethod
    async def open(
        cls,
        url: str,
        tables: Sequence[Table],
        *,
        clock: Clock,
        cursor_secret: bytes,
        create: bool = False,
        check: bool = True,
        retry: RetryPolicy = _DEFAULT_RETRY,
    ) -> "DynamoStore":
        """Raises `InvalidEndpoint` for a URL that does not name a DynamoDB.

        dynamodb://eu-west-1                                    AWS, the machine's credentials
        dynamodb+http://127.0.0.1:8000?region=local&prefix=t-   an endpoint: Local, Alternator
        dynamodb+https://key:secret@host?region=eu-west-1

        `prefix` is added to every table's name. `create` creates what is missing: tables, and
        indexes, streams and TTLs of existing tables. Without `create` and `check` no request is
        made: a missing table is reported by the first call that needs it.
        """
        endpoint = parse_endpoint(url)
        check_tables(tables, endpoint.prefix)
        sender = RequestSender(endpoint, retry)
        try:
            if create:
                await schema.create_missing(sender, tables, endpoint.prefix)
            elif check:
                await schema.check(sender, tables, endpoint.prefix)
        except BaseException:
            await sender.close()
            raise
        return cls(DynamoClient(sender, endpoint.prefix, clock), tables, cursor_secret)

    async def close(self) -> None:
        await self._client.sender.close()

    async def __aenter__(self) -> "DynamoStore":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def get(self, table: Table, key: Key, *, consistent: bool = False) -> Item | None:
        self._check_known(table)
        check_key(table, key)
        return await reads.get(self._client, table, key, consistent)

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        self._check_known(table)
        check_batch(table, keys)
        return await reads.batch_get(self._client, table, keys, consistent)

    async def query(
        self,
        table: Table,
        partition: str,
        sort: SortRange | None = None,
        *,
        index: Index | None = None,
        limit: int,
        backward: bool = False,
        cursor: str | None = None,
        consistent: bool = False,
    ) -> Page:
        self._check_known(table)
        check_query(table, partition, sort, index, limit, consistent)
        query = reads.Query(
            self._client, self._cursors, table, partition, sort, index, backward, consistent
        )
        return await query.page(limit, cursor)

    async def query_as(
        self,
        model: Callable[[Item], _Model],
        table: Table,
        partition: str,
        sort: SortRange | None = None,
        *,
        limit: int,
        backward: bool = False,
        consistent: bool = False,
    ) -> PageOf[_Model]:
        page = await self.query(
            table, partition, sort, limit=limit, backward=backward, consistent=consistent
        )
        return page.map(model)

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        for op in ops:
            self._check_known(op.table)
        check_write(ops, token)
        return await writes.write(self._client, ops, token)

    async def changes(
        self,
        table: Table,
        *,
        after: str | None = None,
        follow: bool = True,
        moved: Callable[[str], None] | None = None,
        prefixes: Sequence[str] = (),
        with_old: bool = True,
        attributes: Sequence[str] = (),
        linger: float = 0.0,
    ) -> AsyncIterator[Change]:
        self._check_known(table)
        feed = Feed(
            self._client,
            table,
            moved,
            tuple(prefixes),
            with_old=with_old,
            attributes=frozenset(attributes),
        )
        async for change in feed.changes(after, follow, linger):
            yield change

    async def checkpoint(self, table: Table) -> str:
        self._check_known(table)
        return await Feed(self._client, table).newest()

    async def scan(
        self, table: Table, *, limit: int, cursor: str | None = None, consistent: bool = False
    ) -> Page:
        self._check_known(table)
        check_limit(limit)
        return await Scan(self._client, self._cursors, table, consistent).page(limit, cursor)

    def counting(self) -> AbstractContextManager[Cost]:
        return capacity.counting()

    async def wait_for_data_loss(self) -> Problem:
        """DynamoDB keeps what it has acknowledged."""
        never: asyncio.Future[Problem] = asyncio.get_running_loop().create_future()
        return await never

    def _check_known(self, table: Table) -> None:
        known = self._tables.get(table.name)
        if known is not table and known != table:
            raise NoSuchTable(table.name)
