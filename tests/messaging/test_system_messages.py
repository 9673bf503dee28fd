"""Who gets the system messages of a service, also while two people block each other."""

import re
from pathlib import Path

import pytest

from greenroom.ids import ThreadId
from greenroom.messaging import inbox
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.history import history
from greenroom.messaging.models import BUILT_IN_EVENTS, Kind
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.post_system import SystemMessage, post_system
from greenroom.messaging.problems import InvalidText
from greenroom.people.actor import SYSTEM, Actor, Scope
from tests.messaging.world import MessagingWorld

_SERVICE = Actor(SYSTEM, frozenset({Scope.SERVICE}))


async def _post(world: MessagingWorld, thread: ThreadId, client_id: str) -> None:
    message = SystemMessage(client_id, "Your prints are on their way.")
    await post_system(world.messaging, _SERVICE, thread, message)


async def _bodies(world: MessagingWorld, name: str, thread: ThreadId) -> list[str]:
    page = await history(world.messaging, world.actors[name], thread)
    return [message.body for message in page.messages]


async def test_in_a_thread_of_two_a_system_message_skips_only_the_blocker(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry("ana", "ben")
    ana, ben = world.actors["ana"], world.actors["ben"]
    await world.say("ana", thread.id, "Hello")
    await block_person(world.messaging, ben, ana.user)
    await _post(world, thread.id, "s1")
    assert len(await _bodies(world, "ana", thread.id)) == 2
    assert (await inbox.inbox(world.messaging, ben)).rows == ()
    await unblock_person(world.messaging, ben, ana.user)
    assert await _bodies(world, "ben", thread.id) == ["Hello"]
    await _post(world, thread.id, "s2")
    assert len(await _bodies(world, "ben", thread.id)) == 2


async def test_a_system_thread_of_a_service_reaches_the_blocker(
    world: MessagingWorld,
) -> None:
    await world.inquiry("ana", "ben")
    ana, ben = world.actors["ana"], world.actors["ben"]
    await block_person(world.messaging, ben, ana.user)
    for person in (ana, ben):
        opening = Opening(kind=Kind.SYSTEM, others=(Invited(person.user),), booking_id="bkg_1")
        thread = await open_thread(world.messaging, _SERVICE, opening)
        await _post(world, thread.id, "s1")
        rows = (await inbox.inbox(world.messaging, person)).rows
        assert [row.thread.id for row in rows if row.state.unread] == [thread.id]


@pytest.mark.parametrize("event", sorted(BUILT_IN_EVENTS))
async def test_a_service_cannot_post_the_servers_own_events(
    world: MessagingWorld, event: str
) -> None:
    thread = await world.inquiry("ana", "ben")
    message = SystemMessage("s1", "Your prints are on their way.", event=event)
    with pytest.raises(InvalidText, match="one of the server's own"):
        await post_system(world.messaging, _SERVICE, thread.id, message)
    assert await _bodies(world, "ana", thread.id) == []


def test_every_event_with_a_sentence_in_the_web_app_is_the_servers_own() -> None:
    row = Path(__file__).parents[2] / "web/src/inbox/EventRow.svelte"
    named = set(re.findall(r'case "([a-z.]+)":', row.read_text()))
    assert "participant.added" in named
    assert named <= BUILT_IN_EVENTS
