"""The card type `overtime`: a leg takes longer, for a price."""

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
from greenroom.bookings.cards.effects import AddCharge, Effect, MoveLeg
from greenroom.bookings.cards.payloads import Overtime
from greenroom.bookings.chart import Code
from greenroom.bookings.models import CardType, LegStatus, Side

_MINUTE_MS = 60_000


def _overtime(facts: Facts) -> Overtime:
    assert isinstance(facts.payload, Overtime)
    return facts.payload


def _title(minutes: int) -> str:
    return f"Overtime, {minutes} minutes"


def _check(facts: Facts) -> None:
    check_prices(facts, _overtime(facts).price)


def _price(facts: Facts) -> tuple[ToPay, ...]:
    overtime = _overtime(facts)
    title = _title(overtime.minutes)
    return (ToPay(title, overtime.price, Code.OVERTIME, facts.the_leg.id),)


def _extend(facts: Facts) -> tuple[Effect, ...]:
    overtime, leg = _overtime(facts), facts.the_leg
    ends_ms = leg.ends_ms + overtime.minutes * _MINUTE_MS
    title = _title(overtime.minutes)
    return (
        AddCharge(facts.the_card.id, leg.id, CardType.OVERTIME, title, overtime.price),
        MoveLeg(leg.id, leg.starts_ms, ends_ms),
    )


OVERTIME = Declaration(
    kind=CardType.OVERTIME,
    title="Overtime",
    explains="Extends a leg by some minutes, for a price.",
    payload=Overtime,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    initial=propose("Propose overtime"),
    transitions=(
        accept(_extend, _price, pays="its price", does="extends the leg", sources=BOTH),
        counter(Overtime),
        decline(BOTH),
        withdraw(BOTH),
        expire(BOTH),
    ),
    deadlines=changes_expire(),
    check=_check,
)
