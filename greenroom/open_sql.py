"""Opens the SQL database that the settings name.

The driver of PostgreSQL is imported where it is used: a file does not need it in memory.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text

from greenroom import file_permissions
from greenroom.api.problems import NoDatabase
from greenroom.app import REGISTRY
from greenroom.settings import (
    InvalidSetting,
    Settings,
    data_folder,
    make_private,
    variable_of,
)
from greenroom.sql.base import Database, Schema
from greenroom.sql.migrations import is_current
from greenroom.sql.problems import DatabaseNotMigrated
from greenroom.sql.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from greenroom.sql.postgres import Location


_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


@asynccontextmanager
async def opened_sql(
    settings: Settings, *, create_tables: bool, schemas: Sequence[Schema] = REGISTRY.sql_schemas
) -> AsyncIterator[Database]:
    """Brings the tables of a file up to date first, and those of a server if it may."""
    database = _open(settings)
    migrates = create_tables or sql_path(settings) is not None
    try:
        for schema in schemas:
            await (database.migrate(schema) if migrates else _check_current(database, schema))
        await database.write(_answer)
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def opened_to_read(
    settings: Settings, schemas: Sequence[Schema] = REGISTRY.sql_schemas
) -> AsyncIterator[Database]:
    """Also while a server writes to it. Changes nothing, and creates no file."""
    path = sql_path(settings)
    if path is not None and not path.exists():
        raise NoDatabase(str(path))
    database = _open(settings)
    try:
        for schema in schemas:
            await _check_current(database, schema)
        yield database
    finally:
        await database.close()


async def check(database: Database) -> None:
    """Raises a Problem unless the database answers."""
    await database.read(_answer)


def _answer(connection: Connection) -> None:
    connection.execute(text("SELECT 1")).scalar_one()


def demo_sql(settings: Settings) -> str:
    """The setting for a demo: the file in its own data folder, or a schema of its own."""
    if sql_path(settings) is not None:
        return ""
    from greenroom.sql.postgres.location import with_schema

    schema = _location(settings).schema or "greenroom"
    return with_schema(settings.sql, f"{schema}_demo")


def sql_path(settings: Settings) -> Path | None:
    """The file, or None if it is another engine's."""
    if not settings.sql:
        return settings.data / "sql.db"
    is_file = settings.sql.startswith(_SQLITE)
    return Path(settings.sql.removeprefix(_SQLITE)) if is_file else None


async def _check_current(database: Database, schema: Schema) -> None:
    if not await database.read(lambda connection: is_current(connection, schema)):
        raise DatabaseNotMigrated(schema.name)


def _open(settings: Settings) -> Database:
    path = sql_path(settings)
    if path is not None:
        data_folder(settings)
        make_private(path)
        file_permissions.tighten([], path)  # what a killed server has left beside it
        return SqliteDatabase(path)
    # Imported here, because SQLite needs no driver of PostgreSQL in memory.
    from greenroom.sql.postgres import PostgresDatabase

    return PostgresDatabase(_location(settings))


def _location(settings: Settings) -> "Location":
    from greenroom.sql.postgres import InvalidLocation, parse_location

    url = settings.sql
    if not url.startswith(_POSTGRES):
        reason = f"it must begin with {_SQLITE} or {_POSTGRES[0]}, not with {url[:10]!r}"
        raise InvalidSetting(variable_of("sql"), reason)
    try:
        return parse_location(url)
    except InvalidLocation as reason:
        raise InvalidSetting(variable_of("sql"), str(reason)) from None
