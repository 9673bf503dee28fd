"""The chart of accounts of a leg, and the routes that money may take between them.

Each leg has a ledger of its own with these accounts. Money goes from the account that is debited to
the account that is credited.

    account      whose money is in it                           limit
    buyer        outside: the buyer's bank                      never gets more than it paid
    escrow       paid by the buyer, not yet earned              never below zero
    deposit      of the deposit: claimed, or captured to keep   never below zero
    seller_due   earned by the seller, not yet paid out         never below zero
    buyer_due    to be refunded to the buyer                    never below zero
    fees         earned by the platform                         never below zero
    seller       outside: the seller's bank                     never pays more than it got
    platform     outside: the operator's own money              none

    buyer ──► escrow ──► seller_due ──► seller        platform ──► buyer_due, seller_due
      │         ├──────► fees ────────► platform      seller_due ──► buyer_due
      │         └──────► buyer_due ───► buyer         fees ────────► buyer_due
      └─────► deposit ─► seller_due, buyer_due

A deposit that is held on a card is a pending transfer from buyer to deposit. To claim a part posts
that part, which restores the rest in the same step, and moves it on to seller_due. To release the
deposit voids the transfer. A hold that would end before the job is posted in full instead, and what
is not claimed goes back through buyer_due.
"""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class Account(StrEnum):
    BUYER = "buyer"
    ESCROW = "escrow"
    DEPOSIT = "deposit"
    SELLER_DUE = "seller_due"
    BUYER_DUE = "buyer_due"
    FEES = "fees"
    SELLER = "seller"
    PLATFORM = "platform"


class Limit(StrEnum):
    DEBITS_WITHIN_CREDITS = "debits_within_credits"
    CREDITS_WITHIN_DEBITS = "credits_within_debits"
    NONE = "none"


LIMITS: Mapping[Account, Limit] = {
    **dict.fromkeys(Account, Limit.DEBITS_WITHIN_CREDITS),
    Account.BUYER: Limit.CREDITS_WITHIN_DEBITS,
    Account.PLATFORM: Limit.NONE,
}


class Code(StrEnum):
    """What a transfer is for."""

    PRICE = "price"
    EXTRAS = "extras"
    OVERTIME = "overtime"
    EXPENSE = "expense"
    SERVICE_FEE = "service_fee"
    DEPOSIT = "deposit"
    EARNINGS = "earnings"
    PLATFORM_FEE = "platform_fee"
    REFUND = "refund"
    FEE_REFUND = "fee_refund"
    DEPOSIT_CLAIM = "deposit_claim"
    DEPOSIT_RETURN = "deposit_return"
    RECLAIM = "reclaim"
    GOODWILL = "goodwill"
    COMPENSATION = "compensation"
    REFUND_PAID = "refund_paid"
    PAYOUT = "payout"
    FEES_PAID = "fees_paid"


class Route(Struct, frozen=True):
    debit: Account
    credit: Account
    may_pend: bool = False
    """Whether a payment provider decides about it, so that it may be under way for a while."""


_PAY_IN = Route(Account.BUYER, Account.ESCROW, may_pend=True)

ROUTES: Mapping[Code, Route] = {
    Code.PRICE: _PAY_IN,
    Code.EXTRAS: _PAY_IN,
    Code.OVERTIME: _PAY_IN,
    Code.EXPENSE: _PAY_IN,
    Code.SERVICE_FEE: _PAY_IN,
    Code.DEPOSIT: Route(Account.BUYER, Account.DEPOSIT, may_pend=True),
    Code.EARNINGS: Route(Account.ESCROW, Account.SELLER_DUE),
    Code.PLATFORM_FEE: Route(Account.ESCROW, Account.FEES),
    Code.REFUND: Route(Account.ESCROW, Account.BUYER_DUE),
    Code.FEE_REFUND: Route(Account.FEES, Account.BUYER_DUE),
    Code.DEPOSIT_CLAIM: Route(Account.DEPOSIT, Account.SELLER_DUE),
    Code.DEPOSIT_RETURN: Route(Account.DEPOSIT, Account.BUYER_DUE),
    Code.RECLAIM: Route(Account.SELLER_DUE, Account.BUYER_DUE),
    Code.GOODWILL: Route(Account.PLATFORM, Account.BUYER_DUE),
    Code.COMPENSATION: Route(Account.PLATFORM, Account.SELLER_DUE),
    Code.REFUND_PAID: Route(Account.BUYER_DUE, Account.BUYER, may_pend=True),
    Code.PAYOUT: Route(Account.SELLER_DUE, Account.SELLER, may_pend=True),
    Code.FEES_PAID: Route(Account.FEES, Account.PLATFORM),
}
"""The only ways that money may go. A correction goes one of them backwards."""
