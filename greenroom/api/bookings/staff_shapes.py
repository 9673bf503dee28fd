"""Renders for the marketplace's staff what needs them: disputes, payments, deadlines, relays."""

from collections.abc import Sequence

from msgspec import Struct

from greenroom.api.bookings.shapes import (
    BookingLeg,
    BookingPayment,
    CardStep,
    leg_shape,
    payments,
    step_shape,
)
from greenroom.background.models import TimerRow
from greenroom.bookings.card_view import CardView
from greenroom.bookings.models import Payment
from greenroom.bookings.read_trouble import DisputeRecord, LateRelay, StuckPayment, Trouble
from greenroom.clock import iso
from greenroom.ids import GroupId, ThreadId, UserId


class OpenDispute(Struct, rename="camel"):
    """A dispute that waits for staff. Its card's content has both sides' accounts."""

    lbg_id: GroupId
    thread_id: ThreadId
    buyer_user_id: UserId
    provider_user_id: UserId
    leg: BookingLeg
    card: CardView
    steps: list[CardStep]


class OperatorPayment(Struct, rename="camel"):
    """A payment that was tried too often."""

    key: str
    lbg_id: GroupId
    thread_id: ThreadId
    payment: BookingPayment
    tries: int
    problem: str
    asked_at: str


class FailedDeadline(Struct, rename="camel"):
    """A deadline that failed too often. It can be replayed like any timer."""

    kind: str
    timer_id: str
    thread_id: str | None
    due_at: str
    tries: int
    error: str


class WaitingRelay(Struct, rename="camel"):
    """News of a booking that its conversation does not have yet."""

    lbg_id: GroupId
    thread_id: ThreadId
    since: str
    set_aside: bool


class BookingTrouble(Struct, rename="camel"):
    """Up to 100 of each, those first that have waited longest."""

    disputes: list[OpenDispute]
    payments: list[OperatorPayment]
    deadlines: list[FailedDeadline]
    relays: list[WaitingRelay]


def trouble_shape(found: Trouble, timers: Sequence[TimerRow]) -> BookingTrouble:
    return BookingTrouble(
        disputes=[_dispute(one) for one in found.disputes],
        payments=[_stuck(one) for one in found.payments],
        deadlines=[_deadline(row) for row in timers],
        relays=[_relay(one) for one in found.relays],
    )


def payment_shape(payment: Payment) -> BookingPayment:
    [shown] = payments((payment,))
    return shown


def _dispute(one: DisputeRecord) -> OpenDispute:
    return OpenDispute(
        lbg_id=one.group,
        thread_id=one.thread,
        buyer_user_id=one.buyer,
        provider_user_id=one.leg.provider,
        leg=leg_shape(one.leg),
        card=one.card,
        steps=[step_shape(step) for step in one.steps],
    )


def _stuck(one: StuckPayment) -> OperatorPayment:
    payment = one.payment
    return OperatorPayment(
        key=payment.key,
        lbg_id=one.group,
        thread_id=one.thread,
        payment=payment_shape(payment),
        tries=payment.tries,
        problem=payment.problem,
        asked_at=iso(payment.asked_ms),
    )


def _deadline(row: TimerRow) -> FailedDeadline:
    timer = row.timer
    thread = timer.payload.get("threadId")
    return FailedDeadline(
        kind=timer.kind,
        timer_id=timer.id,
        thread_id=None if thread is None else str(thread),
        due_at=iso(timer.due_ms),
        tries=row.tries,
        error=row.error,
    )


def _relay(one: LateRelay) -> WaitingRelay:
    return WaitingRelay(one.group, one.thread, iso(one.since_ms), one.is_set_aside)
