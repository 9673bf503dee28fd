"""A store whose process is killed at a chosen call, before or after the call takes effect."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from greenroom.errors import Problem
from greenroom.store.base import Change, Key, Op, Page, PageOf, Store
from greenroom.store.capacity import Cost
from greenroom.store.expressions import SortRange
from greenroom.store.tables import Index, Table
from greenroom.store.values import Item

T = TypeVar("T")
Model = TypeVar("Model")


class Killed(BaseException):
    """No code catches it: after it nothing of the process goes on."""


class MortalStore(Store):
    is_local = False

    def __init__(self, store: Store, dies_at: int, *, after: bool) -> None:
        """`dies_at` counts calls from 1. With `after` that call still takes effect."""
        self._store = store
        self._dies_at = dies_at
        self._after = after
        self.calls = 0

    @property
    def is_dead(self) -> bool:
        return self.calls >= self._dies_at

    async def _call(self, call: Callable[[], Awaitable[T]]) -> T:
        self.calls += 1
        if self.calls > self._dies_at or (self.is_dead and not self._after):
            raise Killed
        answer = await call()
        if self.is_dead:
            raise Killed
        return answer

    async def get(self, table: Table, key: Key, *, consistent: bool = False) -> Item | None:
        return await self._call(lambda: self._store.get(table, key, consistent=consistent))

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        return await self._call(lambda: self._store.batch_get(table, keys, consistent=consistent))

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
        return await self._call(
            lambda: self._store.query(
                table,
                partition,
                sort,
                index=index,
                limit=limit,
                backward=backward,
                cursor=cursor,
                consistent=consistent,
            )
        )

    async def query_as(
        self,
        model: Callable[[Item], Model],
        table: Table,
        partition: str,
        sort: SortRange | None = None,
        *,
        limit: int,
        backward: bool = False,
        consistent: bool = False,
    ) -> PageOf[Model]:
        raise NotImplementedError

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        return await self._call(lambda: self._store.write(*ops, token=token))

    def changes(
        self,
        table: Table,
        *,
        after: str | None = None,
        follow: bool = True,
        moved: Callable[[str], None] | None = None,
    ) -> AsyncIterator[Change]:
        return self._store.changes(table, after=after, follow=follow, moved=moved)

    async def checkpoint(self, table: Table) -> str:
        return await self._call(lambda: self._store.checkpoint(table))

    async def scan(
        self, table: Table, *, limit: int, cursor: str | None = None, consistent: bool = False
    ) -> Page:
        return await self._call(
            lambda: self._store.scan(table, limit=limit, cursor=cursor, consistent=consistent)
        )

    def counting(self) -> AbstractContextManager[Cost]:
        return self._store.counting()

    @property
    def read_only_reason(self) -> str | None:
        return self._store.read_only_reason

    async def wait_for_data_loss(self) -> Problem:
        return await self._store.wait_for_data_loss()

    async def close(self) -> None:
        await self._store.close()
