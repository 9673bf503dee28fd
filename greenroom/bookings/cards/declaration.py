"""The vocabulary in which a card type is declared. `decide.py` interprets it.

A type says what its content is, who may propose it and where, which transitions each state has and
who may make them, which deadline each waiting state has, what is paid before it takes effect, and
what it then does. Nothing else in the product knows a card type.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias

from msgspec import Struct

from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.effects import Effect
from greenroom.bookings.cards.payloads import Input, Nothing, Payload
from greenroom.bookings.chart import Code
from greenroom.bookings.models import (
    Booking,
    Caller,
    Card,
    CardState,
    CardType,
    Leg,
    LegStatus,
    Side,
)
from greenroom.bookings.money import Money
from greenroom.ids import LegId

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


class By(Enum):
    """Who may make a transition."""

    PROPOSER = "its proposer"
    ANSWERER = "whom it waits for"
    STAFF = "staff"
    EITHER_PARTY = "buyer or seller"
    DEADLINE = "its deadline"
    PAYMENT = "the payment"


class WaitsOn(Enum):
    """Whom a card waits for after a transition."""

    NOBODY = "nobody"
    OTHER_SIDE = "the side that has not acted"
    PROPOSER = "its proposer"
    STAFF = "staff"


class Facts(Struct, frozen=True, kw_only=True):
    """All that a declaration's functions may look at."""

    booking: Booking
    leg: Leg | None
    caller: Caller
    now_ms: int
    rules: Rules
    card: Card | None = None
    """None for a proposal."""
    payload: Payload
    """The card's content after the transition."""
    input: Input = Nothing()

    @property
    def the_card(self) -> Card:
        assert self.card is not None, "a type whose proposal takes effect at once needs no card"
        return self.card

    @property
    def the_leg(self) -> Leg:
        assert self.leg is not None, "`leg_in` must be declared for a type about a leg"
        return self.leg


class ToPay(Struct, frozen=True):
    """What has to be paid before a card takes effect."""

    title: str
    money: Money
    code: Code
    leg: LegId


Effects: TypeAlias = Callable[[Facts], tuple[Effect, ...]]
Charges: TypeAlias = Callable[[Facts], tuple[ToPay, ...]]
Revise: TypeAlias = Callable[[Any, Any, Facts], Payload]
"""The card's new content, from the old one and the transition's input."""
Check: TypeAlias = Callable[[Facts], None]
"""Refuses content that does not fit the booking."""


def no_effects(_: Facts) -> tuple[Effect, ...]:
    return ()


def no_charges(_: Facts) -> tuple[ToPay, ...]:
    return ()


class Transition(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    """What it is called on a button."""
    sources: tuple[CardState, ...]
    to: CardState
    by: tuple[By, ...]
    input: type[Struct] = Nothing
    proposes: bool = False
    """Makes its actor the proposer of what the card now says."""
    waits_on: WaitsOn = WaitsOn.NOBODY
    of_all: bool = False
    """Takes effect when everybody that it waits for has made it."""
    revise: Revise | None = None
    charges: Charges = no_charges
    """Paid before `to`: until then the card is `accepted`."""
    effects: Effects = no_effects
    pays: str = ""
    """In words, for the reference: what the buyer pays before."""
    does: str = ""
    """In words, for the reference: `moves the leg`."""


class Deadline(Struct, frozen=True, kw_only=True):
    """What happens by itself when a state has lasted long enough."""

    transition: str
    at_ms: Callable[[Facts], int]
    says: str
    """In words, for the reference: `after 3 days`."""
    reminds: bool = True


class Declaration(Struct, frozen=True, kw_only=True):
    kind: CardType
    title: str
    explains: str
    """One sentence for the reference."""
    payload: type[Struct]
    proposers: frozenset[Side]
    leg_in: frozenset[LegStatus] | None
    """The statuses of the leg in which it may be proposed. None for a type that needs no leg."""
    one_at_a_time: bool = True
    """Only one open card of the type for a leg."""
    always_has_room: bool = False
    """However many cards the booking has: nobody can be kept from ending a job."""
    initial: Transition
    """From nothing."""
    transitions: tuple[Transition, ...]
    deadlines: Mapping[CardState, Deadline]
    check: Check
    goes_on_in: frozenset[LegStatus] = frozenset()
    """Further statuses of the leg in which an open card can still be answered."""
    needs_answer: Callable[[Facts], bool] = lambda _: True
    """Without one the proposal is accepted at once."""
    at_once: str = ""
    """When that is so, in words, for the reference."""

    def transition(self, name: str, state: CardState) -> Transition | None:
        found = (one for one in self.transitions if one.name == name and state in one.sources)
        return next(found, None)

    @property
    def waiting_states(self) -> tuple[CardState, ...]:
        """The states that something still follows, except a payment's."""
        reached = {self.initial.to, *(one.to for one in self.transitions)}
        return tuple(
            s
            for s in CardState
            if s in reached and any(s in one.sources for one in self.transitions)
        )
