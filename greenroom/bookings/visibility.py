"""Says who sees what of a booking: its legs and the lines of its journal. Pure.

The buyer sees all legs, and what they paid, got back and have at stake. A provider sees their own
legs, and what they earn with them. Staff who take no part see everything. Others in the
conversation see nothing of it.
"""

from greenroom.bookings.cards.payloads import Offer, type_of
from greenroom.bookings.cards.problems import LegNeeded, LegNotFound
from greenroom.bookings.chart import Code
from greenroom.bookings.models import Booking, Card, CardType, Leg, Side
from greenroom.bookings.propose_card import NewCard
from greenroom.ids import ThreadId, UserId

_NOT_FOR_BUYERS = frozenset(
    {Code.EARNINGS, Code.PLATFORM_FEE, Code.COMPENSATION, Code.PAYOUT, Code.FEES_PAID}
)
_NOT_FOR_SELLERS = frozenset({Code.SERVICE_FEE, Code.FEE_REFUND, Code.GOODWILL, Code.FEES_PAID})


def side_of(booking: Booking, user: UserId, *, staff: bool) -> Side | None:
    """Somebody who takes part in it is never staff to it."""
    if user == booking.buyer:
        return Side.BUYER
    if user in booking.sellers:
        return Side.SELLER
    return Side.STAFF if staff else None


def sees_leg(leg: Leg, user: UserId, side: Side | None) -> bool:
    return side in (Side.BUYER, Side.STAFF) or (side is Side.SELLER and leg.provider == user)


def parties_of_card(booking: Booking, card: Card) -> frozenset[UserId]:
    """Whom it concerns, whenever they have joined the conversation."""
    offered = card.payload.legs if isinstance(card.payload, Offer) else ()
    leg = booking.leg(card.leg)
    providers = [terms.provider for terms in offered] + ([] if leg is None else [leg.provider])
    return frozenset((booking.buyer, card.proposer, *card.waits_on, *providers))


def hidden_codes(side: Side | None) -> frozenset[Code]:
    match side:
        case Side.BUYER:
            return _NOT_FOR_BUYERS
        case Side.SELLER:
            return _NOT_FOR_SELLERS
        case Side.STAFF:
            return frozenset()
        case _:
            return frozenset(Code)


def leg_named(booking: Booking, user: UserId, thread: ThreadId, new: NewCard) -> Leg | None:
    """The leg that a new card in the group's conversation is about, if the booking has several.

    Who takes part in one of them alone need not name it, and is told of no other."""
    is_offer = type_of(new.payload) == CardType.OFFER.value
    if is_offer or thread != booking.thread or len(booking.legs) < 2:
        return None
    side = side_of(booking, user, staff=False)
    seen = tuple(leg for leg in booking.legs if sees_leg(leg, user, side))
    if new.leg is None and len(seen) > 1:
        raise LegNeeded(tuple(leg.id for leg in seen))
    found = [leg for leg in seen if new.leg in (None, leg.id)]
    if not found:
        raise LegNotFound
    return found[0]
