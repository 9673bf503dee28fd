"""Who may open a thread with whom; repeated opens give the same thread."""

import asyncio

import pytest

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.messaging import inbox, participants, respond, rules
from greenroom.messaging.block import block_person
from greenroom.messaging.history import history
from greenroom.messaging.hold_change import HeldChange
from greenroom.messaging.models import Folder, GateStatus, Kind, Role, Thread
from greenroom.messaging.open import Invited, Opening, open_direct, open_thread
from greenroom.messaging.problems import (
    BlockedByYou,
    InvalidThread,
    OpeningKeyReused,
    PlainTextOnly,
    RequestPending,
    TextRefused,
    ThreadNotFound,
)
from greenroom.messaging.rename import rename
from greenroom.messaging.rules import gate_status
from greenroom.messaging.sync import sync
from greenroom.people.actor import Actor, Scope
from greenroom.people.directory import PersonNotFound
from greenroom.safety.limits import TooMany
from greenroom.safety.unblock import unblock
from tests.messaging.world import MessagingWorld
from tests.world import UNLIMITED, messaging_on


def _with(*users: UserId, kind: Kind = Kind.INQUIRY) -> Opening:
    return Opening(kind=kind, others=tuple(Invited(user) for user in users))


async def _members(world: MessagingWorld, thread: Thread, name: str) -> set[UserId]:
    page = await history(world.messaging, world.actors[name], thread.id)
    return {member.user for member in page.members}


async def test_a_hundred_people_fit_and_a_hundred_and_one_do_not(
    world: MessagingWorld,
) -> None:
    ana = await world.person("ana")
    others = [(await world.person(f"p{n}")).user for n in range(100)]
    with pytest.raises(InvalidThread):
        await open_thread(world.messaging, ana, _with(*others))
    with pytest.raises(InvalidThread, match="at once"):  # more requests than anybody may send
        await open_thread(world.messaging, ana, _with(*others[:99]))
    world.messaging = messaging_on(world.store, world.clock, UNLIMITED)
    thread = await open_thread(world.messaging, ana, _with(*others[:99]))
    assert len(await _members(world, thread, "ana")) == 100
    await world.say("ana", thread.id, "Welcome, all of you.")
    requests = await inbox.inbox(world.messaging, world.actors["p98"])
    assert [row.thread.id for row in requests.rows] == [thread.id]


@pytest.mark.parametrize("kind", [Kind.DIRECT, Kind.INQUIRY])
async def test_a_thread_with_yourself_is_refused_with_that_reason(
    world: MessagingWorld, kind: Kind
) -> None:
    ana, cleo = await world.person("ana"), await world.person("cleo")
    with pytest.raises(InvalidThread, match="at least one other person"):
        await open_thread(world.messaging, ana, _with(ana.user, kind=kind))
    with pytest.raises(InvalidThread, match="only once"):
        await open_thread(world.messaging, ana, _with(cleo.user, cleo.user))


@pytest.mark.parametrize("kind", [Kind.SUPPORT, Kind.SYSTEM, Kind.DISPUTE])
async def test_users_cannot_open_threads_of_the_marketplace(
    world: MessagingWorld, kind: Kind
) -> None:
    ana, cleo = await world.person("ana"), await world.person("cleo")
    posing = Opening(kind=kind, others=(Invited(ana.user),), subject="Greenroom Support")
    with pytest.raises(InvalidThread):
        await open_thread(world.messaging, cleo, posing)
    for scope in (Scope.MODERATOR, Scope.SERVICE):
        staff = Actor(cleo.user, frozenset({Scope.USER, scope}))
        assert (await open_thread(world.messaging, staff, posing)).kind is kind


async def test_only_staff_give_a_staff_role(world: MessagingWorld) -> None:
    ana, cleo = await world.person("ana"), await world.person("cleo")
    for role in (Role.SUPPORT, Role.ADMIN):
        for kind in (Kind.SUPPORT, Kind.INQUIRY):
            with pytest.raises(InvalidThread):
                await open_thread(
                    world.messaging, cleo, Opening(kind=kind, others=(Invited(ana.user, role),))
                )


