"""Translates errors of SQLite that say nothing about the statement into Problems."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from greenroom.errors import Problem
from greenroom.sql.problems import DatabaseBusy, DatabaseUnavailable

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_TROUBLE = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}
_OF_THE_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_DISK = "Look whether the disk is full or failing. Free some space, then try again"


def translated(error: BaseException) -> BaseException:
    """The Problem that says what has happened, or the error itself."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(cause, sqlite3.Error):
        return error
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        return DatabaseBusy()
    if code in _OF_THE_DISK:
        return DatabaseUnavailable(f"{cause}. {_DISK}")
    return DatabaseUnavailable(str(cause)) if code in _TROUBLE else error


@contextmanager
def translating() -> Iterator[None]:
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        problem = translated(error)
        if problem is error:
            raise
        raise problem from error
