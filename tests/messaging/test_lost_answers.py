"""When the store fails or its answer is lost, a message is stored once and published once."""

import asyncio
import dataclasses
from typing import Any

import pytest

from greenroom.errors import Problem
from greenroom.ids import ThreadId, UserId
from greenroom.messaging.context import Messaging
from greenroom.messaging.draft import save_draft
from greenroom.messaging.events import Event, MessageCreated
from greenroom.messaging.history import history
from greenroom.messaging.keyed_lock import KeyedLock
from greenroom.messaging.models import Kind, Message, Role, Thread
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Held, Outgoing, Sent
from greenroom.messaging.post_system import SystemMessage, post_system
from greenroom.messaging.respond import accept
from greenroom.messaging.send import send
from greenroom.messaging.unconfirmed import SendKey
from greenroom.people.actor import SYSTEM, Actor, Scope
from greenroom.store.base import Op
from greenroom.store.problems import OutcomeUnknown, StoreUnavailable
from tests.messaging.test_events import RecordedEvents
from tests.messaging.world import MessagingWorld
from tests.world import UNLIMITED, messaging_on


async def _messages(world: MessagingWorld, name: str, thread: ThreadId) -> tuple[Message, ...]:
    return (await history(world.messaging, world.actors[name], thread, limit=100)).messages


class Lossy:
    """A store whose answers are lost now and then, after the write."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.loses = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def write(self, *ops: Op, token: str | None = None) -> object:
        written = await self._store.write(*ops, token=token)
        if self.loses and len(ops) > 1:
            self.loses = False
            raise OutcomeUnknown("the line went dead")
        return written


async def test_a_write_whose_answer_was_lost_is_found(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    lossy = Lossy(world.store)
    node = messaging_on(lossy, world.clock)  # type: ignore[arg-type]
    ana = world.actors["ana"]
    await send(node, ana, thread.id, Outgoing("before", "Hello."))
    lossy.loses = True
    for _ in range(2):
        answer = await send(node, ana, thread.id, Outgoing("c", "Is Friday free?"))
        assert isinstance(answer, Sent)
        assert answer.message.seq == 2
    assert not lossy.loses
    assert [message.seq for message in await _messages(world, "ben", thread.id)] == [1, 2]


class Heard:
    """The events that a node publishes, by kind and seq."""

    def __init__(self) -> None:
        self.created: list[int] = []

    def __call__(self, thread: Thread, event: Event) -> None:
        if isinstance(event, MessageCreated):
            self.created.append(event.message.seq)


async def test_a_message_whose_answer_was_lost_is_published_once(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    lossy, heard = Lossy(world.store), Heard()
    node = dataclasses.replace(messaging_on(lossy, world.clock), publish=heard)  # type: ignore[arg-type]
    lossy.loses = True
    for _ in range(3):
        await send(node, world.actors["ana"], thread.id, Outgoing("c", "Is Friday free?"))
    assert heard.created == [1]


class Late(Lossy):
    """A store that carries out a write after the caller has given up."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self._waiting: tuple[Op, ...] = ()

    async def write(self, *ops: Op, token: str | None = None) -> object:
        if self.loses and len(ops) > 1:
            self.loses, self._waiting = False, ops
            raise OutcomeUnknown("the line went dead")
        return await self._store.write(*ops, token=token)

    async def arrive(self) -> None:
        await self._store.write(*self._waiting)


@pytest.mark.parametrize("others", [0, 3])
async def test_a_write_that_lands_late_is_published_with_the_retry(
    world: MessagingWorld, others: int
) -> None:
    thread = await world.inquiry()
    late, heard = Late(world.store), Heard()
    node = dataclasses.replace(messaging_on(late, world.clock), publish=heard)  # type: ignore[arg-type]
    ana, outgoing = world.actors["ana"], Outgoing("c", "Is Friday free?")
    late.loses = True
    with pytest.raises(OutcomeUnknown):
        await send(node, ana, thread.id, outgoing)
    assert heard.created == []
    await late.arrive()
    for number in range(others):
        await send(node, ana, thread.id, Outgoing(f"other-{number}", "Or Saturday?"))
    for _ in range(2):
        answer = await send(node, ana, thread.id, outgoing)
        assert isinstance(answer, Sent)
        assert answer.message.seq == 1
    assert sorted(heard.created) == list(range(1, others + 2))


def _listening(world: MessagingWorld, store: Any) -> tuple[Messaging, RecordedEvents]:
    """A node on that store, and what it publishes."""
    recorded = RecordedEvents(world)
    node = messaging_on(store, world.clock, UNLIMITED)
    return dataclasses.replace(node, publish=recorded), recorded


