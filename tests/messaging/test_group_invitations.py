"""People added to a group by a stranger see a part of it, and all of it once they accept."""

import pytest

from greenroom.ids import RequestId
from greenroom.messaging import access, inbox, lock, participants, read, respond, row_settings
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.edit import edit
from greenroom.messaging.history import history
from greenroom.messaging.models import Folder, Message, Role, Thread
from greenroom.messaging.new_participant import contact_ops
from greenroom.messaging.open import Invited
from greenroom.messaging.problems import InvalidReadPosition, MessageNotFound, PlainTextOnly
from greenroom.messaging.rename import rename
from greenroom.messaging.report import report_message
from greenroom.messaging.sync import sync
from greenroom.people.actor import Actor, Scope
from greenroom.safety.models import Reason
from greenroom.safety.unblock import unblock
from tests.messaging.sync_client import SyncClient
from tests.messaging.world import MessagingWorld


async def _invited(world: MessagingWorld, messages: int) -> tuple[Actor, Thread, list[Message]]:
    """Cleo, to whom Ana is a stranger, is in a group where the others go on talking."""
    thread = await world.inquiry("ana", "ben")
    await world.say("ana", thread.id, "Before her time")
    cleo = await world.person("cleo")
    grown = await participants.add(
        world.messaging, world.actors["ana"], thread.id, Invited(cleo.user, Role.BUYER)
    )
    said = []
    for n in range(messages):
        world.clock.advance(seconds=30)
        said.append(await world.say("ben", thread.id, f"Message {n}"))
    return cleo, grown, said


async def _bodies(
    world: MessagingWorld, actor: Actor, thread: Thread, **place: object
) -> list[str]:
    page = await history(world.messaging, actor, thread.id, **place)  # type: ignore[arg-type]
    return [message.event or message.body for message in page.messages]


async def _left(world: MessagingWorld) -> tuple[Actor, Thread]:
    """Ben has left Ana's thread for two, to which she has then added Cleo."""
    thread = await world.inquiry("ana", "ben")
    await world.say("ana", thread.id, "While he was there")
    await participants.leave(world.messaging, world.actors["ben"], thread.id)
    await world.say("ana", thread.id, "While he was away")
    await respond.decline(world.messaging, world.actors["ben"], await _request(world, thread))
    cleo = await world.person("cleo")
    await participants.add(world.messaging, world.actors["ana"], thread.id, Invited(cleo.user))
    world.clock.advance(days=15)
    return world.actors["ben"], thread


async def _request(world: MessagingWorld, thread: Thread) -> RequestId:
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    return head.gates[world.user("ben")].id


