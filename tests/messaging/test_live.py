"""Every change reaches every screen: state before + what was told live == state after a reload, for
everybody who takes part, in pairs and in groups."""

import dataclasses
from collections import defaultdict

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, events, open as opening
from greenroom.messaging.answer import accept
from greenroom.messaging.draft import draft, save_draft
from greenroom.messaging.events import Event
from greenroom.messaging.models import Kind, Role, Status, Thread
from greenroom.messaging.set_status import ThreadChange, set_status
from greenroom.people.actor import Actor, Scope
from tests.messaging.changes import (
    CHANGES,
    Change,
    Stage,
    a_request_that_runs_out,
    a_request_with_more_than_it_shows,
    rows_that_settle,
)
from tests.messaging.device import Device
from tests.messaging.world import World

_BY_THE_CLOCK = (a_request_that_runs_out, rows_that_settle)
"""Nothing happens that could be told: a client has a clock of its own."""


class Told:
    """Of which threads each user was told."""

    def __init__(self, world: World) -> None:
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
async def test_a_connected_client_sees_what_a_reload_shows(roomy: World, change: Change) -> None:
    stage = await Stage(roomy).set_up()
    devices = [Device(stage.messaging, actor) for actor in roomy.actors.values()]
    for device in devices:
        await device.reload()
    told = Told(roomy)
    roomy.messaging = dataclasses.replace(roomy.messaging, tell=told)
    roomy.clock.advance(seconds=60)
    await change(stage)
    for device in devices:
        await device.hear(told.threads[device.actor.user])
        assert device.shown() == await device.reloaded()


async def test_everybody_hears_when_somebody_accepts_in_a_group(roomy: World) -> None:
    stage = await Stage(roomy).set_up()
    await a_request_with_more_than_it_shows(stage)
    zoe, group = roomy.actors["zoe"], stage.threads["group"]
    head = await stage.messaging.heads.read(group)
    assert head is not None
    devices = [Device(stage.messaging, roomy.actors[name]) for name in ("ana", "ben", "zoe")]
    for device in devices:
        await device.reload()
    assert len(devices[2].threads[group].frames) == 3, "what a request shows"
    told = Told(roomy)
    roomy.messaging = dataclasses.replace(roomy.messaging, tell=told)
    await accept(stage.messaging, zoe, head.gates[zoe.user].id)
    for device in devices:
        assert group in told.threads[device.actor.user]
        await device.hear(told.threads[device.actor.user])
        assert device.shown() == await device.reloaded()
    assert len(devices[2].threads[group].frames) > 3


async def test_sending_clears_the_draft_on_every_device(world: World) -> None:
    thread = await world.inquiry()
    ana, node = world.actors["ana"], world.another_node()
    await world.say("ana", thread.id, "Hello")
    await save_draft(world.messaging, ana, thread.id, "I wou")
    await save_draft(node.messaging, ana, thread.id, "I would")
    told = Told(world)
    node.messaging = dataclasses.replace(node.messaging, tell=told)
    await node.say("ana", thread.id, "I would like to.")
    assert thread.id in told.threads[ana.user]
    for messaging in (world.messaging, node.messaging):
        assert await draft(messaging, ana, thread.id) is None
        assert not (await access.thread(messaging, ana, thread.id)).mine.has_draft
    with world.store.counting() as cost:
        await world.say("ana", thread.id, "It costs nothing more where there is none.")
    assert cost.write_units <= 6


async def test_a_confirmed_booking_makes_its_parties_known_to_each_other(world: World) -> None:
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
