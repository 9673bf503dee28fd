"""Routes of bookings: a conversation's booking with its receipts, and a leg's calendar file."""

from litestar import Router, get

from greenroom.api.auth import BEARER, needs
from greenroom.api.bookings.params import TheBookings
from greenroom.api.bookings.shapes import ThreadBooking, booking_shape
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.params import Caller
from greenroom.api.route_docs import refuses
from greenroom.messaging.cards.read import read_booking
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Scope


@get(
    "/threads/{threadId:str}/booking",
    operation_id="getBooking",
    summary="Get the booking of a conversation",
    description="For the conversation's members and for moderators. The buyer sees all legs, a "
    "provider their own; other members see none. `receipts` are the entries of the journal that "
    "concern the caller, the oldest first.",
    response_description="The booking; null where nothing was ever proposed.",
    responses=refuses(ThreadNotFound),
)
async def get_booking(
    thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging, bookings: TheBookings
) -> ThreadBooking:
    seen = await read_booking(messaging, bookings, actor, thread_id)
    return ThreadBooking(None if seen is None else booking_shape(seen))


routes = Router(
    "/v1",
    route_handlers=[get_booking],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["bookings"],
)
