"""Routes for the marketplace's staff: what needs them about bookings, and stuck payments again."""

from litestar import Router, get, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from greenroom.api.auth import BEARER, needs
from greenroom.api.bookings.params import PaymentKeyInPath, TheBookings
from greenroom.api.bookings.shapes import BookingPayment
from greenroom.api.bookings.staff_shapes import BookingTrouble, payment_shape, trouble_shape
from greenroom.api.messaging.params import TheMessaging
from greenroom.api.params import Caller
from greenroom.api.route_docs import refuses
from greenroom.background.repair import Background
from greenroom.background.set_aside import list_timers
from greenroom.bookings.cards.problems import NoStuckPayment
from greenroom.bookings.read_trouble import MOST, read_trouble
from greenroom.bookings.retry_payment import retry_payment
from greenroom.messaging.cards import leg_timers, timers
from greenroom.messaging.cards.after_decision import after_decision
from greenroom.people.actor import Scope

_KINDS = (timers.DEADLINE, leg_timers.KIND)


@get(
    "/bookings",
    operation_id="getBookingTrouble",
    summary="List what bookings need from staff",
    description="Disputes to decide, with both sides' accounts, their evidence and all steps; "
    "payments that were tried too often; deadlines that were set aside; and news that have not "
    "reached their conversation for a minute. A dispute is decided with "
    "`POST /v1/cards/{cardId}/steps`. Those in which the caller takes part are left out.",
    response_description="Up to 100 of each, those first that have waited longest.",
    responses=refuses(),
)
async def get_booking_trouble(
    actor: Caller,
    bookings: TheBookings,
    background: NamedDependency[SkipValidation[Background]],
) -> BookingTrouble:
    found = await read_trouble(bookings, actor.user)
    failed = [
        row for kind in _KINDS for row in await list_timers(background.store, kind, most=MOST)
    ]
    return trouble_shape(found, failed)


@post(
    "/payments/{paymentKey:str}/retry",
    operation_id="retryPayment",
    summary="Try a stuck payment again",
    description="Under the same key: a payment that the provider has made is not made twice.",
    response_description="The payment, which is being made.",
    status_code=200,
    responses=refuses(NoStuckPayment),
)
async def post_retry(
    payment_key: PaymentKeyInPath, actor: Caller, messaging: TheMessaging, bookings: TheBookings
) -> BookingPayment:
    group, payment = await retry_payment(bookings, actor.user, payment_key)
    await after_decision(messaging, bookings, group)
    return payment_shape(payment)


routes = Router(
    "/v1/moderation",
    route_handlers=[get_booking_trouble, post_retry],
    guards=[needs(Scope.MODERATOR)],
    security=BEARER,
    tags=["moderation"],
)
