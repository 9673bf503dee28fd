"""Takes money at once: authorises it and captures all of it, under one key."""

from greenroom.bookings.money import Money
from greenroom.bookings.payments.answers import Authorised, Capture, Declined, PaymentKey
from greenroom.bookings.payments.base import Payments
from greenroom.bookings.payments.methods import Payer


async def charge(
    payments: Payments, key: PaymentKey, money: Money, payer: Payer, *, capture_before_ms: int
) -> Capture:
    """Repeat it exactly after `Pending` and `Unavailable`: it goes on where it was. If the capture
    is declined, the money is let go."""
    held = await payments.authorise(
        _part(key, "authorise"), money, payer, capture_before_ms=capture_before_ms
    )
    if not isinstance(held, Authorised):
        return held
    taken = await payments.capture(_part(key, "capture"), held.authorisation, money)
    if isinstance(taken, Declined):
        await payments.cancel(_part(key, "cancel"), held.authorisation)
    return taken


def _part(key: PaymentKey, call: str) -> PaymentKey:
    return PaymentKey(f"{key}:{call}")
