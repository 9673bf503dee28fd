"""Routes of action cards: propose, answer, list, read; with a dry run of each change."""

from typing import Annotated, Any

from litestar import Response, Router, get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.bookings.params import CardIdInPath, DryRunQuery, TheBookings
from greenroom.api.bookings.shapes import (
    CardList,
    CardResult,
    CardWithSteps,
    DryRunResult,
    card_with_steps,
    dry_run_shape,
)
from greenroom.api.idempotency import IdempotencyKey
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.params import ID, MAX_ID, MOST_BYTES, Caller, Cursor
from greenroom.api.route_docs import refuses
from greenroom.bookings.card_input import content_of
from greenroom.bookings.cards.problems import (
    CannotPropose,
    CardAlreadyOpen,
    CardChanged,
    CardKeyReused,
    CardNotFound,
    CardNotOpen,
    InvalidCard,
    LegNeeded,
    LegNotFound,
    LegNotReady,
    NoCardsHere,
    NotYourTurn,
    PaymentMethodNeeded,
    TooManyCards,
    UnknownCardType,
)
from greenroom.bookings.problems import (
    CurrencyMismatch,
    InvalidMoney,
    InvalidPaymentMethod,
    UnknownCurrency,
    UnknownTimeZone,
)
from greenroom.bookings.propose_card import NewCard
from greenroom.bookings.read_cards import MAX_PAGE
from greenroom.ids import LegId
from greenroom.messaging.cards import propose as use_cases
from greenroom.messaging.cards.propose import CardAnswer, WantedStep
from greenroom.messaging.cards.read import read_card, thread_cards
from greenroom.messaging.problems import (
    AcceptFirst,
    CardNeedsReview,
    ConversationClosed,
    ConversationLocked,
    RequestPending,
    RoleNotAllowed,
    TextRefused,
    ThreadNotFound,
)
from greenroom.people.actor import Scope
from greenroom.store.problems import InvalidCursor

_PAGE = 20
_WRITING = (
    AcceptFirst,
    ConversationLocked,
    ConversationClosed,
    RequestPending,
    RoleNotAllowed,
    TextRefused,
    CardNeedsReview,
    InvalidCard,
    InvalidMoney,
    UnknownCurrency,
    CurrencyMismatch,
    UnknownTimeZone,
    InvalidPaymentMethod,
    PaymentMethodNeeded,
    LegNotReady,
    CardKeyReused,
)
_SHOWN = ResponseSpec(
    CardResult | DryRunResult,  # type: ignore[arg-type]
    generate_examples=False,
    description="A repeat of an earlier request, which is answered with what that one did; or, "
    "with `dryRun=true`, what would happen.",
)
_PaymentMethod = Annotated[str, Meta(min_length=1, max_length=200)]


class NewCardBody(Struct, rename="camel", forbid_unknown_fields=True):
    content: dict[str, Any]
    """What the card says: `type`, and the fields of that type, as in `CardView.content`."""
    leg_id: Annotated[str, Meta(min_length=1, max_length=MAX_ID, pattern=ID)] | None = None
    """The leg that the card is about, where the booking has several."""
    payment_method: _PaymentMethod | None = None
    """The buyer's means of payment: a token of the payment provider, never a card number."""


class NewStep(Struct, rename="camel", forbid_unknown_fields=True):
    transition: Annotated[str, Meta(min_length=1, max_length=40)]
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    """The version of the card that you have seen."""
    input: dict[str, Any] | None = None
    """What goes with the transition; the card's `options` say what it needs."""
    payment_method: _PaymentMethod | None = None
    """The buyer's means of payment: a token of the payment provider, never a card number."""


