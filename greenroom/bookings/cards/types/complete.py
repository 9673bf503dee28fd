"""The card type `complete`: the job is done, and the provider is paid."""

from greenroom.bookings.cards.answers import (
    PROPOSED,
    accept,
    accept_in_silence,
    after,
    decline,
    propose,
    withdraw,
)
from greenroom.bookings.cards.declaration import Declaration, Facts
from greenroom.bookings.cards.effects import CompleteLeg, Effect
from greenroom.bookings.cards.payloads import Complete
from greenroom.bookings.cards.problems import InvalidCard
from greenroom.bookings.models import CardType, LegStatus, Side


def _check(facts: Facts) -> None:
    if facts.now_ms < facts.the_leg.starts_ms:
        raise InvalidCard("the leg has not begun yet; cancel or reschedule it instead")


def _complete(facts: Facts) -> tuple[Effect, ...]:
    return (CompleteLeg(facts.the_leg.id),)


_DOES = "completes the leg; the provider is paid when the time for claims is over"

COMPLETE = Declaration(
    kind=CardType.COMPLETE,
    title="Complete",
    explains="Says that the job is done. Accepting it pays the provider.",
    payload=Complete,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    always_has_room=True,
    initial=propose("Mark as complete"),
    transitions=(
        accept(_complete, does=_DOES),
        decline(),
        withdraw(),
        accept_in_silence(_complete, _DOES),
    ),
    deadlines={
        PROPOSED: after(
            "accept_in_silence", lambda rules: rules.cards.complete_hours, "complete_hours"
        )
    },
    check=_check,
)
