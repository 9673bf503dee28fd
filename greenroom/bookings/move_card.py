"""Makes a transition of a card, such as accept or counter: one transaction, once for each key.

A race has one winner: everybody locks the group first, and the losers are told the new state.
"""

from msgspec import Struct
from sqlalchemy import Connection

from greenroom.bookings import rows
from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.card_keys import Answer, answer_to, check_key, digest_of, keep_answer
from greenroom.bookings.cards.decide import Request, move
from greenroom.bookings.cards.payloads import Input, Nothing
from greenroom.bookings.cards.problems import CardNotFound
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Booking, Caller, Card, Side
from greenroom.bookings.propose_card import caller_of, check_can_pay, with_payment_method
from greenroom.ids import CardId, UserId


class CardMove(Struct, frozen=True, kw_only=True):
    key: str
    version: int
    """The version that it acts on."""
    transition: str
    input: Input = Nothing()
    payment_method: str = ""


def move_digest(card: CardId, wanted: CardMove) -> str:
    return digest_of(wanted.transition, card, wanted.version, wanted.input)


async def move_card(
    bookings: Bookings, user: UserId, card_id: CardId, wanted: CardMove, *, staff: bool = False
) -> Answer:
    """`staff`: the user acts for the marketplace. Others must be a party of the card's leg."""
    check_key(wanted.key)
    digest = move_digest(card_id, wanted)

    def work(connection: Connection) -> Answer:
        now_ms = bookings.clock.now_ms()
        locked = rows.lock_group_of_card(connection, card_id)
        if locked is None:
            raise CardNotFound
        write = BookingWrite(connection, locked, now_ms, bookings.rules, card_id)
        known = answer_to(connection, user, wanted.key, digest)
        if known is not None:
            return known
        card = write.card
        assert card is not None
        caller = caller_in(write.booking, card, user, staff=staff)
        write.set_booking(with_payment_method(write.booking, user, wanted.payment_method))
        request = Request(transition=wanted.transition, input=wanted.input, version=wanted.version)
        made = move(write.booking, card, request, caller, now_ms, bookings.rules)
        check_can_pay(write.booking, made, bookings.rules)
        write.make(made, card)
        write.finish()
        answer = Answer(card=made.card, step=made.step)
        keep_answer(connection, write.booking.id, user, wanted.key, digest, answer)
        return answer

    return await bookings.database.write(work)


def caller_in(booking: Booking, card: Card, user: UserId, *, staff: bool) -> Caller:
    """What the user is to the card. Somebody who takes no part in it cannot tell that it exists."""
    leg = booking.leg(card.leg)
    caller = caller_of(booking, leg, user)
    if caller is None and leg is None and user in (card.proposer, *card.waits_on):
        caller = Caller(user, Side.SELLER)
    if caller is not None:
        return caller
    if not staff or user in booking.sellers:  # also who has another leg is no judge of this one
        raise CardNotFound
    return Caller(user, Side.STAFF)
