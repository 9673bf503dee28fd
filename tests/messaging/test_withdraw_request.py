"""Withdrawing a request and removing somebody: repeated, at once, and while the target accepts."""

import asyncio

import pytest

from greenroom.clock import iso
from greenroom.ids import RequestId, ThreadId
from greenroom.messaging import open as opening, participants
from greenroom.messaging.block import block_sender
from greenroom.messaging.history import history
from greenroom.messaging.models import Kind, Thread
from greenroom.messaging.problems import (
    AlreadyAsked,
    ParticipantNotFound,
    RequestNotFound,
    RequestWithdrawn,
)
from greenroom.messaging.respond import accept, decline
from greenroom.messaging.withdraw_request import withdraw_request
from greenroom.people.suspend import suspend
from tests.messaging.world import MessagingWorld

AT_ONCE = 5


async def _asked(world: MessagingWorld, *, group: bool) -> tuple[Thread, RequestId]:
    """Ana sends Dora, a stranger, a request: alone, or in a thread with Ben."""
    ana, dora = await world.person("ana"), await world.person("dora")
    others = [dora]
    if group:
        await world.inquiry()
        others.append(world.actors["ben"])
    asks = opening.Opening(
        kind=Kind.INQUIRY, others=tuple(opening.Invited(other.user) for other in others)
    )
    thread = await opening.open_thread(world.messaging, ana, asks)
    await world.say("ana", thread.id, "Hello!")
    return thread, thread.gates[dora.user].id


async def _events(world: MessagingWorld, thread: ThreadId) -> list[str | None]:
    page = await history(world.messaging, world.actors["ana"], thread)
    return [message.event for message in page.messages if message.event]


@pytest.mark.parametrize("group", [False, True], ids=["pair", "group"])
async def test_withdrawing_again_or_at_once_is_answered_as_the_first_time(
    world: MessagingWorld, group: bool
) -> None:
    thread, request = await _asked(world, group=group)
    ana = world.actors["ana"]
    await asyncio.gather(*(withdraw_request(world.messaging, ana, request) for _ in range(AT_ONCE)))
    await withdraw_request(world.messaging, ana, request)
    assert await _events(world, thread.id) == ["participant.removed"] * group
    with pytest.raises(RequestNotFound):
        await accept(world.messaging, world.actors["dora"], request)


@pytest.mark.parametrize("group", [False, True], ids=["pair", "group"])
@pytest.mark.parametrize("accepts_first", [False, True])
async def test_only_one_of_accepting_and_withdrawing_at_once_takes_effect(
    world: MessagingWorld, group: bool, accepts_first: bool
) -> None:
    thread, request = await _asked(world, group=group)
    ana, dora = world.actors["ana"], world.actors["dora"]
    both = [accept(world.messaging, dora, request), withdraw_request(world.messaging, ana, request)]
    answers = await asyncio.gather(
        *(both if accepts_first else reversed(both)), return_exceptions=True
    )
    accepted, withdrawn = answers if accepts_first else reversed(answers)
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    if isinstance(accepted, Thread):
        assert isinstance(withdrawn, RequestNotFound)
        assert dora.user in head.members
        assert dora.user not in head.gates
    else:
        assert isinstance(accepted, RequestNotFound)
        assert withdrawn is None
        assert dora.user not in head.members or dora.user in head.gates


@pytest.mark.parametrize("group", [False, True], ids=["pair", "group"])
async def test_a_request_that_was_accepted_cannot_be_withdrawn(
    world: MessagingWorld, group: bool
) -> None:
    thread, request = await _asked(world, group=group)
    await accept(world.messaging, world.actors["dora"], request)
    with pytest.raises(RequestNotFound):
        await withdraw_request(world.messaging, world.actors["ana"], request)
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    assert world.user("dora") in head.members


async def test_removing_somebody_many_times_at_once_never_says_the_conversation_is_gone(
    world: MessagingWorld,
) -> None:
    thread, _ = await _asked(world, group=True)
    ana, dora = world.actors["ana"], world.user("dora")
    answers = await asyncio.gather(
        *(participants.remove(world.messaging, ana, thread.id, dora) for _ in range(AT_ONCE)),
        return_exceptions=True,
    )
    refused = [answer for answer in answers if answer is not None]
    assert [type(answer) for answer in refused] == [ParticipantNotFound] * (AT_ONCE - 1)
    assert await _events(world, thread.id) == ["participant.removed"]


async def _answer(world: MessagingWorld, request: RequestId, way: str) -> None:
    """What Dora does with Ana's request; Ana must not learn of it."""
    dora = world.actors["dora"]
    if way == "declines":
        await decline(world.messaging, dora, request)
    elif way == "blocks":
        await block_sender(world.messaging, dora, request)
    elif way == "is suspended":
        await suspend(world.messaging.people, dora.user, None, "spam")


async def _refusal(world: MessagingWorld, kind: Kind) -> AlreadyAsked:
    """What Ana is answered when she asks Dora again."""
    ana, dora = world.actors["ana"], world.actors["dora"]
    again = opening.Opening(kind=kind, others=(opening.Invited(dora.user),))
    with pytest.raises(AlreadyAsked) as refused:
        await opening.open_thread(world.messaging, ana, again)
    return refused.value


@pytest.mark.parametrize("way", ["does nothing", "declines", "blocks", "is suspended"])
@pytest.mark.parametrize("group", [False, True], ids=["pair", "group"])
async def test_after_withdrawing_the_answer_says_when_the_sender_may_ask_again(
    world: MessagingWorld, group: bool, way: str
) -> None:
    again_ms = world.clock.now_ms() + world.messaging.request_ms
    thread, request = await _asked(world, group=group)
    ana, dora = world.actors["ana"], world.actors["dora"]
    world.clock.advance(days=1)
    await _answer(world, request, way)
    for kind in (Kind.BOOKING, Kind.DIRECT):
        assert type(await _refusal(world, kind)) is AlreadyAsked
    await withdraw_request(world.messaging, ana, request)
    for kind in (Kind.INQUIRY, Kind.BOOKING, Kind.DIRECT):
        refused = await _refusal(world, kind)
        assert isinstance(refused, RequestWithdrawn)
        assert refused.fields == {"thread_id": thread.id, "again_at": iso(again_ms)}
    world.clock.advance(ms=again_ms - 1 - world.clock.now_ms())
    assert isinstance(await _refusal(world, Kind.DIRECT), RequestWithdrawn)
    world.clock.advance(ms=1)
    created = await opening.open_direct(world.messaging, ana, dora.user)
    assert dora.user in created.gates
