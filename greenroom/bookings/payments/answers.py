"""What a payment provider answers: values in closed unions."""

from enum import StrEnum
from typing import NewType, TypeAlias

from msgspec import Struct

from greenroom.bookings.money import Money

PaymentKey = NewType("PaymentKey", str)
"""Names one call for good. A repeat with the same key is the same call."""
AuthorisationId = NewType("AuthorisationId", str)
CaptureId = NewType("CaptureId", str)
RefundId = NewType("RefundId", str)


class DeclineReason(StrEnum):
    DECLINED = "declined"
    """By the buyer's bank, which says no more."""
    INSUFFICIENT_FUNDS = "insufficient_funds"
    METHOD_INVALID = "method_invalid"
    """The payment method is unknown or has expired. The buyer has to give another one."""
    HOLD_EXPIRED = "hold_expired"
    """It was not captured in time. The money has to be authorised again."""
    HOLD_CANCELLED = "hold_cancelled"
    ALREADY_CAPTURED = "already_captured"
    """A hold is captured once. What was captured can only be refunded."""
    TOO_MUCH = "too_much"
    """More than was authorised, or more than is left to refund."""


class Authorised(Struct, frozen=True, tag="authorised"):
    """The money is held on the buyer's payment method."""

    authorisation: AuthorisationId
    money: Money
    capture_before_ms: int
    """From then on the hold is gone."""


class Captured(Struct, frozen=True, tag="captured"):
    """The money was taken. The rest of the hold is gone."""

    capture: CaptureId
    money: Money


class Cancelled(Struct, frozen=True, tag="cancelled"):
    """There is no hold any more, whether it was cancelled now, before, or has expired."""

    authorisation: AuthorisationId


class Refunded(Struct, frozen=True, tag="refunded"):
    refund: RefundId
    money: Money


class Declined(Struct, frozen=True, tag="declined"):
    """Nothing has changed. The answer is final: another attempt needs another key."""

    reason: DeclineReason


class Pending(Struct, frozen=True, tag="pending"):
    """The provider has not decided yet. Ask for the status of the key."""

    ask_again_ms: int
    """When the answer is expected."""


class Unseen(Struct, frozen=True, tag="unseen"):
    """The provider has never got a call with this key."""


Authorisation: TypeAlias = Authorised | Declined | Pending
Capture: TypeAlias = Captured | Declined | Pending
Cancellation: TypeAlias = Cancelled | Declined | Pending
Refund: TypeAlias = Refunded | Declined | Pending
Answer: TypeAlias = Authorised | Captured | Cancelled | Refunded | Declined | Pending
Status: TypeAlias = Answer | Unseen
