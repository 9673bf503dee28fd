"""Concurrent writes to one thread share a head update, and each gets its own result and events."""

import asyncio
from dataclasses import replace

import pytest

from greenroom.ids import ThreadId
from greenroom.messaging import Messaging, edit, react, read, rename
from greenroom.messaging.events import Event, MessageCreated
from greenroom.messaging.history import history
from greenroom.messaging.models import Thread
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.participants import leave
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import ClientIdReused, ThreadNotFound
from greenroom.messaging.records import MESSAGING
from greenroom.messaging.send import send
from greenroom.messaging.update_thread import update_thread
from greenroom.store.base import Key, Put
from greenroom.store.limits import MAX_OPS
from greenroom.store.problems import ItemTooLarge
from greenroom.store.values import MAX_ITEM_BYTES
from tests.messaging.world import MessagingWorld
from tests.world import UNLIMITED, messaging_on


@pytest.fixture
def messaging(world: MessagingWorld) -> Messaging:
    return messaging_on(world.store, world.clock, UNLIMITED)


async def _sent(
    messaging: Messaging, world: MessagingWorld, name: str, thread: Thread, key: str
) -> Sent:
    answer = await send(messaging, world.actors[name], thread.id, Outgoing(key, f"text {key}"))
    assert isinstance(answer, Sent)
    return answer


async def _bodies(
    messaging: Messaging, world: MessagingWorld, thread: ThreadId
) -> list[tuple[int, str]]:
    page = await history(messaging, world.actors["ben"], thread, limit=100)
    return [(message.seq, message.body) for message in page.messages]


