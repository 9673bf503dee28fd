"""Held edits and subjects: the old text stays until a moderator releases the new one."""

import asyncio

import pytest

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging.case_context import case_context
from greenroom.messaging.delete import delete
from greenroom.messaging.edit import edit
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.events import MessageEdited
from greenroom.messaging.history import history
from greenroom.messaging.hold_change import HeldChange
from greenroom.messaging.models import Kind, Message, Thread
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Held, Outgoing
from greenroom.messaging.participants import leave
from greenroom.messaging.problems import (
    MessageNotFound,
    NotYours,
    PlainTextOnly,
    TextRefused,
    TextRejected,
    ThreadChanged,
    VersionMismatch,
)
from greenroom.messaging.rename import rename
from greenroom.messaging.send import send
from greenroom.people.actor import Scope
from greenroom.safety import items
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.models import AuditEntry, Case, Decision, HeldEdit, HeldName
from greenroom.safety.problems import CannotRelease
from greenroom.safety.queue import queue
from tests.messaging.world import MessagingWorld

HELD = "You have won the lottery, send a processing fee to claim your prize"
NAME = "You have won the lottery, claim your prize"


async def _cases(world: MessagingWorld) -> tuple[Case, ...]:
    mod = await world.person("mod", Scope.MODERATOR)
    return (await queue(world.messaging.safety, mod)).cases


async def _only_case(world: MessagingWorld) -> Case:
    [case] = await _cases(world)
    return case


async def _decide(world: MessagingWorld, decision: Decision, reason: str = "") -> None:
    mod, case = world.actors["mod"], await _only_case(world)
    case = await claim(world.messaging.safety, mod, case.id)
    await decide(
        world.messaging.safety, mod, case.id, decision, version=case.version, reason=reason
    )


async def _bodies(world: MessagingWorld, name: str, thread: ThreadId) -> list[str]:
    messages = (await history(world.messaging, world.actors[name], thread)).messages
    return [message.body for message in messages if message.event is None]


async def _edited(world: MessagingWorld, body: str) -> tuple[Thread, Message, Message | HeldChange]:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "Hello Ben")
    return thread, message, await _edit(world, thread.id, message.id, body)


async def _edit(
    world: MessagingWorld, thread: ThreadId, message: MessageId, body: str
) -> Message | HeldChange:
    return await edit(world.messaging, world.actors["ana"], thread, message, body)


async def _named(world: MessagingWorld, name: str) -> tuple[Thread, Thread | HeldChange]:
    thread = await world.inquiry()
    return thread, await rename(world.messaging, world.actors["ana"], thread.id, name)


async def _subject(world: MessagingWorld, thread: ThreadId) -> str | None:
    return (await history(world.messaging, world.actors["ben"], thread)).view.thread.subject


async def test_an_edit_that_is_held_changes_nothing_until_it_is_released(
    world: MessagingWorld,
) -> None:
    thread, message, outcome = await _edited(world, HELD)
    assert isinstance(outcome, HeldChange)
    for name in ("ana", "ben"):
        assert await _bodies(world, name, thread.id) == ["Hello Ben"]
    case = await _only_case(world)
    assert isinstance(case.subject, HeldEdit)
    assert (case.text, case.about) == (HELD, world.user("ana"))
    around = await case_context(world.messaging, world.actors["mod"], case.id)
    assert [one.id for one in around.messages] == [message.id]
    await _decide(world, Decision.RELEASE)
    [after] = (await history(world.messaging, world.actors["ben"], thread.id)).messages
    assert (after.body, after.moderation, after.version) == (HELD, "clean", 2)
    assert [one.body for one in after.edits] == ["Hello Ben"]


async def test_a_held_edit_is_one_case_however_often_it_is_tried(world: MessagingWorld) -> None:
    thread, message, _ = await _edited(world, HELD)
    assert isinstance(await _edit(world, thread.id, message.id, HELD), HeldChange)
    await _only_case(world)
    await _decide(world, Decision.REMOVE)
    assert await _bodies(world, "ben", thread.id) == ["Hello Ben"]
    with pytest.raises(TextRejected):
        await _edit(world, thread.id, message.id, HELD)
    assert await _cases(world) == ()