async def test_adding_back_a_person_who_left_before_the_thread_grew_asks_them(
    world: MessagingWorld,
) -> None:
    ben, thread = await _left(world)
    ana = world.actors["ana"]
    assert (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows == ()
    for _ in range(2):
        added = await participants.find_or_add(world.messaging, ana, thread.id, Invited(ben.user))
        assert not added.created
    [row] = (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows
    assert (row.thread.preview_event, row.state.unread) == ("participant.added", 1)
    assert await _bodies(world, ben, thread) == ["participant.added"]
    await world.say("ana", thread.id, "Welcome back")
    await respond.accept(world.messaging, ben, await _request(world, thread))
    shown = ["While he was there", "participant.added", "Welcome back"]
    assert await _bodies(world, ben, thread) == shown


async def test_adding_back_asks_nobody_twice_and_nobody_who_has_blocked_the_adder(
    world: MessagingWorld,
) -> None:
    ben, thread = await _left(world)
    ana = world.actors["ana"]
    await block_person(world.messaging, ben, ana.user)
    await participants.add(world.messaging, ana, thread.id, Invited(ben.user))
    assert (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows == ()
    await unblock_person(world.messaging, ben, ana.user)
    await participants.add(world.messaging, ana, thread.id, Invited(ben.user))
    await respond.decline(world.messaging, ben, await _request(world, thread))
    await participants.add(world.messaging, ana, thread.id, Invited(ben.user))
    assert (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows == ()
    world.clock.advance(days=15)
    await participants.add(world.messaging, ana, thread.id, Invited(ben.user))
    assert len((await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows) == 1


async def test_nobody_is_asked_back_by_a_stranger_or_to_a_person_they_blocked(
    world: MessagingWorld,
) -> None:
    """Ana, whom Ben has blocked, lets Dora add him: her words must not reach him that way."""
    thread = await world.inquiry("ana", "ben")
    ana, ben, dora = world.actors["ana"], world.actors["ben"], await world.person("dora")
    await world.say("ana", thread.id, "While he was there")
    await block_person(world.messaging, ben, ana.user)
    await participants.add(world.messaging, ana, thread.id, Invited(dora.user, Role.HOST))
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    await respond.accept(world.messaging, dora, head.gates[dora.user].id)
    for _ in range(2):
        await world.say("ana", thread.id, "You cannot block me")
        await participants.add(world.messaging, dora, thread.id, Invited(ben.user))
        assert (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows == ()
        await world.messaging.store.write(
            *contact_ops(ben.user, thread.id, [dora.user])
        )  # now she is no stranger to him
    await unblock_person(world.messaging, ben, ana.user)
    assert await _bodies(world, ben, thread) == ["While he was there"]


async def test_what_was_said_during_a_block_is_no_request_s_preview(world: MessagingWorld) -> None:
    thread = await world.inquiry("ana", "ben")
    ana, ben = world.actors["ana"], world.actors["ben"]
    await world.say("ben", thread.id, "Hello")
    await block_person(world.messaging, ben, ana.user)
    await world.say("ana", thread.id, "A secret")
    await unblock_person(world.messaging, ben, ana.user)
    await participants.leave(world.messaging, ben, thread.id)
    await participants.add(world.messaging, ana, thread.id, Invited(ben.user))
    assert (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows == ()
    await world.say("ana", thread.id, "Will you come back?")
    [row] = (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows
    assert (row.thread.preview, row.state.unread) == ("Will you come back?", 1)


async def test_a_request_to_come_back_keeps_its_preview(world: MessagingWorld) -> None:
    thread = await world.inquiry("ana", "ben")
    await world.say("ben", thread.id, "Hello")
    await participants.leave(world.messaging, world.actors["ben"], thread.id)
    for n in range(5):
        await world.say("ana", thread.id, f"Message {n}")
    [row] = (await inbox.inbox(world.messaging, world.actors["ben"], Folder.REQUESTS)).rows
    assert (row.thread.preview, row.state.unread) == ("Message 2", 3)
    assert row.thread.last_sender == world.user("ana")


async def test_an_unblock_that_was_cut_off_takes_effect_with_the_next_message(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry("ana", "ben")
    ana, ben = world.actors["ana"], world.actors["ben"]
    await world.say("ben", thread.id, "Hello")
    await block_person(world.messaging, ben, ana.user)
    await world.say("ana", thread.id, "While she was blocked")
    await unblock(world.messaging.safety, ben, ana.user)  # and the node dies before the threads
    await world.say("ana", thread.id, "Are you there?")
    assert await _bodies(world, ben, thread) == ["Hello", "Are you there?"]
    [row] = (await inbox.inbox(world.messaging, ben, Folder.ALL)).rows
    assert (row.thread.preview, row.state.unread) == ("Are you there?", 1)


async def test_a_request_keeps_an_event_that_it_showed_last(world: MessagingWorld) -> None:
    cleo, thread, _ = await _invited(world, 1)
    moderator = await world.person("mod", Scope.MODERATOR)
    await lock.lock(world.messaging, moderator, thread.id)
    await lock.unlock(world.messaging, moderator, thread.id)
    [row] = (await inbox.inbox(world.messaging, cleo, Folder.REQUESTS)).rows
    assert (row.thread.preview, row.thread.preview_event) == ("", "thread.locked")


async def test_who_was_invited_sees_the_first_few_frames_until_accepting(
    world: MessagingWorld,
) -> None:
    cleo, thread, said = await _invited(world, 5)
    shown = ["participant.added", "Message 0", "Message 1"]
    assert await _bodies(world, cleo, thread) == shown
    assert await _bodies(world, cleo, thread, around=said[0].id) == shown
    assert await _bodies(world, cleo, thread, before=said[1].id) == shown[:2]
    assert await _bodies(world, cleo, thread, after=said[0].id) == shown[2:]
    assert await _bodies(world, cleo, thread, after=said[3].id) == []
    [row] = (await inbox.inbox(world.messaging, cleo, Folder.REQUESTS)).rows
    assert (row.state.unread, row.thread.last_seq) == (3, 4)
    assert (row.thread.preview, row.thread.last_sender) == ("Message 1", said[1].author)
    assert row.thread.last_ms == said[1].ms
    assert (await inbox.counts(world.messaging, cleo)).badge == 3
    await respond.accept(world.messaging, cleo, thread.gates[cleo.user].id)
    assert await _bodies(world, cleo, thread) == [*shown, "Message 2", "Message 3", "Message 4"]
    assert (await inbox.counts(world.messaging, cleo)).badge == 6


async def test_what_a_request_does_not_show_cannot_be_reached_by_its_id(
    world: MessagingWorld,
) -> None:
    cleo, thread, said = await _invited(world, 5)
    view = await access.thread(world.messaging, cleo, thread.id)
    assert (await access.message(world.messaging, view, said[1].id)).body == "Message 1"
    for doing in (
        access.message(world.messaging, view, said[2].id),
        report_message(world.messaging, cleo, thread.id, said[2].id, Reason.SPAM),
    ):
        with pytest.raises(MessageNotFound):
            await doing
    await read.mark_read(world.messaging, cleo, thread.id, 4)
    for marking in (
        read.mark_read(world.messaging, cleo, thread.id, 5),
        read.mark_delivered(world.messaging, cleo, thread.id, 5),
        read.mark_unread(world.messaging, cleo, thread.id, 5),
    ):
        with pytest.raises(InvalidReadPosition):
            await marking
    assert (await inbox.counts(world.messaging, cleo)).badge == 0


async def test_coming_back_tells_no_more_either_and_accepting_brings_the_rest(
    world: MessagingWorld,
) -> None:
    cleo = await world.person("cleo")
    client = SyncClient(world.messaging, cleo)
    await client.reload()
    _, thread, _ = await _invited(world, 1)
    for n in range(4):
        world.clock.advance(seconds=60)
        await world.say("ana", thread.id, f"And {n}")
        await client.sync()
        assert client.shown() == await client.reloaded()
    assert len(client.threads[thread.id].messages) == 3
    world.clock.advance(seconds=60)
    synced = await sync(world.messaging, cleo, client.cursor)
    assert all(changed.messages == () for changed in synced.threads)
    await respond.accept(world.messaging, cleo, thread.gates[cleo.user].id)
    await client.sync()
    assert client.shown() == await client.reloaded()
    assert len(client.threads[thread.id].messages) == 6


async def test_the_others_notice_nothing_of_what_the_invited_one_sees(
    world: MessagingWorld,
) -> None:
    _, thread, _ = await _invited(world, 5)
    for name in ("ana", "ben"):
        bodies = await _bodies(world, world.actors[name], thread)
        assert bodies[-1] == "Message 4"


async def test_an_accepted_invitation_moves_to_the_inbox(world: MessagingWorld) -> None:
    cleo, thread, _ = await _invited(world, 1)
    for put_away in (row_settings.archive, row_settings.mark_spam):
        await put_away(world.messaging, cleo, thread.id, True)
    await respond.accept(world.messaging, cleo, thread.gates[cleo.user].id)
    assert [row.thread.id for row in (await inbox.inbox(world.messaging, cleo)).rows] == [thread.id]


@pytest.mark.parametrize("messages", [150])
async def test_an_invitation_shows_the_first_messages_however_many_follow(
    world: MessagingWorld, messages: int
) -> None:
    cleo, thread, _ = await _invited(world, messages)
    with world.store.counting() as cost:
        assert len(await _bodies(world, cleo, thread)) == 3
    assert cost.read_units <= 5


async def test_a_contact_of_the_inviter_may_not_send_what_a_stranger_may_not(
    world: MessagingWorld,
) -> None:
    """Ana invites Cleo to a group with Ben, whom Ana knows; to Cleo both are strangers."""
    _, thread, said = await _invited(world, 1)
    link = "Look at https://example.com/offer"
    for name in ("ana", "ben"):
        with pytest.raises(PlainTextOnly):
            await world.say(name, thread.id, link)
    with pytest.raises(PlainTextOnly):
        await edit(world.messaging, world.actors["ben"], thread.id, said[0].id, link)
    with pytest.raises(PlainTextOnly):
        await rename(world.messaging, world.actors["ana"], thread.id, "https://example.com")
    await world.say("ben", thread.id, "The last that shows")
    hidden = await world.say("ben", thread.id, link)
    assert hidden.body == link
    with pytest.raises(PlainTextOnly):
        await edit(world.messaging, world.actors["ben"], thread.id, said[0].id, link)


async def test_links_are_allowed_once_everybody_has_accepted(world: MessagingWorld) -> None:
    cleo, thread, _ = await _invited(world, 1)
    await respond.accept(world.messaging, cleo, thread.gates[cleo.user].id)
    await world.say("ben", thread.id, "Look at https://example.com/offer")
