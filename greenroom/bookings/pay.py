"""Makes the payments that bookings ask for: calls the provider, then records its answer.

    payment requested (SQL) ──> provider, with the payment's key ──> answer recorded (SQL)

The provider is called outside of any transaction. A call that is repeated, after a kill or by two
nodes at once, has the same key and the same outcome; its answer is recorded once.
"""

import logging

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, select, update

from greenroom.bookings import rows
from greenroom.bookings.booking_change import JournalRefused
from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.cards.decide import move
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import (
    Booking,
    Caller,
    DepositState,
    Payment,
    PaymentState,
    Side,
)
from greenroom.bookings.pay_provider import Later, ask_provider
from greenroom.bookings.payment_results import NotTaken, Taken, record
from greenroom.bookings.schema import PAYMENTS
from greenroom.bookings.transfers import Cause
from greenroom.errors import Problem, Unavailable
from greenroom.ids import GroupId
from greenroom.people.actor import SYSTEM

MAX_TRIES = 30
"""Failures until a payment counts as stuck: with the pauses below, after about a day."""
_FIRST_PAUSE_MS = 2_000
_LONGEST_PAUSE_MS = 3_600_000
_MAX_DUE = 100
_SHORTEST_PAUSE_MS = 200
_TOLD = frozenset({DepositState.HELD, DepositState.CAPTURED, DepositState.FAILED})
_log = logging.getLogger(__name__)
_TROUBLE = (Problem, Unavailable, OSError, TimeoutError)


class _Due(Struct, frozen=True):
    booking: Booking
    payments: tuple[Payment, ...]


async def pay_group(bookings: Bookings, group: GroupId) -> bool:
    """Makes the payments of a booking that are due, and those that follow from them. Returns
    whether anything was recorded."""
    recorded = False
    while due := await _due(bookings, group):
        for payment in due.payments:
            recorded |= await _pay(bookings, due.booking, payment)
    return recorded


async def groups_to_pay(bookings: Bookings) -> tuple[GroupId, ...]:
    """Those with a payment that is due."""

    def work(connection: Connection) -> tuple[GroupId, ...]:
        found = connection.execute(
            select(PAYMENTS.c.group_id)
            .where(PAYMENTS.c.state == "requested", PAYMENTS.c.due_ms <= bookings.clock.now_ms())
            .distinct()
            .limit(_MAX_DUE)
        )
        return tuple(GroupId(row.group_id) for row in found)

    return await bookings.database.read(work)


async def _due(bookings: Bookings, group: GroupId) -> _Due | None:
    def work(connection: Connection) -> _Due | None:
        now_ms = bookings.clock.now_ms()
        booking = rows.find_booking(connection, group)
        payments = tuple(
            one
            for one in booking.payments.values()
            if one.state is PaymentState.REQUESTED and one.due_ms <= now_ms
        )
        return _Due(booking, payments) if payments else None

    return await bookings.database.read(work)


async def _pay(bookings: Bookings, booking: Booking, payment: Payment) -> bool:
    assert bookings.payments is not None
    try:
        answer = await ask_provider(bookings.payments, booking, payment)
    except _TROUBLE as trouble:
        await _note_failure(bookings, payment, str(trouble) or type(trouble).__name__)
        return False
    if isinstance(answer, Later):
        await _note_later(bookings, payment, answer.at_ms)
        return False
    try:
        await record_answer(bookings, booking.id, payment.key, answer)
    except JournalRefused as fault:  # operators see it when it has been tried often enough
        _log.error("the answer of payment %s fits no rule", payment.key, exc_info=fault)
        await _note_failure(bookings, payment, f"its answer cannot be recorded: {fault}")
        return False
    return True


async def record_answer(
    bookings: Bookings, group: GroupId, key: str, answer: Taken | NotTaken
) -> None:
    """Once: an answer that is recorded already changes nothing."""

    def work(connection: Connection) -> None:
        now_ms = bookings.clock.now_ms()
        write = BookingWrite(connection, group, now_ms, bookings.rules)
        payment = write.booking.payments.get(key)
        if payment is None or payment.state not in (PaymentState.REQUESTED, PaymentState.STUCK):
            return
        card = rows.find_card(connection, payment.card)
        change = write.begin(Cause(payment.card, payment.card_version, now_ms))
        follows = record(change, card, payment, answer, bookings.rules)
        if card is not None and follows is not None:
            caller = Caller(SYSTEM, Side.SYSTEM)
            made = move(change.booking, card, follows, caller, now_ms, bookings.rules)
            write.make(made, card)
        _tell_deposits(write)
        write.finish()

    await bookings.database.write(work)


def _tell_deposits(write: BookingWrite) -> None:
    """What has become of deposits without a card."""
    assert write.change is not None
    for leg in write.change.booking.legs:
        old = write.before.leg(leg.id)
        if old is None or old.deposit is None or leg.deposit is None:
            continue
        if leg.deposit.state is not old.deposit.state and leg.deposit.state in _TOLD:
            write.tell_leg(f"deposit.{leg.deposit.state}", leg, SYSTEM)


async def _note_failure(bookings: Bookings, payment: Payment, problem: str) -> None:
    tries = payment.tries + 1
    pause_ms = min(_FIRST_PAUSE_MS * 2 ** min(tries, 20), _LONGEST_PAUSE_MS)
    state = PaymentState.STUCK if tries >= MAX_TRIES else payment.state
    due_ms = bookings.clock.now_ms() + pause_ms
    after = replace(payment, tries=tries, problem=problem[:500], due_ms=due_ms, state=state)
    await _change(bookings, payment, after)


async def _note_later(bookings: Bookings, payment: Payment, at_ms: int) -> None:
    soonest_ms = bookings.clock.now_ms() + _SHORTEST_PAUSE_MS
    await _change(bookings, payment, replace(payment, due_ms=max(at_ms, soonest_ms)))


async def _change(bookings: Bookings, before: Payment, after: Payment) -> None:
    """Nothing if it was changed since it was read."""
    await bookings.database.write(
        lambda connection: connection.execute(
            update(PAYMENTS)
            .where(PAYMENTS.c.key == before.key, PAYMENTS.c.payment == rows.packed(before))
            .values(
                state=after.state.value,
                due_ms=after.due_ms,
                payment=rows.packed(after),
            )
        )
    )
