"""Fails after its first statements."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("INSERT INTO accounts (id, cents) VALUES ('first', 100)")
    op.execute("CREATE TABLE halfway (id TEXT)")
    op.execute("this is no SQL")
