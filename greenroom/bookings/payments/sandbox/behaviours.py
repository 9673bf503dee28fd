"""What each payment method of the sandbox does, so that tests and the demo can choose."""

from collections.abc import Mapping

from msgspec import Struct

from greenroom.bookings.payments.answers import DeclineReason
from greenroom.bookings.payments.methods import PaymentMethod

_SECOND_MS = 1000
_HOUR_MS = 3_600_000
CARD_HOLD_MS = 7 * 24 * _HOUR_MS
DELAY_MS = 60 * _SECOND_MS


class Behaviour(Struct, frozen=True):
    authorise: DeclineReason | None = None
    """Why authorising is declined."""
    capture: DeclineReason | None = None
    refund: DeclineReason | None = None
    delay_ms: int = 0
    """How long each answer is pending."""
    hold_ms: int = CARD_HOLD_MS
    loses_answer: bool = False
    """The first call with a key acts, and its answer is lost."""
    answers_twice: bool = False
    """Each answer is also sent two times by itself."""
    unreachable: bool = False
    """No call gets through."""


BEHAVIOURS: Mapping[PaymentMethod, Behaviour] = {
    PaymentMethod(f"sandbox:{name}"): behaviour
    for name, behaviour in {
        "ok": Behaviour(),
        "declines": Behaviour(authorise=DeclineReason.DECLINED),
        "insufficient_funds": Behaviour(authorise=DeclineReason.INSUFFICIENT_FUNDS),
        "capture_declines": Behaviour(capture=DeclineReason.DECLINED),
        "refund_declines": Behaviour(refund=DeclineReason.DECLINED),
        "delays": Behaviour(delay_ms=DELAY_MS),
        "delays_then_declines": Behaviour(authorise=DeclineReason.DECLINED, delay_ms=DELAY_MS),
        "expires_soon": Behaviour(hold_ms=_HOUR_MS),
        "lost_answer": Behaviour(loses_answer=True),
        "answers_twice": Behaviour(answers_twice=True),
        "unreachable": Behaviour(unreachable=True),
    }.items()
}
UNKNOWN = Behaviour(authorise=DeclineReason.METHOD_INVALID)


def behaviour_of(method: PaymentMethod) -> Behaviour:
    return BEHAVIOURS.get(method, UNKNOWN)
