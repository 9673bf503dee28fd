"""What the answer of the payment provider changes about a booking. Pure.

An answer may come long after the card that asked for it has ended: money that has been taken by
then is sent back.
"""

from msgspec import Struct
from msgspec.structs import replace

from greenroom.bookings.booking_change import BookingChange
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.decide import Request, settled
from greenroom.bookings.chart import Account, Code
from greenroom.bookings.deposits import capture_deposit, is_being_captured
from greenroom.bookings.leg_deadlines import with_due
from greenroom.bookings.models import (
    Card,
    CardState,
    Deposit,
    DepositState,
    Operation,
    Payment,
    PaymentState,
)
from greenroom.bookings.payments.hold_plan import renew_at_ms
from greenroom.bookings.send_refund import send_refund
from greenroom.bookings.transfers import pending
from greenroom.ids import LegId, TransferId

_HOUR_MS = 3_600_000
_ENDED = frozenset({DepositState.CLAIMED, DepositState.RELEASED, DepositState.FAILED})


class Taken(Struct, frozen=True):
    """The provider has done it."""

    reference: str
    capture_before_ms: int = 0
    """Of a hold: when it ends."""


class NotTaken(Struct, frozen=True):
    """The provider has refused it for good."""

    reason: str


def record(
    change: BookingChange,
    card: Card | None,
    payment: Payment,
    answer: Taken | NotTaken,
    rules: Rules,
) -> Request | None:
    """Returns the transition of the card that follows, if one does. A leg asks for the hold of its
    deposit without a card."""
    if isinstance(answer, Taken):
        done = replace(
            payment,
            state=PaymentState.DONE,
            reference=answer.reference,
            capture_before_ms=answer.capture_before_ms,
        )
        change.change(done)
        _taken(change, card, done, rules)
    else:
        change.change(replace(payment, state=PaymentState.DECLINED, problem=answer.reason))
        _not_taken(change, payment, rules)
    return _next(change, card, payment)


def _taken(change: BookingChange, card: Card | None, payment: Payment, rules: Rules) -> None:
    leg = payment.leg
    match payment.operation:
        case Operation.CHARGE:
            change.finish(leg, payment.key, payment.money)
            if not _is_waited_for(card, payment):
                give_back(change, payment)
        case Operation.HOLD:
            _held(change, payment, rules)
        case Operation.CLAIM:
            change.finish(leg, payment.of, payment.money)
            change.post(leg, Code.DEPOSIT_CLAIM, payment.money)
            if change.leg(leg).is_paid_out:
                change.post(leg, Code.PAYOUT, change.held(leg, Account.SELLER_DUE))
        case Operation.CAPTURE:
            change.finish(leg, payment.of, payment.money)
            _captured(change, leg, rules)
        case Operation.RELEASE:
            change.finish(leg, payment.of, None)
        case Operation.REFUND:
            change.finish(leg, payment.key, payment.money)


def _not_taken(change: BookingChange, payment: Payment, rules: Rules) -> None:
    leg = payment.leg
    match payment.operation:
        case Operation.CHARGE:
            change.finish(leg, payment.key, None)
        case Operation.HOLD:
            _not_held(change, payment, rules)
        case Operation.CLAIM:
            change.finish(leg, payment.of, None)
            _set_deposit(change, leg, rules, state=DepositState.FAILED, due_ms=0)
        case Operation.CAPTURE:
            change.finish(leg, payment.of, None)
            if _deposit(change, leg).state not in _ENDED:
                _set_deposit(change, leg, rules, state=DepositState.FAILED, due_ms=0)
        case Operation.RELEASE:  # the hold has ended by itself
            change.finish(leg, payment.of, None)
        case Operation.REFUND:  # staff have to send it in another way
            change.change(replace(change.payments[payment.key], state=PaymentState.STUCK))


def give_back(change: BookingChange, charge: Payment) -> None:
    """A charge whose card has ended without effect."""
    change.change(replace(change.payments[charge.key], given_back=True))
    change.post(charge.leg, Code.REFUND, charge.money)
    send_refund(change, charge.leg)


