"""The balance of an account: what was debited and credited, and what is pending."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from greenroom.bookings.chart import Account, Limit
from greenroom.bookings.transfers import Kind, Transfer


class Balance(Struct, frozen=True):
    """All amounts are minor units from 0 on."""

    debits: int = 0
    credits: int = 0
    debits_pending: int = 0
    credits_pending: int = 0

    @property
    def net_posted(self) -> int:
        return self.credits - self.debits

    @property
    def net_pending(self) -> int:
        return self.credits_pending - self.debits_pending

    @property
    def available(self) -> int:
        """What is pending as a debit is reserved; what is pending as a credit is not there yet."""
        return self.net_posted - self.debits_pending


def is_overdrawn(balance: Balance, limit: Limit) -> bool:
    match limit:
        case Limit.DEBITS_WITHIN_CREDITS:
            return balance.debits + balance.debits_pending > balance.credits
        case Limit.CREDITS_WITHIN_DEBITS:
            return balance.credits + balance.credits_pending > balance.debits
        case Limit.NONE:
            return False


def added(
    balances: Mapping[Account, Balance], transfer: Transfer, hold: Transfer | None
) -> dict[Account, Balance]:
    """The balances after a transfer. `hold` is the pending one that it posts or voids."""
    posted = transfer.money.minor if transfer.kind in (Kind.POSTED, Kind.POST_PENDING) else 0
    pending = transfer.money.minor if transfer.kind is Kind.PENDING else 0
    if hold is not None:
        pending -= hold.money.minor
    debit, credit = balances[transfer.debit], balances[transfer.credit]
    return {
        **balances,
        transfer.debit: msgspec.structs.replace(
            debit,
            debits=debit.debits + posted,
            debits_pending=debit.debits_pending + pending,
        ),
        transfer.credit: msgspec.structs.replace(
            credit,
            credits=credit.credits + posted,
            credits_pending=credit.credits_pending + pending,
        ),
    }
