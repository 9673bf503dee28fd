"""A thread and its first message are stored together or not at all."""

import dataclasses

import pytest

from greenroom.errors import Problem
from greenroom.messaging import inbox, participants, respond
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.history import history
from greenroom.messaging.models import Folder, Kind
from greenroom.messaging.open import Invited, Opening, open_direct, open_thread
from greenroom.messaging.outgoing import Held, Outgoing, Sent
from greenroom.messaging.policy import MESSAGES
from greenroom.messaging.problems import (
    AlreadyAsked,
    InvalidText,
    PlainTextOnly,
    RequestPending,
    TextRefused,
)
from greenroom.messaging.send import send
from greenroom.messaging.start import Started, start
from greenroom.messaging.sync import sync
from greenroom.people.actor import Actor
from greenroom.safety.limits import Rate, TooMany
from greenroom.safety.matchers import Pattern
from greenroom.safety.models import Case, HeldMessage, case_id
from greenroom.safety.rules import DEFAULT_RULES, Rule, RuleSet, Severity
from tests.messaging.world import MessagingWorld
from tests.world import RATES, messaging_on

SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"
_EVERYWHERE = (Folder.ALL, Folder.ARCHIVED, Folder.SPAM)


def _with(*others: Actor, kind: Kind = Kind.INQUIRY) -> Opening:
    return Opening(kind=kind, others=tuple(Invited(other.user) for other in others))


async def _rows(world: MessagingWorld, *actors: Actor) -> list[int]:
    """The number of inbox rows of each person."""
    found = []
    for actor in actors:
        pages = [await inbox.inbox(world.messaging, actor, folder) for folder in _EVERYWHERE]
        found.append(sum(len(page.rows) for page in pages))
    await world.messaging.deferred.run()
    return found


def _without_fish(world: MessagingWorld) -> None:
    """No default rule refuses a text from everybody, so this adds one."""
    rule = Rule(name="no-fish", matcher=Pattern("fish"), severity=Severity.REFUSE)
    rule_set = RuleSet(rules=(*DEFAULT_RULES.rules, rule))
    safety = dataclasses.replace(world.messaging.safety, rule_set=rule_set)
    world.messaging = dataclasses.replace(world.messaging, safety=safety)


async def _strangers(world: MessagingWorld) -> tuple[Actor, Actor]:
    return await world.person("cleo"), await world.person("ana")


async def test_a_thread_begins_with_its_first_message(world: MessagingWorld) -> None:
    cleo, ana = await _strangers(world)
    cursor = (await sync(world.messaging, ana)).cursor
    started = await start(world.messaging, cleo, _with(ana), "Hello Ana!")
    assert isinstance(started.first, Sent)
    assert started.created
    assert await _rows(world, cleo, ana) == [1, 1]
    [row] = (await inbox.inbox(world.messaging, ana)).rows
    assert (row.state.folder, row.state.unread) == (Folder.REQUESTS, 1)
    assert (row.thread.preview, row.thread.last_sender) == ("Hello Ana!", cleo.user)
    [changed] = (await sync(world.messaging, ana, cursor)).threads
    assert [message.body for message in changed.messages] == ["Hello Ana!"]
    for _ in range(2):
        await world.say("cleo", started.thread.id, "And?")
    with pytest.raises(RequestPending):
        await world.say("cleo", started.thread.id, "Hello?")


async def test_a_request_has_policy_hints_about_the_sender_from_the_start(
    world: MessagingWorld,
) -> None:
    cleo, ana = await _strangers(world)
    started = await start(world.messaging, cleo, _with(ana), "Mail me: cleo at example dot com")
    assert started.thread.gates[ana.user].reason == "OFF_PLATFORM"
    await respond.accept(world.messaging, ana, started.thread.gates[ana.user].id)


@pytest.mark.parametrize("kind", [Kind.INQUIRY, Kind.DIRECT])
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("See https://shop.example for more", PlainTextOnly),
        ("Fish?", TextRefused),
        (" \n ", InvalidText),
    ],
)
async def test_a_refused_first_message_leaves_nothing_behind(
    world: MessagingWorld, kind: Kind, body: str, problem: type[Problem]
) -> None:
    cleo, ana = await _strangers(world)
    _without_fish(world)
    with pytest.raises(problem):
        await start(world.messaging, cleo, _with(ana, kind=kind), body, key="k")
    assert await _rows(world, cleo, ana) == [0, 0]
    again = await start(world.messaging, cleo, _with(ana, kind=kind), "Good morning!", key="k")
    assert again.created, "nobody has been asked yet, and the key is free"


async def test_a_first_message_above_the_limit_leaves_nothing_behind(world: MessagingWorld) -> None:
    cleo, ana = await _strangers(world)
    none = Rate(most=0, window_ms=1000, local_share=0, lease_size=1, lease_ms=1000)
    world.messaging = messaging_on(world.store, world.clock, {**RATES, MESSAGES: none})
    with pytest.raises((TooMany, ValueError)):
        await start(world.messaging, cleo, _with(ana), "Hello!")
    assert await _rows(world, cleo, ana) == [0, 0]


