"""What is due on a leg by itself: it completes, its deposit is held, its provider is paid. Pure."""

from msgspec.structs import replace

from greenroom.bookings.card_policy import Rules
from greenroom.bookings.models import DepositState, Leg, LegStatus

_HOUR_MS = 3_600_000
_WAITING = frozenset({DepositState.SCHEDULED, DepositState.HELD})


def with_due(leg: Leg, rules: Rules) -> Leg:
    """The leg with the time of its next deadline."""
    return replace(leg, due_ms=_due_ms(leg, rules))


def _due_ms(leg: Leg, rules: Rules) -> int:
    times = [completes_ms(leg, rules), closes_ms(leg, rules), deposit_due_ms(leg)]
    return min((ms for ms in times if ms), default=0)


def completes_ms(leg: Leg, rules: Rules) -> int:
    """When a leg completes that nobody has completed or disputed; 0 where that is not due."""
    if leg.status is not LegStatus.CONFIRMED:
        return 0
    return max(leg.ends_ms + rules.bookings.complete_hours * _HOUR_MS, leg.closes_from_ms)


def closes_ms(leg: Leg, rules: Rules) -> int:
    """When the provider is paid and the deposit released; 0 where that is not due."""
    if leg.status is not LegStatus.COMPLETED or leg.is_paid_out or not rules.takes_payments:
        return 0
    due_ms = leg.completed_ms + rules.bookings.deposit_claim_hours * _HOUR_MS
    return max(due_ms, leg.closes_from_ms)


def deposit_due_ms(leg: Leg) -> int:
    """When the deposit is held for the first time, or again; 0 where that is not due."""
    ended = leg.status is LegStatus.CANCELLED or leg.is_paid_out
    if leg.deposit is None or leg.deposit.state not in _WAITING or ended:
        return 0
    return leg.deposit.due_ms
