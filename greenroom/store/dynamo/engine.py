"""The item store on DynamoDB: the port, with the checks that both engines make before anything.

One store belongs to one event loop. Opening it holds the tables against their declarations, so that
what an older version made is refused there and not by the first query that misses an index.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.store import capacity
from greenroom.store.base import Change, Key, Op, Page, PageOf
from greenroom.store.capacity import Cost
from greenroom.store.cursors import Cursors
from greenroom.store.dynamo import reads, schema, writes
from greenroom.store.dynamo.address import parse_address
from greenroom.store.dynamo.link import Link
from greenroom.store.dynamo.streams import Feed
from greenroom.store.dynamo.wire import Retry, Wire
from greenroom.store.expressions import SortRange
from greenroom.store.limits import check_batch, check_key, check_query, check_write
from greenroom.store.problems import NoSuchTable
from greenroom.store.tables import Index, Table, check_tables
from greenroom.store.values import Item

_USUAL_RETRY = Retry()
_Model = TypeVar("_Model")


class DynamoStore:
    is_local = False
    trouble: str | None = None

    def __init__(self, link: Link, tables: Sequence[Table], cursor_secret: bytes) -> None:
        self._link = link
        self._tables = {table.name: table for table in tables}
        self._cursors = Cursors(cursor_secret)

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
        retry: Retry = _USUAL_RETRY,
    ) -> "DynamoStore":
        """On what the URL names; refuses one that names nothing with `InvalidAddress`.

        dynamodb://eu-west-1                                    AWS, credentials of the machine
        dynamodb+http://127.0.0.1:8000?region=local&prefix=t-   an endpoint: Local, Alternator
        dynamodb+https://key:secret@host?region=eu-west-1

        `prefix` goes before every table's name. `create` makes what is missing: tables, and the
        indexes, streams and TTLs of tables that are there. Without `check` a store that is not to
        create anything does not reach out: what is missing is told by the call that needs it.
        """
        address = parse_address(url)
        check_tables(tables, address.prefix)
        wire = Wire(address, retry)
        try:
            if create:
                await schema.create_missing(wire, tables, address.prefix)
            elif check:
                await schema.check(wire, tables, address.prefix)
        except BaseException:
            await wire.close()
            raise
        return cls(Link(wire, address.prefix, clock), tables, cursor_secret)

    async def close(self) -> None:
        await self._link.wire.close()

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
        return await reads.get(self._link, table, key, consistent)

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        self._check_known(table)
        check_batch(table, keys)
        return await reads.batch_get(self._link, table, keys, consistent)

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
            self._link, self._cursors, table, partition, sort, index, backward, consistent
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
        return page.as_(model)

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        for op in ops:
            self._check_known(op.table)
        check_write(ops, token)
        return await writes.write(self._link, ops, token)

    async def changes(
        self, table: Table, *, after: str | None = None, follow: bool = True
    ) -> AsyncIterator[Change]:
        self._check_known(table)
        async for change in Feed(self._link, table).changes(after, follow):
            yield change

    def counting(self) -> AbstractContextManager[Cost]:
        return capacity.counting()

    async def lost(self) -> Problem:
        """DynamoDB keeps what it has acknowledged."""
        never: asyncio.Future[Problem] = asyncio.get_running_loop().create_future()
        return await never

    def _check_known(self, table: Table) -> None:
        known = self._tables.get(table.name)
        if known is not table and known != table:
            raise NoSuchTable(table.name)
