"""Column types that mean the same in SQLite and PostgreSQL."""

from sqlalchemy import BigInteger, Text
from sqlalchemy.dialects import sqlite

TEXT = Text().with_variant(Text(collation="C"), "postgresql")
"""Ordered and compared by its bytes, as SQLite does, whatever the database's locale."""
INTEGER = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
"""A signed integer of 64 bits."""
