"""A card as its two sides see it: what it says, how it stands, and who can do what with it.

The conversation carries this view in the card's message, so that reading a page of messages needs
nothing else.
"""

from datetime import datetime
from enum import StrEnum

import msgspec
from msgspec import Struct

from greenroom.bookings.cards.declaration import By, Transition
from greenroom.bookings.cards.instants import instant_of
from greenroom.bookings.cards.payloads import (
    Answer,
    Noted,
    Nothing,
    Payload,
    Reasoned,
    Ruling,
)
from greenroom.bookings.cards.transitions import declared_transitions
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.models import Card, CardState, CardType, Leg, Side
from greenroom.ids import CardId, LegId, UserId


class InputKind(StrEnum):
    """What a transition needs beside its name."""

    NOTHING = "nothing"
    NOTE = "note"
    """A note may be given."""
    REASON = "reason"
    """A note has to be given."""
    CONTENT = "content"
    """New content of the card's type."""
    ANSWER = "answer"
    """An account of what happened, with evidence."""
    RULING = "ruling"


class CardOption(Struct, frozen=True, rename="camel"):
    transition: str
    title: str
    user_ids: tuple[UserId, ...]
    """Who can do it."""
    staff: bool
    input: InputKind


class CardView(Struct, frozen=True, rename="camel", omit_defaults=False):
    card_id: CardId
    type: CardType
    title: str
    state: CardState
    version: int
    leg_id: LegId | None
    proposer_user_id: UserId
    proposer_side: Side
    waits_on_user_ids: tuple[UserId, ...]
    waits_on_staff: bool
    content: Payload
    note: str
    due_at: datetime | None
    due_transition: str | None
    """What happens then."""
    options: tuple[CardOption, ...]
    created_at: datetime
    changed_at: datetime


def card_view(card: Card, buyer: UserId, legs: tuple[Leg, ...]) -> CardView:
    declared = DECLARATIONS[card.type]
    parties = _parties(card, buyer, legs)
    return CardView(
        card_id=card.id,
        type=card.type,
        title=declared.title,
        state=card.state,
        version=card.version,
        leg_id=card.leg,
        proposer_user_id=card.proposer,
        proposer_side=card.side,
        waits_on_user_ids=card.waits_on,
        waits_on_staff=card.waits_on_staff,
        content=card.payload,
        note=card.note,
        due_at=None if card.due is None else instant_of(card.due.at_ms),
        due_transition=None if card.due is None else card.due.transition,
        options=tuple(
            _option(one, card, parties)
            for one in declared_transitions(declared)
            if card.state in one.sources and not _is_automatic(one)
        ),
        created_at=instant_of(card.created_ms),
        changed_at=instant_of(card.changed_ms),
    )


def packed_view(view: CardView) -> str:
    return msgspec.json.encode(view).decode()


def _parties(card: Card, buyer: UserId, legs: tuple[Leg, ...]) -> tuple[UserId, ...]:
    providers = tuple(leg.provider for leg in legs if leg.id == card.leg)
    return tuple(dict.fromkeys((buyer, *providers, card.proposer)))


def _is_automatic(transition: Transition) -> bool:
    return all(by in (By.DEADLINE, By.PAYMENT) for by in transition.by)


def _option(transition: Transition, card: Card, parties: tuple[UserId, ...]) -> CardOption:
    who: list[UserId] = []
    for by in transition.by:
        match by:
            case By.PROPOSER:
                who.append(card.proposer)
            case By.ANSWERER:
                who += card.waits_on
            case By.EITHER_PARTY:
                who += parties
            case _:
                pass
    return CardOption(
        transition=transition.name,
        title=transition.title,
        user_ids=tuple(dict.fromkeys(who)),
        staff=By.STAFF in transition.by,
        input=_input_of(transition),
    )


def _input_of(transition: Transition) -> InputKind:
    if transition.input in _INPUTS:
        return _INPUTS[transition.input]
    return InputKind.CONTENT


_INPUTS: dict[type[Struct], InputKind] = {
    Nothing: InputKind.NOTHING,
    Noted: InputKind.NOTE,
    Reasoned: InputKind.REASON,
    Answer: InputKind.ANSWER,
    Ruling: InputKind.RULING,
}
