"""Sends what is due to the buyer back to the charges that it was paid with. Pure."""

from msgspec.structs import replace

from greenroom.bookings.booking_change import BookingChange
from greenroom.bookings.chart import Account, Code
from greenroom.bookings.models import Operation, Payment, PaymentState
from greenroom.bookings.money import Money
from greenroom.ids import LegId

_TAKEN = frozenset({Operation.CHARGE, Operation.CAPTURE})


def send_refund(change: BookingChange, leg: LegId, *, title: str = "Refund") -> None:
    """Refunds all that is due, the latest charges first: banks refuse refunds of old ones more
    often."""
    left = change.held(leg, Account.BUYER_DUE).minor
    for charge in _charges(change, leg):
        part = min(left, charge.money.minor - charge.refunded)
        if not part:
            continue
        left -= part
        change.change(replace(charge, refunded=charge.refunded + part))
        money = Money(part, charge.money.currency)
        refund = change.request(
            Operation.REFUND, leg, Code.REFUND_PAID, money, title=title, of=charge.key
        )
        change.begin(refund)


def _charges(change: BookingChange, leg: LegId) -> list[Payment]:
    found = [
        one
        for one in change.payments.values()
        if one.leg == leg and one.state is PaymentState.DONE and one.operation in _TAKEN
    ]
    return sorted(found, key=lambda one: one.number, reverse=True)
