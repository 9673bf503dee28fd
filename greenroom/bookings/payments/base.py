"""The interface of a payment provider: hold money, take it, let it go, give it back.

Providers: `SandboxPayments` in sandbox/. Each passes tests/bookings/test_payments.py.

Every call has a key and can be repeated with it: it acts once, and a repeat gets the answer of the
first. A repeat with other content raises `PaymentKeyReused`. If a call raises `Unavailable`, its
outcome is unknown; ask for the status of its key, or repeat it exactly.

Careful: never call it within a database transaction. Record what is to be done, call, then record
the answer.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from greenroom.bookings.money import Money
from greenroom.bookings.payments.answers import (
    Answer,
    Authorisation,
    AuthorisationId,
    Cancellation,
    Capture,
    CaptureId,
    PaymentKey,
    Refund,
    Status,
)
from greenroom.bookings.payments.methods import Payer

OnAnswer: TypeAlias = Callable[[PaymentKey, Answer], Awaitable[None]]
"""Told of an answer that the provider sends by itself: before or after the call returns, more than
once, and in any order."""


class Payments(Protocol):
    async def authorise(
        self, key: PaymentKey, money: Money, payer: Payer, *, capture_before_ms: int
    ) -> Authorisation:
        """Holds money until `capture_before_ms`. The provider may grant less time; for cards it is
        7 days at most."""

    async def capture(
        self, key: PaymentKey, authorisation: AuthorisationId, money: Money
    ) -> Capture:
        """Takes all or a part of a hold, once. The rest is let go."""

    async def cancel(self, key: PaymentKey, authorisation: AuthorisationId) -> Cancellation:
        """Lets a hold go. One that has been captured is declined."""

    async def refund(self, key: PaymentKey, capture: CaptureId, money: Money) -> Refund:
        """Gives back all or a part of what was captured, in any number of refunds."""

    async def status(self, key: PaymentKey) -> Status:
        """The answer to the call with this key, as far as it is known. Changes nothing."""
