"""Many people answer one card at the same moment: one wins, the others are told the new state."""

import asyncio
from collections.abc import Awaitable, Sequence

import pytest
from msgspec.structs import replace

from greenroom.bookings.card_keys import Answer
from greenroom.bookings.cards.payloads import LegTerms, Noted, Offer
from greenroom.bookings.cards.problems import CardChanged, CardNotFound, NotYourTurn
from greenroom.bookings.make_deadline import make_deadline
from greenroom.bookings.models import Card, CardState, Parties
from greenroom.ids import UserId
from tests.bookings.deal import JONAS, MAYA, OK, Deal

TEN = tuple(UserId(f"usr_provider{number}") for number in range(10))
OTHERS = tuple(UserId(f"usr_other{number}") for number in range(88))


async def _ended(asked: Sequence[Awaitable[Answer]]) -> tuple[list[Answer], list[BaseException]]:
    ended = await asyncio.gather(*asked, return_exceptions=True)
    won = [one for one in ended if isinstance(one, Answer)]
    return won, [one for one in ended if isinstance(one, BaseException)]


async def _offer_to_ten(deal: Deal) -> Card:
    deal.parties = Parties(deal.parties.thread, MAYA, TEN)
    terms: LegTerms = deal.offer().legs[0]
    offer = Offer(legs=tuple(replace(terms, provider=one) for one in TEN))
    return (await deal.propose(MAYA, offer, pays=OK)).card


@pytest.mark.timeout(60)
async def test_of_a_hundred_people_one_answers(deal: Deal) -> None:
    card = await _offer_to_ten(deal)
    people = (*TEN, MAYA, *OTHERS, JONAS)
    assert len(set(people)) == 100
    won, lost = await _ended(
        [deal.answer(one, card, "withdraw" if one == MAYA else "decline") for one in people]
    )
    assert (len(won), len(lost)) == (1, 99)
    kinds = [type(one) for one in lost]
    assert kinds.count(CardChanged) == 10
    assert kinds.count(CardNotFound) == 89
    told = {(one.state, one.version) for one in lost if isinstance(one, CardChanged)}
    assert told == {(won[0].card.state.value, 2)}


@pytest.mark.timeout(60)
async def test_ten_providers_who_accept_at_once_all_have_to(deal: Deal) -> None:
    card, rounds = await _offer_to_ten(deal), 0
    while card.state is CardState.PROPOSED:
        left = card.waits_on
        assert len(left) == 10 - rounds
        won, lost = await _ended([deal.answer(one, card, "accept") for one in left])
        assert (len(won), len(lost)) == (1, len(left) - 1)
        assert all(isinstance(one, CardChanged) for one in lost)
        card, rounds = won[0].card, rounds + 1
    assert (rounds, card.state, card.version) == (10, CardState.ACCEPTED, 11)


async def test_who_has_accepted_need_not_again(deal: Deal) -> None:
    card = await _offer_to_ten(deal)
    won, lost = await _ended([deal.answer(TEN[0], card, "accept") for _ in range(5)])
    assert len(won) == 1
    assert [type(one) for one in lost] == [CardChanged] * 4
    with pytest.raises(NotYourTurn):
        await deal.answer(TEN[0], won[0].card, "accept")


@pytest.mark.parametrize("times", range(3))
async def test_accepting_and_withdrawing_at_once_is_one_of_the_two(deal: Deal, times: int) -> None:
    card = (await deal.propose(JONAS, deal.offer())).card
    both = [deal.answer(MAYA, card, "accept", pays=OK), deal.answer(JONAS, card, "withdraw")]
    won, lost = await _ended(both if times % 2 else both[::-1])
    assert won[0].card.state in (CardState.ACCEPTED, CardState.WITHDRAWN)
    assert isinstance(lost[0], CardChanged)
    assert lost[0].state == won[0].card.state.value


async def test_an_answer_and_the_deadline_at_once_are_one_of_the_two(deal: Deal) -> None:
    card = (await deal.propose(JONAS, deal.offer())).card
    answer, group = await asyncio.gather(
        deal.answer(MAYA, card, "decline", Noted(note="Too late")),
        make_deadline(deal.bookings, card.id, card.version),
        return_exceptions=True,
    )
    assert isinstance(answer, Answer) == (group is None)
    if group is not None:
        assert isinstance(answer, CardChanged)
        assert answer.state == "expired"


async def test_two_counters_at_once_are_one(deal: Deal) -> None:
    card = (await deal.propose(JONAS, deal.offer())).card
    offers = [deal.answer(MAYA, card, "counter", deal.offer(price), pays=OK) for price in (1, 2)]
    won, lost = await _ended(offers)
    assert len(won) == 1
    assert isinstance(lost[0], CardChanged)
    assert won[0].card.waits_on == (JONAS,)


async def test_one_key_in_two_threads_at_once_is_used_once(deal: Deal) -> None:
    here, there = deal, Deal(deal.bookings, deal.clock)
    there.parties = replace(there.parties, thread=there.parties.thread + "2")
    asked = [one.propose(JONAS, one.offer(), key="same") for one in (here, there)]
    won, lost = await _ended(asked)
    assert len(won) == 1
    assert "used for propose" in str(lost[0])


async def test_a_double_click_is_one_answer(deal: Deal) -> None:
    card = (await deal.propose(JONAS, deal.offer())).card
    won, lost = await _ended(
        [deal.answer(MAYA, card, "accept", key="click", pays=OK) for _ in range(20)]
    )
    assert not lost
    assert sum(one.replayed for one in won) == 19
    assert {one.card.version for one in won} == {2}
