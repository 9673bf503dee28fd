"""The card type `deposit_claim`: the provider asks for a part of the deposit, with evidence."""

from greenroom.bookings.cards.answers import (
    PROPOSED,
    accept,
    after,
    decline,
    expire,
    propose,
    withdraw,
)
from greenroom.bookings.cards.checks import check_at_most_deposit
from greenroom.bookings.cards.declaration import Declaration, Facts
from greenroom.bookings.cards.effects import ClaimDeposit, Effect
from greenroom.bookings.cards.payloads import DepositClaim
from greenroom.bookings.models import CardType, LegStatus, Side


def _claim(facts: Facts) -> DepositClaim:
    assert isinstance(facts.payload, DepositClaim)
    return facts.payload


def _check(facts: Facts) -> None:
    check_at_most_deposit(facts, _claim(facts).amount)


def _take(facts: Facts) -> tuple[Effect, ...]:
    return (ClaimDeposit(facts.the_leg.id, _claim(facts).amount),)


DEPOSIT_CLAIM = Declaration(
    kind=CardType.DEPOSIT_CLAIM,
    title="Deposit claim",
    explains="Claims a part of the deposit; the rest is released in the same step.",
    payload=DepositClaim,
    proposers=frozenset({Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED, LegStatus.COMPLETED}),
    initial=propose("Claim from the deposit"),
    transitions=(
        accept(_take, does="takes the amount, and releases the rest"),
        decline(),
        withdraw(),
        expire(),
    ),
    deadlines={PROPOSED: after("expire", lambda rules: rules.cards.claim_hours, "claim_hours")},
    check=_check,
)
