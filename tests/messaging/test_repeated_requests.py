"""There is at most one pending request between two people, and repeating it reveals nothing."""

import asyncio
import dataclasses
from collections.abc import Awaitable

import pytest

from greenroom.errors import Problem
from greenroom.ids import ThreadId
from greenroom.messaging import block, inbox, participants, respond
from greenroom.messaging.block import block_person
from greenroom.messaging.models import Kind, Role, Thread
from greenroom.messaging.open import Invited, Opening, open_direct, open_thread
from greenroom.messaging.policy import REQUESTS
from greenroom.messaging.problems import (
    AlreadyAsked,
    BlockedByYou,
    InvalidThread,
    RequestPending,
)
from greenroom.messaging.rename import rename
from greenroom.people.actor import Actor, Scope
from greenroom.safety.limits import Rate, TooMany
from tests.messaging.world import MessagingWorld
from tests.world import UNLIMITED, messaging_on

_DAY = 86_400


def _with(
    *others: Actor,
    kind: Kind = Kind.INQUIRY,
    subject: str | None = None,
    leg_id: str | None = None,
) -> Opening:
    invited = tuple(Invited(other.user) for other in others)
    return Opening(kind=kind, others=invited, subject=subject, leg_id=leg_id)


async def _asked(
    world: MessagingWorld, opening: Opening | None = None
) -> tuple[Actor, Actor, Thread]:
    """Cleo, a stranger, has written to Ana."""
    ana, cleo = await world.person("ana"), await world.person("cleo")
    thread = await open_thread(world.messaging, cleo, opening or _with(ana))
    await world.say("cleo", thread.id, "Hello!")
    return ana, cleo, thread


async def _outcome(doing: Awaitable[Thread]) -> tuple[str, ThreadId]:
    """What the sender is answered."""
    try:
        return "opened", (await doing).id
    except AlreadyAsked as asked:
        return "already asked", asked.thread_id
    except Problem as problem:
        return problem.code, ThreadId("")


async def test_opening_the_same_again_gives_the_pending_thread(
    world: MessagingWorld,
) -> None:
    ana, cleo, thread = await _asked(world)
    again = await open_thread(world.another_node().messaging, cleo, _with(ana))
    assert again.id == thread.id
    for _ in range(2):
        await world.say("cleo", again.id, "Hello?")
    with pytest.raises(RequestPending):
        await world.say("cleo", again.id, "Hello??")
    assert len((await inbox.inbox(world.messaging, ana)).rows) == 1


async def test_another_thread_with_the_same_recipient_is_refused(world: MessagingWorld) -> None:
    ana, cleo, thread = await _asked(world)
    ben = await world.person("ben")
    group = await world.inquiry("cleo", "ben")
    others = (
        open_thread(world.messaging, cleo, _with(ana, kind=Kind.BOOKING)),
        open_thread(world.messaging, cleo, _with(ana, subject="A test shoot")),
        open_thread(world.messaging, cleo, _with(ana, ben)),
        open_direct(world.messaging, cleo, ana.user),
        participants.add(world.messaging, cleo, group.id, Invited(ana.user)),
    )
    for doing in others:
        with pytest.raises(AlreadyAsked) as refused:
            await doing
        assert refused.value.thread_id == thread.id
    assert len((await inbox.inbox(world.messaging, ana)).rows) == 1


async def test_a_renamed_thread_is_another_one(world: MessagingWorld) -> None:
    ana, cleo, thread = await _asked(world)
    await rename(world.messaging, cleo, thread.id, "A test shoot")
    assert (await _outcome(open_thread(world.messaging, cleo, _with(ana))))[0] == "already asked"
    named = _with(ana, subject="A test shoot ")
    assert (await open_thread(world.messaging, cleo, named)).id == thread.id


async def test_a_person_added_to_a_group_gets_no_request_elsewhere(world: MessagingWorld) -> None:
    group = await world.inquiry("cleo", "ben")
    ana, cleo = await world.person("ana"), world.actors["cleo"]
    await participants.add(world.messaging, cleo, group.id, Invited(ana.user))
    expected = ("already asked", group.id)
    assert await _outcome(open_thread(world.messaging, cleo, _with(ana))) == expected
    await participants.remove(world.messaging, cleo, group.id, ana.user)
    again = participants.add(world.messaging, cleo, group.id, Invited(ana.user))
    assert await _outcome(again) == expected, "removing somebody does not ask them anew"
    dan = await world.person("dan")
    theirs = await open_thread(world.messaging, dan, _with(ana))
    assert ana.user in theirs.gates, "another one's request is another one"


