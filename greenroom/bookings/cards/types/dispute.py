"""The card type `dispute`: both sides give their account, and staff decide."""

from msgspec.structs import replace

from greenroom.bookings.cards.answers import COUNTERED, PROPOSED, after, expire, propose, withdraw
from greenroom.bookings.cards.checks import check_at_most_deposit, check_at_most_paid
from greenroom.bookings.cards.declaration import (
    By,
    Declaration,
    Facts,
    Transition,
    WaitsOn,
)
from greenroom.bookings.cards.effects import CloseDispute, Effect, OpenDispute, Settle
from greenroom.bookings.cards.payloads import Answer, Dispute, Payload, Ruling
from greenroom.bookings.cards.problems import InvalidCard
from greenroom.bookings.models import CardState, CardType, LegStatus, Side
from greenroom.bookings.money import Money

_BOTH = (PROPOSED, COUNTERED)


def _dispute(facts: Facts) -> Dispute:
    assert isinstance(facts.payload, Dispute)
    return facts.payload


def _check(facts: Facts) -> None:
    """What was asked for may no longer be there. That keeps nobody from answering or deciding."""
    match facts.input:
        case Ruling(refund=refund, claim=claim):
            _check_amounts(facts, refund, claim)
        case Answer():
            pass
        case _:
            dispute = _dispute(facts)
            _check_is_own_account(facts, dispute)
            _check_amounts(facts, dispute.refund, dispute.claim)


def _check_is_own_account(facts: Facts, dispute: Dispute) -> None:
    if facts.card is None and (dispute.answer or dispute.answer_evidence):
        raise InvalidCard("the other side gives its own account; leave the answer out")


def _check_amounts(facts: Facts, refund: Money | None, claim: Money | None) -> None:
    if refund is not None:
        check_at_most_paid(facts, refund)
    if claim is not None:
        check_at_most_deposit(facts, claim)


def _open(facts: Facts) -> tuple[Effect, ...]:
    return (OpenDispute(facts.the_leg.id),)


def _close(facts: Facts) -> tuple[Effect, ...]:
    return (CloseDispute(facts.the_leg.id),)


def _as_asked(facts: Facts) -> tuple[Effect, ...]:
    dispute = _dispute(facts)
    return _settled(facts, dispute.refund, dispute.claim)


def _as_decided(facts: Facts) -> tuple[Effect, ...]:
    ruling = facts.input
    assert isinstance(ruling, Ruling)
    return _settled(facts, ruling.refund, ruling.claim)


def _settled(facts: Facts, refund: Money | None, claim: Money | None) -> tuple[Effect, ...]:
    return (Settle(facts.the_leg.id, refund, claim, LegStatus.COMPLETED),)


def _answered(old: Dispute, new: Answer, _: Facts) -> Payload:
    return replace(old, answer=new.answer, answer_evidence=new.evidence)


_GOES_ON = "the leg is again what it was before"
_RESPOND = Transition(
    name="respond",
    title="Give your account",
    sources=(PROPOSED,),
    to=COUNTERED,
    by=(By.ANSWERER,),
    input=Answer,
    waits_on=WaitsOn.STAFF,
    revise=_answered,
)
_AGREE = Transition(
    name="accept",
    title="Agree to what is asked",
    sources=(PROPOSED,),
    to=CardState.APPLIED,
    by=(By.ANSWERER,),
    effects=_as_asked,
    does="divides what is held as asked, and completes the leg",
)
_DECIDE = Transition(
    name="decide",
    title="Decide",
    sources=_BOTH,
    to=CardState.APPLIED,
    by=(By.STAFF,),
    input=Ruling,
    effects=_as_decided,
    does="divides what is held as decided, and completes the leg",
)
_ESCALATE = Transition(
    name="escalate",
    title="Pass to staff",
    sources=(PROPOSED,),
    to=COUNTERED,
    by=(By.DEADLINE,),
    waits_on=WaitsOn.STAFF,
)

DISPUTE = Declaration(
    kind=CardType.DISPUTE,
    title="Dispute",
    explains="Stops payouts until the two agree or staff decide how the money is divided.",
    payload=Dispute,
    proposers=frozenset({Side.BUYER, Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED, LegStatus.COMPLETED}),
    always_has_room=True,
    initial=propose("Open a dispute", _open, "stops payouts and cards of the leg"),
    transitions=(
        _RESPOND,
        _AGREE,
        _DECIDE,
        withdraw(_BOTH, _close, _GOES_ON),
        _ESCALATE,
        expire((COUNTERED,), _close, _GOES_ON),
    ),
    deadlines={
        PROPOSED: after("escalate", lambda rules: rules.cards.dispute_hours, "dispute_hours"),
        COUNTERED: after("expire", lambda rules: rules.cards.ruling_hours, "ruling_hours"),
    },
    check=_check,
    goes_on_in=frozenset({LegStatus.DISPUTED}),
)
