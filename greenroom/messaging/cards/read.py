"""Reads cards and bookings on behalf of a member of their conversation, or of staff."""

from msgspec import Struct

from greenroom.bookings import Bookings
from greenroom.bookings.card_view import CardView
from greenroom.bookings.cards.problems import CardNotFound, LegNotFound
from greenroom.bookings.models import Leg
from greenroom.bookings.read_bookings import booking_of_leg, booking_of_thread
from greenroom.bookings.read_cards import MAX_PAGE, CardRecord, card_record, cards_of_thread
from greenroom.bookings.receipts import SeenBooking, seen_booking
from greenroom.bookings.visibility import sees_leg, side_of
from greenroom.ids import CardId, LegId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Actor, Scope

_SCOPE = b"cards:"


class CardPage(Struct, frozen=True):
    cards: tuple[CardView, ...]
    next: str | None


async def read_card(
    messaging: Messaging, bookings: Bookings, actor: Actor, card_id: CardId
) -> CardRecord:
    """A card with its steps."""
    record = await card_record(bookings, card_id)
    if not actor.may(Scope.MODERATOR):
        await seen_thread(messaging, actor, record.card.thread)
    return record


async def thread_cards(
    messaging: Messaging,
    bookings: Bookings,
    actor: Actor,
    thread_id: ThreadId,
    *,
    cursor: str | None = None,
    limit: int = MAX_PAGE,
) -> CardPage:
    """The newest first."""
    await _check_reads(messaging, actor, thread_id)
    scope = _SCOPE + thread_id.encode()
    after = None if cursor is None else messaging.cursors.unseal_text(scope, cursor)
    last = None if after is None else CardId(after)
    found = await cards_of_thread(bookings, thread_id, last, limit + 1)
    shown = found[:limit]
    more = len(found) > limit
    return CardPage(shown, messaging.cursors.seal_text(scope, shown[-1].card_id) if more else None)


async def read_booking(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId
) -> SeenBooking | None:
    """As much of it as the actor may see. None where nothing was ever proposed."""
    await _check_reads(messaging, actor, thread_id)
    found = await booking_of_thread(bookings, thread_id)
    if found is None:
        return None
    return seen_booking(found, actor.user, staff=actor.may(Scope.MODERATOR))


async def read_leg(bookings: Bookings, actor: Actor, leg_id: LegId) -> Leg:
    """For the buyer, its provider and staff."""
    booking = await booking_of_leg(bookings, leg_id)
    leg = None if booking is None else booking.leg(leg_id)
    if booking is None or leg is None:
        raise LegNotFound
    side = side_of(booking, actor.user, staff=actor.may(Scope.MODERATOR))
    if not sees_leg(leg, actor.user, side):
        raise LegNotFound
    return leg


async def seen_thread(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ThreadView:
    """The conversation of a card. Missing and forbidden look alike."""
    try:
        return await access.thread(messaging, actor, thread_id)
    except ThreadNotFound:
        raise CardNotFound from None


async def _check_reads(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    if not actor.may(Scope.MODERATOR):
        await access.thread(messaging, actor, thread_id)
