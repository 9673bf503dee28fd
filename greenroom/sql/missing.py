"""Stands in for the SQL database where a command or a benchmark opens none."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from greenroom.errors import Unavailable
from greenroom.sql.base import Schema

T = TypeVar("T")


class MissingDatabase:
    async def write(self, work: Callable[[Connection], T]) -> T:
        raise Unavailable("there is no SQL database here")

    async def read(self, work: Callable[[Connection], T]) -> T:
        raise Unavailable("there is no SQL database here")

    async def migrate(self, schema: Schema) -> None:
        raise Unavailable("there is no SQL database here")

    async def close(self) -> None: ...