async def _asked(world: MessagingWorld) -> Thread:
    """Ana's request to Ben without a message: he does not see it yet."""
    ana, ben = await world.person("ana"), await world.person("ben")
    others = (Invited(ben.user, Role.SELLER),)
    opening = Opening(kind=Kind.INQUIRY, role=Role.BUYER, others=others)
    return await open_thread(world.messaging, ana, opening)


async def test_a_cleared_draft_whose_answer_was_lost_is_published_once(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, lossy = world.actors["ana"], Lossy(world.store)
    node, recorded = _listening(world, lossy)
    await save_draft(node, ana, thread.id, "Is Fri")
    recorded.take()
    lossy.loses = True
    for _ in range(2):
        await send(node, ana, thread.id, Outgoing("c", "Is Friday free?"))
    assert recorded.take() == [("MessageCreated", {"ana", "ben"}), ("InboxChanged", {"ana"})]


async def test_a_request_whose_answer_was_lost_is_published_once(world: MessagingWorld) -> None:
    thread = await _asked(world)
    lossy = Lossy(world.store)
    node, recorded = _listening(world, lossy)
    lossy.loses = True
    both = [Outgoing("c", "Is Friday free?"), Outgoing("d", "Or Saturday?")]
    for _ in range(2):
        sends = (send(node, world.actors["ana"], thread.id, one) for one in both)
        await asyncio.gather(*sends)
    heard = sorted(recorded.take(), key=lambda one: one[0])
    created = ("MessageCreated", {"ana", "ben"})
    assert heard == [created, created, ("RequestChanged", {"ben"})]


async def test_a_request_that_was_answered_meanwhile_is_not_published_as_new(
    world: MessagingWorld,
) -> None:
    thread = await _asked(world)
    ana, ben, late = world.actors["ana"], world.actors["ben"], Late(world.store)
    node, recorded = _listening(world, late)
    late.loses = True
    with pytest.raises(OutcomeUnknown):
        await send(node, ana, thread.id, Outgoing("c", "Is Friday free?"))
    await late.arrive()
    await accept(node, ben, thread.gates[ben.user].id)
    assert ("RequestChanged", {"ana", "ben"}) in recorded.take()
    await send(node, ana, thread.id, Outgoing("c", "Is Friday free?"))
    assert recorded.take() == [("MessageCreated", {"ana", "ben"})]


async def test_a_system_message_whose_answer_was_lost_is_published_once(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    lossy = Lossy(world.store)
    node, recorded = _listening(world, lossy)
    service = Actor(SYSTEM, frozenset({Scope.SERVICE}))
    message = SystemMessage("s", "Your prints are on their way.")
    lossy.loses = True
    with pytest.raises(OutcomeUnknown):
        await post_system(node, service, thread.id, message)
    for _ in range(2):
        await post_system(node, service, thread.id, message)
    assert recorded.take() == [("MessageCreated", {"ana", "ben"})]


OFTEN = "Could we begin a little later on Friday?"
MOST = 7
"""How often a text may be sent before it is held."""


async def _held(node: Messaging, actor: Actor, thread: ThreadId, *, said: int) -> bool:
    """Checks that the text is held exactly when it was sent often enough."""
    names = [f"new-{number}" for number in range(MOST - said + 1)]
    outcomes = [await send(node, actor, thread, Outgoing(name, OFTEN)) for name in names]
    return [isinstance(one, Held) for one in outcomes] == [False] * (MOST - said) + [True]


class Failing(Lossy):
    """A store that refuses messages for a while."""

    def __init__(self, store: Any, problem: Problem) -> None:
        super().__init__(store)
        self._problem = problem

    async def write(self, *ops: Op, token: str | None = None) -> object:
        if self.loses and len(ops) > 1:
            raise self._problem
        return await self._store.write(*ops, token=token)


@pytest.mark.parametrize("problem", [StoreUnavailable("as told"), OutcomeUnknown("as told")])
async def test_failed_tries_do_not_count_as_repetitions(
    world: MessagingWorld, problem: Problem
) -> None:
    thread = await world.inquiry()
    failing = Failing(world.store, problem)
    node = messaging_on(failing, world.clock, UNLIMITED)  # type: ignore[arg-type]
    ana, outgoing = world.actors["ana"], Outgoing("c", OFTEN)
    failing.loses = True
    for _ in range(10):
        with pytest.raises(type(problem)):
            await send(node, ana, thread.id, outgoing)
    failing.loses = False
    for _ in range(10):
        answer = await send(node, ana, thread.id, outgoing)
        assert isinstance(answer, Sent)
        assert answer.hints == ()
    assert await _held(node, ana, thread.id, said=1), "others with the same text do count"


async def test_messages_whose_answers_were_lost_count_as_repetitions(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    lossy = Lossy(world.store)
    node = messaging_on(lossy, world.clock, UNLIMITED)  # type: ignore[arg-type]
    ana = world.actors["ana"]
    for number in range(5):
        lossy.loses = True
        for _ in range(2):
            answer = await send(node, ana, thread.id, Outgoing(f"c{number}", OFTEN))
            assert isinstance(answer, Sent)
        assert not lossy.loses
    assert await _held(node, ana, thread.id, said=5)


async def test_a_message_that_lands_late_counts_once(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    late = Late(world.store)
    node = messaging_on(late, world.clock, UNLIMITED)  # type: ignore[arg-type]
    ana, outgoing = world.actors["ana"], Outgoing("c", OFTEN)
    late.loses = True
    with pytest.raises(OutcomeUnknown):
        await send(node, ana, thread.id, outgoing)
    await late.arrive()
    for _ in range(10):
        assert isinstance(await send(node, ana, thread.id, outgoing), Sent)
    assert await _held(node, ana, thread.id, said=1)


async def test_another_text_with_an_uncertain_client_message_id_counts_normally(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    failing = Failing(world.store, OutcomeUnknown("as told"))
    node = messaging_on(failing, world.clock, UNLIMITED)  # type: ignore[arg-type]
    ana = world.actors["ana"]
    for number in range(MOST):
        await send(node, ana, thread.id, Outgoing(f"c{number}", OFTEN))
    failing.loses = True
    with pytest.raises(OutcomeUnknown):
        await send(node, ana, thread.id, Outgoing("c", "Is Friday still free for all of us?"))
    failing.loses = False
    assert isinstance(await send(node, ana, thread.id, Outgoing("c", OFTEN)), Held)


class Stuck(Lossy):
    """A store that delays one message, and fails it with `problem` if given."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.problem: Problem | None = None
        self.reached, self.let = asyncio.Event(), asyncio.Event()

    async def write(self, *ops: Op, token: str | None = None) -> object:
        if self.loses and len(ops) > 1:
            self.loses = False
            self.reached.set()
            await self.let.wait()
            if self.problem is not None:
                raise self.problem
        return await self._store.write(*ops, token=token)


async def test_tries_of_one_message_run_one_at_a_time_in_order() -> None:
    lock: KeyedLock[SendKey] = KeyedLock()
    key = (ThreadId("thr_1"), UserId("usr_1"), "c")
    begun: list[int] = []

    async def try_it(number: int) -> None:
        await lock.acquire_after_others(key)
        begun.append(number)
        await asyncio.sleep(0)
        lock.release(key)

    lock.acquire_now(key)
    tries = [asyncio.create_task(try_it(number)) for number in range(5)]
    await asyncio.sleep(0)
    tries[1].cancel()
    lock.release(key)
    tries[0].cancel()  # exactly when its turn comes
    await asyncio.wait(tries, timeout=5)
    assert begun == [2, 3, 4]
    assert not lock.is_locked(key)


@pytest.mark.parametrize("ends", ["well", "badly", "cancelled"])
async def test_a_message_that_is_retried_while_in_flight_counts_once(
    world: MessagingWorld, ends: str
) -> None:
    thread = await world.inquiry()
    stuck = Stuck(world.store)
    node = messaging_on(stuck, world.clock, UNLIMITED)  # type: ignore[arg-type]
    ana, outgoing = world.actors["ana"], Outgoing("c", OFTEN)
    for number in range(MOST - 1):
        await send(node, ana, thread.id, Outgoing(f"c{number}", OFTEN))
    stuck.loses = True
    first = asyncio.create_task(send(node, ana, thread.id, outgoing))
    await stuck.reached.wait()
    others = [asyncio.create_task(send(node, ana, thread.id, outgoing)) for _ in range(3)]
    await asyncio.wait(others, timeout=0.1)
    if ends == "badly":
        stuck.problem = StoreUnavailable("as told")
    elif ends == "cancelled":
        first.cancel()
    stuck.let.set()
    outcomes = await asyncio.gather(first, *others, return_exceptions=True)
    sent = [one.message.id for one in outcomes if isinstance(one, Sent)]
    assert len(sent) == (4 if ends == "well" else 3)
    assert len(set(sent)) == 1
    assert len(await _messages(world, "ben", thread.id)) == MOST
    assert await _held(node, ana, thread.id, said=MOST)
