"""The tables that test_sql.py uses: accounts, and postings that name them."""

from dataclasses import replace
from pathlib import Path

from sqlalchemy import Column, ForeignKey, MetaData, Table

from greenroom.sql.base import Schema
from greenroom.sql.types import INTEGER, TEXT

_FOLDER = Path(__file__).parent / "sql_migrations"
METADATA = MetaData()
ACCOUNTS = Table(
    "accounts",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("cents", INTEGER, nullable=False),
)
POSTINGS = Table(
    "postings",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("account", TEXT, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("cents", INTEGER, nullable=False),
)
SCHEMA = Schema("accounts", METADATA, _FOLDER / "accounts")
NEXT = replace(SCHEMA, folder=_FOLDER / "accounts_next")
"""With a second migration, which fills the tables."""
BROKEN = replace(SCHEMA, folder=_FOLDER / "broken")
"""With a second migration that fails halfway."""
