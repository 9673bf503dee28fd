"""Creates accounts and postings."""

import sqlalchemy as sa
from alembic import op

from greenroom.sql.types import INTEGER, TEXT

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("cents", INTEGER, nullable=False),
    )
    op.create_table(
        "postings",
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("account", TEXT, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("cents", INTEGER, nullable=False),
    )
    op.create_index("ix_postings_account", "postings", ["account"])
