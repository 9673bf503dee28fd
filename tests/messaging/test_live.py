"""Every change reaches every screen: state before + what was told live == state after a reload, for
everybody who takes part, in pairs and in groups."""

import dataclasses
from collections import defaultdict

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import events
from greenroom.messaging.events import Event
from greenroom.messaging.models import Thread
from tests.messaging.changes import (
    CHANGES,
    Change,
    Stage,
    a_request_that_runs_out,
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
async def test_whoever_listens_sees_what_a_reload_shows(roomy: World, change: Change) -> None:
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
