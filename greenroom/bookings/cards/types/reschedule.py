"""The card type `reschedule`: another time for a leg."""

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
from greenroom.bookings.cards.checks import check_times
from greenroom.bookings.cards.declaration import Declaration, Facts
from greenroom.bookings.cards.effects import Effect, MoveLeg
from greenroom.bookings.cards.instants import ms_of
from greenroom.bookings.cards.payloads import Reschedule
from greenroom.bookings.models import CardType, LegStatus, Side


def _new(facts: Facts) -> Reschedule:
    assert isinstance(facts.payload, Reschedule)
    return facts.payload


def _check(facts: Facts) -> None:
    check_times(facts, _new(facts).starts_at, _new(facts).ends_at)


def _move(facts: Facts) -> tuple[Effect, ...]:
    new = _new(facts)
    return (MoveLeg(facts.the_leg.id, ms_of(new.starts_at), ms_of(new.ends_at)),)


RESCHEDULE = Declaration(
    kind=CardType.RESCHEDULE,
    title="Reschedule",
    explains="Proposes another time. Documents that name the old one are issued again.",
    payload=Reschedule,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    initial=propose("Propose another time"),
    transitions=(
        accept(_move, does="moves the leg", sources=BOTH),
        counter(Reschedule),
        decline(BOTH),
        withdraw(BOTH),
        expire(BOTH),
    ),
    deadlines=changes_expire(),
    check=_check,
)
