"""Makes the transition that a card's deadline is for, if the card still has the version."""

from sqlalchemy import Connection

from greenroom.bookings import rows
from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.cards.decide import Request, move
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Caller, Side
from greenroom.ids import CardId, GroupId
from greenroom.people.actor import SYSTEM


async def make_deadline(bookings: Bookings, card_id: CardId, version: int) -> GroupId | None:
    """Returns the group whose card has moved; None where somebody was first. Safe to repeat: the
    version moves only once."""

    def work(connection: Connection) -> GroupId | None:
        now_ms = bookings.clock.now_ms()
        locked = rows.lock_group_of_card(connection, card_id)
        if locked is None:
            return None
        write = BookingWrite(connection, locked, now_ms, bookings.rules, card_id)
        card = write.card
        if card is None or card.version != version or card.due is None:
            return None
        request = Request(transition=card.due.transition, version=version)
        caller = Caller(SYSTEM, Side.SYSTEM)
        made = move(write.booking, card, request, caller, now_ms, bookings.rules)
        write.make(made, card)
        write.finish()
        return write.booking.id

    return await bookings.database.write(work)
