"""Asks the payment provider for what one payment says, under the payment's key."""

from msgspec import Struct

from greenroom.bookings.models import Booking, Operation, Payment
from greenroom.bookings.payment_results import NotTaken, Taken
from greenroom.bookings.payments.answers import (
    Answer,
    AuthorisationId,
    Authorised,
    Cancelled,
    Captured,
    CaptureId,
    Declined,
    PaymentKey,
    Pending,
    Refunded,
)
from greenroom.bookings.payments.base import Payments
from greenroom.bookings.payments.charge import charge
from greenroom.bookings.payments.methods import Payer, PaymentMethod

_HOLD_MS = 7 * 86_400_000
_CHARGE_MS = 3_600_000
"""How long a charge may be authorised before it is captured."""


class Later(Struct, frozen=True):
    """The provider has not decided yet."""

    at_ms: int


async def ask_provider(
    payments: Payments, booking: Booking, payment: Payment
) -> Taken | NotTaken | Later:
    return _outcome(await _asked(payments, booking, payment))


async def _asked(payments: Payments, booking: Booking, payment: Payment) -> Answer:
    key = PaymentKey(payment.key)
    payer = Payer(booking.buyer, PaymentMethod(payment.method))
    asked_ms = payment.asked_ms
    match payment.operation:
        case Operation.CHARGE:
            until_ms = asked_ms + _CHARGE_MS
            return await charge(payments, key, payment.money, payer, capture_before_ms=until_ms)
        case Operation.HOLD:
            until_ms = asked_ms + _HOLD_MS
            return await payments.authorise(key, payment.money, payer, capture_before_ms=until_ms)
        case Operation.CLAIM | Operation.CAPTURE:
            hold = AuthorisationId(_reference(booking, payment.of))
            return await payments.capture(key, hold, payment.money)
        case Operation.RELEASE:
            return await payments.cancel(key, AuthorisationId(_reference(booking, payment.of)))
        case Operation.REFUND:
            capture = CaptureId(_reference(booking, payment.of))
            return await payments.refund(key, capture, payment.money)


def _reference(booking: Booking, key: str) -> str:
    """The provider's own id of an earlier payment."""
    return booking.payments[key].reference


def _outcome(answer: Answer) -> Taken | NotTaken | Later:
    match answer:
        case Authorised(authorisation, _, capture_before_ms):
            return Taken(authorisation, capture_before_ms)
        case Captured(capture):
            return Taken(capture)
        case Cancelled(authorisation):
            return Taken(authorisation)
        case Refunded(refund):
            return Taken(refund)
        case Declined(reason):
            return NotTaken(reason.value)
        case Pending(ask_again_ms):
            return Later(ask_again_ms)