@post(
    "/threads/{threadId:str}/cards",
    operation_id="proposeCard",
    summary="Propose a card",
    description="A card is a proposal that the other side answers: an offer, another date, extras, "
    "a cancellation. A booking begins with an `offer`; every other type is about a leg of it. A "
    "card about one leg of several goes to that leg's own conversation, which `threadId` in the "
    "response names. "
    "The same `Idempotency-Key` is the same card, for good. "
    "With `dryRun=true` nothing is written: the response says what the card would be, and what you "
    "would pay when it is accepted.",
    response_description="The card.",
    responses={200: _SHOWN}
    | refuses(
        ThreadNotFound,
        LegNotFound,
        LegNeeded,
        UnknownCardType,
        NoCardsHere,
        CannotPropose,
        CardAlreadyOpen,
        TooManyCards,
        *_WRITING,
        body=True,
    ),
)
async def propose_card(
    thread_id: ThreadIdInPath,
    data: JSONBody[NewCardBody],
    actor: Caller,
    messaging: TheMessaging,
    bookings: TheBookings,
    dry_run: DryRunQuery = False,
    idempotency_key: IdempotencyKey = None,
) -> Response[CardResult]:
    new = NewCard(
        key=idempotency_key or bookings.ids.request(),
        payload=content_of(data.content),
        leg=None if data.leg_id is None else LegId(data.leg_id),
        payment_method=data.payment_method or "",
    )
    if dry_run:
        shown = await use_cases.dry_propose(messaging, bookings, actor, thread_id, new)
        return _dry(dry_run_shape(shown))
    return _answered(await use_cases.propose(messaging, bookings, actor, thread_id, new))


@get(
    "/threads/{threadId:str}/cards",
    operation_id="getCards",
    summary="List the cards of a conversation",
    description="For its members and for moderators.",
    response_description="The cards, the newest first.",
    responses=refuses(ThreadNotFound, InvalidCursor),
)
async def get_cards(
    thread_id: ThreadIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    bookings: TheBookings,
    cursor: Cursor = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_PAGE)] = _PAGE,
) -> CardList:
    page = await thread_cards(messaging, bookings, actor, thread_id, cursor=cursor, limit=limit)
    return CardList(list(page.cards), page.next)


@get(
    "/cards/{cardId:str}",
    operation_id="getCard",
    summary="Get a card with its steps",
    description="For the members of its conversation and for moderators.",
    response_description="The card, and all that led to it.",
    responses=refuses(CardNotFound),
)
async def get_card(
    card_id: CardIdInPath, actor: Caller, messaging: TheMessaging, bookings: TheBookings
) -> CardWithSteps:
    return card_with_steps(await read_card(messaging, bookings, actor, card_id))


@post(
    "/cards/{cardId:str}/steps",
    operation_id="answerCard",
    summary="Answer a card",
    description="Makes a transition, such as `accept`, `counter` or `decline`. The card's "
    "`options` list what is possible, for whom, and what it needs. `version` is the one that you "
    "have seen: if somebody was first, the request is refused with `card-changed`. "
    "The same `Idempotency-Key` is the same step, for good. "
    "With `dryRun=true` nothing is written: the response says what would be paid and returned, "
    "what would become of deposits and of the booking. "
    "A moderator who takes no part in the booking decides a dispute with `decide`.",
    response_description="The card.",
    responses={200: _SHOWN}
    | refuses(
        CardNotFound,
        CardChanged,
        CardNotOpen,
        NotYourTurn,
        *_WRITING,
        body=True,
    ),
)
async def answer_card(
    card_id: CardIdInPath,
    data: JSONBody[NewStep],
    actor: Caller,
    messaging: TheMessaging,
    bookings: TheBookings,
    dry_run: DryRunQuery = False,
    idempotency_key: IdempotencyKey = None,
) -> Response[CardResult]:
    wanted = WantedStep(
        key=idempotency_key or bookings.ids.request(),
        version=data.version,
        transition=data.transition,
        input=data.input,
        payment_method=data.payment_method or "",
    )
    if dry_run:
        shown = await use_cases.dry_answer(messaging, bookings, actor, card_id, wanted)
        return _dry(dry_run_shape(shown))
    return _answered(await use_cases.answer(messaging, bookings, actor, card_id, wanted))


def _answered(made: CardAnswer) -> Response[CardResult]:
    replayed = made.answer.replayed
    shown = CardResult(made.answer.card.thread, made.view, replayed)
    return Response(shown, status_code=200 if replayed else 201)


def _dry(shown: DryRunResult) -> Response[Any]:
    return Response(shown, status_code=200)


routes = Router(
    "/v1",
    route_handlers=[propose_card, get_cards, get_card, answer_card],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["cards"],
    request_max_body_size=MOST_BYTES,
)
