"""Idempotency keys of cards: each names one request of one actor, for good, with its answer."""

import hashlib

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from greenroom.bookings import rows
from greenroom.bookings.cards.problems import CardKeyReused, InvalidCard
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Card, Step
from greenroom.bookings.schema import KEYS
from greenroom.ids import GroupId, UserId
from greenroom.sql.types import TEXT

MAX_KEY = 128
_KNOWN = select(KEYS).where(
    KEYS.c.actor == bindparam("actor_", type_=TEXT), KEYS.c.key == bindparam("key_", type_=TEXT)
)
_KEEP = {
    "postgresql": postgres_insert(KEYS).on_conflict_do_nothing(),
    "sqlite": sqlite_insert(KEYS).on_conflict_do_nothing(),
}
_canonical = msgspec.json.Encoder(order="sorted").encode


class Answer(Struct, frozen=True, kw_only=True):
    """What a proposal or a transition came to. A replay gives the same."""

    card: Card
    step: Step
    replayed: bool = False


def digest_of(*content: object) -> str:
    return hashlib.sha256(_canonical(content)).hexdigest()


def check_key(key: str) -> None:
    if not 0 < len(key) <= MAX_KEY or not key.isascii() or not key.isprintable():
        raise InvalidCard(f"its key must have 1 to {MAX_KEY} printable ASCII characters")


def answer_to(connection: Connection, actor: UserId, key: str, digest: str) -> Answer | None:
    """What the first request with this key was answered."""
    row = connection.execute(_KNOWN, {"actor_": actor, "key_": key}).first()
    if row is None:
        return None
    if row.digest != digest:
        raise CardKeyReused(row.card_id, row.transition)
    answer = rows.unpacked(row.answer, Answer)
    return msgspec.structs.replace(answer, replayed=True)


async def replay_of(bookings: Bookings, user: UserId, key: str, digest: str) -> Answer | None:
    """The answer to an earlier request, whatever has become of the card and its conversation. None
    where the key is new, or was used for something else."""
    try:
        return await bookings.database.read(
            lambda connection: answer_to(connection, user, key, digest)
        )
    except CardKeyReused:
        return None


def keep_answer(
    connection: Connection, group: GroupId, actor: UserId, key: str, digest: str, answer: Answer
) -> None:
    values = {
        "actor": actor,
        "key": key,
        "group_id": group,
        "card_id": answer.card.id,
        "card_version": answer.card.version,
        "transition": answer.step.transition,
        "digest": digest,
        "answer": rows.packed(answer),
        "at_ms": answer.step.at_ms,
    }
    kept = connection.execute(_KEEP[connection.dialect.name], values)
    if not kept.rowcount:
        # Another booking has used the key since it was looked up: each locks its own group only.
        first = connection.execute(_KNOWN, {"actor_": actor, "key_": key}).one()
        raise CardKeyReused(first.card_id, first.transition)
