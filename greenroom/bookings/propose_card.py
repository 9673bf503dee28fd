"""Proposes a card: one SQL transaction, which happens once for each key."""

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from greenroom.bookings import rows
from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.card_keys import Answer, answer_to, check_key, digest_of, keep_answer
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.decide import Move, Proposal, propose
from greenroom.bookings.cards.declaration import Declaration
from greenroom.bookings.cards.payloads import Offer, Payload, type_of
from greenroom.bookings.cards.problems import (
    CannotPropose,
    InvalidCard,
    LegNeeded,
    LegNotFound,
    NoCardsHere,
    PaymentMethodNeeded,
)
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Booking, Caller, CardState, CardType, Leg, Parties, Side
from greenroom.bookings.money import Money, total
from greenroom.bookings.payments.methods import payment_method
from greenroom.ids import CardId, LegId, ThreadId, UserId


class NewCard(Struct, frozen=True, kw_only=True):
    key: str
    payload: Payload
    leg: LegId | None = None
    """Needed where the booking has several."""
    digest: str = ""
    """Of the proposal as it was asked for, where its leg was found later."""
    payment_method: str = ""
    """The buyer's, as a token of the payment provider."""


def proposal_digest(thread: ThreadId, new: NewCard) -> str:
    return digest_of("propose", thread, new.leg, new.payload)


async def propose_card(bookings: Bookings, user: UserId, parties: Parties, new: NewCard) -> Answer:
    """`parties` say who is what in the thread, which the user may see."""
    check_key(new.key)
    card_id, group_id = bookings.ids.card(), bookings.ids.group()
    digest = new.digest or proposal_digest(parties.thread, new)

    def work(connection: Connection) -> Answer:
        now_ms = bookings.clock.now_ms()
        group = rows.group_of_thread(connection, parties.thread)
        if group is None:
            check_begins_here(new)
            group = rows.create_group(connection, group_id, parties, now_ms)
        write = BookingWrite(connection, group, now_ms, bookings.rules)
        known = answer_to(connection, user, new.key, digest)
        if known is not None:
            return known
        booking = prepared(write.booking, parties, user, new)
        write.set_booking(booking)
        move = proposed(booking, parties, user, new, card_id, now_ms, bookings)
        check_can_pay(booking, move, bookings.rules)
        write.make(move, None)
        write.finish()
        answer = Answer(card=move.card, step=move.step)
        keep_answer(connection, group, user, new.key, digest, answer)
        return answer

    return await bookings.database.write(work)


def proposed(
    booking: Booking,
    parties: Parties,
    user: UserId,
    new: NewCard,
    card_id: CardId,
    now_ms: int,
    bookings: Bookings,
) -> Move:
    """The decision alone, which a dry run shows."""
    declared = DECLARATIONS[CardType(type_of(new.payload))]
    leg = _leg_of(booking, parties, declared, new)
    caller = caller_of(booking, leg, user)
    if caller is None:
        raise CannotPropose("the buyer or the provider", declared.kind.value)
    proposal = Proposal(
        card=card_id, thread=parties.thread, type=declared.kind, leg=leg, payload=new.payload
    )
    return propose(booking, proposal, caller, now_ms, bookings.rules)


def prepared(booking: Booking, parties: Parties, user: UserId, new: NewCard) -> Booking:
    """With what the request brings: providers who have joined, names, currency, how it is paid."""
    sellers = tuple(dict.fromkeys((*booking.sellers, *parties.sellers)))
    names = {**booking.names, **parties.names}
    booking = replace(booking, sellers=sellers, names=names)
    if not (booking.legs or booking.transfers or booking.open_cards):
        booking = replace(booking, currency=_currency(new.payload))
    return with_payment_method(booking, user, new.payment_method)


def with_payment_method(booking: Booking, user: UserId, method: str) -> Booking:
    if not method or user != booking.buyer:
        return booking
    return replace(booking, payment_method=payment_method(method))


def caller_of(booking: Booking, leg: Leg | None, user: UserId) -> Caller | None:
    """What somebody is to the booking, or to one leg of it."""
    if user == booking.buyer:
        return Caller(user, Side.BUYER)
    providers = booking.sellers if leg is None else (leg.provider,)
    return Caller(user, Side.SELLER) if user in providers else None


def check_can_pay(booking: Booking, move: Move, rules: Rules) -> None:
    """A deposit is held later, and then nobody could be asked for a payment method."""
    if booking.payment_method or not rules.takes_payments:
        return
    to_pay = [one.money for one in move.to_pay or move.to_pay_later] or _deposits(move)
    if to_pay:
        raise PaymentMethodNeeded(str(total(to_pay, to_pay[0].currency)))


def _deposits(move: Move) -> list[Money]:
    """Those that are agreed by this, or will be when the other side accepts the buyer's offer."""
    card = move.card
    if not isinstance(card.payload, Offer):
        return []
    is_agreed = card.state is CardState.APPLIED
    if not is_agreed and not (card.is_open and card.side is Side.BUYER):
        return []
    return [leg.deposit for leg in card.payload.legs if leg.deposit is not None]


def _currency(payload: Payload) -> str:
    legs = getattr(payload, "legs", ())
    return str(legs[0].price.currency) if legs else ""


def check_begins_here(new: NewCard) -> None:
    if type_of(new.payload) != CardType.OFFER.value:
        raise NoCardsHere("nothing is booked here yet; it begins with an offer")


def _leg_of(booking: Booking, parties: Parties, declared: Declaration, new: NewCard) -> Leg | None:
    if declared.leg_in is None:
        if new.leg is not None:
            raise InvalidCard("an offer makes new legs; leave legId out")
        return None
    here = [leg for leg in booking.legs if parties.thread in (leg.thread, booking.thread)]
    if new.leg is not None:
        found = next((leg for leg in here if leg.id == new.leg), None)
        if found is None:
            raise LegNotFound
        return found
    if not here:
        raise NoCardsHere("nothing is booked here yet; it begins with an offer")
    own = [leg for leg in here if leg.thread == parties.thread] or here
    if len(own) > 1:
        raise LegNeeded(tuple(leg.id for leg in own))
    return own[0]
