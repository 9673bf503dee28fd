"""Checks of a card's content against its booking: times, prices, providers, what has been paid."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from greenroom.bookings.cards.declaration import DAY_MS, Facts
from greenroom.bookings.cards.instants import ms_of
from greenroom.bookings.cards.payloads import LegTerms
from greenroom.bookings.cards.problems import InvalidCard
from greenroom.bookings.chart import Account
from greenroom.bookings.deposits import is_being_captured
from greenroom.bookings.models import DepositState, Operation, PaymentState
from greenroom.bookings.money import MOST_MINOR, Money
from greenroom.bookings.paid import paid_of
from greenroom.bookings.time_zones import zone
from greenroom.errors import quoted

_LONGEST_DAYS = 60
_MOST_FOR_A_BOOKING = MOST_MINOR // 2
_BEFORE_PAYOUT = (Account.ESCROW, Account.SELLER_DUE, Account.FEES)
_CLAIMABLE = frozenset({DepositState.HELD, DepositState.CAPTURED})
_MOST_NAME = 40
_PAST_MS = 5 * 60_000
"""How far back a time may lie: the sender's clock may differ."""


def check_leg_terms(facts: Facts, legs: Sequence[LegTerms]) -> None:
    for leg in legs:
        check_times(facts, leg.starts_at, leg.ends_at)
        zone(leg.time_zone)
        if leg.provider not in facts.booking.sellers:
            who = quoted(leg.provider, _MOST_NAME)
            raise InvalidCard(f"{who} is not a provider in this conversation; add them to it first")
        if leg.deposit is not None and not leg.deposit.minor:
            raise InvalidCard("a deposit of nothing; leave it out")
    prices = [leg.price for leg in legs]
    deposits = [leg.deposit for leg in legs if leg.deposit is not None]
    check_currency(facts, *prices, *deposits)
    _check_sum(facts, (*prices, *deposits))


def check_times(facts: Facts, starts_at: datetime, ends_at: datetime) -> None:
    starts_ms, ends_ms = ms_of(starts_at), ms_of(ends_at)
    if starts_ms < facts.now_ms - _PAST_MS:
        raise InvalidCard("it must begin in the future; choose a later time")
    if ends_ms <= starts_ms:
        raise InvalidCard("it must end after it begins; choose a later end")
    if ends_ms - starts_ms > _LONGEST_DAYS * DAY_MS:
        raise InvalidCard(f"a leg can last {_LONGEST_DAYS} days at most; divide it into several")
    days = facts.rules.bookings.most_days_ahead
    if starts_ms > facts.now_ms + days * DAY_MS:
        raise InvalidCard(f"it must begin within {days} days; choose an earlier time")


def check_prices(facts: Facts, *prices: Money) -> None:
    """Each is above zero: a card with nothing to pay needs no payment."""
    if not all(price.minor for price in prices):
        raise InvalidCard("a price of nothing; leave it out")
    check_currency(facts, *prices)
    _check_sum(facts, prices)


def _check_sum(facts: Facts, amounts: Iterable[Money]) -> None:
    """So that all that is paid in a booking, with fees, and held for it, is always an amount."""
    legs, payments = facts.booking.legs, facts.booking.payments.values()
    deposits = [leg.deposit.money for leg in legs if leg.deposit is not None]
    if facts.rules.takes_payments:
        agreed = [
            one.money
            for one in payments
            if one.operation is Operation.CHARGE and one.state is not PaymentState.DECLINED
        ]
    else:
        agreed = [leg.price for leg in legs]
        agreed += [charge.price for leg in legs for charge in leg.charges]
    if sum(one.minor for one in (*deposits, *agreed, *amounts)) > _MOST_FOR_A_BOOKING:
        raise InvalidCard("the prices add up to too much; divide the work into several bookings")


def check_currency(facts: Facts, *amounts: Money) -> None:
    known = {facts.booking.currency} if facts.booking.currency else set[str]()
    found = known | {amount.currency for amount in amounts}
    if len(found) > 1:
        raise InvalidCard(f"all amounts of a booking are in one currency, not in {_listed(found)}")


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))


def check_at_most_paid(facts: Facts, refund: Money) -> None:
    check_currency(facts, refund)
    most = _refundable(facts)
    if refund > most:
        raise InvalidCard(
            f"{most} of what was paid is still held, and a refund cannot be more; ask for less"
        )


def _refundable(facts: Facts) -> Money:
    leg = facts.the_leg
    paid = paid_of(leg)
    if not facts.rules.takes_payments:
        return paid
    ledger = facts.booking.ledgers.get(leg.id)
    held = 0 if ledger is None else sum(map(ledger.available, _BEFORE_PAYOUT))
    return Money(min(paid.minor, held), paid.currency)


def check_at_most_deposit(facts: Facts, claim: Money) -> None:
    check_currency(facts, claim)
    deposit = facts.the_leg.deposit
    if deposit is None or deposit.state not in _CLAIMABLE:
        raise InvalidCard("no deposit is held for this leg; leave the claim out")
    if is_being_captured(facts.booking.payments.values(), deposit):
        raise InvalidCard("the deposit is being charged; try again in a few minutes")
    if not claim.minor or claim > deposit.money:
        raise InvalidCard(f"claim an amount above zero and at most the deposit of {deposit.money}")
