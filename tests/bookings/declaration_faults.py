"""Finds what is wrong with the declaration of a card type: states that nothing leaves, or ends."""

from collections.abc import Iterator

from greenroom.bookings.cards.declaration import (
    By,
    Declaration,
    Transition,
    no_charges,
    no_effects,
)
from greenroom.bookings.cards.transitions import deadline_of, declared_transitions
from greenroom.bookings.models import OPEN_STATES, CardState


def faults_of(declared: Declaration) -> Iterator[str]:
    yield from _faults_of_words(declared)
    for state in sorted(_reached(declared) & OPEN_STATES):
        yield from _faults_of_deadline(declared, state)
        if not _ends_by_itself(declared, state):
            yield f"deadlines alone do not end {state}"
    for state in sorted(set(declared.deadlines) - _reached(declared)):
        yield f"{state} has a deadline and is never reached"
    for one in declared_transitions(declared):
        yield from _faults_of_transition(declared, one)


def _faults_of_words(declared: Declaration) -> Iterator[str]:
    if not declared.title or not declared.explains.endswith("."):
        yield "it has no title, or no sentence"
    transitions = (declared.initial, *declared_transitions(declared))
    for one in transitions:
        if not (one.name.isidentifier() and one.title and one.by):
            yield f"{one.name!r} has no name or title, or nobody makes it"
    for one in (declared.initial, *declared.transitions):
        said, done = bool(one.does), one.effects is not no_effects
        if said != done or bool(one.pays) != (one.charges is not no_charges):
            yield f"{one.name} does or costs something that it does not say"
    named = [(one.name, source) for one in transitions for source in one.sources]
    if len(named) != len(set(named)):
        yield "a state has two transitions of one name"


def _faults_of_deadline(declared: Declaration, state: CardState) -> Iterator[str]:
    deadline = deadline_of(declared, state)
    if deadline is None:
        yield f"{state} waits without a deadline"
        return
    found = _transition(declared, deadline.transition, state)
    if found is None:
        yield f"the deadline of {state} makes {deadline.transition}, which {state} does not have"
    elif By.DEADLINE not in found.by:
        yield f"the deadline of {state} may not make {found.name}"
    others = [
        one.name
        for one in declared_transitions(declared)
        if By.DEADLINE in one.by and state in one.sources and one.name != deadline.transition
    ]
    if others:
        yield f"{state} has further transitions of a deadline: {others}"


def _faults_of_transition(declared: Declaration, one: Transition) -> Iterator[str]:
    for state in one.sources:
        if state not in OPEN_STATES:
            yield f"{one.name} leaves {state}, which is an end"
        elif state not in _reached(declared):
            yield f"{one.name} leaves {state}, which is never reached"


def _ends_by_itself(declared: Declaration, state: CardState) -> bool:
    seen = set[CardState]()
    while state in OPEN_STATES and state not in seen:
        seen.add(state)
        deadline = deadline_of(declared, state)
        found = deadline and _transition(declared, deadline.transition, state)
        if not found:
            return False
        state = found.to
    return state not in OPEN_STATES


def _reached(declared: Declaration) -> set[CardState]:
    """From nothing, by transitions. What has to be paid first comes by `accepted`."""
    reached = {declared.initial.to}
    while True:
        further = {
            state
            for one in declared_transitions(declared)
            if reached & set(one.sources)
            for state in (one.to, *_waits_for_payment(one))
        }
        if further <= reached:
            return reached
        reached |= further


def _waits_for_payment(one: Transition) -> tuple[CardState, ...]:
    return () if one.charges is no_charges else (CardState.ACCEPTED,)


def _transition(declared: Declaration, name: str, state: CardState) -> Transition | None:
    found = declared_transitions(declared)
    return next((one for one in found if one.name == name and state in one.sources), None)
