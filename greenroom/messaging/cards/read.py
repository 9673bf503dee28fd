"""Reads cards and bookings on behalf of a member of their conversation, or of staff.

A card is seen as its message is: not before somebody has accepted the request to join, and not what
was there before they joined, unless it concerns them. Staff who trade in the booking are members
like any other.
"""

from msgspec import Struct

from greenroom.bookings import Bookings
from greenroom.bookings.card_view import CardView
from greenroom.bookings.cards.problems import CardNotFound, LegNotFound
from greenroom.bookings.models import Leg
from greenroom.bookings.read_bookings import booking_of_leg, booking_of_thread
from greenroom.bookings.read_cards import (
    MAX_PAGE,
    CardRecord,
    ListedCard,
    card_record,
    cards_of_thread,
)
from greenroom.bookings.receipts import SeenBooking, seen_booking
from greenroom.bookings.visibility import sees_leg, side_of
from greenroom.ids import CardId, LegId, ThreadId
from greenroom.messaging import access, rules
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
    if not _is_staff_to(record, actor):
        await card_thread(messaging, actor, record)
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
    """The newest first. A page may have fewer than asked for, and others after it."""
    view = await _view(messaging, actor, thread_id)
    scope = _SCOPE + thread_id.encode()
    after = None if cursor is None else messaging.cursors.unseal_text(scope, cursor)
    last = None if after is None else CardId(after)
    found = await cards_of_thread(bookings, thread_id, last, limit + 1)
    shown = tuple(one.view for one in found[:limit] if _shows(view, one, actor))
    if len(found) <= limit:
        return CardPage(shown, None)
    return CardPage(shown, messaging.cursors.seal_text(scope, found[limit - 1].card.id))


async def read_booking(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId
) -> SeenBooking | None:
    """As much of it as the actor may see. None where nothing was ever proposed."""
    view = await _view(messaging, actor, thread_id)
    found = await booking_of_thread(bookings, thread_id)
    if found is None or (view is not None and not rules.has_accepted(view.thread, actor.user)):
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


async def card_thread(messaging: Messaging, actor: Actor, card: ListedCard) -> ThreadView:
    """The conversation of a card that the actor sees. Missing and forbidden look alike."""
    try:
        view = await access.thread(messaging, actor, card.card.thread)
    except ThreadNotFound:
        raise CardNotFound from None
    if not _sees(view, card):
        raise CardNotFound
    return view


async def _view(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ThreadView | None:
    """None for staff who are no members."""
    try:
        return await access.thread(messaging, actor, thread_id)
    except ThreadNotFound:
        if not actor.may(Scope.MODERATOR):
            raise
        return None


def _shows(view: ThreadView | None, card: ListedCard, actor: Actor) -> bool:
    return _is_staff_to(card, actor) or (view is not None and _sees(view, card))


def _is_staff_to(card: ListedCard, actor: Actor) -> bool:
    return actor.may(Scope.MODERATOR) and actor.user not in card.traders


def _sees(view: ThreadView, card: ListedCard) -> bool:
    user = view.mine.user
    if not rules.has_accepted(view.thread, user):
        return False
    return user in card.parties or card.card.created_ms >= view.mine.joined_ms
