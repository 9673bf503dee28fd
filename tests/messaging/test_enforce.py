"""What a moderator's decision does to threads, also when it is carried out again."""

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import inbox
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.history import history
from greenroom.messaging.hold_message import hold
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Kind, Status
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Held, Outgoing, Rejected, Sent
from greenroom.messaging.participants import leave
from greenroom.messaging.problems import ClientIdReused, RequestPending
from greenroom.messaging.send import send
from greenroom.people.actor import Scope
from greenroom.safety.models import Case, HeldMessage, SentMessage, Subject, WholeThread, case_id
from greenroom.safety.problems import CannotRelease
from greenroom.safety.verdict import Hold
from tests.messaging.world import MessagingWorld

_OUTGOING = Outgoing("c", "Something to look at first")


async def _held(world: MessagingWorld, thread: ThreadId) -> Case:
    ana = world.actors["ana"]
    await hold(world.messaging, ana, thread, _OUTGOING, Hold(reason="a test"))
    return _case(HeldMessage(thread, world.user("ana"), "c"), _OUTGOING.body, world.user("ana"))


def _case(subject: Subject, text: str = "", about: UserId | None = None) -> Case:
    return Case(id=case_id(subject), subject=subject, about=about, text=text, opened_ms=0)


async def test_a_held_message_looks_sent_to_its_author_and_is_hidden_from_others(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    await _held(world, thread.id)
    assert (await history(world.messaging, world.actors["ben"], thread.id)).messages == ()
    assert (await inbox.counts(world.messaging, world.actors["ben"])).badge == 0
    again = await send(world.messaging, world.actors["ana"], thread.id, _OUTGOING)
    assert isinstance(again, Held)
    with pytest.raises(ClientIdReused):
        await send(world.messaging, world.actors["ana"], thread.id, Outgoing("c", "Other"))


async def test_a_message_its_author_may_no_longer_send_is_not_released(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    case = await _held(world, thread.id)
    await leave(world.messaging, world.actors["ana"], thread.id)
    for node in (world, world.another_node()):
        await Enforcement(node.messaging).release(case)
    messages = (await history(world.messaging, world.actors["ben"], thread.id)).messages
    assert [message.body for message in messages if message.event is None] == []


async def test_a_released_message_does_not_reach_people_who_block_its_author(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    case = await _held(world, thread.id)
    ana, ben = world.actors["ana"], world.actors["ben"]
    await block_person(world.messaging, ben, ana.user)
    await Enforcement(world.messaging).release(case)
    assert len((await history(world.messaging, ana, thread.id)).messages) == 1
    await unblock_person(world.messaging, ben, ana.user)
    assert (await history(world.messaging, ben, thread.id)).messages == ()


@pytest.mark.parametrize("way", ["leaves", "is locked out", "has asked too much"])
async def test_a_moderator_sees_why_a_text_cannot_be_released(
    world: MessagingWorld, way: str
) -> None:
    """It stays out even if it is released a moment later."""
    mod = await world.person("mod", Scope.MODERATOR)
    if way == "has asked too much":
        ana, ben = await world.person("ana"), await world.person("ben")
        asked = Opening(kind=Kind.INQUIRY, others=(Invited(ben.user),))
        thread = await open_thread(world.messaging, ana, asked)
    else:
        thread = await world.inquiry()
    case = await _held(world, thread.id)
    enforcement = Enforcement(world.messaging)
    await enforcement.check_release(case)
    match way:
        case "leaves":
            await leave(world.messaging, world.actors["ana"], thread.id)
        case "is locked out":
            await lock(world.another_node().messaging, mod, thread.id)
        case _:
            for n in range(3):
                await world.say("ana", thread.id, f"Hello {n}")
    with pytest.raises(CannotRelease):
        await enforcement.check_release(case)
    before = (await history(world.messaging, world.actors["ben"], thread.id)).messages
    await enforcement.release(case)
    assert (await history(world.messaging, world.actors["ben"], thread.id)).messages == before
    again = await send(world.messaging, world.actors["ana"], thread.id, _OUTGOING)
    assert isinstance(again, Rejected), "its author is told"


async def test_a_held_text_of_a_pending_request_is_released_into_it(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    asked = Opening(kind=Kind.INQUIRY, others=(Invited(ben.user),))
    thread = await open_thread(world.messaging, ana, asked)
    case = await _held(world, thread.id)
    for n in range(2):
        await world.say("ana", thread.id, f"Hello {n}")
    enforcement = Enforcement(world.messaging)
    await enforcement.check_release(case)
    await enforcement.release(case)
    assert (await inbox.counts(world.messaging, ben)).badge == 3
    with pytest.raises(RequestPending):
        await world.say("ana", thread.id, "One more")


async def test_a_released_message_is_added_once_with_the_next_seq(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    case = await _held(world, thread.id)
    await world.say("ben", thread.id, "Are you there?")
    for node in (world, world, world.another_node()):
        await Enforcement(node.messaging).release(case)
    messages = (await history(world.messaging, world.actors["ben"], thread.id)).messages
    assert [(message.seq, message.body) for message in messages] == [
        (1, "Are you there?"),
        (2, _OUTGOING.body),
    ]
    again = await send(world.messaging, world.actors["ana"], thread.id, _OUTGOING)
    assert isinstance(again, Sent)
    assert again.message.id == messages[1].id


async def test_a_release_reads_nothing_for_its_author(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    case = await _held(world, thread.id)
    await world.say("ben", thread.id, "Are you there?")
    await Enforcement(world.messaging).release(case)
    row = (await inbox.inbox(world.messaging, world.actors["ana"])).rows[0]
    assert row.state.unread >= 1, "Ben's question is still unread"


async def test_a_held_message_that_is_removed_stays_out_and_its_author_gets_a_notice(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    case = await _held(world, thread.id)
    enforcement = Enforcement(world.messaging)
    for _ in range(2):
        await enforcement.remove(case)
    await enforcement.release(case)
    assert (await history(world.messaging, world.actors["ben"], thread.id)).messages == ()
    again = await send(world.messaging, world.actors["ana"], thread.id, _OUTGOING)
    assert again == Rejected(_OUTGOING.client_id)


async def test_a_message_that_is_removed_leaves_a_tombstone_and_a_thread_is_locked(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "Something bad")
    enforcement = Enforcement(world.messaging)
    for _ in range(2):
        await enforcement.remove(_case(SentMessage(thread.id, message.id)))
        await enforcement.remove(_case(WholeThread(thread.id)))
    page = await history(world.messaging, world.actors["ben"], thread.id)
    assert [(f.seq, f.body, f.event) for f in page.messages] == [
        (1, "", None),
        (2, "", "thread.locked"),
    ]
    assert page.messages[0].deleted_ms is not None
    assert page.view.thread.status is Status.LOCKED


async def test_the_pending_requests_of_a_sanctioned_user_are_closed(world: MessagingWorld) -> None:
    cleo = await world.person("cleo")
    for name in ("ana", "ben"):
        target = await world.person(name)
        opening = Opening(kind=Kind.INQUIRY, others=(Invited(target.user),))
        thread = await open_thread(world.messaging, cleo, opening)
        await world.say("cleo", thread.id, "Hello!")
    for _ in range(2):
        await Enforcement(world.messaging).close_requests(cleo.user)
    for name in ("ana", "ben"):
        opened = await inbox.inbox(world.messaging, world.actors[name])
        assert opened.rows == ()
    assert len((await inbox.inbox(world.messaging, cleo)).rows) == 2
