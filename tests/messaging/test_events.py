"""Who gets which event, and that nobody gets an event they must not see."""

import dataclasses

import pytest

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import events, inbox, open as opening, participants, read, row_settings
from greenroom.messaging.block import block_person
from greenroom.messaging.delete import delete
from greenroom.messaging.draft import save_draft
from greenroom.messaging.edit import edit
from greenroom.messaging.events import Event
from greenroom.messaging.models import Kind, Role, Thread
from greenroom.messaging.react import react
from greenroom.messaging.rename import rename
from greenroom.messaging.respond import accept, decline
from tests.messaging.world import MessagingWorld


class RecordedEvents:
    """Records every event as (kind, recipients)."""

    def __init__(self, world: MessagingWorld) -> None:
        self._world = world
        self.heard: list[tuple[str, frozenset[str]]] = []

    def __call__(self, thread: Thread, event: Event) -> None:
        names = {actor.user: name for name, actor in self._world.actors.items()}
        recipients = events.audience(thread, event, self._world.clock.now_ms())
        self.heard.append((type(event).__name__, frozenset(names[user] for user in recipients)))

    def take(self) -> list[tuple[str, set[str]]]:
        heard, self.heard = self.heard, []
        return [(what, set(whom)) for what, whom in heard if whom]


@pytest.fixture
def recorded(world: MessagingWorld) -> RecordedEvents:
    listener = RecordedEvents(world)
    world.messaging = dataclasses.replace(world.messaging, publish=listener)
    return listener


async def _group(world: MessagingWorld) -> Thread:
    ana = await world.person("ana")
    others = []
    for name in ("ben", "cleo"):
        person = await world.person(name)
        thread = await world.inquiry("ana", name)
        await world.say("ana", thread.id, "hello")
        await world.say(name, thread.id, "hello")
        others.append(opening.Invited(person.user, Role.SELLER))
    return await opening.open_thread(
        world.messaging, ana, opening.Opening(kind=Kind.BOOKING, others=tuple(others))
    )


async def test_a_message_and_its_changes(world: MessagingWorld, recorded: RecordedEvents) -> None:
    thread = await world.inquiry()
    recorded.take()
    both = {"ana", "ben"}
    message = await world.say("ana", thread.id, "hello")
    assert recorded.take() == [("MessageCreated", both)]
    ana, ben = world.actors["ana"], world.actors["ben"]
    await edit(world.messaging, ana, thread.id, message.id, "hello there")
    await react(world.messaging, ben, thread.id, message.id, "👍")
    await read.mark_delivered(world.messaging, ben, thread.id, message.seq)
    await read.mark_read(world.messaging, ben, thread.id, message.seq)
    await delete(world.messaging, ana, thread.id, message.id)
    assert recorded.take() == [
        ("MessageEdited", both),
        ("ReactionChanged", both),
        ("ReceiptMoved", both),
        ("ReceiptMoved", both),
        ("MessageDeleted", both),
    ]
    await read.mark_read(world.messaging, ben, thread.id, message.seq)
    assert recorded.take() == [], "nothing has changed"


async def test_private_changes_go_to_their_user_alone(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "hello")
    recorded.take()
    ben = world.actors["ben"]
    await row_settings.pin(world.messaging, ben, thread.id, True)
    await save_draft(world.messaging, ben, thread.id, "I thi")
    await save_draft(world.messaging, ben, thread.id, "I think")
    await read.mark_unread(world.messaging, ben, thread.id)
    assert recorded.take() == [("InboxChanged", {"ben"})] * 4


async def test_the_sender_of_a_request_learns_only_that_it_was_accepted(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    asking = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(ben.user),))
    thread = await opening.open_thread(world.messaging, ana, asking)
    assert recorded.take() == [("ThreadUpdated", {"ana"})]
    await world.say("ana", thread.id, "hello")
    heard = recorded.take()
    assert ("MessageCreated", {"ana", "ben"}) in heard
    assert ("RequestChanged", {"ben"}) in heard
    await read.mark_delivered(world.messaging, ben, thread.id, 1)
    await read.mark_read(world.messaging, ben, thread.id, 1)
    assert all(whom == {"ben"} for _, whom in recorded.take())
    await accept(world.messaging, ben, thread.gates[ben.user].id)
    assert ("RequestChanged", {"ana", "ben"}) in recorded.take()


async def test_nobody_gets_events_of_a_decline_or_of_later_messages(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    asking = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(ben.user),))
    thread = await opening.open_thread(world.messaging, ana, asking)
    await world.say("ana", thread.id, "hello")
    recorded.take()
    await decline(world.messaging, ben, thread.gates[ben.user].id)
    assert all(whom == {"ben"} for _, whom in recorded.take())
    await world.say("ana", thread.id, "are you there?")
    assert all(whom == {"ana"} for _, whom in recorded.take())


