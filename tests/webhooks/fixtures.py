"""Follows messaging's events in a test, and reads them back."""

from msgspec.structs import replace

from greenroom.app import REGISTRY
from greenroom.background.compare import compare
from greenroom.background.followers import FollowerRunner
from greenroom.background.public_events import EventSource
from greenroom.store.base import Store
from greenroom.webhooks import Webhooks
from greenroom.webhooks.event_log import EventLog
from greenroom.webhooks.events import read_events
from greenroom.webhooks.models import PublicEvent
from tests.background.fixtures import follower_runner
from tests.messaging.world import MessagingWorld

SOURCE = next(one for one in REGISTRY.public_events if one.name == "messaging")


def named(name: str) -> EventSource:
    """With a log of its own."""
    return replace(SOURCE, name=name)


def runner_on(
    world: MessagingWorld, store: Store | None = None, source: EventSource = SOURCE, **rest: int
) -> FollowerRunner:
    """A node that follows the changes; `store` is its own view of the store."""
    webhooks = Webhooks(store or world.store, world.clock)
    follower = replace(EventLog(webhooks, source).follower(), **rest)
    return follower_runner(webhooks.store, world.clock, follower)


async def follow(world: MessagingWorld, source: EventSource = SOURCE) -> None:
    await runner_on(world, source=source).catch_up()


async def events(world: MessagingWorld, source: EventSource = SOURCE) -> list[PublicEvent]:
    """All of them; reads three at a time."""
    webhooks = Webhooks(world.store, world.clock)
    found: list[PublicEvent] = []
    while True:
        last = found[-1].number if found else 0
        read = await read_events(webhooks, source, last, 3)
        assert not read.is_gap
        found += read.events
        if not read.more:
            return found


def kinds(found: list[PublicEvent]) -> list[str]:
    return [event.kind for event in found]


async def differences(world: MessagingWorld, source: EventSource = SOURCE) -> list[str]:
    """After two minutes: younger events are not compared."""
    world.clock.advance(seconds=120)
    webhooks = Webhooks(world.store, world.clock)
    found = await compare(world.store, EventLog(webhooks, source).follower())
    assert found.different == len(found.lines)
    return found.lines
