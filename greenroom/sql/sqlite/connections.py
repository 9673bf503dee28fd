"""Opens connections to the SQLite file of the SQL database."""

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine

from greenroom.sql.checked_values import check_values
from greenroom.sql.problems import DatabaseForeign

APPLICATION_ID = 0x4752_4D53
"""Marks the file, so that it is never taken for the item store's, or that one for this."""
BUSY_SECONDS = 5.0
_STATEMENTS = 512


def engine_for(path: Path, synchronous: str = "FULL") -> Engine:
    """For writing. A commit is on disk when it returns, unless `synchronous` says otherwise."""
    pragmas = ("foreign_keys=ON", f"synchronous={synchronous}")
    return _engine(partial(_connect_to_write, path, pragmas))


def engine_to_read(path: Path) -> Engine:
    return _engine(partial(_connect, path, ("query_only=ON",)))


def engine_to_migrate(path: Path, seconds: float) -> Engine:
    """Without the checks of foreign keys: a table that is rebuilt is dropped in between."""
    pragmas = ("foreign_keys=OFF", "synchronous=FULL")
    return _engine(partial(_connect_to_write, path, pragmas, seconds))


def driver_of(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _engine(connect: Callable[[], sqlite3.Connection]) -> Engine:
    engine = create_engine(
        "sqlite+pysqlite://", creator=connect, poolclass=NullPool, query_cache_size=_STATEMENTS
    )
    check_values(engine)
    return engine


def _connect(
    path: Path, pragmas: tuple[str, ...], seconds: float = BUSY_SECONDS
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        timeout=seconds,
        isolation_level=None,  # the engine begins and commits
        check_same_thread=False,
        cached_statements=_STATEMENTS,
    )
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _connect_to_write(
    path: Path, pragmas: tuple[str, ...], seconds: float = BUSY_SECONDS
) -> sqlite3.Connection:
    connection = _connect(path, pragmas, seconds)
    try:
        _mark(path, connection)
        connection.execute("PRAGMA journal_mode=WAL").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _mark(path: Path, connection: sqlite3.Connection) -> None:
    [found] = connection.execute("PRAGMA application_id").fetchone()
    if found == APPLICATION_ID:
        return
    [tables] = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if found or tables:
        raise DatabaseForeign(str(path))
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
