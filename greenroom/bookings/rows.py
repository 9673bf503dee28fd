"""Reads and writes the rows of bookings: models to rows, and back.

Careful: a function here takes a connection with a transaction, and is one statement or a few. What
it means is decided elsewhere.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    case,
    insert,
    literal_column,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from greenroom.bookings import journal
from greenroom.bookings.journal import Ledger
from greenroom.bookings.models import (
    Booking,
    Card,
    CardType,
    Leg,
    OpenCard,
    Parties,
    Payment,
    Step,
)
from greenroom.bookings.schema import (
    AMENDMENTS,
    CARDS,
    GROUPS,
    LEGS,
    PAYMENTS,
    STEPS,
    TRANSFERS,
)
from greenroom.bookings.transfers import Cause, Transfer
from greenroom.ids import CardId, GroupId, LegId, ThreadId, UserId
from greenroom.sql.types import INTEGER, TEXT

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
"""Building one costs more than decoding with it."""


def packed(value: object) -> str:
    return _encode(value).decode()


def unpacked(text: str, kind: type[T]) -> T:
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    found: T = decoder.decode(text)
    return found


# Statements, built once: building one costs more than running it.

_GROUP_ID = bindparam("group", type_=TEXT)
_CARD_ID = bindparam("card_", type_=TEXT)
_THREAD = bindparam("thread", type_=TEXT)
_GROUP = select(GROUPS).where(GROUPS.c.id == _GROUP_ID)
_LOCKED_GROUP = _GROUP.with_for_update()
_GROUP_OF_THREAD = (
    select(GROUPS.c.id)
    .where(GROUPS.c.thread_id == _THREAD)
    .union_all(select(LEGS.c.group_id).where(LEGS.c.thread_id == _THREAD))
    .limit(1)
)
_NEW_GROUP = {
    "postgresql": postgres_insert(GROUPS).on_conflict_do_nothing(),
    "sqlite": sqlite_insert(GROUPS).on_conflict_do_nothing(),
}
_SAVE_GROUP = update(GROUPS).where(GROUPS.c.id == _GROUP_ID)
_NEW_LEG, _NEW_AMENDMENT = insert(LEGS), insert(AMENDMENTS)
_SAVE_LEG = update(LEGS).where(LEGS.c.id == bindparam("leg_", type_=TEXT))
_IS_OPEN = (CARDS.c.group_id == _GROUP_ID, CARDS.c.is_open == 1)
_NO_TEXT, _NO_NUMBER = literal_column("''", TEXT), literal_column("0", INTEGER)
_LEGS_AND_CARDS = union_all(
    select(
        LEGS.c.number,
        LEGS.c.leg.label("content"),
        _NO_TEXT.label("id"),
        _NO_TEXT.label("type"),
        _NO_TEXT.label("leg_id"),
        _NO_NUMBER.label("is_open"),
    ).where(LEGS.c.group_id == _GROUP_ID),
    select(
        _NO_NUMBER,
        case((CARDS.c.id == _CARD_ID, CARDS.c.card), else_=_NO_TEXT),
        CARDS.c.id,
        CARDS.c.type,
        CARDS.c.leg_id,
        CARDS.c.is_open,
    ).where(CARDS.c.group_id == _GROUP_ID, or_(CARDS.c.is_open == 1, CARDS.c.id == _CARD_ID)),
)
"""All legs and open cards of a group; of one card, which is asked for, also its content."""
_WHOLE_OPEN_CARDS = select(CARDS.c.card).where(*_IS_OPEN)
_CARD = select(CARDS.c.card).where(CARDS.c.id == _CARD_ID)
_GROUP_OF_CARD = select(CARDS.c.group_id).where(CARDS.c.id == _CARD_ID)
_LOCKED_GROUP_OF_CARD = (
    select(GROUPS).where(GROUPS.c.id == _GROUP_OF_CARD.scalar_subquery()).with_for_update(of=GROUPS)
)
_NEW_CARD, _NEW_STEP = insert(CARDS), insert(STEPS)
_SAVE_CARD = update(CARDS).where(CARDS.c.id == _CARD_ID)
_STEPS = select(STEPS.c.step).where(STEPS.c.card_id == _CARD_ID).order_by(STEPS.c.version)
_TRANSFERS = (
    select(TRANSFERS.c.transfer)
    .where(TRANSFERS.c.group_id == _GROUP_ID)
    .order_by(TRANSFERS.c.number)
)
_NEW_TRANSFER, _NEW_PAYMENT = insert(TRANSFERS), insert(PAYMENTS)
_PAYMENTS = (
    select(PAYMENTS.c.payment).where(PAYMENTS.c.group_id == _GROUP_ID).order_by(PAYMENTS.c.number)
)
_SAVE_PAYMENT = update(PAYMENTS).where(PAYMENTS.c.key == bindparam("key_", type_=TEXT))


# Groups


def group_of_thread(connection: Connection, thread: ThreadId) -> GroupId | None:
    """The group that was agreed in the thread, or of the leg whose thread it is."""
    found = connection.execute(_GROUP_OF_THREAD, {"thread": thread}).scalar()
    return None if found is None else GroupId(found)


def create_group(connection: Connection, group: GroupId, parties: Parties, now_ms: int) -> GroupId:
    """Creates the group of a thread, if another transaction has not done so by now."""
    values = {
        "id": group,
        "thread_id": parties.thread,
        "buyer": parties.buyer,
        "sellers": packed(parties.sellers),
        "names": packed(parties.names),
        "currency": "",
        "payment_method": "",
        "version": 0,
        "cards": 0,
        "transfers": 0,
        "audit_number": 0,
        "audit_hash": "",
        "created_ms": now_ms,
    }
    connection.execute(_NEW_GROUP[connection.dialect.name], values)
    found = group_of_thread(connection, parties.thread)
    assert found is not None
    return found


def lock_group(connection: Connection, group: GroupId) -> Row[Any]:
    """Every write of a booking begins with this, so that its writes come one after the other."""
    return connection.execute(_LOCKED_GROUP, {"group": group}).one()


def lock_group_of_card(connection: Connection, card: CardId) -> Row[Any] | None:
    return connection.execute(_LOCKED_GROUP_OF_CARD, {"card_": card}).first()


def booking_of(connection: Connection, group: Row[Any]) -> Booking:
    return booking_with_card(connection, group, None)[0]


def booking_with_card(
    connection: Connection, group: Row[Any], card_id: CardId | None
) -> tuple[Booking, Card | None]:
    """In one statement, but for the money."""
    group_id = GroupId(group.id)
    found = connection.execute(_LEGS_AND_CARDS, {"group": group_id, "card_": card_id or ""}).all()
    legs = sorted((row for row in found if not row.id), key=lambda row: row.number)
    booked = tuple(unpacked(row.content, Leg) for row in legs)
    wanted = next((row for row in found if card_id and row.id == card_id), None)
    booking = Booking(
        id=group_id,
        thread=ThreadId(group.thread_id),
        buyer=UserId(group.buyer),
        sellers=unpacked(group.sellers, tuple[UserId, ...]),
        names=unpacked(group.names, dict[UserId, str]),
        currency=group.currency,
        payment_method=group.payment_method,
        legs=booked,
        open_cards=tuple(
            OpenCard(CardId(row.id), CardType(row.type), row.leg_id and LegId(row.leg_id))
            for row in found
            if row.is_open
        ),
        cards=group.cards,
        transfers=group.transfers,
        ledgers=ledgers_of(connection, group_id, group.currency) if group.transfers else {},
        payments=payments_of(connection, group_id) if group.transfers or booked else {},
        version=group.version,
    )
    return booking, None if wanted is None else unpacked(wanted.content, Card)


def find_booking(connection: Connection, group: GroupId) -> Booking:
    """Without a lock, to read."""
    row = connection.execute(_GROUP, {"group": group}).one()
    return booking_of(connection, row)


def save_group(connection: Connection, booking: Booking, audit: Mapping[str, Any]) -> None:
    values = {
        "group": booking.id,
        "sellers": packed(booking.sellers),
        "names": packed(booking.names),
        "currency": booking.currency,
        "payment_method": booking.payment_method,
        "version": booking.version,
        "cards": booking.cards,
        "transfers": booking.transfers,
        **audit,
    }
    connection.execute(_SAVE_GROUP, values)


# Legs


def save_legs(connection: Connection, before: Booking, after: Booking, cause: Cause) -> None:
    known = {leg.id: leg for leg in before.legs}
    for number, leg in enumerate(after.legs):
        old = known.get(leg.id)
        if old is None:
            values = _leg_values(leg) | {"id": leg.id, "group_id": after.id, "number": number}
            connection.execute(_NEW_LEG, values)
        elif old != leg:
            connection.execute(_SAVE_LEG, _leg_values(leg) | {"leg_": leg.id})
            connection.execute(_NEW_AMENDMENT, _amendment(old, leg, cause))


def with_thread(leg: Leg, thread: ThreadId) -> Leg:
    return msgspec.structs.replace(leg, thread=thread)


def _leg_values(leg: Leg) -> dict[str, Any]:
    return {
        "thread_id": leg.thread,
        "provider": leg.provider,
        "status": leg.status.value,
        "starts_ms": leg.starts_ms,
        "ends_ms": leg.ends_ms,
        "due_ms": leg.due_ms,
        "version": leg.version,
        "leg": packed(leg),
    }


def _amendment(old: Leg, new: Leg, cause: Cause) -> dict[str, Any]:
    return {
        "leg_id": new.id,
        "version": new.version,
        "card_id": cause.card,
        "card_version": cause.version,
        "before": packed(old),
        "after": packed(new),
        "at_ms": cause.ms,
    }


# Cards


def find_card(connection: Connection, card: CardId) -> Card | None:
    found = connection.execute(_CARD, {"card_": card}).scalar()
    return None if found is None else unpacked(found, Card)


def group_of_card(connection: Connection, card: CardId) -> GroupId | None:
    found = connection.execute(_GROUP_OF_CARD, {"card_": card}).scalar()
    return None if found is None else GroupId(found)


def save_card(connection: Connection, group: GroupId, card: Card) -> None:
    values = {
        "type": card.type.value,
        "state": card.state.value,
        "leg_id": card.leg,
        "is_open": int(card.is_open),
        "waits_on_staff": int(card.waits_on_staff),
        "due_ms": 0 if card.due is None else card.due.at_ms,
        "version": card.version,
        "changed_ms": card.changed_ms,
        "card": packed(card),
    }
    if card.version == 1:
        values |= {"id": card.id, "group_id": group, "thread_id": card.thread}
        connection.execute(_NEW_CARD, values)
    else:
        connection.execute(_SAVE_CARD, values | {"card_": card.id})


def add_step(connection: Connection, step: Step) -> None:
    values = {"card_id": step.card, "version": step.version, "step": packed(step)}
    connection.execute(_NEW_STEP, values)


def steps_of(connection: Connection, card: CardId) -> tuple[Step, ...]:
    rows = connection.execute(_STEPS, {"card_": card})
    return tuple(unpacked(row.step, Step) for row in rows)


def open_cards_of(connection: Connection, group: GroupId) -> tuple[Card, ...]:
    rows = connection.execute(_WHOLE_OPEN_CARDS, {"group": group})
    return tuple(unpacked(row.card, Card) for row in rows)


# The journal and payments


def ledgers_of(connection: Connection, group: GroupId, currency: str) -> dict[LegId, Ledger]:
    rows = connection.execute(_TRANSFERS, {"group": group})
    return replayed(currency, (unpacked(row.transfer, Transfer) for row in rows))


def replayed(currency: str, transfers: Iterable[Transfer]) -> dict[LegId, Ledger]:
    """The ledgers that these transfers lead to. They were checked when they were written."""
    of_legs: dict[LegId, list[Transfer]] = {}
    for one in transfers:
        of_legs.setdefault(one.leg, []).append(one)
    return {
        leg: journal.recorded(journal.empty(leg, currency), *made) for leg, made in of_legs.items()
    }


def add_transfers(
    connection: Connection, before: Booking, transfers: Iterable[Transfer], now_ms: int
) -> None:
    rows = [
        {
            "group_id": before.id,
            "number": number,
            "id": one.id,
            "leg_id": one.leg,
            "debit": one.debit.value,
            "credit": one.credit.value,
            "minor": one.money.minor,
            "currency": one.money.currency,
            "kind": one.kind.value,
            "of": one.pending_id or one.correction_of or "",
            "transfer": packed(one),
            "at_ms": now_ms,
        }
        for number, one in enumerate(transfers, before.transfers + 1)
    ]
    if rows:
        connection.execute(_NEW_TRANSFER, rows)


def payments_of(connection: Connection, group: GroupId) -> dict[str, Payment]:
    rows = connection.execute(_PAYMENTS, {"group": group})
    found = (unpacked(row.payment, Payment) for row in rows)
    return {one.key: one for one in found}


def save_payments(connection: Connection, before: Booking, payments: Iterable[Payment]) -> None:
    for one in payments:
        values = {
            "state": one.state.value,
            "due_ms": one.due_ms,
            "payment": packed(one),
        }
        if one.key in before.payments:
            connection.execute(_SAVE_PAYMENT, values | {"key_": one.key})
            continue
        values |= {
            "key": one.key,
            "group_id": before.id,
            "number": one.number,
            "leg_id": one.leg,
            "card_id": one.card,
            "card_version": one.card_version,
        }
        connection.execute(_NEW_PAYMENT, values)