async def test_only_the_blocker_gets_the_event_of_a_block(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "hello")
    recorded.take()
    ben = world.actors["ben"]
    await block_person(world.messaging, ben, world.user("ana"), thread_id=thread.id)
    assert recorded.take() == [("InboxChanged", {"ben"})]


async def test_new_members_get_no_events_of_earlier_messages(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    thread = await _group(world)
    first = await world.say("ana", thread.id, "before")
    dora = await world.person("dora")
    meeting = await world.inquiry("ana", "dora")
    await world.say("ana", meeting.id, "hello")
    recorded.take()
    ana, ben = world.actors["ana"], world.actors["ben"]
    await participants.add(world.messaging, ana, thread.id, opening.Invited(dora.user, Role.SELLER))
    everybody = {"ana", "ben", "cleo", "dora"}
    assert recorded.take() == [("MessageCreated", everybody), ("ThreadUpdated", everybody)]
    await react(world.messaging, ben, thread.id, first.id, "👍")
    assert recorded.take() == [("ReactionChanged", {"ana", "ben", "cleo"})]
    await participants.leave(world.messaging, ben, thread.id)
    heard = recorded.take()
    rest = {"ana", "cleo", "dora"}
    assert ("InboxChanged", {"ben"}) in heard
    assert ("ThreadUpdated", rest) in heard
    assert ("MessageCreated", rest) in heard
    await rename(world.messaging, ana, thread.id, "A new name")
    assert recorded.take() == [("MessageCreated", rest), ("ThreadUpdated", rest)]


async def test_a_refused_write_publishes_nothing(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    thread = await world.inquiry()
    recorded.take()
    stranger = await world.person("cleo")
    for act in (
        edit(world.messaging, stranger, thread.id, MessageId("msg_x"), "x"),
        read.mark_read(world.messaging, stranger, ThreadId(thread.id), 1),
        react(world.messaging, stranger, thread.id, MessageId("msg_x"), "👍"),
    ):
        with pytest.raises(Exception, match="conversation"):
            await act
    assert recorded.take() == []
    assert UserId(stranger.user)


async def test_invited_people_get_no_more_than_a_request_shows(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    thread = await world.inquiry()
    cleo = await world.person("cleo")
    invited = opening.Invited(cleo.user, Role.BUYER)
    grown = await participants.add(world.messaging, world.actors["ana"], thread.id, invited)
    for n in range(2):
        await world.say("ana", thread.id, f"shown {n}")
    recorded.take()
    hidden = await world.say("ana", thread.id, "not shown")
    await react(world.messaging, world.actors["ben"], thread.id, hidden.id, "👍")
    assert recorded.take() == [
        ("MessageCreated", {"ana", "ben"}),
        ("ReactionChanged", {"ana", "ben"}),
    ]
    await accept(world.messaging, cleo, grown.gates[cleo.user].id)
    recorded.take()
    await world.say("ana", thread.id, "welcome")
    assert recorded.take() == [("MessageCreated", {"ana", "ben", "cleo"})]


async def test_a_person_removed_before_answering_has_not_accepted(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    thread = await world.inquiry()
    cleo = await world.person("cleo")
    invited = opening.Invited(cleo.user, Role.BUYER)
    await participants.add(world.messaging, world.actors["ana"], thread.id, invited)
    recorded.take()
    await participants.remove(world.messaging, world.actors["ana"], thread.id, cleo.user)
    heard = recorded.take()
    assert ("InboxChanged", {"cleo"}) in heard
    assert all(what != "RequestChanged" for what, _ in heard)


async def test_a_request_from_a_blocked_stranger_publishes_nothing_to_the_blocker(
    world: MessagingWorld, recorded: RecordedEvents
) -> None:
    group = await world.inquiry("ana", "ben")
    ana, cleo = world.actors["ana"], await world.person("cleo")
    dora = await world.person("dora")
    for name in ("cleo", "dora"):
        await block_person(world.messaging, world.actors[name], ana.user)
    recorded.take()
    await participants.add(world.messaging, ana, group.id, opening.Invited(cleo.user, Role.BUYER))
    asking = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(dora.user),))
    thread = await opening.open_thread(world.messaging, ana, asking)
    await world.say("ana", thread.id, "hello")
    assert all(not whom & {"cleo", "dora"} for _, whom in recorded.take())
    for actor in (cleo, dora):
        with world.store.counting() as cost:
            assert (await inbox.inbox(world.messaging, actor)).rows == ()
        assert cost.read_units <= 3, "there is no row to be looked at"
