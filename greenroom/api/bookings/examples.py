"""Examples of every request and response of bookings."""

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from greenroom.api.bookings.rest.cards import NewCardBody, NewStep
from greenroom.api.bookings.shapes import (
    Booking,
    BookingPayment,
    BookingTotals,
    CardList,
    CardResult,
    CardWithSteps,
    DepositMove,
    DryRunResult,
    Receipt,
    ThreadBooking,
    leg_shape,
    step_shape,
)
from greenroom.api.bookings.staff_shapes import (
    BookingTrouble,
    FailedDeadline,
    OpenDispute,
    OperatorPayment,
    WaitingRelay,
)
from greenroom.api.example_values import JONAS, LATER, MAYA, SAID, THREAD
from greenroom.api.route_docs import OperationExample
from greenroom.bookings.calendar_file import calendar_of
from greenroom.bookings.card_view import card_view
from greenroom.bookings.cards.instants import ms_of
from greenroom.bookings.cards.payloads import Dispute, LegTerms, Offer
from greenroom.bookings.chart import Code
from greenroom.bookings.models import (
    Card,
    CardState,
    CardType,
    Due,
    Leg,
    LegStatus,
    Operation,
    PaymentState,
    Side,
    Step,
)
from greenroom.bookings.money import Money
from greenroom.ids import CardId, GroupId, LegId, TransferId

CARD = CardId("crd_06dvx8k2q4m7w9z1y3t5r8p0ab")
GROUP = GroupId("lbg_06dvx8k2q4m7w9z1y3t5r8p0ab")
LEG = LegId("leg_06dvx8k2q4m7w9z1y3t5r8p0ab")
PRICE = Money(40_000, "EUR")
_PROPOSED_MS = ms_of(datetime(2026, 4, 2, 10, 0, tzinfo=UTC))
_STARTS = datetime(2026, 5, 14, 8, 0, tzinfo=UTC)
_ENDS = datetime(2026, 5, 14, 13, 0, tzinfo=UTC)
_TERMS = LegTerms(
    provider=MAYA,
    title="Editorial on a roof",
    service="model",
    place="Rua do Norte 14",
    city="Lisbon",
    starts_at=_STARTS,
    ends_at=_ENDS,
    time_zone="Europe/Lisbon",
    price=PRICE,
)
_OFFER = Offer(legs=(_TERMS,), note="As we said: half a day.")
_OFFERED = Card(
    id=CARD,
    thread=THREAD,
    leg=None,
    type=CardType.OFFER,
    state=CardState.PROPOSED,
    proposer=MAYA,
    side=Side.SELLER,
    waits_on=(JONAS,),
    payload=_OFFER,
    due=Due(transition="expire", at_ms=_PROPOSED_MS + 72 * 3_600_000),
    created_ms=_PROPOSED_MS,
    changed_ms=_PROPOSED_MS,
)
_LEG = Leg(
    id=LEG,
    provider=MAYA,
    thread=THREAD,
    title=_TERMS.title,
    service=_TERMS.service,
    place=_TERMS.place,
    city=_TERMS.city,
    starts_ms=ms_of(_STARTS),
    ends_ms=ms_of(_ENDS),
    time_zone=_TERMS.time_zone,
    price=PRICE,
)
_ACCEPTED = replace(_OFFERED, state=CardState.ACCEPTED, version=2, waits_on=(), due=None)
_DISPUTED = replace(
    _OFFERED,
    type=CardType.DISPUTE,
    leg=LEG,
    state=CardState.COUNTERED,
    version=2,
    proposer=JONAS,
    side=Side.BUYER,
    waits_on=(),
    waits_on_staff=True,
    payload=Dispute(reason="Nobody came.", refund=PRICE, answer="I waited in front of the house."),
)
_VIEW = card_view(_OFFERED, JONAS, ())
_STEP = Step(
    card=CARD,
    version=1,
    transition="propose",
    before=None,
    after=CardState.PROPOSED,
    actor=MAYA,
    side=Side.SELLER,
    at_ms=_PROPOSED_MS,
    payload=_OFFER,
)
_PAYMENT = BookingPayment(
    Operation.CHARGE, Code.PRICE, _TERMS.title, LEG, PRICE, PaymentState.REQUESTED
)
_KEY = f"{GROUP}:p1"
_NOTHING = Money(0, "EUR")
_RECEIPT = Receipt(
    TransferId(f"{GROUP}:t1"), SAID, Code.PRICE, "Price", LEG, CARD, PRICE, is_open=False
)
_BOOKING = Booking(
    lbg_id=GROUP,
    thread_id=THREAD,
    buyer_user_id=JONAS,
    side=Side.BUYER,
    currency="EUR",
    legs=[leg_shape(_LEG)],
    receipts=[
        Receipt(TransferId(f"{GROUP}:t1"), SAID, Code.PRICE, "Price", LEG, CARD, PRICE, False)
    ],
    totals=BookingTotals(PRICE, _NOTHING, _NOTHING, None),
    payments=[],
)
_TROUBLE = BookingTrouble(
    disputes=[
        OpenDispute(
            lbg_id=GROUP,
            thread_id=THREAD,
            buyer_user_id=JONAS,
            provider_user_id=MAYA,
            leg=leg_shape(replace(_LEG, status=LegStatus.DISPUTED)),
            card=card_view(_DISPUTED, JONAS, (_LEG,)),
            steps=[step_shape(_STEP)],
        )
    ],
    payments=[
        OperatorPayment(
            key=_KEY,
            lbg_id=GROUP,
            thread_id=THREAD,
            payment=msgspec.structs.replace(_PAYMENT, state=PaymentState.STUCK),
            tries=12,
            problem="The provider does not answer.",
            asked_at=SAID,
        )
    ],
    deadlines=[
        FailedDeadline("card_deadline", f"{CARD}.2", THREAD, LATER, 12, "ValueError: not a number")
    ],
    relays=[WaitingRelay(GROUP, THREAD, SAID, False)],
)

EXAMPLES: Mapping[str, OperationExample] = {
    "proposeCard": OperationExample(
        {201: CardResult(THREAD, _VIEW, False), 200: CardResult(THREAD, _VIEW, True)},
        NewCardBody(msgspec.to_builtins(_OFFER)),
    ),
    "getCards": OperationExample({200: CardList([_VIEW], None)}),
    "getCard": OperationExample({200: CardWithSteps(THREAD, _VIEW, [step_shape(_STEP)])}),
    "answerCard": OperationExample(
        {
            201: CardResult(THREAD, card_view(_ACCEPTED, JONAS, ()), False),
            200: DryRunResult(
                card=card_view(_ACCEPTED, JONAS, ()),
                to_pay=[_PAYMENT],
                to_return=[],
                total=PRICE,
                total_returned=None,
                deposits=[DepositMove(Operation.HOLD, "Deposit", LEG, Money(20_000, "EUR"))],
                legs=[leg_shape(_LEG)],
                tells_user_ids=[JONAS, MAYA],
            ),
        },
        NewStep("accept", 1, payment_method="sandbox:ok"),
    ),
    "getBooking": OperationExample({200: ThreadBooking(_BOOKING)}),
    "getLegCalendar": OperationExample(
        {200: calendar_of(_LEG, "greenroom", _PROPOSED_MS).decode()}
    ),
    "getBookingTrouble": OperationExample({200: _TROUBLE}),
    "retryPayment": OperationExample({200: _PAYMENT}),
}
