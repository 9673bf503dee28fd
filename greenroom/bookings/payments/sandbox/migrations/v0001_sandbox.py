"""Creates the records of the sandbox, and the row that its calls lock."""

import sqlalchemy as sa
from alembic import op

from greenroom.sql.types import TEXT

revision = "0001"
down_revision = None


def upgrade() -> None:
    records = op.create_table(
        "sandbox_payments",
        sa.Column("name", TEXT, primary_key=True),
        sa.Column("record", TEXT, nullable=False),
    )
    op.bulk_insert(records, [{"name": "lock", "record": ""}])