async def test_many_at_once_have_one_order_and_share_their_heads(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread = await world.inquiry()
    before = (await messaging.thread_cache.read(thread.id) or thread).version
    many = MAX_OPS // 2 + 10  # more than one transaction can hold
    answers = await asyncio.gather(
        *(_sent(messaging, world, "ana", thread, f"k{n}") for n in range(many))
    )
    seqs = [answer.message.seq for answer in answers]
    assert sorted(seqs) == list(range(1, many + 1))
    expected = sorted((answer.message.seq, answer.message.body) for answer in answers)
    assert await _bodies(messaging, world, thread.id) == expected
    head = await messaging.thread_cache.read(thread.id)
    assert head is not None
    assert head.version - before < many / 2  # on a busy machine they come in small groups
    assert (head.last_seq, head.preview) == expected[-1]


async def test_the_same_message_twice_at_once_is_one(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread = await world.inquiry()
    keys = ["a", "b", "a", "c", "b"]
    answers = await asyncio.gather(*(_sent(messaging, world, "ana", thread, key) for key in keys))
    by_key = {key: answer.message for key, answer in zip(keys, answers, strict=True)}
    assert [answer.message for answer in answers] == [by_key[key] for key in keys]
    assert sorted(answer.again for answer in answers) == [False, False, False, True, True]
    assert len(await _bodies(messaging, world, thread.id)) == 3


async def test_a_refused_write_does_not_affect_the_others(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread = await world.inquiry()
    first = await _sent(messaging, world, "ana", thread, "first")
    cleo = await world.person("cleo")
    reused = send(messaging, world.actors["ana"], thread.id, Outgoing("first", "something else"))
    stranger = send(messaging, cleo, thread.id, Outgoing("x", "let me in"))
    answers = await asyncio.gather(
        _sent(messaging, world, "ana", thread, "one"),
        reused,
        _sent(messaging, world, "ben", thread, "two"),
        stranger,
        _sent(messaging, world, "ana", thread, "first"),
        react.react(messaging, world.actors["ben"], thread.id, first.message.id, "👍"),
        _sent(messaging, world, "ana", thread, "three"),
        return_exceptions=True,
    )
    kinds = [type(answer).__name__ for answer in answers]
    assert kinds == [
        "Sent",
        ClientIdReused.__name__,
        "Sent",
        ThreadNotFound.__name__,
        "Sent",
        "Message",
        "Sent",
    ]
    bodies = [body for _, body in await _bodies(messaging, world, thread.id)]
    assert sorted(bodies) == ["text first", "text one", "text three", "text two"]
    assert bodies[0] == "text first"


async def test_writes_planned_on_each_other_all_take_effect(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread = await world.inquiry()
    await asyncio.gather(
        _sent(messaging, world, "ana", thread, "one"),
        rename.rename(messaging, world.actors["ana"], thread.id, "Friday"),
        _sent(messaging, world, "ben", thread, "two"),
    )
    head = await messaging.thread_cache.read(thread.id)
    assert head is not None
    assert head.subject == "Friday"
    assert head.last_seq == 3
    assert [head.members[world.user(name)].sent for name in ("ana", "ben")] != [0, 0]


async def test_events_are_published_after_the_write_in_the_order_of_the_log(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread, told = await world.inquiry(), list[int]()

    def hear(after: Thread, event: Event) -> None:
        if isinstance(event, MessageCreated):
            assert after.last_seq >= event.message.seq
            told.append(event.message.seq)

    heard = replace(messaging, publish=hear)
    await asyncio.gather(*(_sent(heard, world, "ana", thread, f"k{n}") for n in range(20)))
    assert told == list(range(1, 21))


async def test_a_write_that_is_too_large_does_not_affect_the_others(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread = await world.inquiry()

    def large(head: Thread, ms: int) -> PlannedWrite:
        key = Key(f"THR#{thread.id}", "TAB#large")
        item = {"pk": key.partition, "sk": key.sort, "text": "x" * MAX_ITEM_BYTES}
        return PlannedWrite(head, (Put(MESSAGING, item),))

    answers = await asyncio.gather(
        _sent(messaging, world, "ana", thread, "one"),
        update_thread(messaging, thread.id, large),
        _sent(messaging, world, "ben", thread, "two"),
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers] == [Sent, ItemTooLarge, Sent]
    assert len(await _bodies(messaging, world, thread.id)) == 2


async def test_many_may_change_one_message_at_once(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread = await world.inquiry()
    first = (await _sent(messaging, world, "ana", thread, "first")).message
    emojis = ["👍", "🎉", "❤️", "😂", "😮", "😢", "🙏", "🔥"]
    ana, ben = world.actors["ana"], world.actors["ben"]
    await asyncio.gather(
        *(react.react(messaging, ben, thread.id, first.id, emoji) for emoji in emojis),
        *(edit.edit(messaging, ana, thread.id, first.id, f"text {n}") for n in range(4)),
        *(react.react(messaging, ana, thread.id, first.id, emoji) for emoji in emojis),
    )
    (message,) = (await history(messaging, ben, thread.id)).messages
    assert set(message.reactions) == set(emojis)
    assert {len(users) for users in message.reactions.values()} == {2}
    assert len(message.edits) == 4
    assert message.version == 1 + 4 + 16


async def test_a_delivered_position_is_kept_when_a_read_comes_at_the_same_moment(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread = await world.inquiry()
    for number in range(4):
        await _sent(messaging, world, "ana", thread, f"k{number}")
    ben = world.actors["ben"]
    await asyncio.gather(
        read.mark_delivered(messaging, ben, thread.id, 4),
        read.mark_read(messaging, ben, thread.id, 1),
        read.mark_delivered(messaging, ben, thread.id, 3),
        read.mark_read(messaging, ben, thread.id, 2),
    )
    members = (await history(messaging, ben, thread.id)).members
    (mine,) = [member for member in members if member.user == ben.user]
    assert (mine.read_seq, mine.delivered_seq) == (2, 4)


async def test_a_retry_publishes_no_second_event(
    world: MessagingWorld, messaging: Messaging
) -> None:
    thread, told = await world.inquiry(), list[str]()

    def hear(_: Thread, event: Event) -> None:
        told.append(type(event).__name__)

    heard = replace(messaging, publish=hear)
    await _sent(heard, world, "ana", thread, "one")
    await _sent(heard, world, "ana", thread, "one")
    assert told.count("MessageCreated") == 1
    world.clock.advance(seconds=120)
    assert (await _sent(heard, world, "ana", thread, "one")).again
    assert told.count("MessageCreated") == 1
    await _sent(heard, world, "ana", thread, "two")
    await leave(heard, world.actors["ana"], thread.id)
    assert (await _sent(heard, world, "ana", thread, "two")).again
    assert told.count("MessageCreated") == 2
