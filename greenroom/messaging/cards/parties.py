"""Who buys and who sells in a thread, as bookings need to know."""

from msgspec.structs import replace

from greenroom.bookings.cards.problems import NoCardsHere
from greenroom.bookings.models import Booking, Parties
from greenroom.ids import UserId
from greenroom.messaging import rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Kind, Role, Thread
from greenroom.people import directory

_WITH_CARDS = frozenset({Kind.INQUIRY, Kind.INVITE, Kind.BOOKING, Kind.STUDIO})
_SELLING = frozenset({Role.SELLER, Role.HOST})


def parties_of(thread: Thread) -> Parties:
    """By their roles; where nobody has one, its opener buys and the others sell."""
    if thread.kind not in _WITH_CARDS:
        raise NoCardsHere(f"one of kind {thread.kind.value} is not about a booking")
    members = {
        user: member.role
        for user, member in rules.shown_members(thread).items()
        if member.role not in rules.STAFF
    }
    buyer = _buyer(thread, members)
    sellers = tuple(user for user, role in members.items() if role in _SELLING)
    others = tuple(user for user, role in members.items() if role is Role.MEMBER and user != buyer)
    if not sellers and not others:
        raise NoCardsHere("nobody in it offers anything; add the provider first")
    return Parties(thread.id, buyer, tuple(one for one in sellers or others if one != buyer))


def parties_in(thread: Thread, booking: Booking | None) -> Parties:
    """Who they are once something is booked does not depend on who is still in the thread: nobody
    can be kept from ending a job because the other side has left."""
    try:
        return parties_of(thread)
    except NoCardsHere:
        if booking is None or not booking.legs:
            raise
        return Parties(thread.id, booking.buyer, booking.sellers)


async def with_names(messaging: Messaging, parties: Parties) -> Parties:
    """With the names that a contract prints."""
    people = await directory.by_ids(messaging.people, (parties.buyer, *parties.sellers))
    return replace(parties, names={one.id: one.name for one in people})


def _buyer(thread: Thread, members: dict[UserId, Role]) -> UserId:
    buyers = [user for user, role in members.items() if role is Role.BUYER]
    if len(buyers) > 1:
        raise NoCardsHere("a booking can have one buyer, and it has several")
    if buyers:
        return buyers[0]
    if members.get(thread.opened_by) is Role.MEMBER:
        return thread.opened_by
    rest = [user for user, role in members.items() if role is Role.MEMBER]
    if len(rest) != 1:
        raise NoCardsHere("nobody in it buys; give somebody the role buyer first")
    return rest[0]