async def _known(world: MessagingWorld) -> tuple[Actor, Actor]:
    """Ana and Ben are contacts, and Ben's inbox has one row of it."""
    await world.inquiry("ana", "ben")
    return world.actors["ana"], world.actors["ben"]


async def _held(world: MessagingWorld, opening: Opening, by: Actor) -> tuple[Started, Case]:
    started = await start(world.messaging, by, opening, SCAM, key="k")
    assert isinstance(started.first, Held)
    subject = HeldMessage(started.thread.id, by.user, started.client_id)
    return started, Case(
        id=case_id(subject), subject=subject, about=by.user, text=SCAM, opened_ms=0
    )


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("kind", [Kind.INQUIRY, Kind.DIRECT])
async def test_a_thread_whose_first_message_is_held_is_in_nobodys_inbox_until_it_is_released(
    world: MessagingWorld, known: bool, kind: Kind
) -> None:
    by, to = await (_known(world) if known else _strangers(world))
    world.clock.advance(seconds=60)
    before = await _rows(world, by, to)
    cursors = [(await sync(world.messaging, actor)).cursor for actor in (by, to)]
    started, case = await _held(world, _with(to, kind=kind), by)
    again = await start(world.another_node().messaging, by, _with(to, kind=kind), SCAM, key="k")
    assert again.thread.id == started.thread.id
    assert again.first == Held(started.client_id, again=True)
    world.clock.advance(seconds=3600)
    assert await _rows(world, by, to) == before
    for actor, cursor in zip((by, to), cursors, strict=True):
        synced = await sync(world.messaging, actor, cursor)
        assert (synced.threads, synced.gone) == ((), ())
    await Enforcement(world.messaging).release(case)
    assert await _rows(world, by, to) == [one + 1 for one in before]
    [message] = (await history(world.messaging, to, started.thread.id)).messages
    assert (message.body, message.seq) == (SCAM, 1)


async def test_a_second_message_after_a_held_one_shows_the_thread(
    world: MessagingWorld,
) -> None:
    cleo, ana = await _strangers(world)
    started, case = await _held(world, _with(ana), cleo)
    await world.say("cleo", started.thread.id, "Good morning!")
    assert await _rows(world, cleo, ana) == [1, 1]
    await Enforcement(world.messaging).remove(case)
    assert len((await history(world.messaging, ana, started.thread.id)).messages) == 1


async def test_a_retry_sends_nothing_twice_whatever_happened_to_the_thread(
    world: MessagingWorld,
) -> None:
    cleo, ana = await _strangers(world)
    direct = _with(ana, kind=Kind.DIRECT)
    first = await start(world.messaging, cleo, direct, "Hello!", key="k")
    assert isinstance(first.first, Sent)
    await respond.accept(world.messaging, ana, first.thread.gates[ana.user].id)
    again = await start(world.messaging, cleo, direct, "Hello!", key="k")
    assert isinstance(again.first, Sent)
    assert (again.created, again.first.again) == (False, True)
    await participants.leave(world.messaging, cleo, first.thread.id)
    back = await start(world.messaging, cleo, direct, "Hello!", key="k")
    assert isinstance(back.first, Sent)
    assert back.first.message.id == first.first.message.id
    assert len((await history(world.messaging, ana, first.thread.id)).messages) == 1


async def test_a_first_message_to_a_pending_thread_is_added_to_it(
    world: MessagingWorld,
) -> None:
    cleo, ana = await _strangers(world)
    thread = await open_thread(world.messaging, cleo, _with(ana))
    started = await start(world.messaging, cleo, _with(ana), "Hello!")
    assert (started.thread.id, started.created) == (thread.id, False)
    assert isinstance(started.first, Sent)
    with pytest.raises(AlreadyAsked):
        await start(world.messaging, cleo, _with(ana, kind=Kind.BOOKING), "Hello?")


async def test_rejoining_a_direct_thread_with_a_refused_message_changes_nothing(
    world: MessagingWorld,
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    thread = await open_direct(world.messaging, ana, ben.user)
    await respond.accept(world.messaging, ben, thread.gates[ben.user].id)
    await world.say("ana", thread.id, "Hello!")
    await participants.leave(world.messaging, ana, thread.id)
    direct = _with(ben, kind=Kind.DIRECT)
    _without_fish(world)
    with pytest.raises(TextRefused):
        await start(world.messaging, ana, direct, "Fish?")
    assert await _rows(world, ana, ben) == [0, 1]
    back = await start(world.messaging, ana, direct, "Here I am again.")
    assert (back.thread.id, back.created) == (thread.id, False)
    seen = (await history(world.messaging, ana, thread.id)).messages
    assert [message.body for message in seen] == ["Hello!", "Here I am again."]
    assert await _rows(world, ana, ben) == [1, 1]


async def test_the_first_message_can_be_answered_and_sent_again(world: MessagingWorld) -> None:
    ana, ben = await _known(world)
    started = await start(world.messaging, ana, _with(ben), "Is Friday free?", key="k")
    await world.say("ben", started.thread.id, "It is.")
    outgoing = Outgoing(started.client_id, "Is Friday free?")
    again = await send(world.messaging, ana, started.thread.id, outgoing)
    assert isinstance(again, Sent)
    assert (again.again, again.message.seq) == (True, 1)
