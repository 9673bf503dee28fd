"""Reads and writes the rows of bookings: models to rows, and back.

Careful: a function here takes a connection with a transaction, and is one statement or a few. What
it means is decided elsewhere.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Row, insert, select, update
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

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode


def packed(value: object) -> str:
    return _encode(value).decode()


def unpacked(text: str, kind: type[T]) -> T:
    return msgspec.json.decode(text, type=kind)


# Groups


def group_of_thread(connection: Connection, thread: ThreadId) -> GroupId | None:
    """The group that was agreed in the thread, or of the leg whose thread it is."""
    home = select(GROUPS.c.id).where(GROUPS.c.thread_id == thread)
    own = select(LEGS.c.group_id).where(LEGS.c.thread_id == thread)
    found = connection.execute(home.union_all(own).limit(1)).scalar()
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
    into = postgres_insert if connection.dialect.name == "postgresql" else sqlite_insert
    connection.execute(into(GROUPS).values(values).on_conflict_do_nothing())
    found = group_of_thread(connection, parties.thread)
    assert found is not None
    return found


def lock_group(connection: Connection, group: GroupId) -> Row[Any]:
    """Every write of a booking begins with this, so that its writes come one after the other."""
    return connection.execute(select(GROUPS).where(GROUPS.c.id == group).with_for_update()).one()


def booking_of(connection: Connection, group: Row[Any]) -> Booking:
    group_id = GroupId(group.id)
    legs = connection.execute(
        select(LEGS.c.leg).where(LEGS.c.group_id == group_id).order_by(LEGS.c.number)
    )
    opened = connection.execute(
        select(CARDS.c.id, CARDS.c.type, CARDS.c.leg_id).where(
            CARDS.c.group_id == group_id, CARDS.c.is_open == 1
        )
    )
    booked = tuple(unpacked(row.leg, Leg) for row in legs)
    return Booking(
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
            for row in opened
        ),
        cards=group.cards,
        transfers=group.transfers,
        ledgers=ledgers_of(connection, group_id, group.currency) if group.transfers else {},
        payments=payments_of(connection, group_id) if group.transfers or booked else {},
        version=group.version,
    )


def find_booking(connection: Connection, group: GroupId) -> Booking:
    """Without a lock, to read."""
    row = connection.execute(select(GROUPS).where(GROUPS.c.id == group)).one()
    return booking_of(connection, row)


def save_group(connection: Connection, booking: Booking, audit: Mapping[str, Any]) -> None:
    connection.execute(
        update(GROUPS)
        .where(GROUPS.c.id == booking.id)
        .values(
            sellers=packed(booking.sellers),
            names=packed(booking.names),
            currency=booking.currency,
            payment_method=booking.payment_method,
            version=booking.version,
            cards=booking.cards,
            transfers=booking.transfers,
            **audit,
        )
    )


# Legs


def save_legs(connection: Connection, before: Booking, after: Booking, cause: Cause) -> None:
    known = {leg.id: leg for leg in before.legs}
    for number, leg in enumerate(after.legs):
        old = known.get(leg.id)
        if old is None:
            values = _leg_values(leg) | {"id": leg.id, "group_id": after.id, "number": number}
            connection.execute(insert(LEGS).values(values))
        elif old != leg:
            connection.execute(update(LEGS).where(LEGS.c.id == leg.id).values(_leg_values(leg)))
            connection.execute(insert(AMENDMENTS).values(_amendment(old, leg, cause)))


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
    found = connection.execute(select(CARDS.c.card).where(CARDS.c.id == card)).scalar()
    return None if found is None else unpacked(found, Card)


def group_of_card(connection: Connection, card: CardId) -> GroupId | None:
    found = connection.execute(select(CARDS.c.group_id).where(CARDS.c.id == card)).scalar()
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
        connection.execute(insert(CARDS).values(values))
    else:
        connection.execute(update(CARDS).where(CARDS.c.id == card.id).values(values))


def add_step(connection: Connection, step: Step) -> None:
    connection.execute(
        insert(STEPS).values(card_id=step.card, version=step.version, step=packed(step))
    )


def steps_of(connection: Connection, card: CardId) -> tuple[Step, ...]:
    rows = connection.execute(
        select(STEPS.c.step).where(STEPS.c.card_id == card).order_by(STEPS.c.version)
    )
    return tuple(unpacked(row.step, Step) for row in rows)


def open_cards_of(connection: Connection, group: GroupId) -> tuple[Card, ...]:
    return _cards(
        connection.execute(
            select(CARDS.c.card).where(CARDS.c.group_id == group, CARDS.c.is_open == 1)
        )
    )


def _cards(rows: Iterable[Row[Any]]) -> tuple[Card, ...]:
    return tuple(unpacked(row.card, Card) for row in rows)


# The journal and payments


def ledgers_of(connection: Connection, group: GroupId, currency: str) -> dict[LegId, Ledger]:
    rows = connection.execute(
        select(TRANSFERS.c.transfer)
        .where(TRANSFERS.c.group_id == group)
        .order_by(TRANSFERS.c.number)
    )
    return replayed(currency, (unpacked(row.transfer, Transfer) for row in rows))


def replayed(currency: str, transfers: Iterable[Transfer]) -> dict[LegId, Ledger]:
    """The ledgers that these transfers lead to. They were checked when they were written."""
    ledgers: dict[LegId, Ledger] = {}
    for one in transfers:
        ledger = ledgers.get(one.leg) or journal.empty(one.leg, currency)
        ledgers[one.leg] = journal.recorded(ledger, one)
    return ledgers


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
        connection.execute(insert(TRANSFERS), rows)


def payments_of(connection: Connection, group: GroupId) -> dict[str, Payment]:
    rows = connection.execute(
        select(PAYMENTS.c.payment).where(PAYMENTS.c.group_id == group).order_by(PAYMENTS.c.number)
    )
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
            connection.execute(update(PAYMENTS).where(PAYMENTS.c.key == one.key).values(values))
            continue
        values |= {
            "key": one.key,
            "group_id": before.id,
            "number": one.number,
            "leg_id": one.leg,
            "card_id": one.card,
            "card_version": one.card_version,
        }
        connection.execute(insert(PAYMENTS).values(values))
