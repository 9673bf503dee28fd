"""Routes of bookings: a conversation's booking with its receipts, and a leg's calendar file."""

from litestar import Response, Router, get

from greenroom.api.auth import BEARER, needs
from greenroom.api.bookings.params import LegIdInPath, TheBookings
from greenroom.api.bookings.shapes import ThreadBooking, booking_shape
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.params import Caller
from greenroom.api.route_docs import refuses
from greenroom.bookings.calendar_file import MEDIA_TYPE, calendar_of
from greenroom.bookings.cards.problems import LegNotFound
from greenroom.messaging.cards.read import read_booking, read_leg
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Scope

_DOMAIN = "greenroom"
"""Of the ids of calendar entries. Those of legs are unique everywhere."""


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


@get(
    "/legs/{legId:str}/calendar.ics",
    operation_id="getLegCalendar",
    summary="Get a leg as a calendar file",
    description="RFC 5545, with times in UTC. Later versions of the leg replace earlier ones in "
    "the calendar, and a cancelled leg is taken out of it. For the buyer, the leg's provider and "
    "moderators.",
    response_description="The calendar file.",
    media_type=MEDIA_TYPE,
    responses=refuses(LegNotFound),
)
async def get_leg_calendar(
    leg_id: LegIdInPath, actor: Caller, bookings: TheBookings
) -> Response[bytes]:
    leg = await read_leg(bookings, actor, leg_id)
    content = calendar_of(leg, _DOMAIN, bookings.clock.now_ms())
    named = f'attachment; filename="{leg.id}.ics"'
    return Response(content, media_type=MEDIA_TYPE, headers={"Content-Disposition": named})


routes = Router(
    "/v1",
    route_handlers=[get_booking, get_leg_calendar],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["bookings"],
)
