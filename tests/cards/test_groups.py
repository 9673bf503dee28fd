"""A booking of several legs: everybody accepts, each leg has a thread, and one is for all."""

import asyncio

import msgspec
import pytest

from greenroom.bookings.cards.payloads import Cancel, LegTerms, Offer, Reschedule
from greenroom.bookings.cards.problems import CardChanged, CardNotFound, LegNeeded
from greenroom.bookings.models import CardState, LegStatus
from greenroom.bookings.move_card import CardMove
from greenroom.bookings.project_snapshot import ProjectSnapshot
from greenroom.ids import CardId
from greenroom.messaging import open as opening
from greenroom.messaging.cards.propose import CardAnswer, answer
from greenroom.messaging.models import Kind, Role, Status, Thread
from greenroom.messaging.panel.models import Snapshot, Tab
from greenroom.messaging.panel.tabs import open_panel
from greenroom.messaging.projects import threads_of_group
from greenroom.messaging.respond import accept
from tests.cards.world import OK, CardWorld, euros


async def test_each_leg_gets_a_thread_and_the_group_keeps_one(world: CardWorld) -> None:
    thread = await asked_together(world)
    offered = await world.propose("ana", thread.id, offer_to(world, "ben", "cleo"), pays=OK)
    half = await world.answer("ben", offered, "accept")
    assert (half.state, half.waits_on) == (CardState.PROPOSED, (world.user("cleo"),))
    assert (await world.answer("cleo", half, "accept")).state is CardState.APPLIED

    booking = await world.booking(thread.id)
    own = [leg.thread for leg in booking.legs]
    assert None not in own
    assert len({thread.id, *own}) == 3
    head = await world.thread(thread.id)
    assert (head.kind, head.status) == (Kind.BOOKING, Status.CONFIRMED)
    assert (head.lbg_id, head.leg_id) == (booking.id, None)
    for leg in booking.legs:
        assert leg.thread is not None
        bound = await world.thread(leg.thread)
        assert (bound.kind, bound.lbg_id, bound.leg_id) == (Kind.BOOKING, booking.id, leg.id)
        assert set(bound.members) == {booking.buyer, leg.provider}
    found = await threads_of_group(world.messaging, world.actors["ana"], booking.id)
    assert {view.thread.id for view in found.views} == {thread.id, *own}
    await world.sweep()
    found = await threads_of_group(world.messaging, world.actors["ana"], booking.id)
    assert len(found.views) == 3


async def test_the_thread_of_a_leg_shows_its_leg_from_the_start(world: CardWorld) -> None:
    thread = await asked_together(world)
    offered = await world.propose("ana", thread.id, offer_to(world, "ben", "cleo"), pays=OK)
    half = await world.answer("ben", offered, "accept")
    await world.answer("cleo", half, "accept")
    for leg in (await world.booking(thread.id)).legs:
        assert leg.thread is not None
        head = await world.thread(leg.thread)
        shown = snapshot_of(head)
        assert (shown.title, shown.legs, shown.total) == (leg.title, 1, euros(300))
        assert head.status is Status.CONFIRMED
        panel = await open_panel(world.messaging, world.actors["ana"], leg.thread)
        lines = {one.tab: one.lines for one in panel.tabs if isinstance(one, Snapshot)}
        assert [(one.state, one.amount) for one in lines[Tab.EXPENSES]] == [("price", 30_000)]
        assert [one.title for one in lines[Tab.DOCS]] == [f"Contract: {leg.title}, version 1"]
        assert lines[Tab.ACTIONS] == ()


