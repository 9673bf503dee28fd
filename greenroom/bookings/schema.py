"""The SQL tables of bookings.

    booking_groups            one for each thread with cards; its row is locked by every write
    ├─ legs                   one provider's job
    │  └─ amendments          what a card changed about it: append-only
    ├─ cards                  the current version of each card
    │  └─ card_steps          every version: who, when, from, to: append-only
    ├─ card_keys              idempotency keys and their answers, kept for good
    ├─ transfers              the journal: append-only
    ├─ payments               operations of the payment provider, under their keys
    ├─ documents              what is signed, by version
    │  ├─ signatures          append-only
    │  └─ document_files      the SHA-256 of each PDF: append-only
    ├─ audit                  a hash chain for each group: append-only
    └─ outbox                 what the item store does not know yet

Contents that rules look at as a whole (terms of a leg, a card's payload) are one JSON column; what
is searched, joined or checked by the database is a column of its own. Triggers protect the rows of
append-only tables (`migrations/`).
"""

from pathlib import Path

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from greenroom.sql.base import PURPOSE, Schema
from greenroom.sql.types import INTEGER, TEXT

METADATA = MetaData()

GROUPS = Table(
    "booking_groups",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("thread_id", TEXT, nullable=False, unique=True),
    Column("buyer", TEXT, nullable=False),
    Column("sellers", TEXT, nullable=False),
    Column("names", TEXT, nullable=False),
    Column("currency", TEXT, nullable=False),
    Column("payment_method", TEXT, nullable=False),
    Column("version", INTEGER, nullable=False),
    Column("cards", INTEGER, nullable=False),
    Column("transfers", INTEGER, nullable=False),
    Column("audit_number", INTEGER, nullable=False),
    Column("audit_hash", TEXT, nullable=False),
    Column("created_ms", INTEGER, nullable=False),
    info={
        PURPOSE: "A group of legs that one buyer has agreed on: one for each thread with cards. "
        "Every write locks its row first."
    },
)


def _group() -> Column[str]:
    return Column("group_id", TEXT, ForeignKey("booking_groups.id"), nullable=False)


