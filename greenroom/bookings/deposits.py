"""Deposits: when they are held, claimed and released. Pure.

    scheduled ──► held ──► claimed | released
        │           └────► captured ──► claimed | released    (a hold could not last)
        └─────► failed                                        (the bank refused it)

A hold on a card lasts about a week, so a deposit is held shortly before its leg begins.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from greenroom.bookings.booking_change import BookingChange
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.chart import Account, Code
from greenroom.bookings.models import Deposit, DepositState, Operation, Payment, PaymentState
from greenroom.bookings.money import Money
from greenroom.bookings.payments.hold_plan import CAPTURE_AHEAD_MS
from greenroom.bookings.send_refund import send_refund
from greenroom.ids import LegId

_HOUR_MS = 3_600_000
_UNDER_WAY = frozenset({PaymentState.REQUESTED, PaymentState.STUCK})


def hold_due_ms(starts_ms: int, now_ms: int, rules: Rules) -> int:
    return max(now_ms, starts_ms - rules.bookings.deposit_hold_hours * _HOUR_MS)


def hold_deposit(change: BookingChange, leg_id: LegId) -> None:
    """Asks the provider to hold it, or to hold it again before the hold ends."""
    deposit = _deposit(change, leg_id)
    change.request(
        Operation.HOLD, leg_id, Code.DEPOSIT, deposit.money, title="Deposit", of=deposit.hold
    )


def renew_or_capture(change: BookingChange, leg_id: LegId) -> int:
    """Returns when to look again. A hold that was not renewed in time is captured, whatever becomes
    of the renewal: after its end there is nothing to claim."""
    deposit = _deposit(change, leg_id)
    if deposit.state is not DepositState.HELD:
        hold_deposit(change, leg_id)
        return 0
    if is_being_renewed(change.payments.values(), deposit):
        capture_deposit(change, leg_id)
        return 0
    hold_deposit(change, leg_id)
    ends_ms = change.payments[deposit.hold].capture_before_ms
    return max(ends_ms - CAPTURE_AHEAD_MS, change.now_ms + 1) if ends_ms else 0


def capture_deposit(change: BookingChange, leg_id: LegId) -> None:
    deposit = _deposit(change, leg_id)
    change.request(
        Operation.CAPTURE, leg_id, Code.DEPOSIT, deposit.money, title="Deposit", of=deposit.hold
    )


def claim_deposit(change: BookingChange, leg_id: LegId, amount: Money) -> None:
    """Takes a part. The rest is free when the provider has answered, in the same step."""
    deposit = _deposit(change, leg_id)
    if deposit.state is DepositState.CAPTURED:
        change.post(leg_id, Code.DEPOSIT_CLAIM, amount)
        _return_rest(change, leg_id)
    else:
        change.request(
            Operation.CLAIM,
            leg_id,
            Code.DEPOSIT_CLAIM,
            amount,
            title="Deposit claim",
            of=deposit.hold,
        )
    _set(change, leg_id, DepositState.CLAIMED)


def end_deposit(change: BookingChange, leg_id: LegId) -> None:
    """Releases what is held; what was not held yet is not held any more."""
    leg = change.leg(leg_id)
    if leg.deposit is None:
        return
    match leg.deposit.state:
        case DepositState.HELD if is_being_captured(change.payments.values(), leg.deposit):
            pass  # what is captured is sent back then
        case DepositState.HELD:
            change.request(
                Operation.RELEASE,
                leg_id,
                Code.DEPOSIT,
                leg.deposit.money,
                title="Deposit released",
                of=leg.deposit.hold,
            )
        case DepositState.CAPTURED:
            _return_rest(change, leg_id)
        case DepositState.SCHEDULED:
            pass
        case _:
            return
    _set(change, leg_id, DepositState.RELEASED)


def is_being_renewed(payments: Iterable[Payment], deposit: Deposit) -> bool:
    return any(
        (one.operation, one.of) == (Operation.HOLD, deposit.hold) and one.state in _UNDER_WAY
        for one in payments
    )


def is_being_captured(payments: Iterable[Payment], deposit: Deposit) -> bool:
    """Also while the provider cannot be reached: it may have been captured all the same."""
    return any(
        (one.operation, one.of) == (Operation.CAPTURE, deposit.hold) and one.state in _UNDER_WAY
        for one in payments
    )


def _return_rest(change: BookingChange, leg_id: LegId) -> None:
    rest = change.held(leg_id, Account.DEPOSIT)
    if rest.minor:
        change.post(leg_id, Code.DEPOSIT_RETURN, rest)
        send_refund(change, leg_id, title="Deposit returned")


def _deposit(change: BookingChange, leg_id: LegId) -> Deposit:
    deposit = change.leg(leg_id).deposit
    assert deposit is not None
    return deposit


def _set(change: BookingChange, leg_id: LegId, state: DepositState) -> None:
    leg = change.leg(leg_id)
    change.save(replace(leg, deposit=replace(_deposit(change, leg_id), state=state, due_ms=0)))