_AGAINST = (Decision.REMOVE, Decision.WARN, Decision.SUSPEND)


@pytest.mark.parametrize("decision", [*_AGAINST, Decision.RELEASE])
@pytest.mark.parametrize("kind", ["edit", "name"])
async def test_a_change_that_was_decided_is_never_held_without_a_case(
    world: MessagingWorld, kind: str, decision: Decision
) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "Hello Ben")
    messaging, ana = world.messaging, world.actors["ana"]

    async def change() -> Thread | Message | HeldChange:
        if kind == "edit":
            return await edit(messaging, ana, thread.id, message.id, HELD)
        return await rename(messaging, ana, thread.id, NAME)

    for _ in range(2):
        assert isinstance(await change(), HeldChange)
        first = await _only_case(world)
    await _decide(world, decision, reason="Not here")
    if decision in _AGAINST:
        with pytest.raises(TextRejected) as refusal:
            await change()
        assert (refusal.value.reason, refusal.value.warned) == (
            "Not here",
            decision is Decision.WARN,
        )
        assert await _cases(world) == ()
        return
    if kind == "edit":
        await edit(messaging, ana, thread.id, message.id, "Hello again")
    else:
        await rename(messaging, ana, thread.id, "")
    for _ in range(2):
        assert isinstance(await change(), HeldChange)
        again = await _only_case(world)
        assert (again.is_open, again.decision, again.about) == (True, None, ana.user)
    assert (again.id, again.version) == ((first.id, 3) if kind == "name" else (again.id, 1))
    await _decide(world, Decision.RELEASE)
    if kind == "edit":
        assert await _bodies(world, "ben", thread.id) == [HELD]
    else:
        assert await _subject(world, thread.id) == NAME


async def test_a_change_that_could_not_be_released_is_held_again(world: MessagingWorld) -> None:
    thread, message, _ = await _edited(world, HELD)
    case, safety = await _only_case(world), world.messaging.safety
    entry = AuditEntry(
        case=case.id,
        version=case.version + 1,
        at_ms=safety.clock.now_ms(),
        by=world.user("mod"),
        decision=Decision.RELEASE,
        about=case.about,
    )
    case = await claim(safety, world.actors["mod"], case.id)
    await safety.store.write(*items.decided(case, entry, None, pending=False))
    assert await _cases(world) == ()
    outcomes = await asyncio.gather(
        *(_edit(world, thread.id, message.id, HELD) for _ in range(4)),
    )
    assert outcomes == [HeldChange()] * 4
    assert (await _only_case(world)).version == 3


async def test_a_release_that_is_carried_out_again_edits_once(world: MessagingWorld) -> None:
    thread, _, _ = await _edited(world, HELD)
    case = await _only_case(world)
    heard: list[object] = []
    for node in (world, world.another_node()):
        object.__setattr__(node.messaging, "publish", lambda _, event: heard.append(event))
        await Enforcement(node.messaging).release(case)
    [after] = (await history(world.messaging, world.actors["ben"], thread.id)).messages
    assert after.version == 2
    assert len([one for one in heard if isinstance(one, MessageEdited)]) == 1


@pytest.mark.parametrize("way", ["edited", "deleted", "left"])
async def test_a_moderator_sees_why_an_edit_cannot_be_released(
    world: MessagingWorld, way: str
) -> None:
    thread, message, _ = await _edited(world, HELD)
    case, ana = await _only_case(world), world.actors["ana"]
    enforcement = Enforcement(world.messaging)
    await enforcement.check_release(case)
    match way:
        case "edited":
            await _edit(world, thread.id, message.id, "Hello Benjamin")
        case "deleted":
            await delete(world.messaging, ana, thread.id, message.id)
        case _:
            await leave(world.messaging, ana, thread.id)
    before = await _bodies(world, "ben", thread.id)
    with pytest.raises(CannotRelease):
        await enforcement.check_release(case)
    await enforcement.release(case)
    assert await _bodies(world, "ben", thread.id) == before


