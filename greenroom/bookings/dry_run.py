"""Shows what a proposal or a transition would do: the same decision, and nothing is written."""

from msgspec import Struct
from sqlalchemy import Connection

from greenroom.bookings import rows
from greenroom.bookings.booking_change import BookingChange
from greenroom.bookings.card_view import CardView, card_view
from greenroom.bookings.cards.apply import apply_effects, request_charges
from greenroom.bookings.cards.decide import Move, Request, effects_when_accepted, move
from greenroom.bookings.cards.problems import CardNotFound
from greenroom.bookings.context import Bookings
from greenroom.bookings.deposit_moves import DepositMove, deposit_moves
from greenroom.bookings.models import Booking, Card, Leg, Operation, Parties, Payment, Side
from greenroom.bookings.move_card import CardMove, caller_in
from greenroom.bookings.propose_card import (
    NewCard,
    check_begins_here,
    prepared,
    proposed,
)
from greenroom.bookings.transfers import Cause
from greenroom.bookings.visibility import hidden_codes, sees_leg, side_of
from greenroom.ids import CardId, UserId


class DryRun(Struct, frozen=True):
    """What would happen."""

    card: CardView
    to_pay: tuple[Payment, ...]
    """What the buyer would be charged: at once, or when their own proposal is accepted."""
    to_return: tuple[Payment, ...]
    """What the buyer would get back."""
    deposits: tuple[DepositMove, ...]
    """What would become of deposits."""
    legs: tuple[Leg, ...]
    """What the booking would become."""
    tells: tuple[UserId, ...]
    """Who would be told."""


async def dry_proposal(bookings: Bookings, user: UserId, parties: Parties, new: NewCard) -> DryRun:
    card_id, group_id = bookings.ids.card(), bookings.ids.group()

    def work(connection: Connection) -> DryRun:
        now_ms = bookings.clock.now_ms()
        group = rows.group_of_thread(connection, parties.thread)
        if group is None:
            check_begins_here(new)
            found = Booking(
                id=group_id, thread=parties.thread, buyer=parties.buyer, sellers=parties.sellers
            )
        else:
            found = rows.find_booking(connection, group)
        booking = prepared(found, parties, user, new)
        made = proposed(booking, parties, user, new, card_id, now_ms, bookings)
        side = side_of(booking, user, staff=False)
        return _shown(bookings, booking, made, user, side, now_ms)

    return await bookings.database.read(work)


async def dry_move(
    bookings: Bookings, user: UserId, card_id: CardId, wanted: CardMove, *, staff: bool
) -> DryRun:
    def work(connection: Connection) -> DryRun:
        now_ms = bookings.clock.now_ms()
        group, card = rows.group_of_card(connection, card_id), rows.find_card(connection, card_id)
        if group is None or card is None:
            raise CardNotFound
        booking = rows.find_booking(connection, group)
        caller = caller_in(booking, card, user, staff=staff)
        request = Request(transition=wanted.transition, input=wanted.input, version=wanted.version)
        made = move(booking, card, request, caller, now_ms, bookings.rules)
        return _shown(bookings, booking, made, user, caller.side, now_ms)

    return await bookings.database.read(work)


def _shown(
    bookings: Bookings, booking: Booking, made: Move, user: UserId, side: Side | None, now_ms: int
) -> DryRun:
    """With what follows when its payments succeed, as far as the user may see the booking."""
    card, rules = made.card, bookings.rules
    change = BookingChange(booking, Cause(card.id, card.version, now_ms))
    request_charges(change, made.to_pay)
    later = [
        change.request(Operation.CHARGE, one.leg, one.code, one.money, title=one.title)
        for one in made.to_pay_later
    ]
    effects = made.effects or effects_when_accepted(booking, made, now_ms, rules)
    apply_effects(change, effects, rules)
    changed = change.done()
    legs = tuple(leg for leg in changed.booking.legs if sees_leg(leg, user, side))
    seen, hidden = {leg.id for leg in legs}, hidden_codes(side)
    seen |= {one.leg for one in later}  # legs that are still to be booked, by the buyer
    asked = [
        one
        for one in changed.payments
        if one.key not in booking.payments and one.leg in seen and one.code not in hidden
    ]
    return DryRun(
        card=card_view(card, booking.buyer, changed.booking.legs),
        to_pay=tuple(one for one in asked if one.operation is Operation.CHARGE),
        to_return=tuple(one for one in asked if one.operation is Operation.REFUND),
        deposits=tuple(one for one in deposit_moves(booking, changed) if one.leg in seen),
        legs=legs,
        tells=_told(booking, card),
    )


def _told(booking: Booking, card: Card) -> tuple[UserId, ...]:
    leg = booking.leg(card.leg)
    providers = booking.sellers if leg is None else (leg.provider,)
    return tuple(dict.fromkeys((booking.buyer, *providers)))
