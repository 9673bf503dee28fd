"""The interface of the SQL database: transactions and migrations.

Engines: none yet. An engine is added to tests/contracts/sql_engines.py and passes
tests/contracts/test_sql.py.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from msgspec import Struct

SqlValue: TypeAlias = str | int | float | bool | bytes | None
Row: TypeAlias = Mapping[str, SqlValue]


class Migration(Struct, frozen=True):
    """A step from one version of the schema to the next."""

    name: str
    statements: tuple[str, ...]


class Transaction(Protocol):
    async def execute(self, statement: str, **values: SqlValue) -> Sequence[Row]:
        """The rows that it returns. Values are named in the statement: `WHERE id = :id`."""


class Database(Protocol):
    async def migrate(self, migrations: Sequence[Migration]) -> None:
        """Applies the migrations that this database does not have yet, in order, each in a
        transaction. Two nodes may call it at once."""

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """Commits at the end of the block; an exception rolls everything back. Transactions are
        serializable."""

    async def close(self) -> None: ...
