"""SQL databases for tests: a file, or a schema of its own in the PostgreSQL of the test run."""

import shutil
import tempfile
import weakref
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text

from greenroom.app import REGISTRY
from greenroom.sql.base import Database, Schema
from greenroom.sql.migrations import upgrade
from greenroom.sql.postgres import PostgresDatabase, parse_location
from greenroom.sql.postgres.location import with_schema
from greenroom.sql.sqlite import SqliteDatabase
from greenroom.sql.sqlite.connections import driver_of, engine_for

NO_SYNC = "OFF"
"""For a file that no test cuts the power of."""


def temporary_sql(schemas: Sequence[Schema] = REGISTRY.sql_schemas) -> SqliteDatabase:
    """A migrated database in a folder that is removed when the test no longer has it. It starts no
    thread before it is used, so a test that needs none pays little."""
    folder = Path(tempfile.mkdtemp(prefix="greenroom-sql-"))
    path = folder / "sql.db"
    path.write_bytes(_migrated(tuple(schemas)))
    database = SqliteDatabase(path, synchronous=NO_SYNC)
    weakref.finalize(database, _remove, folder, database.writer.stop)
    return database


@asynccontextmanager
async def fresh_sqlite(folder: Path) -> AsyncIterator[SqliteDatabase]:
    """Without tables."""
    database = SqliteDatabase(folder / "sql.db", synchronous=NO_SYNC)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def fresh_postgres(url: str) -> AsyncIterator[PostgresDatabase]:
    """In a schema of its own, which is dropped at the end. Without tables."""
    async with fresh_postgres_url(url) as own:
        database = PostgresDatabase(parse_location(own))
        try:
            yield database
        finally:
            await database.close()


@asynccontextmanager
async def fresh_postgres_url(url: str) -> AsyncIterator[str]:
    """As in GREENROOM_SQL, with an unused schema, for tests that open databases themselves."""
    schema = f"t{uuid4().hex[:12]}"
    outside = PostgresDatabase(parse_location(f"{url}?pool=1"))
    try:
        await outside.write(lambda connection: connection.execute(text(f"CREATE SCHEMA {schema}")))
        yield with_schema(url, schema)
        drop = text(f"DROP SCHEMA {schema} CASCADE")
        await outside.write(lambda connection: connection.execute(drop))
    finally:
        await outside.close()


async def differences(
    database: Database, schema: Schema, others: Sequence[Schema] = ()
) -> list[object]:
    """What tells the tables in a migrated database from the schema's metadata, but for the tables
    of others."""
    theirs = {name for one in others for name in (one.version_table, *one.metadata.tables)}

    def compare(connection: Connection) -> list[object]:
        options = {
            "version_table": schema.version_table,
            "compare_server_default": True,
            "include_name": lambda name, kind, _: kind != "table" or name not in theirs,
        }
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, schema.metadata))

    return await database.read(compare)


@cache
def _migrated(schemas: tuple[Schema, ...]) -> bytes:
    """The content of a migrated file, which is made once for each process."""
    with tempfile.TemporaryDirectory(prefix="greenroom-sql-") as folder:
        path = Path(folder) / "sql.db"
        with engine_for(path, NO_SYNC).connect() as connection:
            for schema in schemas:
                with connection.begin():
                    driver_of(connection).execute("BEGIN IMMEDIATE")
                    upgrade(connection, schema)
            driver_of(connection).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()


def _remove(folder: Path, stop: Callable[[], None]) -> None:
    stop()
    shutil.rmtree(folder, ignore_errors=True)
