"""The SQL database on one SQLite file."""

from greenroom.sql.sqlite.engine import SqliteDatabase

__all__ = ["SqliteDatabase"]