async def test_an_edit_that_would_be_refused_is_not_held(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "Hello Ben")
    messaging, ana = world.messaging, world.actors["ana"]
    with pytest.raises(VersionMismatch):
        await edit(messaging, ana, thread.id, message.id, HELD, version=7)
    with pytest.raises(NotYours):
        await edit(messaging, world.actors["ben"], thread.id, message.id, HELD)
    await delete(messaging, ana, thread.id, message.id)
    with pytest.raises(MessageNotFound):
        await edit(messaging, ana, thread.id, message.id, HELD)
    assert await _cases(world) == ()


async def test_the_old_subject_stays_until_the_held_one_is_released(
    world: MessagingWorld,
) -> None:
    thread, outcome = await _named(world, NAME)
    assert isinstance(outcome, HeldChange)
    assert await _subject(world, thread.id) is None
    case = await _only_case(world)
    assert isinstance(case.subject, HeldName)
    assert case.text == NAME
    await _decide(world, Decision.RELEASE)
    assert await _subject(world, thread.id) == NAME
    events = (await history(world.messaging, world.actors["ben"], thread.id)).messages
    assert [(one.event, one.author) for one in events] == [("subject.changed", world.user("ana"))]
    await Enforcement(world.messaging).release(case)
    assert len((await history(world.messaging, world.actors["ben"], thread.id)).messages) == 1


async def test_a_held_subject_is_dropped_if_there_is_a_newer_one(world: MessagingWorld) -> None:
    thread, _ = await _named(world, NAME)
    case, ana = await _only_case(world), world.actors["ana"]
    await rename(world.messaging, ana, thread.id, "May")
    enforcement = Enforcement(world.messaging)
    with pytest.raises(CannotRelease):
        await enforcement.check_release(case)
    await enforcement.release(case)
    assert await _subject(world, thread.id) == "May"
    with pytest.raises(ThreadChanged):
        await rename(world.messaging, ana, thread.id, NAME, settings_version="another")
    assert len(await _cases(world)) == 1
    await _decide(world, Decision.REMOVE)
    assert await _subject(world, thread.id) == "May"


_TEXTS = (
    NAME,
    "Wire the rest by western union www.x.com",
    "http://bit.ly/x lottery processing fee claim your prize",
    "Pay the deposit with a gift card, then wire the rest by western union",
    "Look at https://shop.example",
    "A test shoot in May",
)


async def _in_request(world: MessagingWorld, *, group: bool, said: int) -> Thread:
    """Ana has sent Ben a request, alone or in a group with Emil, with `count` messages."""
    ana, ben, speaker = await world.person("ana"), await world.person("ben"), "ana"
    others = [ben]
    if group:
        await world.inquiry("ana", speaker := "emil")
        others.append(world.actors["emil"])
    invited = tuple(Invited(other.user) for other in others)
    opening = Opening(kind=Kind.GROUP, others=invited)
    thread = await open_thread(world.messaging, ana, opening)
    for number in range(said):
        await world.say(speaker, thread.id, f"Message {number}")
    return thread


@pytest.mark.parametrize("text", _TEXTS)
@pytest.mark.parametrize(("group", "said"), [(False, 0), (False, 1), (True, 0), (True, 4)])
async def test_in_a_pending_request_a_subject_is_held_where_a_message_is(
    world: MessagingWorld, group: bool, said: int, text: str
) -> None:
    thread = await _in_request(world, group=group, said=said)
    ana = world.actors["ana"]
    outcomes: list[bool | str] = []
    for doing in (
        send(world.messaging, ana, thread.id, Outgoing("c", text)),
        rename(world.messaging, ana, thread.id, text),
    ):
        try:
            outcomes.append(isinstance(await doing, Held | HeldChange))
        except (PlainTextOnly, TextRefused) as problem:
            outcomes.append(problem.code)
    message, name = outcomes
    if message is False and text.endswith(".example"):
        message = "plain-text-only"  # a request shows the subject, whatever was sent since
    assert name == message


async def test_a_moderator_can_release_a_subject_with_a_link_while_a_request_is_pending(
    world: MessagingWorld,
) -> None:
    thread = await _in_request(world, group=True, said=4)
    await rename(world.messaging, world.actors["ana"], thread.id, _TEXTS[1])
    await _only_case(world)
    await _decide(world, Decision.RELEASE)
    assert await _subject(world, thread.id) == _TEXTS[1]
