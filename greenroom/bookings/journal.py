"""The journal of a leg: applies transfers to its accounts, or says why it cannot.

Several transfers are one step: all of them apply or none. The order in which a step lists them
makes no difference, neither to the result nor to the refusal; limits of accounts hold at its end.
chart.py has the accounts, journal_rules.py the rules for one transfer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from greenroom.bookings.balances import Balance, added, is_overdrawn
from greenroom.bookings.chart import LIMITS, Account
from greenroom.bookings.journal_rules import Reason, refusal_of
from greenroom.bookings.money import zero
from greenroom.bookings.transfers import Kind, Transfer
from greenroom.ids import LegId, TransferId


class Ledger(Struct, frozen=True):
    """The accounts of a leg, and all that was ever transferred between them."""

    leg: LegId
    currency: str
    balances: Mapping[Account, Balance]
    transfers: Mapping[TransferId, Transfer]
    resolved_by: Mapping[TransferId, TransferId]
    """The transfer that posted or voided a pending one."""
    corrected: Mapping[TransferId, int]
    """How much of a transfer corrections have moved back."""

    def available(self, account: Account) -> int:
        """What can be taken from an account, in minor units."""
        return self.balances[account].available

    def holds(self) -> tuple[Transfer, ...]:
        """The pending transfers that are neither posted nor voided."""
        return tuple(
            one
            for one in self.transfers.values()
            if one.kind is Kind.PENDING and one.id not in self.resolved_by
        )


class Refused(Struct, frozen=True):
    reason: Reason
    transfer: TransferId | None = None
    """The transfer at fault, where it is a single one."""
    account: Account | None = None
    """The account whose limit the step exceeds."""


def empty(leg: LegId, currency: str) -> Ledger:
    balances = dict.fromkeys(Account, Balance())
    return Ledger(leg, zero(currency).currency, balances, {}, {}, {})


def apply(ledger: Ledger, step: Iterable[Transfer]) -> Ledger | Refused:
    for transfer in sorted(step, key=_order):
        if reason := refusal_of(ledger, transfer):
            return Refused(reason, transfer.id)
        ledger = recorded(ledger, transfer)
    for account, balance in ledger.balances.items():
        if is_overdrawn(balance, LIMITS[account]):
            return Refused(Reason.OVERDRAWN, account=account)
    return ledger


def replay(leg: LegId, currency: str, steps: Iterable[Sequence[Transfer]]) -> Ledger | Refused:
    """The ledger after all of its steps, each checked again."""
    ledger = empty(leg, currency)
    for step in steps:
        after = apply(ledger, step)
        if isinstance(after, Refused):
            return after
        ledger = after
    return ledger


def faults(ledger: Ledger) -> Iterator[str]:
    """What does not add up. There is nothing unless somebody changed a record."""
    for field in ("posted", "pending"):
        if net := sum(getattr(one, f"net_{field}") for one in ledger.balances.values()):
            yield f"{field} debits and credits of {ledger.leg} differ by {net}"
    derived = dict.fromkeys(Account, Balance())
    for transfer in ledger.transfers.values():
        derived = added(derived, transfer, _pending_of(ledger, transfer))
    for account, balance in ledger.balances.items():
        if balance != derived[account]:
            yield f"the balance of {account} of {ledger.leg} is not that of its transfers"
        if is_overdrawn(balance, LIMITS[account]):
            yield f"{account} of {ledger.leg} is overdrawn"


def _order(transfer: Transfer) -> tuple[int, str, bytes]:
    """What a transfer refers to comes before it. The content tells two with the same id apart."""
    phase = int(transfer.kind in (Kind.POST_PENDING, Kind.VOID_PENDING))
    if transfer.correction_of is not None:
        phase = 2
    return phase, transfer.id, msgspec.msgpack.encode(transfer)


def recorded(ledger: Ledger, *made: Transfer) -> Ledger:
    """The ledger with transfers that were checked when they were written."""
    balances, transfers = ledger.balances, {**ledger.transfers}
    resolved_by, corrected = {**ledger.resolved_by}, {**ledger.corrected}
    for one in made:
        pending = None if one.pending_id is None else transfers[one.pending_id]
        if one.pending_id is not None:
            resolved_by[one.pending_id] = one.id
        if (wrong := one.correction_of) is not None:
            corrected[wrong] = corrected.get(wrong, 0) + one.money.minor
        balances = added(balances, one, pending)
        transfers[one.id] = one
    return Ledger(ledger.leg, ledger.currency, balances, transfers, resolved_by, corrected)


def _pending_of(ledger: Ledger, transfer: Transfer) -> Transfer | None:
    return ledger.transfers[transfer.pending_id] if transfer.pending_id is not None else None
