"""Copies the SQLite file of the SQL database as it was at one moment, while others write to it."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from greenroom.sql.problems import DatabaseForeign
from greenroom.sql.sqlite.connections import APPLICATION_ID, BUSY_SECONDS
from greenroom.sql.sqlite.errors import translating


class SqlSnapshot:
    """The tables as they are now, to be copied later."""

    def __init__(self, source: Path, meanwhile: Callable[[], object]) -> None:
        """Nobody writes to the database while `meanwhile` runs, so a snapshot of other data that it
        takes is of the same moment."""
        with translating():
            lock, self._connection = _connect(source), _connect(source)
            try:
                _check_mark(source, lock)
                lock.execute("BEGIN IMMEDIATE")
                self._connection.execute("BEGIN")
                self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
                meanwhile()
            except BaseException:
                self._connection.close()
                raise
            finally:
                lock.close()

    def copy(self, target: Path) -> None:
        with translating():
            copy = sqlite3.connect(target, isolation_level=None)
            try:
                self._connection.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE").fetchall()  # a file without a log
            finally:
                copy.close()
        target.chmod(0o600)

    def close(self) -> None:
        self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)


def _check_mark(path: Path, connection: sqlite3.Connection) -> None:
    [found] = connection.execute("PRAGMA application_id").fetchone()
    if found != APPLICATION_ID:
        raise DatabaseForeign(str(path))
