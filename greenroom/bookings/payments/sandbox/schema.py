"""The SQL table of the sandbox: a record in JSON by its name.

lock                      locked by each call, so that calls are one after another
call:{key}                a call, its answer, and from when on it is known
hold:{authorisation}      an amount that is held, was captured or let go
captured:{capture}        what of a captured amount can still be refunded
"""

from pathlib import Path

from sqlalchemy import Column, MetaData, Table

from greenroom.sql.base import PURPOSE, Schema
from greenroom.sql.types import TEXT

METADATA = MetaData()

RECORDS = Table(
    "sandbox_payments",
    METADATA,
    Column("name", TEXT, primary_key=True),
    Column("record", TEXT, nullable=False),
    info={PURPOSE: "The records of the sandbox, which plays a payment provider. No real money."},
)
LOCK = "lock"
SCHEMA = Schema("sandbox_payments", METADATA, Path(__file__).parent / "migrations")
