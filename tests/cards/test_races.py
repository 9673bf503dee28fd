"""Many people answer one card at once: one of them is first."""

import asyncio

from greenroom.bookings.cards.payloads import Answer, Dispute, Ruling
from greenroom.bookings.cards.problems import CardChanged
from greenroom.bookings.chart import Account
from greenroom.bookings.models import Card, CardState
from greenroom.bookings.move_card import CardMove
from greenroom.messaging.cards.propose import CardAnswer, answer
from greenroom.people.actor import Scope, StaffRole
from tests.cards.world import CardWorld, euros


async def test_a_hundred_moderators_decide_once(world: CardWorld) -> None:
    thread, leg = await world.booked()
    opened = await world.propose("ana", thread.id, Dispute(reason="Late", refund=euros(100)))
    given = await world.answer("ben", opened, "respond", Answer(answer="There was a storm"))
    names = [f"moderator{n}" for n in range(100)]
    for name in names:
        await world.person(name, Scope.MODERATOR, role=StaffRole.MODERATOR)
    tries = [decide(world, name, given, n) for n, name in enumerate(names, start=1)]
    ended = await asyncio.gather(*tries, return_exceptions=True)
    [won] = [one for one in ended if not isinstance(one, BaseException)]
    lost = [one for one in ended if isinstance(one, CardChanged)]
    assert {(one.state, one.version) for one in lost} == {("applied", given.version + 1)}
    assert len(lost) == 99
    await world.settle()
    card = (await world.record(given.id)).card
    assert (card.state, card.version) == (CardState.APPLIED, won.answer.card.version)
    winner = next(n for n, one in enumerate(ended, start=1) if one is won)
    ledger = (await world.booking(thread.id)).ledgers[leg.id]
    assert ledger.balances[Account.BUYER].net_posted == (winner - 400) * 100


async def decide(world: CardWorld, name: str, card: Card, refund: int) -> CardAnswer:
    ruling = Ruling(refund=euros(refund), claim=None, note=f"By {name}")
    wanted = CardMove(key=name, version=card.version, transition="decide", input=ruling)
    return await answer(world.messaging, world.bookings, world.actors[name], card.id, wanted)