def _held(change: BookingChange, payment: Payment, rules: Rules) -> None:
    leg = payment.leg
    hold = pending(TransferId(payment.key), leg, Code.DEPOSIT, payment.money, change.cause)
    change.transfer(leg, hold)
    deposit = _deposit(change, leg)
    replaced = deposit.hold
    came_late = is_being_captured(change.payments.values(), deposit)
    if deposit.state in _ENDED or deposit.state is DepositState.CAPTURED or came_late:
        replaced = payment.key
    else:
        due_ms = _renewal_ms(change, payment)
        _set_deposit(change, leg, rules, state=DepositState.HELD, hold=payment.key, due_ms=due_ms)
    if replaced:
        change.request(Operation.RELEASE, leg, Code.DEPOSIT, payment.money, of=replaced)


def _renewal_ms(change: BookingChange, payment: Payment) -> int:
    """Not at once, so that a hold that ends too soon is not asked for again and again."""
    if not payment.capture_before_ms:
        return 0
    return max(renew_at_ms(payment.capture_before_ms), change.now_ms + _HOUR_MS)


def _not_held(change: BookingChange, payment: Payment, rules: Rules) -> None:
    """A hold that cannot be renewed is captured before it ends."""
    leg = payment.leg
    deposit = _deposit(change, leg)
    if deposit.state is DepositState.HELD and deposit.hold == payment.of:
        if not is_being_captured(change.payments.values(), deposit):
            capture_deposit(change, leg)
        _set_deposit(change, leg, rules, due_ms=0)
    elif deposit.state is DepositState.SCHEDULED:
        _set_deposit(change, leg, rules, state=DepositState.FAILED, due_ms=0)


def _captured(change: BookingChange, leg: LegId, rules: Rules) -> None:
    if _deposit(change, leg).state in _ENDED:
        change.post(leg, Code.DEPOSIT_RETURN, change.held(leg, Account.DEPOSIT))
        send_refund(change, leg, title="Deposit returned")
    else:
        _set_deposit(change, leg, rules, state=DepositState.CAPTURED, due_ms=0)


def _next(change: BookingChange, card: Card | None, payment: Payment) -> Request | None:
    """The card takes effect when all that it waits for is paid, and fails when one is not."""
    if card is None or payment.operation is not Operation.CHARGE:
        return None
    if not _is_waited_for(card, payment):
        return None
    asked = [
        one
        for one in change.payments.values()
        if one.operation is Operation.CHARGE
        and (one.card, one.card_version) == (card.id, payment.card_version)
    ]
    declined = [one for one in asked if one.state is PaymentState.DECLINED]
    if declined:
        return settled(card, failed=declined[0].problem)
    done = all(one.state is PaymentState.DONE for one in asked)
    return settled(card) if done else None


def _is_waited_for(card: Card | None, payment: Payment) -> bool:
    if card is None or card.state is not CardState.ACCEPTED:
        return False
    return card.version == payment.card_version


def give_back_charges(change: BookingChange, card: Card) -> None:
    """The charges of a card that has failed after some of them were taken."""
    for one in tuple(change.payments.values()):
        is_taken = one.operation is Operation.CHARGE and one.state is PaymentState.DONE
        if is_taken and one.card == card.id and not one.given_back:
            give_back(change, one)


def _deposit(change: BookingChange, leg: LegId) -> Deposit:
    deposit = change.leg(leg).deposit
    assert deposit is not None
    return deposit


def _set_deposit(
    change: BookingChange,
    leg_id: LegId,
    rules: Rules,
    *,
    due_ms: int,
    state: DepositState | None = None,
    hold: str | None = None,
) -> None:
    leg, deposit = change.leg(leg_id), _deposit(change, leg_id)
    after = replace(
        deposit,
        state=state or deposit.state,
        hold=deposit.hold if hold is None else hold,
        due_ms=due_ms,
    )
    change.save(with_due(replace(leg, deposit=after), rules))
