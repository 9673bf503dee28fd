"""Renders cards, dry runs and bookings for the API. Times are ISO strings in UTC.

Careful: what is shown of a booking depends on who looks at it (`bookings/receipts.py`). A payment's
method and the provider's references are never shown.
"""

from collections.abc import Iterable

from msgspec import Struct

from greenroom.bookings.card_view import CardView
from greenroom.bookings.cards.payloads import Payload
from greenroom.bookings.chart import Code
from greenroom.bookings.dry_run import DryRun
from greenroom.bookings.models import (
    CardState,
    CardType,
    Charge,
    Deposit,
    DepositState,
    Leg,
    LegStatus,
    Operation,
    Payment,
    PaymentState,
    Side,
    Step,
)
from greenroom.bookings.money import Money, total
from greenroom.bookings.read_cards import CardRecord
from greenroom.bookings.receipts import Entry, SeenBooking
from greenroom.clock import iso
from greenroom.ids import CardId, GroupId, LegId, ThreadId, TransferId, UserId


class CardResult(Struct, rename="camel"):
    """What a proposal or a transition came to."""

    thread_id: ThreadId
    """Where the card is: a card about one leg of several is in that leg's conversation."""
    card: CardView
    replayed: bool
    """The repeat of an earlier request: the card as that request left it."""


class CardStep(Struct, rename="camel"):
    version: int
    transition: str
    before: CardState | None
    after: CardState
    user_id: UserId
    side: Side
    at: str
    note: str
    content: Payload | None
    """Where the step changed it."""


class CardWithSteps(Struct, rename="camel"):
    thread_id: ThreadId
    card: CardView
    steps: list[CardStep]


class CardList(Struct, rename="camel"):
    cards: list[CardView]
    next: str | None


class LegDeposit(Struct, rename="camel"):
    money: Money
    state: DepositState
    due_at: str | None


class LegCharge(Struct, rename="camel"):
    kind: CardType
    title: str
    price: Money
    card_id: CardId


class BookingLeg(Struct, rename="camel"):
    leg_id: LegId
    thread_id: ThreadId | None
    """Its own conversation."""
    provider_user_id: UserId
    status: LegStatus
    title: str
    service: str
    place: str
    city: str
    category: str
    starts_at: str
    ends_at: str
    time_zone: str
    price: Money
    charges: list[LegCharge]
    deposit: LegDeposit | None
    measures: list[str]
    is_paid_out: bool
    version: int


class BookingPayment(Struct, rename="camel"):
    operation: Operation
    code: Code
    title: str
    leg_id: LegId
    money: Money
    state: PaymentState


class DepositMove(Struct, rename="camel"):
    """What would become of a deposit."""

    operation: Operation
    title: str
    leg_id: LegId
    money: Money


class DryRunResult(Struct, rename="camel"):
    """What would happen. Nothing has."""

    card: CardView
    to_pay: list[BookingPayment]
    to_return: list[BookingPayment]
    total: Money | None
    """All that the buyer would be charged; null for nothing."""
    total_returned: Money | None
    deposits: list[DepositMove]
    legs: list[BookingLeg]
    """The booking after it."""
    tells_user_ids: list[UserId]


class Receipt(Struct, rename="camel"):
    transfer_id: TransferId
    at: str
    code: Code
    title: str
    leg_id: LegId
    card_id: CardId | None
    """The card that moved the money; null if it was due by itself."""
    money: Money
    is_open: bool


class BookingTotals(Struct, rename="camel"):
    paid: Money
    held: Money
    refunded: Money
    paid_out: Money | None


class Booking(Struct, rename="camel"):
    """A booking, as far as the caller may see it."""

    lbg_id: GroupId
    thread_id: ThreadId
    buyer_user_id: UserId
    side: Side | None
    currency: str | None
    legs: list[BookingLeg]
    receipts: list[Receipt]
    totals: BookingTotals | None
    payments: list[BookingPayment]
    """Under way."""


class ThreadBooking(Struct, rename="camel"):
    booking: Booking | None


def card_with_steps(record: CardRecord) -> CardWithSteps:
    return CardWithSteps(record.card.thread, record.view, [step_shape(one) for one in record.steps])


def dry_run_shape(found: DryRun) -> DryRunResult:
    return DryRunResult(
        card=found.card,
        to_pay=payments(found.to_pay),
        to_return=payments(found.to_return),
        total=_total(found.to_pay),
        total_returned=_total(found.to_return),
        deposits=[
            DepositMove(one.operation, one.title, one.leg, one.money) for one in found.deposits
        ],
        legs=[leg_shape(leg) for leg in found.legs],
        tells_user_ids=list(found.tells),
    )


def booking_shape(seen: SeenBooking) -> Booking:
    booking, totals = seen.booking, seen.totals
    return Booking(
        lbg_id=booking.id,
        thread_id=booking.thread,
        buyer_user_id=booking.buyer,
        side=seen.side,
        currency=booking.currency or None,
        legs=[leg_shape(leg) for leg in seen.legs],
        receipts=[_receipt(entry) for entry in seen.entries],
        totals=None
        if totals is None
        else BookingTotals(totals.paid, totals.held, totals.refunded, totals.paid_out),
        payments=payments(seen.under_way),
    )


def leg_shape(leg: Leg) -> BookingLeg:
    return BookingLeg(
        leg_id=leg.id,
        thread_id=leg.thread,
        provider_user_id=leg.provider,
        status=leg.status,
        title=leg.title,
        service=leg.service,
        place=leg.place,
        city=leg.city,
        category=leg.category,
        starts_at=iso(leg.starts_ms),
        ends_at=iso(leg.ends_ms),
        time_zone=leg.time_zone,
        price=leg.price,
        charges=[_charge(one) for one in leg.charges],
        deposit=None if leg.deposit is None else _deposit(leg.deposit),
        measures=list(leg.measures),
        is_paid_out=leg.is_paid_out,
        version=leg.version,
    )


def payments(found: Iterable[Payment]) -> list[BookingPayment]:
    return [
        BookingPayment(one.operation, one.code, one.title, one.leg, one.money, one.state)
        for one in found
    ]


def _charge(one: Charge) -> LegCharge:
    return LegCharge(one.kind, one.title, one.price, one.card)


def _deposit(deposit: Deposit) -> LegDeposit:
    due = iso(deposit.due_ms) if deposit.due_ms else None
    return LegDeposit(deposit.money, deposit.state, due)


def step_shape(step: Step) -> CardStep:
    return CardStep(
        version=step.version,
        transition=step.transition,
        before=step.before,
        after=step.after,
        user_id=step.actor,
        side=step.side,
        at=iso(step.at_ms),
        note=step.note,
        content=step.payload,
    )


def _receipt(entry: Entry) -> Receipt:
    one = entry.transfer
    card = one.cause.card if one.cause.card.startswith("crd_") else None
    return Receipt(
        transfer_id=one.id,
        at=iso(one.cause.ms),
        code=one.code,
        title=entry.title,
        leg_id=one.leg,
        card_id=card,
        money=one.money,
        is_open=entry.is_open,
    )


def _total(found: tuple[Payment, ...]) -> Money | None:
    if not found:
        return None
    return total((one.money for one in found), found[0].money.currency)
