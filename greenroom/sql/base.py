"""The interface of the SQL database: transactions and migrations.

Engines: `SqliteDatabase` in sqlite/, `PostgresDatabase` in postgres/. An engine is added to
tests/contracts/sql_engines.py and passes tests/contracts/test_sql.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from sqlalchemy import Connection, MetaData

T = TypeVar("T")
PURPOSE = "purpose"
"""In a table's `info`: what it is for, in a sentence for docs/data-model.md."""


@dataclass(frozen=True)
class Schema:
    """The tables of a context, and the folder with its Alembic migrations."""

    name: str
    metadata: MetaData
    folder: Path

    @property
    def version_table(self) -> str:
        return f"alembic_version_{self.name}"


class Database(Protocol):
    """`work` is a function on a connection with a transaction. It neither commits nor rolls back,
    and has no other effect than its statements: it is run again if the database ended its
    transaction to let another one pass. Errors of single statements, such as IntegrityError, are
    those of SQLAlchemy."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Runs the work in a transaction that is committed at the end; an exception rolls it back.

        Careful: PostgreSQL runs writers beside each other at READ COMMITTED. Work that depends on
        what it has read first locks a row that all of its kind lock: `SELECT ... FOR UPDATE`."""

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Runs the work on one consistent snapshot, which has every write committed before."""

    async def migrate(self, schema: Schema) -> None:
        """Applies the migrations that this database does not have yet, all or none of them. Two
        nodes may call it at once."""

    async def close(self) -> None: ...
