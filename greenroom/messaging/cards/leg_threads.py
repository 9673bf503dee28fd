"""Opens a thread for each leg of a booking that has several: once, by the leg's id as its key."""

from greenroom.bookings import Bookings
from greenroom.bookings.models import Leg
from greenroom.bookings.news import CardNews
from greenroom.bookings.outbox import bind_leg
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.people.actor import SYSTEM, Actor, Scope

_SERVICE = Actor(SYSTEM, frozenset({Scope.SERVICE}))


async def open_leg_threads(messaging: Messaging, bookings: Bookings, news: CardNews) -> None:
    if not news.booked or len(news.legs) < 2:
        return
    for leg in news.legs:
        if leg.thread is None:
            opening = _opening(news, leg)
            thread = await open_thread(messaging, _SERVICE, opening, key=f"leg:{leg.id}")
            await bind_leg(bookings, news.group, leg.id, thread.id)


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
