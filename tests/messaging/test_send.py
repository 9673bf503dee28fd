"""Messages are stored exactly once, in one order, without gaps, also with retries on any node."""

import asyncio
import dataclasses

import pytest

from greenroom.clock import ManualClock
from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import delete, edit, inbox, lock, participants, react
from greenroom.messaging.block import block_person
from greenroom.messaging.events import Event, audience
from greenroom.messaging.history import history
from greenroom.messaging.models import Kind, Message, Role, Status, Thread
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Held, Outgoing, Sent
from greenroom.messaging.problems import (
    ClientIdReused,
    ConversationLocked,
    MessageNotFound,
    NotYours,
    ThreadNotFound,
    VersionMismatch,
)
from greenroom.messaging.send import send
from greenroom.people.actor import Actor, Scope
from tests.messaging.world import MessagingWorld
from tests.stores import IN_2100_MS
from tests.world import UNLIMITED, messaging_on


async def _messages(world: MessagingWorld, name: str, thread: ThreadId) -> tuple[Message, ...]:
    return (await history(world.messaging, world.actors[name], thread, limit=100)).messages


def _spacious(world: MessagingWorld) -> MessagingWorld:
    return world.another_node(rates=UNLIMITED)


async def test_a_retry_is_answered_with_the_first_message_on_every_node(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, outgoing = world.actors["ana"], Outgoing("c", "Is Friday free?")
    first = await send(world.messaging, ana, thread.id, outgoing)
    assert isinstance(first, Sent)
    for node in (world, world.another_node()):
        again = await send(node.messaging, ana, thread.id, outgoing)
        assert isinstance(again, Sent)
        assert again.message == first.message
        assert again.again
    assert len(await _messages(world, "ben", thread.id)) == 1


async def test_the_same_client_message_id_for_another_text_is_refused(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    first = await world.say("ana", thread.id, "Friday?")
    for other in (Outgoing("c1", "Saturday?"), Outgoing("c1", "Friday?", first.id)):
        with pytest.raises(ClientIdReused):
            await send(world.messaging, world.actors["ana"], thread.id, other)
    same_name_of_another = Outgoing("c1", "Sunday?")
    await send(world.messaging, world.actors["ben"], thread.id, same_name_of_another)
    assert len(await _messages(world, "ana", thread.id)) == 2


async def test_a_retry_gets_its_answer_even_after_leaving(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, outgoing = world.actors["ana"], Outgoing("c", "Is Friday free?")
    first = await send(world.messaging, ana, thread.id, outgoing)
    await participants.leave(world.messaging, ana, thread.id)
    again = await send(world.messaging, ana, thread.id, outgoing)
    assert isinstance(first, Sent)
    assert isinstance(again, Sent)
    assert again.message.id == first.message.id
    with pytest.raises(ThreadNotFound):
        await send(world.messaging, ana, thread.id, Outgoing("d", "One more."))


async def test_a_short_text_that_is_refused_makes_no_longer_one_uncounted(
    world: MessagingWorld,
) -> None:
    """Both have the same digest, which ignores case and punctuation."""
    thread = await world.inquiry()
    node = messaging_on(world.store, world.clock, UNLIMITED)
    ana = world.actors["ana"]
    await send(node, ana, thread.id, Outgoing("used", "something else"))
    outcomes = []
    for number in range(8):
        loud = Outgoing(f"new-{number}", "Buy now" + "!" * 20)
        outcomes.append(await send(node, ana, thread.id, loud))
        with pytest.raises(ClientIdReused):
            await send(node, ana, thread.id, Outgoing("used", "buy now"))
    assert any(isinstance(outcome, Held) for outcome in outcomes)


async def test_twenty_duplicates_at_once_on_two_nodes_are_one_message(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    one, other = _spacious(world), _spacious(world)
    outgoing = Outgoing("c", "Is Friday free?")
    answers = await asyncio.gather(
        *(
            send(node.messaging, world.actors["ana"], thread.id, outgoing)
            for node in (one, other)
            for _ in range(10)
        )
    )
    assert len({answer.message.id for answer in answers if isinstance(answer, Sent)}) == 1
    assert len(await _messages(world, "ben", thread.id)) == 1


async def test_fifty_messages_at_once_all_land_once(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    node = _spacious(world)
    sent = await asyncio.gather(
        *(
            send(node.messaging, world.actors["ana"], thread.id, Outgoing(f"c{n}", f"n {n}"))
            for n in range(50)
        )
    )
    assert sorted(one.message.seq for one in sent if isinstance(one, Sent)) == list(range(1, 51))
    messages = await _messages(world, "ben", thread.id)
    assert [message.seq for message in messages] == list(range(1, 51))
    assert len({message.body for message in messages}) == 50
    assert (await inbox.counts(world.messaging, world.actors["ben"])).badge == 50


async def test_two_nodes_that_write_to_one_thread_keep_one_order_without_gaps(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    nodes = {"ana": _spacious(world), "ben": _spacious(world)}

    async def talk(name: str) -> None:
        for n in range(15):
            outgoing = Outgoing(f"{name}{n}", f"{name} {n}")
            await send(nodes[name].messaging, world.actors[name], thread.id, outgoing)

    await asyncio.gather(talk("ana"), talk("ben"))
    messages = await _messages(world, "ana", thread.id)
    assert [message.seq for message in messages] == list(range(1, 31))
    assert [message.ms for message in messages] == sorted({message.ms for message in messages})
    for name in ("ana", "ben"):
        said = [message.body for message in messages if message.author == world.user(name)]
        assert said == [f"{name} {n}" for n in range(15)]


async def test_a_node_whose_clock_is_behind_keeps_the_order(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    group = await open_thread(
        world.messaging,
        world.actors["ana"],
        Opening(kind=Kind.BOOKING, others=(Invited(world.user("ben")),)),
    )
    world.clock.advance(seconds=60)
    cleo = await world.person("cleo", Scope.MODERATOR)
    await world.say("ana", thread.id, "one")
    await world.say("ana", group.id, "before her time")
    await participants.add(world.messaging, world.actors["ana"], group.id, Invited(cleo.user))
    slow = ManualClock(IN_2100_MS)
    behind = world.another_node(clock=slow)
    await behind.say("ben", thread.id, "two")
    await behind.say("ben", group.id, "welcome")
    await world.say("ana", thread.id, "three")
    bodies = [message.body for message in await _messages(world, "ana", thread.id)]
    assert bodies == ["one", "two", "three"]
    gate = (await history(world.messaging, cleo, group.id)).messages
    assert [message.seq for message in gate] == [2, 3]


async def test_only_members_can_write(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    cleo = await world.person("cleo")
    for thread_id in (thread.id, ThreadId("thr_nowhere"), ThreadId("")):
        with pytest.raises(ThreadNotFound):
            await send(world.messaging, cleo, thread_id, Outgoing("c", "Hello"))


async def test_messages_edits_and_reactions_of_a_blocked_person_reach_nobody(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "Hello.")
    theirs = await world.say("ben", thread.id, "Hello.")
    await block_person(world.messaging, world.actors["ben"], world.user("ana"))
    ana, heard = world.actors["ana"], set[UserId]()

    def hear(head: Thread, event: Event) -> None:
        heard.update(audience(head, event, world.clock.now_ms()))

    messaging = dataclasses.replace(world.messaging, publish=hear)
    await send(messaging, ana, thread.id, Outgoing("c", "Why?"))
    await edit.edit(messaging, ana, thread.id, message.id, "Why?")
    await react.react(messaging, ana, thread.id, theirs.id, "👎")
    assert heard == {ana.user}
    assert len(await _messages(world, "ana", thread.id)) == 3


async def test_a_locked_thread_is_for_staff_and_locking_works_from_any_node(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    mod = await world.person("mod", Scope.MODERATOR)
    other = world.another_node().messaging
    await lock.lock(world.messaging, mod, thread.id)
    await lock.unlock(other, mod, thread.id)
    await world.say("ana", thread.id, "Free again.")
    await lock.lock(world.messaging, mod, thread.id)
    with pytest.raises(ConversationLocked):
        await world.say("ana", thread.id, "And closed.")
    await lock.lock(other, mod, thread.id)
    events = [message.event for message in await _messages(world, "ana", thread.id)]
    assert events == ["thread.locked", "thread.unlocked", None, "thread.locked"]


async def test_a_sellers_message_waits_for_the_buyer_and_a_buyers_for_the_seller(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]

    async def folders() -> tuple[str, ...]:
        pages = [await inbox.inbox(world.messaging, actor) for actor in (ana, ben)]
        return tuple(str(page.rows[0].state.folder) for page in pages)

    assert await folders() == ("offers", "offers")
    await world.say("ana", thread.id, "Friday?")
    assert await folders() == ("offers", "action")
    await world.say("ben", thread.id, "Yes.")
    assert await folders() == ("action", "offers")
    seen = (await history(world.messaging, ana, thread.id)).view.thread
    assert (seen.status, seen.awaiting) == (Status.AWAITING_REPLY, (ana.user,))


async def test_a_reply_is_to_a_message_of_the_thread_that_the_sender_may_see(
    world: MessagingWorld,
) -> None:
    thread, other = await world.inquiry(), await world.inquiry("ana", "cleo")
    message = await world.say("ben", thread.id, "Hello.")
    sent = await world.say("ana", thread.id, "Hello to you.", reply_to=message.id)
    assert sent.reply_to == message.id
    for wrong in (MessageId("msg_" + "0" * 26), MessageId("nonsense"), message.id):
        with pytest.raises(MessageNotFound):
            await world.say("ana", other.id, "What?", reply_to=wrong)


async def test_an_edit_keeps_the_old_text_and_a_deletion_leaves_a_tombstone(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    message = await world.say("ana", thread.id, "Fryday?")
    edited = await edit.edit(world.messaging, ana, thread.id, message.id, "Friday?", version=1)
    assert isinstance(edited, Message)
    assert [one.body for one in edited.edits] == ["Fryday?"]
    with pytest.raises(VersionMismatch):
        await edit.edit(world.messaging, ana, thread.id, message.id, "Sunday?", version=1)
    with pytest.raises(NotYours):
        await delete.delete(world.messaging, ben, thread.id, message.id)
    await react.react(world.messaging, ben, thread.id, message.id, "👍")
    await delete.delete(world.messaging, ana, thread.id, message.id)
    (tomb,) = await _messages(world, "ben", thread.id)
    assert (tomb.seq, tomb.body, tomb.edits, tomb.reactions) == (1, "", (), {})
    assert tomb.deleted_by == ana.user
    with pytest.raises(MessageNotFound):
        await react.react(world.messaging, ben, thread.id, message.id, "👍")
    assert (await inbox.inbox(world.messaging, ben)).rows[0].thread.preview == ""


async def test_reactions_of_many_at_once_are_all_kept(world: MessagingWorld) -> None:
    ana = await world.person("ana", Scope.SERVICE)
    people = [await world.person(f"p{n}") for n in range(4)]
    group = Opening(
        kind=Kind.BOOKING, others=tuple(Invited(one.user, Role.BUYER) for one in people)
    )
    thread = await open_thread(world.messaging, ana, group)
    message = await world.say("ana", thread.id, "Who comes?")

    async def like(actor: Actor) -> None:
        await react.react(world.messaging, actor, thread.id, message.id, "👍")

    await asyncio.gather(*(like(actor) for actor in people))
    (found,) = await _messages(world, "ana", thread.id)
    assert set(found.reactions["👍"]) == {actor.user for actor in people}
