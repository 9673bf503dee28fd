"""State before + live events == state after a reload, for every member, in pairs and groups."""

import dataclasses
from collections import defaultdict

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, events, open as opening
from greenroom.messaging.draft import draft, save_draft
from greenroom.messaging.events import Event
from greenroom.messaging.models import Kind, Role, Status, Thread
from greenroom.messaging.respond import accept
from greenroom.messaging.set_status import ThreadChange, set_status
from greenroom.people.actor import Actor, Scope
from tests.messaging.inbox_changes import (
    CHANGES,
    BusyInbox,
    Change,
    a_request_that_runs_out,
    a_request_with_more_than_it_shows,
    rows_that_settle,
)
from tests.messaging.sync_client import SyncClient
from tests.messaging.world import MessagingWorld

_BY_THE_CLOCK = (a_request_that_runs_out, rows_that_settle)
"""No event is published: the client uses its own clock."""


class RecordedThreads:
    """Records the threads that each user got events of."""

    def __init__(self, world: MessagingWorld) -> None:
        self._world = world
        self.threads: dict[UserId, set[ThreadId]] = defaultdict(set)

    def __call__(self, thread: Thread, event: Event) -> None:
        for user in events.audience(thread, event, self._world.clock.now_ms()):
            self.threads[user].add(thread.id)


@pytest.mark.parametrize(
    "change",
    [change for change in CHANGES if change not in _BY_THE_CLOCK],
    ids=lambda change: change.__name__,
)
async def test_a_connected_client_sees_what_a_reload_shows(
    unlimited_world: MessagingWorld, change: Change
) -> None:
    busy = await BusyInbox(unlimited_world).set_up()
    clients = [SyncClient(busy.messaging, actor) for actor in unlimited_world.actors.values()]
    for client in clients:
        await client.reload()
    recorded = RecordedThreads(unlimited_world)
    unlimited_world.messaging = dataclasses.replace(unlimited_world.messaging, publish=recorded)
    unlimited_world.clock.advance(seconds=60)
    await change(busy)
    for client in clients:
        await client.hear(recorded.threads[client.actor.user])
        assert client.shown() == await client.reloaded()


async def test_everybody_gets_an_event_when_somebody_accepts_in_a_group(
    unlimited_world: MessagingWorld,
) -> None:
    busy = await BusyInbox(unlimited_world).set_up()
    await a_request_with_more_than_it_shows(busy)
    zoe, group = unlimited_world.actors["zoe"], busy.threads["group"]
    head = await busy.messaging.thread_cache.read(group)
    assert head is not None
    clients = [
        SyncClient(busy.messaging, unlimited_world.actors[name]) for name in ("ana", "ben", "zoe")
    ]
    for client in clients:
        await client.reload()
    assert len(clients[2].threads[group].messages) == 3, "what a request shows"
    recorded = RecordedThreads(unlimited_world)
    unlimited_world.messaging = dataclasses.replace(unlimited_world.messaging, publish=recorded)
    await accept(busy.messaging, zoe, head.gates[zoe.user].id)
    for client in clients:
        assert group in recorded.threads[client.actor.user]
        await client.hear(recorded.threads[client.actor.user])
        assert client.shown() == await client.reloaded()
    assert len(clients[2].threads[group].messages) > 3


async def test_sending_clears_the_draft_on_every_device(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, node = world.actors["ana"], world.another_node()
    await world.say("ana", thread.id, "Hello")
    await save_draft(world.messaging, ana, thread.id, "I wou")
    await save_draft(node.messaging, ana, thread.id, "I would")
    recorded = RecordedThreads(world)
    node.messaging = dataclasses.replace(node.messaging, publish=recorded)
    await node.say("ana", thread.id, "I would like to.")
    assert thread.id in recorded.threads[ana.user]
    for messaging in (world.messaging, node.messaging):
        assert await draft(messaging, ana, thread.id) is None
        assert not (await access.thread(messaging, ana, thread.id)).mine.has_draft
    with world.store.counting() as cost:
        await world.say("ana", thread.id, "It costs nothing more where there is none.")
    assert cost.write_units <= 6


async def test_a_confirmed_booking_makes_its_members_contacts(
    world: MessagingWorld,
) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    invited = (opening.Invited(ben.user, Role.SELLER),)
    asked = opening.Opening(kind=Kind.INQUIRY, role=Role.BUYER, others=invited)
    thread = await opening.open_thread(world.messaging, ana, asked)
    await world.say("ana", thread.id, "Hello")
    service = Actor(UserId("shop"), frozenset({Scope.SERVICE}))
    change = ThreadChange(status=Status.CONFIRMED, booking_id="bkg_1")
    for _ in range(2):
        booked = await set_status(world.messaging, service, thread.id, change)
        assert (booked.status, booked.gates, booked.last_seq) == (Status.CONFIRMED, {}, 3)
    await world.say("ben", thread.id, "See you on Friday.")
    again = await opening.open_thread(
        world.messaging,
        ben,
        opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(ana.user),)),
    )
    assert again.gates == {}
