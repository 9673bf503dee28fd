"""Creates the tables of bookings, with triggers that keep append-only rows as they are."""

import sqlalchemy as sa
from alembic import op

from greenroom.sql.types import INTEGER, TEXT

revision = "0001"
down_revision = None

_APPEND_ONLY = (
    "amendments",
    "card_steps",
    "card_keys",
    "transfers",
    "signatures",
    "document_files",
    "audit",
)


def upgrade() -> None:
    _create_tables()
    _protect_rows()


def _protect_rows() -> None:
    postgresql = op.get_bind().dialect.name == "postgresql"
    if postgresql:
        op.execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'rows of % are only added', TG_TABLE_NAME; END $$"
        )
    for table in _APPEND_ONLY:
        if postgresql:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
            )
            continue
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are only added'); END"
            )


def _create_tables() -> None:
    op.create_table(
        "booking_groups",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("thread_id", TEXT, nullable=False),
        sa.Column("buyer", TEXT, nullable=False),
        sa.Column("sellers", TEXT, nullable=False),
        sa.Column("names", TEXT, nullable=False),
        sa.Column("currency", TEXT, nullable=False),
        sa.Column("payment_method", TEXT, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("cards", INTEGER, nullable=False),
        sa.Column("transfers", INTEGER, nullable=False),
        sa.Column("audit_number", INTEGER, nullable=False),
        sa.Column("audit_hash", TEXT, nullable=False),
        sa.Column("created_ms", INTEGER, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("thread_id"),
    )
    op.create_table(
        "signatures",
        sa.Column("document_id", TEXT, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("signer", TEXT, nullable=False),
        sa.Column("content_sha256", TEXT, nullable=False),
        sa.Column("consent", TEXT, nullable=False),
        sa.Column("consent_sha256", TEXT, nullable=False),
        sa.Column("ip", TEXT, nullable=False),
        sa.Column("user_agent", TEXT, nullable=False),
        sa.Column("at_ms", INTEGER, nullable=False),
        sa.PrimaryKeyConstraint("document_id", "version", "signer"),
    )
    op.create_table(
        "audit",
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("number", INTEGER, nullable=False),
        sa.Column("at_ms", INTEGER, nullable=False),
        sa.Column("actor", TEXT, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("facts", TEXT, nullable=False),
        sa.Column("hash", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.PrimaryKeyConstraint("group_id", "number"),
    )
    op.create_table(
        "card_keys",
        sa.Column("actor", TEXT, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("card_id", TEXT, nullable=False),
        sa.Column("card_version", INTEGER, nullable=False),
        sa.Column("transition", TEXT, nullable=False),
        sa.Column("digest", TEXT, nullable=False),
        sa.Column("answer", TEXT, nullable=False),
        sa.Column("at_ms", INTEGER, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.PrimaryKeyConstraint("actor", "key"),
    )
    op.create_table(
        "cards",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("thread_id", TEXT, nullable=False),
        sa.Column("leg_id", TEXT, nullable=True),
        sa.Column("type", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("is_open", INTEGER, nullable=False),
        sa.Column("waits_on_staff", INTEGER, nullable=False),
        sa.Column("due_ms", INTEGER, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("changed_ms", INTEGER, nullable=False),
        sa.Column("card", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("cards_of_group", "cards", ["group_id", "is_open"], unique=False)
    op.create_index("cards_of_thread", "cards", ["thread_id", "id"], unique=False)
    op.create_index("open_cards_by_due", "cards", ["is_open", "due_ms"], unique=False)
    op.create_table(
        "legs",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("number", INTEGER, nullable=False),
        sa.Column("thread_id", TEXT, nullable=True),
        sa.Column("provider", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("starts_ms", INTEGER, nullable=False),
        sa.Column("ends_ms", INTEGER, nullable=False),
        sa.Column("due_ms", INTEGER, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("leg", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("group_id", "number"),
        sa.UniqueConstraint("thread_id"),
    )
    op.create_index("legs_by_provider", "legs", ["provider", "starts_ms"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("leg_id", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("content", TEXT, nullable=False),
        sa.Column("content_sha256", TEXT, nullable=False),
        sa.Column("consent", TEXT, nullable=False),
        sa.Column("issued_ms", INTEGER, nullable=False),
        sa.Column("signed_ms", INTEGER, nullable=False),
        sa.Column("ended_ms", INTEGER, nullable=False),
        sa.Column("draw_ms", INTEGER, nullable=False),
        sa.Column("draw_tries", INTEGER, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.ForeignKeyConstraint(
            ["leg_id"],
            ["legs.id"],
        ),
        sa.PrimaryKeyConstraint("id", "version"),
    )
    op.create_index("documents_of_group", "documents", ["group_id", "id"], unique=False)
    op.create_index("documents_to_draw", "documents", ["draw_ms"], unique=False)
    op.create_table(
        "document_files",
        sa.Column("sha256", TEXT, nullable=False),
        sa.Column("document_id", TEXT, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("at_ms", INTEGER, nullable=False),
        sa.PrimaryKeyConstraint("sha256"),
        sa.UniqueConstraint("document_id", "version", "kind"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", INTEGER, autoincrement=True, nullable=False),
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("thread_id", TEXT, nullable=False),
        sa.Column("body", TEXT, nullable=False),
        sa.Column("at_ms", INTEGER, nullable=False),
        sa.Column("relayed_ms", INTEGER, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("outbox_of_group", "outbox", ["group_id", "relayed_ms", "id"], unique=False)
    op.create_index("outbox_waiting", "outbox", ["relayed_ms", "id"], unique=False)
    op.create_table(
        "payments",
        sa.Column("key", TEXT, nullable=False),
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("number", INTEGER, nullable=False),
        sa.Column("leg_id", TEXT, nullable=False),
        sa.Column("card_id", TEXT, nullable=False),
        sa.Column("card_version", INTEGER, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("due_ms", INTEGER, nullable=False),
        sa.Column("payment", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("payments_by_due", "payments", ["state", "due_ms"], unique=False)
    op.create_index("payments_of_group", "payments", ["group_id", "number"], unique=False)
    op.create_table(
        "transfers",
        sa.Column("group_id", TEXT, nullable=False),
        sa.Column("number", INTEGER, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("leg_id", TEXT, nullable=False),
        sa.Column("debit", TEXT, nullable=False),
        sa.Column("credit", TEXT, nullable=False),
        sa.Column("minor", INTEGER, nullable=False),
        sa.Column("currency", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("of", TEXT, nullable=False),
        sa.Column("transfer", TEXT, nullable=False),
        sa.Column("at_ms", INTEGER, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["booking_groups.id"],
        ),
        sa.PrimaryKeyConstraint("group_id", "number"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("transfers_of_leg", "transfers", ["leg_id"], unique=False)
    op.create_table(
        "amendments",
        sa.Column("leg_id", TEXT, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("card_id", TEXT, nullable=False),
        sa.Column("card_version", INTEGER, nullable=False),
        sa.Column("before", TEXT, nullable=False),
        sa.Column("after", TEXT, nullable=False),
        sa.Column("at_ms", INTEGER, nullable=False),
        sa.ForeignKeyConstraint(
            ["leg_id"],
            ["legs.id"],
        ),
        sa.PrimaryKeyConstraint("leg_id", "version"),
    )
    op.create_table(
        "card_steps",
        sa.Column("card_id", TEXT, nullable=False),
        sa.Column("version", INTEGER, nullable=False),
        sa.Column("step", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["card_id"],
            ["cards.id"],
        ),
        sa.PrimaryKeyConstraint("card_id", "version"),
    )