@pytest.mark.parametrize("way", ["nothing", "decline", "block", "block from the side", "leave"])
async def test_asking_again_reveals_nothing_about_the_answer(
    world: MessagingWorld, way: str
) -> None:
    ana, cleo, thread = await _asked(world)
    world.clock.advance(seconds=_DAY)
    match way:
        case "decline":
            await respond.decline(world.messaging, ana, thread.gates[ana.user].id)
        case "block":
            await block.block_sender(world.messaging, ana, thread.gates[ana.user].id)
        case "block from the side":
            await block_person(world.messaging, ana, cleo.user, thread_id=thread.id)
        case "leave":
            await participants.leave(world.messaging, ana, thread.id)
    node = world.another_node().messaging
    told = [
        await _outcome(open_thread(node, cleo, _with(ana))),
        await _outcome(open_thread(node, cleo, _with(ana, kind=Kind.INVITE))),
        await _outcome(open_direct(node, cleo, ana.user)),
    ]
    assert told == [
        ("opened", thread.id),
        ("already asked", thread.id),
        ("already asked", thread.id),
    ]
    world.clock.advance(ms=thread.gates[ana.user].expires_ms - world.clock.now_ms() - 1)
    assert await _outcome(open_thread(node, cleo, _with(ana))) == ("opened", thread.id)
    world.clock.advance(ms=1)
    after = await _outcome(open_thread(node, cleo, _with(ana)))
    assert after[0] == "opened"
    assert after[1] != thread.id


@pytest.mark.parametrize("declined", [True, False])
async def test_the_wait_before_asking_again_can_be_longer(
    world: MessagingWorld, declined: bool
) -> None:
    month = 30 * _DAY * 1000
    world.messaging = dataclasses.replace(world.messaging, ask_again_ms=month)
    ana, cleo, thread = await _asked(world)
    if declined:
        await respond.decline(world.messaging, ana, thread.gates[ana.user].id)
    world.clock.advance(days=15)
    for doing in (
        open_thread(world.messaging, cleo, _with(ana)),
        open_direct(world.messaging, cleo, ana.user),
    ):
        assert await _outcome(doing) == ("already asked", thread.id), "it waits no longer"
    world.clock.advance(days=15)
    assert (await open_thread(world.messaging, cleo, _with(ana))).id != thread.id


async def test_the_wait_holds_for_direct_threads_too(world: MessagingWorld) -> None:
    ana, cleo = await world.person("ana"), await world.person("cleo")
    world.messaging = dataclasses.replace(world.messaging, ask_again_ms=30 * _DAY * 1000)
    thread = await open_direct(world.messaging, cleo, ana.user)
    world.clock.advance(days=15)
    again = open_direct(world.messaging, cleo, ana.user)
    assert await _outcome(again) == ("already asked", thread.id)
    world.clock.advance(days=15)
    assert (await open_direct(world.messaging, cleo, ana.user)).id == thread.id


@pytest.mark.parametrize("way", ["accepts", "opens", "opens the direct one"])
async def test_a_recipient_who_contacts_the_sender_needs_no_request(
    world: MessagingWorld, way: str
) -> None:
    ana, cleo, thread = await _asked(world)
    if way == "accepts":
        await respond.accept(world.messaging, ana, thread.gates[ana.user].id)
    else:
        await respond.decline(world.messaging, ana, thread.gates[ana.user].id)
        if way == "opens":
            await open_thread(world.messaging, ana, _with(cleo))
        else:
            await open_direct(world.messaging, ana, cleo.user)
    opened = await open_thread(world.messaging, cleo, _with(ana, kind=Kind.BOOKING))
    assert opened.gates == {}


async def test_of_two_requests_at_once_one_is_made(world: MessagingWorld) -> None:
    ana, cleo = await world.person("ana"), await world.person("cleo")
    nodes = [world.messaging, world.another_node().messaging]
    group = await world.inquiry("cleo", "ben")
    told = await asyncio.gather(
        *(_outcome(open_thread(node, cleo, _with(ana))) for node in nodes),
        *(_outcome(open_thread(node, cleo, _with(ana, kind=Kind.BOOKING))) for node in nodes),
        *(_outcome(open_direct(node, cleo, ana.user)) for node in nodes),
        *(_outcome(participants.add(node, cleo, group.id, Invited(ana.user))) for node in nodes),
    )
    assert len({thread for _, thread in told}) == 1
    assert sum(outcome == "opened" for outcome, _ in told) >= 2, "the same again is no other one"


async def test_a_key_that_found_a_waiting_thread_leads_there_for_good(
    world: MessagingWorld,
) -> None:
    ana, cleo, thread = await _asked(world)
    found = await open_thread(world.messaging, cleo, _with(ana), key="second")
    assert found.id == thread.id
    await respond.accept(world.messaging, ana, thread.gates[ana.user].id)
    again = await open_thread(world.another_node().messaging, cleo, _with(ana), key="second")
    assert again.id == thread.id
    assert (await open_thread(world.messaging, cleo, _with(ana), key="third")).id != thread.id


@pytest.mark.parametrize("blocked", [False, True])
async def test_a_sender_who_left_returns_to_the_pending_request(
    world: MessagingWorld, blocked: bool
) -> None:
    ana, cleo = await world.person("ana"), await world.person("cleo")
    thread = await open_direct(world.messaging, cleo, ana.user)
    for word in ("Hello!", "Hello?"):
        await world.say("cleo", thread.id, word)
    await participants.leave(world.messaging, cleo, thread.id)
    if blocked:
        await block.block_sender(world.messaging, ana, thread.gates[ana.user].id)
    again = await open_direct(world.messaging, cleo, ana.user)
    assert again.gates[ana.user].id == thread.gates[ana.user].id
    await world.say("cleo", thread.id, "Are you there?")
    with pytest.raises(RequestPending):
        await world.say("cleo", thread.id, "Hello???")


