"""Classifies errors of PostgreSQL and of the connection to it."""

from enum import Enum, auto

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy.exc import DBAPIError, TimeoutError as PoolTimeout

_DEADLOCK, _SERIALIZATION = "40P01", "40001"
_LOCK_TIMEOUT, _STATEMENT_TIMEOUT = "55P03", "57014"
_LOST = ("08", "57P")
"""Connection exceptions, and a server that is shut down, has crashed or starts."""
_SHORT = ("53",)
"""Out of connections, memory or disk."""


class Kind(Enum):
    CONFLICT = auto()
    """The server ended the transaction to let another one pass: it can be run again."""
    BUSY = auto()
    """Waited too long for others."""
    LOST = auto()
    """There is no connection any more, or none can be had."""
    OTHER = auto()
    """Of the statement or of the code."""


def kind_of(error: BaseException) -> Kind:
    if isinstance(error, PoolTimeout):
        return Kind.BUSY
    if isinstance(error, DBAPIError):
        if error.connection_invalidated:
            return Kind.LOST
        return _by_state(_state(error))
    if isinstance(error, asyncpg.PostgresError):  # while connecting, before SQLAlchemy translates
        return _by_state(error.sqlstate or "", Kind.LOST)
    if isinstance(error, OSError | TimeoutError | asyncpg.InterfaceError):
        return Kind.LOST
    return Kind.OTHER


def reason_of(error: BaseException) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    lines = str(cause).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(cause).__name__


def _state(error: DBAPIError) -> str:
    return str(getattr(error.orig, "sqlstate", None) or "")


def _by_state(state: str, otherwise: Kind = Kind.OTHER) -> Kind:
    if state in (_DEADLOCK, _SERIALIZATION):
        return Kind.CONFLICT
    if state in (_LOCK_TIMEOUT, _STATEMENT_TIMEOUT):
        return Kind.BUSY
    return Kind.LOST if state.startswith((*_LOST, *_SHORT)) else otherwise