LEGS = Table(
    "legs",
    METADATA,
    Column("id", TEXT, primary_key=True),
    _group(),
    Column("number", INTEGER, nullable=False),
    Column("thread_id", TEXT, unique=True),
    Column("provider", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("starts_ms", INTEGER, nullable=False),
    Column("ends_ms", INTEGER, nullable=False),
    Column("due_ms", INTEGER, nullable=False),
    Column("version", INTEGER, nullable=False),
    Column("leg", TEXT, nullable=False),
    UniqueConstraint("group_id", "number"),
    info={
        PURPOSE: "One provider's job: who, what, where, when, for how much. `leg` has its terms, "
        "charges and deposit as JSON."
    },
)
Index("legs_by_provider", LEGS.c.provider, LEGS.c.starts_ms)

AMENDMENTS = Table(
    "amendments",
    METADATA,
    Column("leg_id", TEXT, ForeignKey("legs.id"), nullable=False),
    Column("version", INTEGER, nullable=False),
    Column("card_id", TEXT, nullable=False),
    Column("card_version", INTEGER, nullable=False),
    Column("before", TEXT, nullable=False),
    Column("after", TEXT, nullable=False),
    Column("at_ms", INTEGER, nullable=False),
    PrimaryKeyConstraint("leg_id", "version"),
    info={PURPOSE: "What a card changed about a leg: its terms before and after. Append-only."},
)

CARDS = Table(
    "cards",
    METADATA,
    Column("id", TEXT, primary_key=True),
    _group(),
    Column("thread_id", TEXT, nullable=False),
    Column("leg_id", TEXT),
    Column("type", TEXT, nullable=False),
    Column("state", TEXT, nullable=False),
    Column("is_open", INTEGER, nullable=False),
    Column("waits_on_staff", INTEGER, nullable=False),
    Column("due_ms", INTEGER, nullable=False),
    Column("version", INTEGER, nullable=False),
    Column("changed_ms", INTEGER, nullable=False),
    Column("card", TEXT, nullable=False),
    info={PURPOSE: "The current version of each card."},
)
Index("cards_of_group", CARDS.c.group_id, CARDS.c.is_open)
Index("cards_of_thread", CARDS.c.thread_id, CARDS.c.id)
Index("open_cards_by_due", CARDS.c.is_open, CARDS.c.due_ms)

STEPS = Table(
    "card_steps",
    METADATA,
    Column("card_id", TEXT, ForeignKey("cards.id"), nullable=False),
    Column("version", INTEGER, nullable=False),
    Column("step", TEXT, nullable=False),
    PrimaryKeyConstraint("card_id", "version"),
    info={
        PURPOSE: "Every version of a card: who made it, when, from which state to which. "
        "Append-only."
    },
)

KEYS = Table(
    "card_keys",
    METADATA,
    Column("actor", TEXT, nullable=False),
    Column("key", TEXT, nullable=False),
    _group(),
    Column("card_id", TEXT, nullable=False),
    Column("card_version", INTEGER, nullable=False),
    Column("transition", TEXT, nullable=False),
    Column("digest", TEXT, nullable=False),
    Column("answer", TEXT, nullable=False),
    Column("at_ms", INTEGER, nullable=False),
    PrimaryKeyConstraint("actor", "key"),
    info={PURPOSE: "The idempotency keys of cards with their answers, kept for good. Append-only."},
)

TRANSFERS = Table(
    "transfers",
    METADATA,
    _group(),
    Column("number", INTEGER, nullable=False),
    Column("id", TEXT, nullable=False, unique=True),
    Column("leg_id", TEXT, nullable=False),
    Column("debit", TEXT, nullable=False),
    Column("credit", TEXT, nullable=False),
    Column("minor", INTEGER, nullable=False),
    Column("currency", TEXT, nullable=False),
    Column("kind", TEXT, nullable=False),
    Column("of", TEXT, nullable=False),
    Column("transfer", TEXT, nullable=False),
    Column("at_ms", INTEGER, nullable=False),
    PrimaryKeyConstraint("group_id", "number"),
    info={PURPOSE: "The journal: every movement of money between accounts of a leg. Append-only."},
)
Index("transfers_of_leg", TRANSFERS.c.leg_id)

PAYMENTS = Table(
    "payments",
    METADATA,
    Column("key", TEXT, primary_key=True),
    _group(),
    Column("number", INTEGER, nullable=False),
    Column("leg_id", TEXT, nullable=False),
    Column("card_id", TEXT, nullable=False),
    Column("card_version", INTEGER, nullable=False),
    Column("state", TEXT, nullable=False),
    Column("due_ms", INTEGER, nullable=False),
    Column("payment", TEXT, nullable=False),
    info={
        PURPOSE: "Operations of the payment provider, each under the key that makes it happen once."
    },
)
Index("payments_of_group", PAYMENTS.c.group_id, PAYMENTS.c.number)
Index("payments_by_due", PAYMENTS.c.state, PAYMENTS.c.due_ms)

DOCUMENTS = Table(
    "documents",
    METADATA,
    Column("id", TEXT, nullable=False),
    Column("version", INTEGER, nullable=False),
    _group(),
    Column("leg_id", TEXT, ForeignKey("legs.id"), nullable=False),
    Column("state", TEXT, nullable=False),
    Column("content", TEXT, nullable=False),
    Column("content_sha256", TEXT, nullable=False),
    Column("consent", TEXT, nullable=False),
    Column("issued_ms", INTEGER, nullable=False),
    Column("signed_ms", INTEGER, nullable=False),
    Column("ended_ms", INTEGER, nullable=False),
    Column("draw_ms", INTEGER, nullable=False),
    Column("draw_tries", INTEGER, nullable=False),
    PrimaryKeyConstraint("id", "version"),
    info={PURPOSE: "What is signed, by version: the content, its hash and the words of consent."},
)
Index("documents_of_group", DOCUMENTS.c.group_id, DOCUMENTS.c.id)
Index("documents_to_draw", DOCUMENTS.c.draw_ms)

DOCUMENT_FILES = Table(
    "document_files",
    METADATA,
    Column("sha256", TEXT, primary_key=True),
    Column("document_id", TEXT, nullable=False),
    Column("version", INTEGER, nullable=False),
    Column("kind", TEXT, nullable=False),
    Column("at_ms", INTEGER, nullable=False),
    UniqueConstraint("document_id", "version", "kind"),
    info={PURPOSE: "The SHA-256 of each PDF of a document, by which it is verified. Append-only."},
)

SIGNATURES = Table(
    "signatures",
    METADATA,
    Column("document_id", TEXT, nullable=False),
    Column("version", INTEGER, nullable=False),
    Column("signer", TEXT, nullable=False),
    Column("content_sha256", TEXT, nullable=False),
    Column("consent", TEXT, nullable=False),
    Column("consent_sha256", TEXT, nullable=False),
    Column("ip", TEXT, nullable=False),
    Column("user_agent", TEXT, nullable=False),
    Column("at_ms", INTEGER, nullable=False),
    PrimaryKeyConstraint("document_id", "version", "signer"),
    info={
        PURPOSE: "Who signed which content, when, from where and with which consent. Append-only."
    },
)

AUDIT = Table(
    "audit",
    METADATA,
    _group(),
    Column("number", INTEGER, nullable=False),
    Column("at_ms", INTEGER, nullable=False),
    Column("actor", TEXT, nullable=False),
    Column("action", TEXT, nullable=False),
    Column("subject", TEXT, nullable=False),
    Column("facts", TEXT, nullable=False),
    Column("hash", TEXT, nullable=False),
    PrimaryKeyConstraint("group_id", "number"),
    info={
        PURPOSE: "What was decided, as a hash chain for each group. Append-only; `greenroom "
        "audit verify` checks it."
    },
)

OUTBOX = Table(
    "outbox",
    METADATA,
    Column("id", INTEGER, primary_key=True, autoincrement=True),
    _group(),
    Column("thread_id", TEXT, nullable=False),
    Column("body", TEXT, nullable=False),
    Column("at_ms", INTEGER, nullable=False),
    Column("relayed_ms", INTEGER, nullable=False),
    info={
        PURPOSE: "What was decided and is not in the conversation yet. A row is kept for a while "
        "after it was relayed."
    },
)
Index("outbox_waiting", OUTBOX.c.relayed_ms, OUTBOX.c.id)
Index("outbox_of_group", OUTBOX.c.group_id, OUTBOX.c.relayed_ms, OUTBOX.c.id)

APPEND_ONLY = (AMENDMENTS, STEPS, KEYS, TRANSFERS, SIGNATURES, DOCUMENT_FILES, AUDIT)

SCHEMA = Schema("bookings", METADATA, Path(__file__).parent / "migrations")