async def test_a_leg_that_moves_shows_its_date_in_every_thread(world: CardWorld) -> None:
    thread = await asked_together(world)
    offered = await world.propose("ana", thread.id, offer_to(world, "ben", "cleo"), pays=OK)
    half = await world.answer("ben", offered, "accept")
    await world.answer("cleo", half, "accept")
    leg = (await world.booking(thread.id)).legs[0]
    assert leg.thread is not None
    sooner = Reschedule(starts_at=world.days(10), ends_at=world.days(10.3))
    moved = await world.propose("ana", leg.thread, sooner)
    await world.answer("ben", moved, "accept")
    for id in (thread.id, leg.thread):
        assert snapshot_of(await world.thread(id)).starts_at == sooner.starts_at
    version = (await world.thread(thread.id)).version
    await world.sweep()
    assert (await world.thread(thread.id)).version == version


async def test_a_leg_that_is_cancelled_leaves_the_others(world: CardWorld) -> None:
    thread = await asked_together(world)
    offered = await world.propose("ana", thread.id, offer_to(world, "ben", "cleo"), pays=OK)
    half = await world.answer("ben", offered, "accept")
    await world.answer("cleo", half, "accept")
    booking = await world.booking(thread.id)
    with pytest.raises(LegNeeded):
        await world.propose("ana", thread.id, Cancel(reason="Snow"))
    bens = next(leg for leg in booking.legs if leg.provider == world.user("ben"))
    assert bens.thread is not None
    await world.propose("ana", bens.thread, Cancel(reason="Snow"))
    after = await world.booking(thread.id)
    statuses = {leg.provider: leg.status for leg in after.legs}
    assert statuses == {
        world.user("ben"): LegStatus.CANCELLED,
        world.user("cleo"): LegStatus.CONFIRMED,
    }
    assert (await world.thread(bens.thread)).status is Status.ARCHIVED
    assert (await world.thread(thread.id)).status is Status.CONFIRMED


async def test_a_hundred_tries_have_one_winner(world: CardWorld) -> None:
    """Ten providers accept for themselves, ten times each at once; others are refused."""
    names = [f"seller{n}" for n in range(10)]
    thread = await asked_together(world, *names)
    offered = await world.propose("ana", thread.id, offer_to(world, *names), pays=OK)
    tries = [move(world, name, offered.id, n) for n in range(10) for name in names]
    ended = await asyncio.gather(*tries, return_exceptions=True)
    won = [one for one in ended if not isinstance(one, BaseException)]
    assert len(won) == 1
    assert sum(isinstance(one, CardChanged) for one in ended) == 99
    card = (await world.record(offered.id)).card
    assert (card.version, len(card.waits_on)) == (2, 9)
    await world.person("otto")
    with pytest.raises(CardNotFound):
        await move(world, "otto", offered.id, 0)


def snapshot_of(head: Thread) -> ProjectSnapshot:
    assert head.project_snapshot is not None
    return msgspec.json.decode(head.project_snapshot, type=ProjectSnapshot)


async def move(world: CardWorld, name: str, card: CardId, number: int) -> CardAnswer:
    wanted = CardMove(key=f"{name} {number}", version=1, transition="accept")
    return await answer(world.messaging, world.bookings, world.actors[name], card, wanted)


async def asked_together(world: CardWorld, *names: str) -> Thread:
    sellers = names or ("ben", "cleo")
    buyer = await world.person("ana")
    people = [await world.person(name) for name in sellers]
    thread = await opening.open_thread(
        world.messaging,
        buyer,
        opening.Opening(
            kind=Kind.INQUIRY,
            role=Role.BUYER,
            others=tuple(opening.Invited(one.user, Role.SELLER) for one in people),
        ),
    )
    for one in people:
        if one.user in thread.gates:  # they know each other after the first time
            thread = await accept(world.messaging, one, thread.gates[one.user].id)
    return thread


def offer_to(world: CardWorld, *names: str) -> Offer:
    return Offer(
        legs=tuple(
            LegTerms(
                provider=world.user(name),
                title=f"Photos by {name}",
                starts_at=world.days(20),
                ends_at=world.days(20.3),
                price=euros(300),
            )
            for name in names
        )
    )