@pytest.mark.parametrize(
    ("subject", "problem", "is_held"),
    [("see https://shop.example", PlainTextOnly, False), ("I will kill you", TextRefused, True)],
)
async def test_a_subject_follows_the_same_rules_as_a_message(
    world: MessagingWorld, subject: str, problem: type[Problem], is_held: bool
) -> None:
    """A new subject is held where a message would be; an opening cannot be held."""
    ana, ben = await world.person("ana"), await world.person("ben")
    asked = Opening(kind=Kind.INQUIRY, others=(Invited(ben.user),), subject=subject)
    with pytest.raises(problem):
        await open_thread(world.messaging, ana, asked)
    thread = await open_thread(world.messaging, ana, _with(ben.user))
    if is_held:
        assert isinstance(await rename(world.messaging, ana, thread.id, subject), HeldChange)
        return
    with pytest.raises(problem):
        await rename(world.messaging, ana, thread.id, subject)


async def test_subjects_have_the_rate_limit_of_messages(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    names = [rename(world.messaging, ana, thread.id, f"Name {n}") for n in range(40)]
    given = await asyncio.gather(*names, return_exceptions=True)
    assert 0 < sum(isinstance(answer, TooMany) for answer in given) < 40


async def test_a_request_shows_with_its_first_message(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    thread = await open_thread(world.messaging, ana, _with(ben.user))
    cursor = (await sync(world.messaging, ben)).cursor
    assert (await inbox.inbox(world.messaging, ben)).rows == ()
    await world.messaging.deferred.run()
    assert (await sync(world.messaging, ben, cursor)).threads == ()
    await world.say("ana", thread.id, "Hello!")
    assert [row.thread.id for row in (await inbox.inbox(world.messaging, ben)).rows] == [thread.id]
    [changed] = (await sync(world.messaging, ben, cursor)).threads
    assert len(changed.messages) == 1


async def test_a_thread_takes_two_who_exist_and_nobody_twice(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    for wrong in (_with(), _with(ana.user), _with(ben.user, ben.user)):
        with pytest.raises(InvalidThread):
            await open_thread(world.messaging, ana, wrong)
    with pytest.raises(PersonNotFound):
        await open_thread(world.messaging, ana, _with(UserId("usr_nobody")))


async def test_only_staff_have_a_staff_role_or_open_a_system_thread(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    mod = await world.person("mod", Scope.MODERATOR)
    admin = Opening(kind=Kind.INQUIRY, role=Role.ADMIN, others=(Invited(ben.user),))
    system = _with(ben.user, kind=Kind.SYSTEM)
    for wrong in (admin, system):
        with pytest.raises(InvalidThread):
            await open_thread(world.messaging, ana, wrong)
        thread = await open_thread(world.messaging, mod, wrong)
        assert thread.gates == {}, "staff need not ask"


async def test_the_same_key_opens_the_same_thread_even_at_once(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    opened = await asyncio.gather(
        *(open_thread(world.messaging, ana, _with(ben.user), key="k") for _ in range(5))
    )
    assert len({thread.id for thread in opened}) == 1
    again = await open_thread(world.another_node().messaging, ana, _with(ben.user), key="k")
    assert again.id == opened[0].id
    with pytest.raises(OpeningKeyReused):
        await open_thread(world.messaging, ana, _with(ben.user, kind=Kind.BOOKING), key="k")
    assert len((await inbox.inbox(world.messaging, ana)).rows) == 1


async def test_a_pair_has_one_direct_thread_opened_from_both_sides_at_once(
    world: MessagingWorld,
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    other = world.another_node().messaging
    opened = await asyncio.gather(
        *(open_direct(world.messaging, ana, ben.user) for _ in range(3)),
        *(open_direct(other, ben, ana.user) for _ in range(3)),
    )
    assert len({thread.id for thread in opened}) == 1
    assert len(opened[0].gates) == 1
    [gate] = opened[0].gates.values()
    await world.say("ana" if gate.sender == ana.user else "ben", opened[0].id, "Hello!")
    for actor in (ana, ben):
        rows = (await inbox.inbox(world.messaging, actor)).rows
        assert [row.thread.id for row in rows] == [opened[0].id]


async def test_a_person_who_wrote_first_needs_no_request(
    world: MessagingWorld,
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    await open_thread(world.messaging, ana, _with(ben.user))
    thread = await open_thread(world.messaging, ben, _with(ana.user))
    assert thread.gates == {}


async def test_threads_opened_by_a_blocked_person_do_not_reach_the_blocker(
    world: MessagingWorld,
) -> None:
    ana, ben, cleo = [await world.person(name) for name in ("ana", "ben", "cleo")]
    thread = await world.inquiry()
    await world.say("ben", thread.id, "Hello!")
    await block_person(world.messaging, ben, ana.user)
    before = await inbox.inbox(world.messaging, ben)
    for attempt in (_with(ben.user), _with(ben.user, cleo.user)):
        opened = await open_thread(world.messaging, ana, attempt)
        await world.say("ana", opened.id, "Are you there?")
        assert ben.user not in rules.known_gates(opened)
    direct = await open_direct(world.messaging, ana, ben.user)
    await world.say("ana", direct.id, "Hello?")
    assert (await inbox.inbox(world.messaging, ben)).rows == before.rows == ()
    with pytest.raises(BlockedByYou):
        await open_direct(world.messaging, ben, ana.user)


@pytest.mark.parametrize("direct", [False, True])
async def test_requests_of_a_blocked_stranger_stay_pending(
    world: MessagingWorld, direct: bool
) -> None:
    ana, ben, cleo = [await world.person(name) for name in ("ana", "ben", "cleo")]
    await block_person(world.messaging, ben, ana.user)
    seen = []
    for other in (ben, cleo):
        if direct:
            thread = await open_direct(world.messaging, ana, other.user)
        else:
            thread = await open_thread(world.messaging, ana, _with(other.user))
        for body in ("Hello!", "Are you there?", "Please."):
            await world.say("ana", thread.id, body)
        with pytest.raises(RequestPending):
            await world.say("ana", thread.id, "Once more.")
        gate = (await world.messaging.thread_cache.read(thread.id)).gates[other.user]  # type: ignore[union-attr]
        seen.append(rules.gate_as_sender_sees(gate, world.clock.now_ms()))
    assert seen == [GateStatus.PENDING] * 2
    assert not (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows
    assert len((await inbox.inbox(world.messaging, cleo, Folder.REQUESTS)).rows) == 1
    await unblock(world.messaging.safety, ben, ana.user)
    assert not (await inbox.inbox(world.messaging, ben, Folder.REQUESTS)).rows


async def test_a_direct_thread_that_somebody_left_is_opened_again_on_any_node(
    world: MessagingWorld,
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    thread = await open_direct(world.messaging, ana, ben.user)
    await respond.accept(world.messaging, ben, thread.gates[ben.user].id)
    await world.say("ana", thread.id, "Before.")
    await participants.leave(world.another_node().messaging, ben, thread.id)
    again = await open_direct(world.messaging, ben, ana.user)
    assert again.id == thread.id
    await world.say("ben", thread.id, "Here I am again.")
    seen = (await history(world.messaging, ben, thread.id)).messages
    assert [message.body for message in seen] == ["Before.", "Here I am again."]
    assert len((await history(world.messaging, ana, thread.id)).messages) == 2


async def test_a_person_who_declined_may_open_the_direct_thread_later(
    world: MessagingWorld,
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    thread = await open_direct(world.messaging, ana, ben.user)
    await world.say("ana", thread.id, "Hello!")
    await respond.decline(world.messaging, ben, thread.gates[ben.user].id)
    with pytest.raises(ThreadNotFound):
        await history(world.messaging, ben, thread.id)
    await open_direct(world.messaging, ben, ana.user)
    await world.say("ben", thread.id, "I was rude. Hello.")
    await world.say("ana", thread.id, "Never mind.")
    assert len((await history(world.messaging, ben, thread.id)).messages) == 2


async def test_an_expired_request_may_be_sent_again_with_new_messages(
    world: MessagingWorld,
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    thread = await open_direct(world.messaging, ana, ben.user)
    for n in range(3):
        await world.say("ana", thread.id, f"Hello {n}")
    world.clock.advance(days=14)
    again = await open_direct(world.messaging, ana, ben.user)
    assert again.gates[ben.user].id != thread.gates[ben.user].id
    assert gate_status(again.gates[ben.user], world.clock.now_ms()) is GateStatus.PENDING
    for n in range(3):
        await world.say("ana", thread.id, f"Once more {n}")
    with pytest.raises(RequestPending):
        await world.say("ana", thread.id, "And more")
    row = (await inbox.inbox(world.messaging, ben)).rows[0]
    assert (row.thread.id, row.state.unread) == (thread.id, 3)


async def test_unblocked_people_find_their_thread_again(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    thread = await open_direct(world.messaging, ana, ben.user)
    await respond.accept(world.messaging, ben, thread.gates[ben.user].id)
    await block_person(world.messaging, ben, ana.user)
    await unblock(world.messaging.safety, ben, ana.user)
    assert (await open_direct(world.messaging, ben, ana.user)).id == thread.id
    await world.say("ben", thread.id, "Let us try again.")
    assert (await inbox.counts(world.messaging, ana)).badge == 1
