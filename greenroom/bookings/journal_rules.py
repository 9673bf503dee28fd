"""The rules for one transfer: routes, amounts, pending transfers and corrections."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from greenroom.bookings.chart import ROUTES, Route
from greenroom.bookings.transfers import Kind, Transfer
from greenroom.ids import LegId, TransferId


class Reason(StrEnum):
    EXISTS = "exists"
    """This very transfer is in the ledger already."""
    EXISTS_DIFFERENT = "exists_different"
    """Another transfer has its id."""
    OTHER_LEG = "other_leg"
    OTHER_CURRENCY = "other_currency"
    NOTHING_TO_MOVE = "nothing_to_move"
    """The amount is zero."""
    NO_SUCH_ROUTE = "no_such_route"
    """Money for this purpose may not go from the one account to the other."""
    MAY_NOT_PEND = "may_not_pend"
    PENDING_UNEXPECTED = "pending_unexpected"
    """Only a transfer that posts or voids names a pending one."""
    PENDING_NOT_FOUND = "pending_not_found"
    PENDING_DIFFERENT = "pending_different"
    """The pending transfer has other accounts or another purpose."""
    PENDING_RESOLVED = "pending_resolved"
    """The pending transfer has been posted or voided already."""
    MORE_THAN_PENDING = "more_than_pending"
    NOT_ALL_PENDING = "not_all_pending"
    """A void restores all of the pending transfer, no other amount."""
    CORRECTED_NOT_FOUND = "corrected_not_found"
    """Only a transfer that moved money can be corrected, and no correction."""
    CORRECTION_DIFFERENT = "correction_different"
    """A correction goes the way of what it corrects backwards, and is posted at once."""
    MORE_THAN_CORRECTED = "more_than_corrected"
    """Corrections cannot move back more than was moved."""
    OVERDRAWN = "overdrawn"


class Recorded(Protocol):
    """What the rules need of a ledger."""

    @property
    def leg(self) -> LegId: ...
    @property
    def currency(self) -> str: ...
    @property
    def transfers(self) -> Mapping[TransferId, Transfer]: ...
    @property
    def resolved_by(self) -> Mapping[TransferId, TransferId]: ...
    @property
    def corrected(self) -> Mapping[TransferId, int]: ...


def refusal_of(ledger: Recorded, transfer: Transfer) -> Reason | None:
    if known := ledger.transfers.get(transfer.id):
        return Reason.EXISTS if known == transfer else Reason.EXISTS_DIFFERENT
    if transfer.leg != ledger.leg:
        return Reason.OTHER_LEG
    if transfer.money.currency != ledger.currency:
        return Reason.OTHER_CURRENCY
    if not transfer.money:
        return Reason.NOTHING_TO_MOVE
    if transfer.correction_of is not None:
        return _refusal_of_correction(ledger, transfer, transfer.correction_of)
    if transfer.kind in (Kind.POST_PENDING, Kind.VOID_PENDING):
        return _refusal_of_resolution(ledger, transfer)
    if transfer.pending_id is not None:
        return Reason.PENDING_UNEXPECTED
    return _refusal_of_route(transfer, ROUTES[transfer.code])


def _refusal_of_route(transfer: Transfer, route: Route) -> Reason | None:
    if (transfer.debit, transfer.credit) != (route.debit, route.credit):
        return Reason.NO_SUCH_ROUTE
    if transfer.kind is Kind.PENDING and not route.may_pend:
        return Reason.MAY_NOT_PEND
    return None


def _refusal_of_resolution(ledger: Recorded, transfer: Transfer) -> Reason | None:
    hold = ledger.transfers.get(transfer.pending_id) if transfer.pending_id else None
    if hold is None or hold.kind is not Kind.PENDING:
        return Reason.PENDING_NOT_FOUND
    if (transfer.debit, transfer.credit, transfer.code) != (hold.debit, hold.credit, hold.code):
        return Reason.PENDING_DIFFERENT
    if hold.id in ledger.resolved_by:
        return Reason.PENDING_RESOLVED
    if transfer.kind is Kind.VOID_PENDING and transfer.money != hold.money:
        return Reason.NOT_ALL_PENDING
    return Reason.MORE_THAN_PENDING if transfer.money > hold.money else None


def _refusal_of_correction(
    ledger: Recorded, transfer: Transfer, corrected: TransferId
) -> Reason | None:
    wrong = ledger.transfers.get(corrected)
    if wrong is None or wrong.correction_of or wrong.kind not in (Kind.POSTED, Kind.POST_PENDING):
        return Reason.CORRECTED_NOT_FOUND
    back = (transfer.debit, transfer.credit, transfer.code, transfer.kind, transfer.pending_id)
    if back != (wrong.credit, wrong.debit, wrong.code, Kind.POSTED, None):
        return Reason.CORRECTION_DIFFERENT
    already = ledger.corrected.get(corrected, 0)
    return (
        Reason.MORE_THAN_CORRECTED if already + transfer.money.minor > wrong.money.minor else None
    )
