"""The card type `proofs`: work to look at, accepted or sent back with changes, round by round."""

from typing import Any

from msgspec.structs import replace

from greenroom.bookings.cards.answers import (
    COUNTERED,
    PROPOSED,
    accept,
    accept_in_silence,
    after,
    expire,
    propose,
    withdraw,
)
from greenroom.bookings.cards.declaration import By, Declaration, Facts, Transition, WaitsOn
from greenroom.bookings.cards.effects import AcceptProofs, Effect
from greenroom.bookings.cards.payloads import Payload, Proofs, Reasoned
from greenroom.bookings.cards.problems import InvalidCard
from greenroom.bookings.models import CardType, LegStatus, Side


def _proofs(facts: Facts) -> Proofs:
    assert isinstance(facts.payload, Proofs)
    return facts.payload


def _check(facts: Facts) -> None:
    proofs = _proofs(facts)
    if not proofs.files and not proofs.note:
        raise InvalidCard("proofs need a file or a note that says where they are")
    if facts.card is None and proofs.round != 1:
        raise InvalidCard("the server gives the round; leave it out")


def _next_round(old: Proofs, new: Proofs, _: Facts) -> Payload:
    return replace(new, round=old.round + 1)


def _accepted(facts: Facts) -> tuple[Effect, ...]:
    return (AcceptProofs(facts.the_leg.id, _proofs(facts).round),)


def _kept(old: Any, _: Reasoned, __: Facts) -> Payload:
    payload: Payload = old
    return payload


_DOES = "notes the accepted round on the leg"
_ASK_CHANGES = Transition(
    name="ask_changes",
    title="Ask for changes",
    sources=(PROPOSED,),
    to=COUNTERED,
    by=(By.ANSWERER,),
    input=Reasoned,
    waits_on=WaitsOn.PROPOSER,
    revise=_kept,
)
_DELIVER = Transition(
    name="deliver",
    title="Deliver again",
    sources=(COUNTERED,),
    to=PROPOSED,
    by=(By.ANSWERER,),
    input=Proofs,
    waits_on=WaitsOn.OTHER_SIDE,
    revise=_next_round,
)

PROOFS = Declaration(
    kind=CardType.PROOFS,
    title="Proofs",
    explains="Shows work for approval. The buyer accepts it or asks for changes, round by round.",
    payload=Proofs,
    proposers=frozenset({Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    initial=propose("Send proofs"),
    transitions=(
        accept(_accepted, does=_DOES),
        _ASK_CHANGES,
        _DELIVER,
        withdraw((PROPOSED, COUNTERED)),
        accept_in_silence(_accepted, _DOES),
        expire((COUNTERED,)),
    ),
    goes_on_in=frozenset({LegStatus.DISPUTED}),
    deadlines={
        PROPOSED: after(
            "accept_in_silence", lambda rules: rules.cards.proofs_hours, "proofs_hours"
        ),
        COUNTERED: after("expire", lambda rules: rules.cards.changes_hours, "changes_hours"),
    },
    check=_check,
)
