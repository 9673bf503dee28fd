"""Says what a change of a booking does to its deposits: holds, claims and releases. Pure."""

from collections.abc import Iterator

from msgspec import Struct

from greenroom.bookings.booking_change import Changed
from greenroom.bookings.chart import Code
from greenroom.bookings.models import Booking, DepositState, Operation
from greenroom.bookings.money import Money
from greenroom.ids import LegId

_OF_DEPOSITS = frozenset({Operation.HOLD, Operation.CLAIM, Operation.CAPTURE, Operation.RELEASE})


class DepositMove(Struct, frozen=True):
    operation: Operation
    title: str
    leg: LegId
    money: Money


def deposit_moves(before: Booking, changed: Changed) -> tuple[DepositMove, ...]:
    """What is returned of a captured deposit is a refund, and not listed here."""
    return (*_scheduled(before, changed), *_asked(changed), *_claimed(changed))


def _scheduled(before: Booking, changed: Changed) -> Iterator[DepositMove]:
    """A hold that the change agrees on begins later, when the deposit is due."""
    for leg in changed.booking.legs:
        deposit = leg.deposit
        is_new = before.leg(leg.id) is None
        if is_new and deposit is not None and deposit.state is DepositState.SCHEDULED:
            yield DepositMove(Operation.HOLD, "Deposit", leg.id, deposit.money)


def _asked(changed: Changed) -> Iterator[DepositMove]:
    for one in changed.payments:
        if one.operation in _OF_DEPOSITS:
            yield DepositMove(one.operation, one.title, one.leg, one.money)


def _claimed(changed: Changed) -> Iterator[DepositMove]:
    """From a deposit that was captured: the journal alone moves it."""
    for one in changed.transfers:
        if one.code is Code.DEPOSIT_CLAIM:
            yield DepositMove(Operation.CLAIM, "Deposit claim", one.leg, one.money)
