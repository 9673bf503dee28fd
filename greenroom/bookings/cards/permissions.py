"""Who may do what with a card, and where it can be done at all. Pure."""

from msgspec import structs

from greenroom.bookings.cards.declaration import By, Declaration, Facts, Transition
from greenroom.bookings.cards.payloads import Input, Noted, Nothing
from greenroom.bookings.cards.problems import (
    CannotPropose,
    CardAlreadyOpen,
    CardChanged,
    CardNotOpen,
    InvalidCard,
    LegNotReady,
    NotYourTurn,
    TooManyCards,
)
from greenroom.bookings.models import OPEN_STATES, Caller, Card, Leg, Side

_NOTHING_TO_DO = {True: "Others have to act", False: "Propose a new one"}
_MOST_VERSIONS = 50


def not_open(card: Card, transition: str, choices: tuple[str, ...]) -> CardNotOpen:
    """The refusal of a transition that the card's state does not have."""
    advice = f"You can {' or '.join(choices)} it" if choices else _NOTHING_TO_DO[card.is_open]
    return CardNotOpen(card.state.value, transition, choices, advice)


def check_input(transition: Transition, given: Input) -> None:
    is_left_out = transition.input is Noted and type(given) is Nothing
    if type(given) is not transition.input and not is_left_out:
        fields = [one.encode_name for one in structs.fields(transition.input) if one.required]
        needed = f"its content with {', '.join(fields)}" if fields else "no content"
        raise InvalidCard(f"to {transition.name} it, send {needed}")


def check_may_propose(declared: Declaration, caller: Caller) -> None:
    if caller.side not in declared.proposers:
        who = " or ".join(sorted(f"the {side.value}" for side in declared.proposers))
        raise CannotPropose(who, declared.kind.value)


def check_leg(declared: Declaration, leg: Leg | None, *, goes_on: bool = False) -> None:
    if declared.leg_in is None or leg is None:
        return
    allowed = declared.leg_in | (declared.goes_on_in if goes_on else frozenset())
    if leg.status not in allowed:
        raise LegNotReady(leg.status.value, tuple(sorted(one.value for one in allowed)))


def leg_allows(declared: Declaration, leg: Leg | None) -> bool:
    try:
        check_leg(declared, leg, goes_on=True)
    except LegNotReady:
        return False
    return True


def check_room(declared: Declaration, facts: Facts) -> None:
    cards, booking = facts.rules.cards, facts.booking
    is_full = len(booking.open_cards) >= cards.open_cards or booking.cards >= cards.most_cards
    if is_full and not declared.always_has_room:
        raise TooManyCards(cards.open_cards, cards.most_cards)
    leg = None if facts.leg is None else facts.leg.id
    for one in booking.open_cards:
        if declared.one_at_a_time and (one.type, one.leg) == (declared.kind, leg):
            raise CardAlreadyOpen(one.id)


def check_may(transition: Transition, card: Card, caller: Caller) -> None:
    if not may(transition, card, caller):
        who = " or ".join(one.value for one in transition.by)
        raise NotYourTurn(who, transition.name)


def check_goes_on(card: Card, transition: Transition, caller: Caller) -> None:
    """Every version is kept and shown, so that there are not any number of them."""
    stays_open = caller.side is not Side.SYSTEM and transition.to in OPEN_STATES
    if stays_open and card.version >= _MOST_VERSIONS:
        raise InvalidCard("it must have fewer changes; end it, and propose a new one")


def check_in_time(card: Card, caller: Caller, now_ms: int) -> None:
    """A deadline that has passed decides, also while the system has yet to make it."""
    if caller.side is not Side.SYSTEM and card.due is not None and now_ms >= card.due.at_ms:
        raise CardChanged(card.state.value, card.version)


def may(transition: Transition, card: Card, caller: Caller) -> bool:
    return any(_is(by, card, caller) for by in transition.by)


def _is(by: By, card: Card, caller: Caller) -> bool:
    match by:
        case By.PROPOSER:
            return caller.user == card.proposer
        case By.ANSWERER:
            return caller.user in card.waits_on
        case By.STAFF:
            return caller.side is Side.STAFF
        case By.EITHER_PARTY:
            return caller.side in (Side.BUYER, Side.SELLER)
        case By.DEADLINE | By.PAYMENT:
            return caller.side is Side.SYSTEM
