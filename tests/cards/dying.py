"""A store and a database of a node that dies at a given write: before it, or before its answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Connection

from greenroom.sql.base import Database, Schema
from greenroom.store.base import Op, Store
from greenroom.store.values import Item
from tests.forwarding_store import ForwardingStore

T = TypeVar("T")


class Died(BaseException):
    """The process is gone. No code catches it."""


@dataclass
class Fate:
    """Dies at the write with this number, before it or right after it."""

    at: int
    after: bool
    writes: int = 0

    @property
    def is_dead(self) -> bool:
        return self.writes >= self.at

    async def call(self, write: Callable[[], Awaitable[T]]) -> T:
        self.writes += 1
        if self.writes < self.at:
            return await write()
        if self.writes == self.at and self.after:
            await write()
        raise Died


class DyingStore(ForwardingStore):
    def __init__(self, store: Store, fate: Fate) -> None:
        super().__init__(store)
        self._fate = fate

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        return await self._fate.call(lambda: self._store.write(*ops, token=token))


class DyingDatabase:
    def __init__(self, database: Database, fate: Fate) -> None:
        self._database = database
        self._fate = fate

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._fate.call(lambda: self._database.write(work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        if self._fate.is_dead:
            raise Died
        return await self._database.read(work)

    async def migrate(self, schema: Schema) -> None:
        await self._database.migrate(schema)

    async def close(self) -> None: ...
