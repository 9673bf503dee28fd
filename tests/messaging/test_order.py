"""Messages of one sender to one thread take effect in the order of sending.

This also holds if a write in the middle is refused with those that were planned on top of it; and
no write is undone by a plan that did not know it. On SQLite sends reach a thread's queue in the
order of the calls; on DynamoDB the socket keeps that order (tests/socket/test_pipelined_sends.py).
"""

import asyncio
import random
from collections.abc import Awaitable

import pytest

from greenroom.errors import Problem
from greenroom.ids import ThreadId
from greenroom.messaging import open as opening, participants, react as reacting, send as sending
from greenroom.messaging.history import history
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.people.actor import Scope
from tests.messaging.world import MessagingWorld

MANY = 8


@pytest.fixture
def world(unlimited_world: MessagingWorld) -> MessagingWorld:
    return unlimited_world


@pytest.fixture
async def thread(world: MessagingWorld) -> ThreadId:
    return (await world.inquiry()).id


async def sent(world: MessagingWorld, name: str, thread: ThreadId, number: int) -> int:
    outgoing = Outgoing(f"{name}-{number}", f"text {number} of {name}")
    answer = await sending.send(world.messaging, world.actors[name], thread, outgoing)
    assert isinstance(answer, Sent)
    return answer.message.seq


@pytest.mark.parametrize("known", [1, 2, 5])
async def test_repeating_unacked_messages_keeps_the_order(
    world: MessagingWorld, thread: ThreadId, known: int
) -> None:
    """As after a broken connection: some of it is already stored."""
    for number in range(known):
        await sent(world, "ana", thread, number)
    seqs = await asyncio.gather(*(sent(world, "ana", thread, number) for number in range(MANY)))
    assert seqs == list(range(1, MANY + 1))


async def test_scattered_retries_keep_the_order(world: MessagingWorld, thread: ThreadId) -> None:
    chance = random.Random(1)
    for first in range(0, 20 * MANY, MANY):
        known = chance.sample(range(first, first + MANY), 3)
        for number in known:
            await sent(world, "ana", thread, number)
        work = [(name, n) for n in range(first, first + MANY) for name in ("ana", "ben")]
        seqs = await asyncio.gather(*(sent(world, name, thread, n) for name, n in work))
        for who in ("ana", "ben"):
            new = [
                seq
                for (name, n), seq in zip(work, seqs, strict=True)
                if name == who and (name == "ben" or n not in known)
            ]
            assert new == sorted(new)


async def test_concurrent_reactions_keep_the_order(world: MessagingWorld, thread: ThreadId) -> None:
    message = await world.say("ana", thread, "who likes it?")

    async def react(name: str, emoji: str) -> None:
        await reacting.react(world.messaging, world.actors[name], thread, message.id, emoji)

    seqs: list[int] = []

    async def send(number: int) -> None:
        seqs.append(await sent(world, "ana", thread, number))

    for first, emoji in zip(range(0, 4 * MANY, MANY), "👍🎉🙏👏", strict=True):
        work = [send(number) for number in range(first, first + MANY)]
        await asyncio.gather(
            *work[:2], react("ana", emoji), *work[2:4], react("ben", emoji), *work[4:]
        )
    assert [await sent(world, "ana", thread, n) for n in range(4 * MANY)] == sorted(seqs)


async def test_new_writes_wait_behind_retried_ones(world: MessagingWorld, thread: ThreadId) -> None:
    await sent(world, "ben", thread, 0)
    tasks = []
    for number in range(10 * MANY):
        tasks.append(asyncio.create_task(sent(world, "ana", thread, number)))
        if number % 3 == 0:
            tasks.append(asyncio.create_task(sent(world, "ben", thread, 0)))
        await asyncio.sleep(0.0003 * (number % 4))
    await asyncio.gather(*tasks)
    seqs = [await sent(world, "ana", thread, number) for number in range(10 * MANY)]
    assert seqs == sorted(seqs)


async def test_a_cancelled_write_does_not_delay_others(
    world: MessagingWorld, thread: ThreadId
) -> None:
    await sent(world, "ana", thread, 0)
    for spared in range(1, MANY):
        first = spared * MANY
        numbers = [0, *range(first, first + MANY)]
        tasks = [asyncio.create_task(sent(world, "ana", thread, number)) for number in numbers]
        for _ in range(spared):
            await asyncio.sleep(0)
        for task in tasks[1::2]:
            task.cancel()
        await asyncio.wait(tasks, timeout=10)
        assert all(task.done() for task in tasks)
        seqs = [task.result() for task in tasks[2::2]]
        assert seqs == sorted(seqs)


async def refused(work: Awaitable[object]) -> None:
    with pytest.raises(Problem):
        await work


async def test_a_refused_outsider_does_not_disturb_the_order(
    world: MessagingWorld, thread: ThreadId
) -> None:
    await world.person("cleo")
    for number in range(5):
        await asyncio.gather(
            sent(world, "ben", thread, number),
            refused(sent(world, "cleo", thread, number)),
            sent(world, "ana", thread, 2 * number),
            sent(world, "ana", thread, 2 * number + 1),
        )
        head = await world.messaging.thread_cache.read(thread)
        assert head is not None
        found = await history(world.messaging, world.actors["ana"], thread)
        assert [message.seq for message in found.messages] == list(range(1, head.last_seq + 1))
        for name in ("ana", "ben"):
            user = world.user(name)
            last = max(message.seq for message in found.messages if message.author == user)
            assert head.members[user].sent == last, "sending implies reading"


async def test_a_member_removed_while_others_write_stays_removed(world: MessagingWorld) -> None:
    host = await world.person("host", Scope.SERVICE)
    guests = [await world.person(name) for name in ("ana", "ben", "cleo")]
    await world.person("dan")
    invited = tuple(opening.Invited(guest.user, Role.BUYER) for guest in guests)
    opened = await opening.open_thread(
        world.messaging, host, opening.Opening(kind=Kind.STUDIO, role=Role.HOST, others=invited)
    )
    await sent(world, "ana", opened.id, 0)
    await asyncio.gather(
        participants.remove(world.messaging, host, opened.id, world.user("cleo")),
        refused(sent(world, "dan", opened.id, 1)),
        sent(world, "ana", opened.id, 1),
        sent(world, "ana", opened.id, 2),
        sent(world, "ben", opened.id, 3),
    )
    head = await world.messaging.thread_cache.read(opened.id)
    assert head is not None
    assert head.members.keys() == {world.user(name) for name in ("host", "ana", "ben")}
    assert head.last_seq == 5
