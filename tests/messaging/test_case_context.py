"""A moderator sees a few messages around an open case, but never around their own."""

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.messaging.case_context import AFTER, BEFORE, case_context
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.report import report_message, report_person, report_thread
from greenroom.messaging.send import send
from greenroom.people.actor import Actor, Scope
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.models import (
    Decision,
    HeldMessage,
    Reason,
    SentMessage,
    SomePerson,
    Subject,
    WholeThread,
    case_id,
)
from greenroom.safety.problems import CaseNotFound, ModeratorsOnly
from tests.messaging.world import MessagingWorld


async def _seen(world: MessagingWorld, mod: Actor, subject: Subject) -> list[int]:
    found = await case_context(world.messaging, mod, case_id(subject))
    return [message.seq for message in found.messages]


async def test_a_few_messages_and_no_more(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    messages = [await world.say("ana", thread.id, f"number {n}") for n in range(1, 21)]
    mod = await world.person("mod", Scope.MODERATOR)
    ben = world.actors["ben"]
    await report_message(world.messaging, ben, thread.id, messages[9].id, Reason.SPAM)
    subject = SentMessage(thread.id, messages[9].id)
    assert await _seen(world, mod, subject) == list(range(10 - BEFORE, 10 + AFTER + 1))
    await report_thread(world.messaging, ben, thread.id, Reason.SPAM)
    assert await _seen(world, mod, WholeThread(thread.id)) == list(range(20 - BEFORE, 21))
    await report_person(world.messaging, ben, world.user("ana"), Reason.SPAM)
    assert await _seen(world, mod, SomePerson(world.user("ana"))) == []


async def test_a_held_text_comes_with_the_messages_before_it(world: MessagingWorld) -> None:
    thread, held = await _held(world)
    mod = await world.person("mod", Scope.MODERATOR)
    found = await case_context(world.messaging, mod, case_id(held))
    assert [message.body for message in found.messages] == ["Hello!"]
    assert found.thread is not None
    assert set(found.thread.members) == {world.user("ana"), world.user("ben")}
    assert found.thread.id == thread


async def test_a_decided_case_shows_no_messages(world: MessagingWorld) -> None:
    _, held = await _held(world)
    mod = await world.person("mod", Scope.MODERATOR)
    case = await claim(world.messaging.safety, mod, case_id(held))
    await decide(world.messaging.safety, mod, case.id, Decision.REMOVE, version=case.version)
    found = await case_context(world.messaging, mod, case.id)
    assert (found.thread, found.messages) == (None, ())


async def test_only_moderators_see_it_and_never_for_their_own_case(world: MessagingWorld) -> None:
    _, held = await _held(world)
    with pytest.raises(ModeratorsOnly):
        await case_context(world.messaging, world.actors["ben"], case_id(held))
    author = Actor(UserId(world.user("ana")), frozenset({Scope.MODERATOR}))
    with pytest.raises(CaseNotFound):
        await case_context(world.messaging, author, case_id(held))


async def _held(world: MessagingWorld) -> tuple[ThreadId, HeldMessage]:
    thread = await world.inquiry()
    await world.say("ben", thread.id, "Hello!")
    scam = "10000 followers for $9!!! Guaranteed income, dm me on telegram"
    await send(world.messaging, world.actors["ana"], thread.id, Outgoing("h", scam))
    return thread.id, HeldMessage(thread.id, world.user("ana"), "h")
