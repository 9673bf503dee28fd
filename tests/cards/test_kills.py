"""A node that dies between any two steps of a transition, its relay and its payments.

Another node finishes what it has begun: the card, its messages, its timers and its money are as if
nobody had died.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress

import pytest
from msgspec import Struct
from msgspec.structs import replace

from greenroom.background.records import TIMERS
from greenroom.bookings import journal
from greenroom.bookings.chart import Account
from greenroom.bookings.documents.read_documents import documents_of_thread
from greenroom.bookings.documents.sign import NewSignature, sign
from greenroom.bookings.models import CardState
from greenroom.ids import ThreadId
from greenroom.messaging.projects import threads_of_group
from tests.cards.dying import Died, DyingDatabase, DyingStore, Fate
from tests.cards.test_groups import asked_together, offer_to
from tests.cards.world import OK, CardWorld

MOST_WRITES = 60


class Outcome(Struct, frozen=True):
    """What is left at the end, without ids and times."""

    cards: tuple[str, ...]
    events: tuple[str | None, ...]
    status: str
    waits: tuple[str, ...]
    escrow: int
    timers: tuple[str, ...]


@pytest.mark.parametrize("after", [False, True], ids=["before a write", "after a write"])
async def test_an_offer_and_its_acceptance_survive_every_death(
    world: CardWorld, after: bool
) -> None:
    await world.person("ana")
    await world.person("ben")
    expected = await outcome(world, await deal(world, world))
    assert expected.escrow == 40_000
    deaths = 0
    for at in range(1, MOST_WRITES):
        fate = Fate(at, after)
        thread = await deal(world, dying_node(world, fate))
        assert await outcome(world, thread) == expected, f"died at write {at}"
        if not fate.is_dead:
            break
        deaths += 1
    assert 8 <= deaths < MOST_WRITES - 2


@pytest.mark.parametrize("after", [False, True], ids=["before a write", "after a write"])
async def test_a_group_and_its_contracts_survive_every_death(local: CardWorld, after: bool) -> None:
    for name in ("ana", "ben", "cleo"):
        await local.person(name)
    expected = await group_outcome(local, await group_deal(local, local))
    assert expected[0] == 3
    deaths = 0
    for at in range(1, MOST_WRITES):
        fate = Fate(at, after)
        thread = await group_deal(local, dying_node(local, fate))
        assert await group_outcome(local, thread) == expected, f"died at write {at}"
        if not fate.is_dead:
            break
        deaths += 1
    assert 15 <= deaths < MOST_WRITES - 2


async def group_deal(world: CardWorld, node: CardWorld) -> ThreadId:
    """Both providers accept; each leg gets a thread; Ben signs his contract."""
    thread = (await asked_together(world, "ben", "cleo")).id
    offer = offer_to(world, "ben", "cleo")
    offered = await world.propose("ana", thread, offer, key=f"offer {thread}", pays=OK)
    for version, name in enumerate(("ben", "cleo"), 1):
        card = replace(offered, version=version)
        key = f"accept {thread} {name}"
        await attempt(node.answer(name, card, "accept", key=key))
        await take_over(world, thread)
        await world.answer(name, card, "accept", key=key)
        await take_over(world, thread)
    await attempt(signed(node, thread))
    await signed(world, thread)
    await take_over(world, thread)
    return thread


async def signed(node: CardWorld, thread: ThreadId) -> None:
    ben = node.user("ben")
    [record] = await documents_of_thread(node.bookings, thread, ben, staff=False)
    current = record.current
    new = NewSignature(version=current.version, content_sha256=current.content_sha256, consent=True)
    await sign(node.bookings, ben, current.id, new)


async def group_outcome(world: CardWorld, thread: ThreadId) -> tuple[object, ...]:
    booking = await world.booking(thread)
    found = await threads_of_group(world.messaging, world.actors["ana"], booking.id)
    logs: list[list[str | None]] = []
    for view in sorted(found.views, key=lambda one: (one.thread.leg_id is not None, one.thread.id)):
        logs.append([one.event for one in await world.log("ana", view.thread.id)])
    return len(found.views), logs[0], sorted(map(repr, logs[1:])), booking.cards, booking.transfers


def dying_node(world: CardWorld, fate: Fate) -> CardWorld:
    return CardWorld.over(
        DyingStore(world.store, fate),
        world.clock,
        world.rates,
        sql=DyingDatabase(world.bookings.database, fate),
        actors=world.actors,
    )


async def deal(world: CardWorld, node: CardWorld) -> ThreadId:
    """An offer that is accepted and paid on a node that may die; then the others take over."""
    thread = await world.inquiry()
    offer = world.offer()
    await attempt(node.propose("ben", thread.id, offer, key=f"offer {thread.id}"))
    await take_over(world, thread.id)
    offered = await world.propose("ben", thread.id, offer, key=f"offer {thread.id}")
    key = f"accept {thread.id}"
    await attempt(node.answer("ana", offered, "accept", key=key, pays=OK))
    await take_over(world, thread.id)
    accepted = await world.answer("ana", offered, "accept", key=key, pays=OK)
    await take_over(world, thread.id)
    assert (await world.record(accepted.id)).card.state is CardState.APPLIED
    return thread.id


async def attempt(step: Coroutine[None, None, object]) -> None:
    with suppress(Died, asyncio.CancelledError):  # which is how its batcher ends
        await step


async def take_over(world: CardWorld, thread: ThreadId) -> None:
    world.messaging.thread_cache.drop(thread)
    world.clock.advance(seconds=2)
    await world.sweep()


async def outcome(world: CardWorld, thread: ThreadId) -> Outcome:
    head, booking = await world.thread(thread), await world.booking(thread)
    leg = booking.legs[0]
    assert list(journal.faults(booking.ledgers[leg.id])) == []
    log = await world.log("ana", thread)
    return Outcome(
        cards=tuple(one.kind.value for one in log),
        events=tuple(one.event for one in log),
        status=f"{head.kind} {head.status} {booking.cards} {booking.transfers}",
        waits=tuple(head.open_cards),
        escrow=booking.ledgers[leg.id].available(Account.ESCROW),
        timers=await timers_of(world, thread),
    )


async def timers_of(world: CardWorld, thread: ThreadId) -> tuple[str, ...]:
    found: list[str] = []
    page = await world.store.scan(TIMERS, limit=1000)
    for item in page.items:
        payload = item.get("payload")
        if isinstance(payload, dict) and payload.get("threadId") == thread:
            found.append(str(item["kind"]))
    return tuple(sorted(found))
