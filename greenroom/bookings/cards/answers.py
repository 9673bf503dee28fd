"""The transitions and deadlines that most card types share."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.declaration import (
    HOUR_MS,
    By,
    Charges,
    Deadline,
    Effects,
    Facts,
    Transition,
    WaitsOn,
    no_charges,
    no_effects,
)
from greenroom.bookings.cards.payloads import Noted, Payload
from greenroom.bookings.models import CardState

PROPOSED, COUNTERED = CardState.PROPOSED, CardState.COUNTERED


def propose(title: str, effects: Effects = no_effects, does: str = "") -> Transition:
    return Transition(
        name="propose",
        title=title,
        sources=(),
        to=PROPOSED,
        by=(By.EITHER_PARTY,),
        waits_on=WaitsOn.OTHER_SIDE,
        effects=effects,
        does=does,
    )


def accept(
    effects: Effects,
    charges: Charges = no_charges,
    *,
    does: str,
    pays: str = "",
    title: str = "Accept",
    sources: tuple[CardState, ...] = (PROPOSED,),
) -> Transition:
    return Transition(
        name="accept",
        title=title,
        sources=sources,
        to=CardState.APPLIED,
        by=(By.ANSWERER,),
        of_all=True,
        charges=charges,
        effects=effects,
        pays=pays,
        does=does,
    )


def counter(payload: type[Struct]) -> Transition:
    return Transition(
        name="counter",
        title="Propose something else",
        sources=(PROPOSED, COUNTERED),
        to=COUNTERED,
        by=(By.ANSWERER,),
        input=payload,
        proposes=True,
        waits_on=WaitsOn.OTHER_SIDE,
        revise=replaced,
    )


def replaced(_: Any, new: Payload, __: Facts) -> Payload:
    return new


def decline(sources: tuple[CardState, ...] = (PROPOSED,)) -> Transition:
    return Transition(
        name="decline",
        title="Decline",
        sources=sources,
        to=CardState.DECLINED,
        by=(By.ANSWERER,),
        input=Noted,
    )


def withdraw(
    sources: tuple[CardState, ...] = (PROPOSED,), effects: Effects = no_effects, does: str = ""
) -> Transition:
    return Transition(
        name="withdraw",
        title="Withdraw",
        sources=sources,
        to=CardState.WITHDRAWN,
        by=(By.PROPOSER,),
        effects=effects,
        does=does,
    )


def expire(
    sources: tuple[CardState, ...] = (PROPOSED,), effects: Effects = no_effects, does: str = ""
) -> Transition:
    return Transition(
        name="expire",
        title="Expire",
        sources=sources,
        to=CardState.EXPIRED,
        by=(By.DEADLINE,),
        effects=effects,
        does=does,
    )


def accept_in_silence(effects: Effects, does: str) -> Transition:
    """Without an answer it counts as accepted."""
    return Transition(
        name="accept_in_silence",
        title="Accept without an answer",
        sources=(PROPOSED,),
        to=CardState.APPLIED,
        by=(By.DEADLINE,),
        effects=effects,
        does=does,
    )


def after(
    transition: str, hours: Callable[[Rules], int], setting: str, *, reminds: bool = True
) -> Deadline:
    """So many hours after the card has come to the state."""

    def at_ms(facts: Facts) -> int:
        return facts.now_ms + hours(facts.rules) * HOUR_MS

    return Deadline(
        transition=transition, at_ms=at_ms, says=f"after `cards.{setting}`", reminds=reminds
    )


def changes_expire() -> Mapping[CardState, Deadline]:
    """For proposed changes of a booking that may be countered."""
    deadline = after("expire", lambda rules: rules.cards.change_hours, "change_hours")
    return {PROPOSED: deadline, COUNTERED: deadline}


BOTH = (PROPOSED, COUNTERED)