async def test_a_sender_who_blocked_the_recipient_gets_that_reason(world: MessagingWorld) -> None:
    ana, cleo, _ = await _asked(world)
    await block_person(world.messaging, cleo, ana.user)
    with pytest.raises(BlockedByYou):
        await open_thread(world.messaging, cleo, _with(ana))


async def test_a_person_added_twice_at_once_is_added_once(world: MessagingWorld) -> None:
    group = await world.inquiry("cleo", "ben")
    ana, cleo = await world.person("ana"), world.actors["cleo"]
    nodes = [world.messaging, world.another_node().messaging] * 2
    added = await asyncio.gather(
        *(participants.add(node, cleo, group.id, Invited(ana.user, Role.BUYER)) for node in nodes)
    )
    assert {thread.gates[ana.user].id for thread in added} == {added[0].gates[ana.user].id}


async def test_services_need_no_request(world: MessagingWorld) -> None:
    ana, _, _ = await _asked(world)
    shop = await world.person("shop", Scope.SERVICE)
    for _ in range(2):
        assert (await open_thread(world.messaging, shop, _with(ana))).gates == {}


async def test_more_strangers_than_fit_in_one_transaction_are_refused(
    world: MessagingWorld,
) -> None:
    """A refused opening uses up no requests: the allowance of one is still there afterwards."""
    ana = await world.person("ana")
    others = [await world.person(f"p{n}") for n in range(99)]
    enough = Rate(most=99, window_ms=86_400_000, local_share=0, lease_size=1, lease_ms=1000)
    world.messaging = messaging_on(world.store, world.clock, UNLIMITED | {REQUESTS: enough})
    with pytest.raises(InvalidThread):
        await open_thread(world.messaging, ana, _with(*others), key="k")
    await open_thread(world.messaging, ana, _with(*others))


async def test_a_refused_opening_with_many_strangers_uses_up_no_requests(
    world: MessagingWorld,
) -> None:
    ana = await world.person("ana")
    most = world.messaging.safety.limits.most_at_once(REQUESTS)
    people = [await world.person(f"p{n}") for n in range(most + 1)]
    with pytest.raises(InvalidThread):
        await open_thread(world.messaging, ana, _with(*people))
    await open_thread(world.messaging, ana, _with(*people[:-5], kind=Kind.GROUP))
    for _ in range(3):
        with pytest.raises(TooMany) as refused:
            await open_thread(world.messaging, ana, _with(*people[-5:], kind=Kind.GROUP))
        assert refused.value.limit == REQUESTS.code
    await open_thread(world.messaging, ana, _with(*people[-5:-1], kind=Kind.GROUP))
    with pytest.raises(TooMany):
        await open_thread(world.messaging, ana, _with(people[-1]))


async def test_a_refused_request_costs_at_most_six_read_units(world: MessagingWorld) -> None:
    """Half a unit to find the earlier request, and one to see whether it was withdrawn."""
    ana, cleo, _ = await _asked(world)
    with world.store.counting() as cost, pytest.raises(AlreadyAsked):
        await open_thread(world.messaging, cleo, _with(ana, kind=Kind.BOOKING))
    assert cost.write_units == 0
    assert cost.read_units <= 6


async def test_a_pending_request_of_a_blocked_sender_reaches_nobody(
    world: MessagingWorld,
) -> None:
    """In a thread of any kind, or in a group."""
    ana, cleo, thread = await _asked(world)
    await block_person(world.messaging, ana, cleo.user)
    assert (await inbox.inbox(world.messaging, ana)).rows == ()
    await world.say("cleo", thread.id, "Are you there?")
    assert (await inbox.counts(world.messaging, ana)).badge == 0
    dan = await world.person("dan")
    group = await world.inquiry("dan", "ben")
    await participants.add(world.messaging, dan, group.id, Invited(ana.user))
    assert len((await inbox.inbox(world.messaging, ana)).rows) == 1
    await block_person(world.messaging, ana, dan.user)
    assert (await inbox.inbox(world.messaging, ana)).rows == ()


async def test_a_clock_that_was_far_ahead_does_not_prevent_requests_for_years(
    world: MessagingWorld,
) -> None:
    ana, cleo = await world.person("ana"), await world.person("cleo")
    world.clock.advance(days=365)
    await _asked(world)
    world.clock.advance(days=-365)
    again = await open_thread(world.messaging, cleo, _with(ana, kind=Kind.BOOKING))
    assert ana.user in again.gates
    world.clock.advance(seconds=-60)
    with pytest.raises(AlreadyAsked):
        await open_thread(world.messaging, cleo, _with(ana))


async def test_a_node_whose_clock_is_behind_sends_no_second_request(world: MessagingWorld) -> None:
    ana, cleo, thread = await _asked(world)
    world.clock.advance(ms=-700)
    told = await _outcome(open_thread(world.messaging, cleo, _with(ana, kind=Kind.BOOKING)))
    assert told == ("already asked", thread.id)
