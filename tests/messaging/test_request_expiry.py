"""Requests expire at their time: both sides are told once, and the row leaves the inbox."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from greenroom.background.records import SHARDS, TIMERS, TIMERS_DUE, due_key
from greenroom.ids import RequestId, UserId
from greenroom.messaging import Messaging, open as opening, participants, request_timers
from greenroom.messaging.block import block_sender
from greenroom.messaging.events import Event, RequestChanged, audience
from greenroom.messaging.expire_requests import MAX_AT_ONCE
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import Folder, GateStatus, Kind, Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import RequestNotFound
from greenroom.messaging.records import MESSAGING, request_key
from greenroom.messaging.requests import sent_requests
from greenroom.messaging.respond import accept, decline
from greenroom.messaging.sync import sync
from greenroom.messaging.update_thread import update_thread
from greenroom.messaging.withdraw_request import withdraw_request
from greenroom.people.actor import Actor
from greenroom.store.base import Delete, Key, Put
from greenroom.store.limits import MAX_OPS
from greenroom.store.problems import InvalidTransaction
from tests.messaging.sync_client import SyncClient
from tests.messaging.world import MessagingWorld

Answer = Callable[[Messaging, Actor, RequestId], Awaitable[None]]


class RecordedRequests:
    """Records each change of a request as (status, recipients)."""

    def __init__(self, world: MessagingWorld) -> None:
        self._world = world
        self.requests: list[tuple[GateStatus, set[str]]] = []
        world.messaging = dataclasses.replace(world.messaging, publish=self)

    def __call__(self, thread: Thread, event: Event) -> None:
        names = {actor.user: name for name, actor in self._world.actors.items()}
        users = audience(thread, event, self._world.clock.now_ms())
        if isinstance(event, RequestChanged) and users:
            self.requests.append((event.status, {names[user] for user in users}))


async def _asked(world: MessagingWorld, *others: str) -> Thread:
    """Ana sends strangers a request, with a message."""
    ana = await world.person("ana")
    people = [await world.person(name) for name in others]
    asks = opening.Opening(
        kind=Kind.INQUIRY if len(others) == 1 else Kind.GROUP,
        others=tuple(opening.Invited(person.user) for person in people),
    )
    thread = await opening.open_thread(world.messaging, ana, asks)
    await world.say("ana", thread.id, "Hello!")
    return thread


async def _timers(world: MessagingWorld) -> list[str]:
    pages = [
        await world.store.query(TIMERS, due_key(shard), index=TIMERS_DUE, limit=99)
        for shard in range(SHARDS)
    ]
    return [str(item["pk"]) for page in pages for item in page.items]


async def _expire(world: MessagingWorld) -> None:
    world.clock.advance(days=14)
    await world.run_timers()


async def test_both_sides_are_told_once_and_the_row_leaves(world: MessagingWorld) -> None:
    thread = await _asked(world, "ben")
    ana, ben = world.actors["ana"], world.actors["ben"]
    recorded = RecordedRequests(world)
    world.clock.advance(days=13)
    await world.run_timers()
    assert recorded.requests == [], "not before its time"
    assert len((await inbox(world.messaging, ben, Folder.REQUESTS)).rows) == 1
    world.clock.advance(days=1)
    await world.run_timers()
    await world.run_timers()
    assert recorded.requests == [(GateStatus.EXPIRED, {"ana", "ben"})]
    assert (await inbox(world.messaging, ben, Folder.REQUESTS)).rows == ()
    assert (await sent_requests(world.messaging, ana)).requests == ()
    record = await world.store.get(MESSAGING, request_key(thread.gates[ben.user].id))
    assert record is not None
    assert record["status"] == "expired"
    assert record["decidedAt"] == world.clock.now_ms()
    assert await _timers(world) == []
    with pytest.raises(RequestNotFound):
        await accept(world.messaging, ben, thread.gates[ben.user].id)


async def test_both_sides_learn_of_it_by_sync(world: MessagingWorld) -> None:
    thread = await _asked(world, "ben")
    clients = [SyncClient(world.messaging, world.actors[name]) for name in ("ana", "ben")]
    ana, ben = clients
    for client in clients:
        await client.reload()
    world.clock.advance(days=13, seconds=86_000)
    for client in clients:
        await client.sync()
    assert thread.id in ben.threads
    world.clock.advance(seconds=400)
    await world.run_timers()
    [changed] = (await sync(world.messaging, ana.actor, ana.cursor)).threads
    assert changed.view.thread.id == thread.id
    for client in clients:
        await client.sync()
    assert ben.threads == {}
    [gate] = ana.threads[thread.id].thread.gates.values()
    assert gate.status is GateStatus.EXPIRED


@pytest.mark.parametrize("answer", [decline, block_sender])
async def test_a_closed_request_expires_for_its_sender_alone(
    world: MessagingWorld, answer: Answer
) -> None:
    thread = await _asked(world, "ben")
    ben = world.actors["ben"]
    await answer(world.messaging, ben, thread.gates[ben.user].id)
    recorded = RecordedRequests(world)
    await _expire(world)
    assert recorded.requests == [(GateStatus.EXPIRED, {"ana"})]
    record = await world.store.get(MESSAGING, request_key(thread.gates[ben.user].id))
    assert record is not None
    assert record["status"] in ("declined", "blocked"), "what its target decided stays on record"


async def test_answering_or_withdrawing_cancels_the_timer(world: MessagingWorld) -> None:
    accepted, withdrawn = await _asked(world, "ben"), await _asked(world, "cleo")
    assert len(await _timers(world)) == 2
    ana, ben, cleo = (world.actors[name] for name in ("ana", "ben", "cleo"))
    await accept(world.messaging, ben, accepted.gates[ben.user].id)
    await withdraw_request(world.messaging, ana, withdrawn.gates[cleo.user].id)
    assert await _timers(world) == []
    recorded = RecordedRequests(world)
    await _expire(world)
    assert recorded.requests == []


async def test_requests_of_one_moment_share_a_timer(world: MessagingWorld) -> None:
    thread = await _asked(world, "ben", "cleo", "dora")
    ben, cleo = world.actors["ben"], world.actors["cleo"]
    assert len(await _timers(world)) == 1
    await accept(world.messaging, ben, thread.gates[ben.user].id)
    await decline(world.messaging, cleo, thread.gates[cleo.user].id)
    recorded = RecordedRequests(world)
    await _expire(world)
    assert recorded.requests == [
        (GateStatus.EXPIRED, {"ana"}),
        (GateStatus.EXPIRED, {"ana", "dora"}),
    ] or recorded.requests == [
        (GateStatus.EXPIRED, {"ana", "dora"}),
        (GateStatus.EXPIRED, {"ana"}),
    ]
    assert await _timers(world) == []


async def test_more_requests_than_one_transaction_takes(unlimited_world: MessagingWorld) -> None:
    world, names = unlimited_world, [f"person{n}" for n in range(MAX_AT_ONCE + 3)]
    thread = await _asked(world, *names)
    recorded = RecordedRequests(world)
    await _expire(world)
    assert len(recorded.requests) == len(names)
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    assert {gate.status for gate in head.gates.values()} == {GateStatus.EXPIRED}
    assert await _timers(world) == []


async def test_a_sender_who_has_left_is_not_told(world: MessagingWorld) -> None:
    thread = await _asked(world, "ben", "cleo")
    await participants.leave(world.messaging, world.actors["ana"], thread.id)
    recorded = RecordedRequests(world)
    await _expire(world)
    assert all("ana" not in users for _, users in recorded.requests)
    assert await _timers(world) == []


async def test_a_request_to_return_expires_for_its_target_alone(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    await participants.leave(world.messaging, ben, thread.id)
    await world.say("ana", thread.id, "Come back!")
    assert len((await inbox(world.messaging, ben, Folder.REQUESTS)).rows) == 1
    recorded = RecordedRequests(world)
    cursor = (await sync(world.messaging, ana)).cursor
    world.clock.advance(days=14)
    cursor = (await sync(world.messaging, ana, cursor)).cursor
    await world.run_timers()
    assert recorded.requests == [(GateStatus.EXPIRED, {"ben"})]
    assert (await inbox(world.messaging, ben, Folder.REQUESTS)).rows == ()
    assert (await sync(world.messaging, ana, cursor)).threads == ()
    await world.say("ana", thread.id, "Please!")
    assert len((await inbox(world.messaging, ben, Folder.REQUESTS)).rows) == 1, (
        "it can be asked again"
    )
    assert len(await _timers(world)) == 1


async def test_an_answer_at_the_moment_of_expiry_takes_effect_once(world: MessagingWorld) -> None:
    thread = await _asked(world, "ben")
    ben, gate = world.actors["ben"], next(iter(thread.gates.values()))
    recorded = RecordedRequests(world)
    world.clock.advance(days=14, seconds=-1)
    [timer] = [one for one in await _timers(world) if request_timers.KIND in one]
    assert timer
    world.clock.advance(seconds=1)
    answers = await asyncio.gather(
        world.run_timers(),
        world.another_node().run_timers(),
        accept(world.messaging, ben, gate.id),
        return_exceptions=True,
    )
    assert isinstance(answers[2], RequestNotFound)
    assert sum(status is GateStatus.EXPIRED for status, _ in recorded.requests) <= 1
    assert await _timers(world) == []


def _with_moments(thread: Thread, *moments: int) -> Thread:
    """The thread with a pending request for each time."""
    [gate] = thread.gates.values()
    gates = {UserId(f"u{ms}"): msgspec.structs.replace(gate, expires_ms=ms) for ms in moments}
    return msgspec.structs.replace(thread, gates=gates)


async def test_only_cancellations_are_left_out_where_there_is_no_room(
    world: MessagingWorld,
) -> None:
    thread = await _asked(world, "ben")
    before, after = _with_moments(thread, 1, 2, 3), _with_moments(thread, 3, 4, 5)
    every = request_timers.expiry_ops(before, after)
    assert [type(op) for op in every] == [Put, Put, Delete, Delete]
    for room in range(-2, 6):
        kept = request_timers.expiry_ops(before, after, room)
        assert kept == every[: max(2, room)]


def _filled(head: Thread, ops: int, *moments: int) -> PlannedWrite:
    """A plan with this many ops of its own."""
    fillers = (Put(MESSAGING, {"pk": f"FILL#{n}", "sk": "FILL"}) for n in range(ops))
    return PlannedWrite(_with_moments(head, *moments), tuple(fillers))


async def test_a_plan_whose_timers_do_not_fit_is_refused_and_writes_nothing(
    world: MessagingWorld,
) -> None:
    thread = await _asked(world, "ben")
    before = await _timers(world)
    soon_ms = world.clock.now_ms() + 1_000
    with pytest.raises(InvalidTransaction, match=f"at most {MAX_OPS} ops"):
        await update_thread(
            world.messaging, thread.id, lambda head, _: _filled(head, MAX_OPS - 1, soon_ms)
        )
    assert await _timers(world) == before
    assert await world.store.get(MESSAGING, Key("FILL#0", "FILL"), consistent=True) is None


async def test_a_plan_without_room_for_a_cancellation_leaves_it_out(world: MessagingWorld) -> None:
    thread = await _asked(world, "ben")
    before = await _timers(world)
    await update_thread(world.messaging, thread.id, lambda head, _: _filled(head, MAX_OPS - 1))
    assert await _timers(world) == before != []
    await _expire(world)
    assert await _timers(world) == []
