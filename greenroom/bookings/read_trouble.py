"""Reads what needs the marketplace's staff: disputes to decide, stuck payments, late relays."""

from msgspec import Struct
from sqlalchemy import Connection, func, select

from greenroom.bookings import rows
from greenroom.bookings.card_view import CardView, card_view
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Booking, Card, Leg, Payment, PaymentState, Step
from greenroom.bookings.outbox import SET_ASIDE
from greenroom.bookings.schema import CARDS, GROUPS, OUTBOX, PAYMENTS
from greenroom.ids import GroupId, ThreadId, UserId

MOST = 100
"""Of each kind. With more, those that have waited longest are shown."""
LATE_MS = 60_000
"""News that have waited for longer are late."""


class DisputeRecord(Struct, frozen=True):
    """A dispute that waits for staff, with what both sides have said."""

    group: GroupId
    thread: ThreadId
    buyer: UserId
    leg: Leg
    card: CardView
    steps: tuple[Step, ...]


class StuckPayment(Struct, frozen=True):
    group: GroupId
    thread: ThreadId
    payment: Payment


class LateRelay(Struct, frozen=True):
    group: GroupId
    thread: ThreadId
    since_ms: int
    is_set_aside: bool
    """It cannot be relayed, and is not tried again."""


class Trouble(Struct, frozen=True):
    disputes: tuple[DisputeRecord, ...]
    payments: tuple[StuckPayment, ...]
    relays: tuple[LateRelay, ...]


async def read_trouble(bookings: Bookings, viewer: UserId) -> Trouble:
    """Without the viewer's own disputes: nobody decides about themselves."""
    now_ms = bookings.clock.now_ms()

    def work(connection: Connection) -> Trouble:
        return Trouble(
            disputes=_disputes(connection, viewer),
            payments=_stuck(connection),
            relays=_late(connection, now_ms - LATE_MS),
        )

    return await bookings.database.read(work)


def _disputes(connection: Connection, viewer: UserId) -> tuple[DisputeRecord, ...]:
    found = connection.execute(
        select(CARDS.c.group_id, CARDS.c.card)
        .where(CARDS.c.is_open == 1, CARDS.c.waits_on_staff == 1)
        .order_by(CARDS.c.changed_ms, CARDS.c.id)
        .limit(MOST)
    )
    records: list[DisputeRecord] = []
    for row in found:
        booking = rows.find_booking(connection, GroupId(row.group_id))
        if viewer not in (booking.buyer, *booking.sellers):
            records.append(_record(connection, booking, rows.unpacked(row.card, Card)))
    return tuple(records)


def _record(connection: Connection, booking: Booking, card: Card) -> DisputeRecord:
    leg = booking.leg(card.leg)
    assert leg is not None, "only cards about a leg wait for staff"
    return DisputeRecord(
        group=booking.id,
        thread=card.thread,
        buyer=booking.buyer,
        leg=leg,
        card=card_view(card, booking.buyer, booking.legs),
        steps=rows.steps_of(connection, card.id),
    )


def _stuck(connection: Connection) -> tuple[StuckPayment, ...]:
    found = connection.execute(
        select(PAYMENTS.c.group_id, PAYMENTS.c.payment, GROUPS.c.thread_id)
        .join(GROUPS, GROUPS.c.id == PAYMENTS.c.group_id)
        .where(PAYMENTS.c.state == PaymentState.STUCK.value)
        .order_by(PAYMENTS.c.due_ms, PAYMENTS.c.key)
        .limit(MOST)
    )
    return tuple(
        StuckPayment(
            GroupId(row.group_id), ThreadId(row.thread_id), rows.unpacked(row.payment, Payment)
        )
        for row in found
    )


def _late(connection: Connection, before_ms: int) -> tuple[LateRelay, ...]:
    """One for each thread."""
    since = func.min(OUTBOX.c.at_ms)
    aside = func.min(OUTBOX.c.relayed_ms)
    found = connection.execute(
        select(OUTBOX.c.group_id, OUTBOX.c.thread_id, since.label("since"), aside.label("aside"))
        .where(OUTBOX.c.relayed_ms <= 0, OUTBOX.c.at_ms <= before_ms)
        .group_by(OUTBOX.c.group_id, OUTBOX.c.thread_id)
        .order_by(since)
        .limit(MOST)
    )
    return tuple(
        LateRelay(GroupId(row.group_id), ThreadId(row.thread_id), row.since, row.aside == SET_ASIDE)
        for row in found
    )
