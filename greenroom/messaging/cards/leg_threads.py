"""Opens a thread for each leg that has none yet: once, by the leg's id as its key.

An offer of one leg is about its own thread, unless that thread has a leg already.
"""

from greenroom.bookings import Bookings
from greenroom.bookings.models import CardState, CardType, Leg
from greenroom.bookings.news import CardNews
from greenroom.bookings.outbox import bind_leg
from greenroom.bookings.panel_lines import panel_lines
from greenroom.messaging.cards.leg_statuses import begin_panel
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.people.actor import SYSTEM, Actor, Scope

_SERVICE = Actor(SYSTEM, frozenset({Scope.SERVICE}))


async def open_leg_threads(messaging: Messaging, bookings: Bookings, news: CardNews) -> None:
    if (news.card.type, news.card.state) != (CardType.OFFER, CardState.APPLIED):
        return
    for leg in news.legs:
        if leg.thread is None:
            opening = _opening(news, leg)
            thread = await open_thread(messaging, _SERVICE, opening, key=f"leg:{leg.id}")
            await bind_leg(bookings, news.group, leg.id, thread.id)
            await begin_panel(messaging, thread.id, await panel_lines(bookings, thread.id))


def _opening(news: CardNews, leg: Leg) -> Opening:
    return Opening(
        kind=Kind.BOOKING,
        others=(Invited(news.buyer, Role.BUYER), Invited(leg.provider, Role.SELLER)),
        subject=leg.title,
        booking_id=leg.id,
        leg_id=leg.id,
        lbg_id=news.group,
        city=leg.city or None,
    )
