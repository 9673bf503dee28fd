"""The card type `safety`: measures that both sides agree to keep, such as a closed set."""

from greenroom.bookings.cards.answers import (
    BOTH,
    accept,
    changes_expire,
    counter,
    decline,
    expire,
    propose,
    withdraw,
)
from greenroom.bookings.cards.declaration import Declaration, Facts
from greenroom.bookings.cards.effects import AgreeSafety, Effect
from greenroom.bookings.cards.payloads import Safety
from greenroom.bookings.models import CardType, LegStatus, Side


def _check(_: Facts) -> None:
    """Its content is checked by its type."""


def _agree(facts: Facts) -> tuple[Effect, ...]:
    assert isinstance(facts.payload, Safety)
    return (AgreeSafety(facts.the_leg.id, facts.payload.measures),)


SAFETY = Declaration(
    kind=CardType.SAFETY,
    title="Safety",
    explains="Agrees on measures for the day: a closed set, somebody who comes along, limits.",
    payload=Safety,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    initial=propose("Propose safety measures"),
    transitions=(
        accept(_agree, does="notes the measures on the leg", sources=BOTH),
        counter(Safety),
        decline(BOTH),
        withdraw(BOTH),
        expire(BOTH),
    ),
    deadlines=changes_expire(),
    check=_check,
)
