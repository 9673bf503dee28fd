"""All transitions of a card type: those that it declares, and those of its payment."""

from greenroom.bookings.cards.declaration import (
    By,
    Deadline,
    Declaration,
    Transition,
    no_charges,
)
from greenroom.bookings.cards.payloads import Noted
from greenroom.bookings.models import CardState

APPLY, FAIL = "apply", "fail"
"""The transitions of a payment, which every type has that charges something."""
_APPLYING = Transition(
    name=APPLY,
    title="Take effect",
    sources=(CardState.ACCEPTED,),
    to=CardState.APPLIED,
    by=(By.PAYMENT,),
)
FAILING = Transition(
    name=FAIL,
    title="Fail",
    sources=(CardState.ACCEPTED,),
    to=CardState.FAILED,
    by=(By.PAYMENT, By.DEADLINE),
    input=Noted,
)
_PAID = (_APPLYING, FAILING)
PAYMENT_DEADLINE = Deadline(
    transition=FAIL,
    at_ms=lambda facts: facts.now_ms + facts.rules.cards.payment_minutes * 60_000,
    says="after `cards.payment_minutes`",
    reminds=False,
)
"""An accepted card waits for its payment no longer than this."""


def declared_transitions(declared: Declaration) -> tuple[Transition, ...]:
    """With those of its payment, if it charges something."""
    return (*declared.transitions, *(_PAID if charging(declared) else ()))


def charging(declared: Declaration) -> Transition | None:
    """The transition that has to be paid for."""
    return next((one for one in declared.transitions if one.charges is not no_charges), None)


def deadline_of(declared: Declaration, state: CardState) -> Deadline | None:
    return PAYMENT_DEADLINE if state is CardState.ACCEPTED else declared.deadlines.get(state)
