"""A store that passes each call on to another one, for stores that fail or wait on the way."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from greenroom.errors import Problem
from greenroom.store.base import Change, Key, Op, Page, PageOf, Store
from greenroom.store.capacity import Cost
from greenroom.store.tables import Table
from greenroom.store.values import Item

T = TypeVar("T")
Model = TypeVar("Model")


class ForwardingStore(Store):
    is_local = False

    def __init__(self, store: Store) -> None:
        self._store = store

    async def _call(self, call: Callable[[], Awaitable[T]]) -> T:
        """Makes one call. To be overridden."""
        return await call()

    async def get(self, table: Table, key: Key, *, consistent: bool = False) -> Item | None:
        return await self._call(lambda: self._store.get(table, key, consistent=consistent))

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        return await self._call(lambda: self._store.batch_get(table, keys, consistent=consistent))

    async def query(self, *where: Any, **rest: Any) -> Page:
        return await self._call(lambda: self._store.query(*where, **rest))

    async def query_as(
        self, model: Callable[[Item], Model], *where: Any, **rest: Any
    ) -> PageOf[Model]:
        return await self._call(lambda: self._store.query_as(model, *where, **rest))

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        return await self._call(lambda: self._store.write(*ops, token=token))

    def changes(self, table: Table, **rest: Any) -> AsyncIterator[Change]:
        return self._store.changes(table, **rest)

    async def checkpoint(self, table: Table) -> str:
        return await self._call(lambda: self._store.checkpoint(table))

    async def scan(self, table: Table, **rest: Any) -> Page:
        return await self._call(lambda: self._store.scan(table, **rest))

    def counting(self) -> AbstractContextManager[Cost]:
        return self._store.counting()

    @property
    def read_only_reason(self) -> str | None:
        return self._store.read_only_reason

    async def wait_for_data_loss(self) -> Problem:
        return await self._store.wait_for_data_loss()

    async def close(self) -> None:
        await self._store.close()
