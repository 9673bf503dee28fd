"""Proposing and answering cards: on both SQL engines."""

import asyncio

import pytest

from greenroom.bookings.cards.problems import CardChanged, CardKeyReused, NotYourTurn
from greenroom.bookings.models import CardState
from tests.bookings.deal import JONAS, MAYA, OK, Deal


async def test_an_accepted_offer_waits_for_its_payment(deal: Deal) -> None:
    offered = await deal.propose(JONAS, deal.offer())
    assert offered.card.state is CardState.PROPOSED
    assert offered.card.waits_on == (MAYA,)
    accepted = await deal.answer(MAYA, offered.card, "accept", pays=OK)
    assert accepted.card.state is CardState.ACCEPTED
    assert accepted.card.waits_on == ()


async def test_the_same_key_is_the_same_answer(deal: Deal) -> None:
    first = await deal.propose(JONAS, deal.offer(), key="once")
    again = await deal.propose(JONAS, deal.offer(), key="once")
    assert again.replayed
    assert (again.card, again.step) == (first.card, first.step)
    with pytest.raises(CardKeyReused) as refused:
        await deal.propose(JONAS, deal.offer(price=500), key="once")
    assert refused.value.card == first.card.id


async def test_a_race_has_one_winner(deal: Deal) -> None:
    offered = await deal.propose(JONAS, deal.offer())
    ended = await asyncio.gather(
        *(deal.answer(MAYA, offered.card, "accept", pays=OK) for _ in range(100)),
        return_exceptions=True,
    )
    won = [one for one in ended if not isinstance(one, BaseException)]
    lost = [one for one in ended if isinstance(one, CardChanged)]
    assert (len(won), len(lost)) == (1, 99)
    assert {one.state for one in lost} == {"accepted"}


async def test_only_the_other_side_answers(deal: Deal) -> None:
    offered = await deal.propose(JONAS, deal.offer())
    with pytest.raises(NotYourTurn):
        await deal.answer(JONAS, offered.card, "accept")
