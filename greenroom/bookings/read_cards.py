"""Reads cards: one with its steps, those of a thread, those that staff have to decide."""

from msgspec import Struct
from sqlalchemy import Connection, select

from greenroom.bookings import rows
from greenroom.bookings.card_view import CardView, card_view
from greenroom.bookings.cards.problems import CardNotFound
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Booking, Card, Step
from greenroom.bookings.schema import CARDS
from greenroom.bookings.visibility import parties_of_card
from greenroom.ids import CardId, GroupId, ThreadId, UserId

MAX_PAGE = 50


class ListedCard(Struct, frozen=True):
    """A card as it is now, and what decides who may see it."""

    card: Card
    view: CardView
    parties: frozenset[UserId]
    """Whom it concerns."""
    traders: frozenset[UserId]
    """Who takes part in its booking."""


class CardRecord(ListedCard, frozen=True):
    """A card with all that led to it."""

    group: GroupId
    steps: tuple[Step, ...]


async def card_record(bookings: Bookings, card_id: CardId) -> CardRecord:
    def work(connection: Connection) -> CardRecord:
        card, group = rows.find_card(connection, card_id), rows.group_of_card(connection, card_id)
        if card is None or group is None:
            raise CardNotFound
        booking = rows.find_booking(connection, group)
        steps = rows.steps_of(connection, card_id)
        one = _listed(booking, card)
        return CardRecord(card, one.view, one.parties, one.traders, group, steps)

    return await bookings.database.read(work)


class ShownCard(Struct, frozen=True):
    group: GroupId
    view: CardView


async def shown_card(bookings: Bookings, card: Card) -> ShownCard:
    """This version of a card, which may be an earlier one."""

    def work(connection: Connection) -> ShownCard:
        group = rows.group_of_card(connection, card.id)
        if group is None:
            raise CardNotFound
        booking = rows.find_booking(connection, group)
        return ShownCard(group, card_view(card, booking.buyer, booking.legs))

    return await bookings.database.read(work)


async def cards_of_thread(
    bookings: Bookings, thread: ThreadId, after: CardId | None = None, limit: int = MAX_PAGE
) -> tuple[ListedCard, ...]:
    """The newest first; `after` is the last card of the page before."""

    def work(connection: Connection) -> tuple[ListedCard, ...]:
        group = rows.group_of_thread(connection, thread)
        if group is None:
            return ()
        booking = rows.find_booking(connection, group)
        query = select(CARDS.c.card).where(CARDS.c.thread_id == thread)
        if after is not None:
            query = query.where(CARDS.c.id < after)
        found = connection.execute(query.order_by(CARDS.c.id.desc()).limit(limit))
        cards = (rows.unpacked(row.card, Card) for row in found)
        return tuple(_listed(booking, card) for card in cards)

    return await bookings.database.read(work)


def _listed(booking: Booking, card: Card) -> ListedCard:
    return ListedCard(
        card,
        card_view(card, booking.buyer, booking.legs),
        parties_of_card(booking, card),
        frozenset((booking.buyer, *booking.sellers)),
    )
