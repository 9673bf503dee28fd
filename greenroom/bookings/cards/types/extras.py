"""The card type `extras`: more work, for more money."""

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
from greenroom.bookings.cards.checks import check_prices
from greenroom.bookings.cards.declaration import Declaration, Facts, ToPay
from greenroom.bookings.cards.effects import AddCharge, Effect
from greenroom.bookings.cards.payloads import Extra, Extras
from greenroom.bookings.chart import Code
from greenroom.bookings.models import CardType, LegStatus, Side


def _items(facts: Facts) -> tuple[Extra, ...]:
    assert isinstance(facts.payload, Extras)
    return facts.payload.items


def _check(facts: Facts) -> None:
    check_prices(facts, *(one.price for one in _items(facts)))


def _prices(facts: Facts) -> tuple[ToPay, ...]:
    leg = facts.the_leg.id
    return tuple(ToPay(one.title, one.price, Code.EXTRAS, leg) for one in _items(facts))


def _add(facts: Facts) -> tuple[Effect, ...]:
    leg = facts.the_leg.id
    return tuple(
        AddCharge(facts.the_card.id, leg, CardType.EXTRAS, one.title, one.price)
        for one in _items(facts)
    )


EXTRAS = Declaration(
    kind=CardType.EXTRAS,
    title="Extras",
    explains="Adds paid items to a leg.",
    payload=Extras,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    initial=propose("Add extras"),
    transitions=(
        accept(_add, _prices, pays="the items", does="adds them to the leg", sources=BOTH),
        counter(Extras),
        decline(BOTH),
        withdraw(BOTH),
        expire(BOTH),
    ),
    deadlines=changes_expire(),
    check=_check,
)
