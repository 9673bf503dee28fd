"""Adds an account, and rebuilds the table that others name."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("INSERT INTO accounts (id, cents) VALUES ('first', 100)")
    op.execute("INSERT INTO postings (id, account, cents) VALUES ('t', 'first', 100)")
    with op.batch_alter_table("accounts") as table:
        table.add_column(sa.Column("note", sa.Text()))
