"""The card type `offer`: who does what, when and for how much. Accepting it makes the booking."""

from greenroom.bookings.cards.answers import (
    BOTH,
    COUNTERED,
    PROPOSED,
    accept,
    counter,
    decline,
    expire,
    propose,
    withdraw,
)
from greenroom.bookings.cards.checks import check_leg_terms
from greenroom.bookings.cards.declaration import HOUR_MS, Deadline, Declaration, Facts, ToPay
from greenroom.bookings.cards.effects import Book, Effect
from greenroom.bookings.cards.instants import ms_of
from greenroom.bookings.cards.leg_ids import leg_id_of
from greenroom.bookings.cards.payloads import Offer
from greenroom.bookings.cards.problems import CannotPropose
from greenroom.bookings.chart import Code
from greenroom.bookings.models import CardType, Side


def _offer(facts: Facts) -> Offer:
    assert isinstance(facts.payload, Offer)
    return facts.payload


def _check(facts: Facts) -> None:
    offer = _offer(facts)
    check_leg_terms(facts, offer.legs)
    others = {leg.provider for leg in offer.legs} - {facts.caller.user}
    proposes = facts.card is None or isinstance(facts.input, Offer)
    if proposes and facts.caller.side is Side.SELLER and others:
        raise CannotPropose("the buyer can offer work to several providers; a provider", "offer")


def _prices(facts: Facts) -> tuple[ToPay, ...]:
    share = facts.rules.bookings.buyer_fee_basis_points
    found: list[ToPay] = []
    for number, leg in enumerate(_offer(facts).legs):
        id = leg_id_of(facts.the_card.id, number)
        found.append(ToPay(leg.title, leg.price, Code.PRICE, id))
        found.append(ToPay("Service fee", leg.price.percent(share), Code.SERVICE_FEE, id))
    return tuple(one for one in found if one.money.minor)


def _book(facts: Facts) -> tuple[Effect, ...]:
    return (Book(facts.the_card.id, facts.the_card.thread, _offer(facts).legs),)


_AT_LEAST_MS = 5 * 60_000
"""For an offer of work that begins at once."""


def _ends(facts: Facts) -> int:
    begins = min(ms_of(leg.starts_at) for leg in _offer(facts).legs)
    ends_ms = min(facts.now_ms + facts.rules.cards.offer_hours * HOUR_MS, begins)
    return max(ends_ms, facts.now_ms + _AT_LEAST_MS)


_EXPIRES = Deadline(
    transition="expire",
    at_ms=_ends,
    says="after `cards.offer_hours`, or when its first leg begins",
)

OFFER = Declaration(
    kind=CardType.OFFER,
    title="Offer",
    explains="Offers one or more legs: who does what, where, when and for how much. Accepting it "
    "makes the booking and takes the price.",
    payload=Offer,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=None,
    initial=propose("Make an offer"),
    transitions=(
        accept(
            _book,
            _prices,
            pays="the price of each leg, and the service fee",
            does="makes the booking",
            sources=BOTH,
        ),
        counter(Offer),
        decline(BOTH),
        withdraw(BOTH),
        expire(BOTH),
    ),
    deadlines={PROPOSED: _EXPIRES, COUNTERED: _EXPIRES},
    check=_check,
)
