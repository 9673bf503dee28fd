"""No card can be stuck: what the declarations of all card types have to keep to."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from greenroom.bookings.cards.declaration import Declaration
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.models import CardState, CardType
from tests.bookings.declaration_faults import faults_of

PROPOSED, COUNTERED = CardState.PROPOSED, CardState.COUNTERED


def test_every_card_type_is_declared_under_its_name() -> None:
    assert {name: one.kind for name, one in DECLARATIONS.items()} == {one: one for one in CardType}


@pytest.mark.parametrize("declared", DECLARATIONS.values(), ids=lambda one: one.kind.value)
def test_no_card_can_be_stuck(declared: Declaration) -> None:
    assert list(faults_of(declared)) == []


@pytest.mark.parametrize("declared", DECLARATIONS.values(), ids=lambda one: one.kind.value)
def test_the_content_of_a_card_names_its_type(declared: Declaration) -> None:
    assert declared.payload.__struct_config__.tag == declared.kind.value


def _without_deadline(offer: Declaration) -> Declaration:
    return replace(offer, deadlines={PROPOSED: offer.deadlines[PROPOSED]})


def _deadline_of_a_person(offer: Declaration) -> Declaration:
    wrong = replace(offer.deadlines[PROPOSED], transition="decline")
    return replace(offer, deadlines={**offer.deadlines, PROPOSED: wrong})


def _unknown_transition(offer: Declaration) -> Declaration:
    wrong = replace(offer.deadlines[COUNTERED], transition="forget")
    return replace(offer, deadlines={**offer.deadlines, COUNTERED: wrong})


def _without_counter(offer: Declaration) -> Declaration:
    return replace(offer, transitions=tuple(t for t in offer.transitions if t.name != "counter"))


def _expires_in_a_circle(offer: Declaration) -> Declaration:
    turned = (
        replace(one, to=COUNTERED) if one.name == "expire" else one for one in offer.transitions
    )
    return replace(offer, transitions=tuple(turned))


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (_without_deadline, "countered waits without a deadline"),
        (_deadline_of_a_person, "the deadline of proposed may not make decline"),
        (
            _unknown_transition,
            "the deadline of countered makes forget, which countered does not have",
        ),
        (_without_counter, "accept leaves countered, which is never reached"),
        (_expires_in_a_circle, "deadlines alone do not end proposed"),
    ],
)
def test_a_wrong_declaration_is_noticed(
    wrong: Callable[[Declaration], Declaration], fault: str
) -> None:
    assert fault in list(faults_of(wrong(DECLARATIONS[CardType.OFFER])))
