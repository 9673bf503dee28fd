"""A booking with its journal in plain words, as one person may see it. Pure."""

from collections.abc import Mapping

from msgspec import Struct

from greenroom.bookings.chart import Code
from greenroom.bookings.models import Booking, Leg, Payment, PaymentState, Side
from greenroom.bookings.money import Money, total, zero
from greenroom.bookings.transfers import Kind, Transfer
from greenroom.bookings.visibility import hidden_codes, sees_leg, side_of
from greenroom.ids import LegId, UserId


class Entry(Struct, frozen=True, kw_only=True):
    """One line of the receipts."""

    transfer: Transfer
    title: str
    is_open: bool
    """Reserved, and neither taken nor released yet."""


class Totals(Struct, frozen=True, kw_only=True):
    paid: Money
    """By the buyer."""
    held: Money
    """As a deposit: reserved, or taken to be paid back."""
    refunded: Money
    """To the buyer."""
    paid_out: Money | None
    """To the provider. None for the buyer, whom it does not concern."""


class SeenBooking(Struct, frozen=True, kw_only=True):
    """A booking as one person may see it."""

    booking: Booking
    side: Side | None
    """None for somebody in the conversation who takes no part in the booking."""
    legs: tuple[Leg, ...]
    entries: tuple[Entry, ...]
    totals: Totals | None
    """None before anything has a price."""
    under_way: tuple[Payment, ...]


TITLES: Mapping[Code, str] = {
    Code.PRICE: "Price",
    Code.EXTRAS: "Extras",
    Code.OVERTIME: "Overtime",
    Code.EXPENSE: "Expense",
    Code.SERVICE_FEE: "Service fee",
    Code.DEPOSIT: "Deposit",
    Code.EARNINGS: "Earnings of the provider",
    Code.PLATFORM_FEE: "Fee of the marketplace",
    Code.REFUND: "Refund agreed",
    Code.FEE_REFUND: "Service fee given back",
    Code.DEPOSIT_CLAIM: "Claimed from the deposit",
    Code.DEPOSIT_RETURN: "Deposit given back",
    Code.RECLAIM: "Taken back from the provider's earnings",
    Code.GOODWILL: "Goodwill of the marketplace",
    Code.COMPENSATION: "Compensation by the marketplace",
    Code.REFUND_PAID: "Refund",
    Code.PAYOUT: "Payout to the provider",
    Code.FEES_PAID: "Fees of the marketplace",
}
_PAID_IN = frozenset({Code.PRICE, Code.EXTRAS, Code.OVERTIME, Code.EXPENSE, Code.SERVICE_FEE})
_UNDER_WAY = frozenset({PaymentState.REQUESTED, PaymentState.STUCK})


def seen_booking(booking: Booking, user: UserId, *, staff: bool) -> SeenBooking:
    side = side_of(booking, user, staff=staff)
    legs = tuple(leg for leg in booking.legs if sees_leg(leg, user, side))
    hidden = hidden_codes(side)
    shown = _shown_ledgers(booking, legs, side)
    entries = tuple(one for one in _entries(booking, shown) if one.transfer.code not in hidden)
    return SeenBooking(
        booking=booking,
        side=side,
        legs=legs,
        entries=entries,
        totals=_totals(booking.currency, entries, side) if booking.currency and side else None,
        under_way=tuple(
            one
            for one in booking.payments.values()
            if one.leg in shown and one.state in _UNDER_WAY and one.code not in hidden
        ),
    )


def _shown_ledgers(booking: Booking, legs: tuple[Leg, ...], side: Side | None) -> frozenset[LegId]:
    """Also those of legs that are being paid for, for those who see everything."""
    ids = {leg.id for leg in legs}
    if side in (Side.BUYER, Side.STAFF):
        ids |= booking.ledgers.keys()
    return frozenset(ids)


def _entries(booking: Booking, shown: frozenset[LegId]) -> list[Entry]:
    """The oldest first."""
    found: list[Entry] = []
    for leg, ledger in booking.ledgers.items():
        if leg in shown:
            found += (
                Entry(
                    transfer=one,
                    title=_title(one),
                    is_open=one.kind is Kind.PENDING and one.id not in ledger.resolved_by,
                )
                for one in ledger.transfers.values()
            )
    return sorted(found, key=lambda one: one.transfer.cause.ms)


def _title(transfer: Transfer) -> str:
    title = TITLES[transfer.code]
    if transfer.correction_of is not None:
        return f"Correction: {title}"
    match transfer.kind:
        case Kind.PENDING:
            return f"{title} (reserved)"
        case Kind.VOID_PENDING:
            return f"{title} (released)"
        case _:
            return title


def _totals(currency: str, entries: tuple[Entry, ...], side: Side) -> Totals:
    held = _sum(currency, entries, frozenset({Code.DEPOSIT}))
    back = _sum(currency, entries, frozenset({Code.DEPOSIT_CLAIM, Code.DEPOSIT_RETURN}))
    reserved = total(
        (
            one.transfer.money
            for one in entries
            if one.is_open and one.transfer.code is Code.DEPOSIT
        ),
        currency,
    )
    return Totals(
        paid=_sum(currency, entries, _PAID_IN),
        held=(held - back if held >= back else zero(currency)) + reserved,
        refunded=_sum(currency, entries, frozenset({Code.REFUND_PAID})),
        paid_out=None if side is Side.BUYER else _sum(currency, entries, frozenset({Code.PAYOUT})),
    )


def _sum(currency: str, entries: tuple[Entry, ...], codes: frozenset[Code]) -> Money:
    """What was moved, without what corrections have moved back."""
    moved = [
        one.transfer
        for one in entries
        if one.transfer.code in codes and one.transfer.kind in (Kind.POSTED, Kind.POST_PENDING)
    ]
    there = total((one.money for one in moved if one.correction_of is None), currency)
    back = total((one.money for one in moved if one.correction_of is not None), currency)
    return there - back
