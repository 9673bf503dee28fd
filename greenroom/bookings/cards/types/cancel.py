"""The card type `cancel`: ends a leg, with the refund of the policy or an agreed one."""

from greenroom.bookings.cards.answers import (
    PROPOSED,
    accept,
    after,
    decline,
    expire,
    propose,
    withdraw,
)
from greenroom.bookings.cards.checks import check_at_most_paid
from greenroom.bookings.cards.declaration import Declaration, Facts
from greenroom.bookings.cards.effects import CancelLeg, Effect
from greenroom.bookings.cards.payloads import Cancel
from greenroom.bookings.cards.refund import agreed_refund, refund_by_policy
from greenroom.bookings.models import CardType, LegStatus, Side


def _cancel(facts: Facts) -> Cancel:
    assert isinstance(facts.payload, Cancel)
    return facts.payload


def _check(facts: Facts) -> None:
    refund = _cancel(facts).refund
    if refund is not None:
        check_at_most_paid(facts, refund)


def _end(facts: Facts) -> tuple[Effect, ...]:
    refund = _cancel(facts).refund
    quote = refund_by_policy(facts) if refund is None else agreed_refund(facts, refund)
    return (CancelLeg(facts.the_leg.id, quote),)


_DOES = "cancels the leg: refunds, pays the provider the rest and releases the deposit"

CANCEL = Declaration(
    kind=CardType.CANCEL,
    title="Cancel",
    explains="Cancels a leg. Without an amount the refund follows the policy and it takes effect "
    "at once; with one, the other side has to agree.",
    payload=Cancel,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    always_has_room=True,
    initial=propose("Cancel the booking"),
    transitions=(accept(_end, does=_DOES), decline(), withdraw(), expire()),
    deadlines={PROPOSED: after("expire", lambda rules: rules.cards.change_hours, "change_hours")},
    check=_check,
    needs_answer=lambda facts: _cancel(facts).refund is not None,
    at_once="without an amount",
)
