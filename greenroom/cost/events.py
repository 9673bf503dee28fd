"""Cost patterns: the log of public events."""

from msgspec.structs import replace

from greenroom.app import REGISTRY
from greenroom.background.models import FollowerState, Stage
from greenroom.background.progress import create, save
from greenroom.background.public_events import EventSource
from greenroom.cost.fixture import Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.messaging.records import MESSAGING, head_key
from greenroom.store.base import Change
from greenroom.webhooks import Webhooks
from greenroom.webhooks.event_log import EventLog, follower_name
from greenroom.webhooks.events import read_events

_BUSY = 100
"""Messages in a batch of a busy server."""


async def _changes(fixture: Fixture, messages: int) -> list[Change]:
    """Of the heads of running threads, with a message each."""
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    key, changes = head_key(thread.id), list[Change]()
    for _ in range(messages):
        message = await fixture.say(ana, thread.id)
        head = await fixture.store.get(MESSAGING, key, consistent=True)
        changes.append(Change(MESSAGING.name, key, None, head, message.ms, "checkpoint"))
    return changes


def _source(fixture: Fixture) -> EventSource:
    """With a log of its own."""
    source = next(one for one in REGISTRY.public_events if one.name == "messaging")
    return replace(source, name=f"messaging.{fixture.name}")


async def _follow(fixture: Fixture, messages: int) -> Act:
    changes, source = await _changes(fixture, messages), _source(fixture)
    log, name = EventLog(Webhooks(fixture.store, fixture.clock), source), follower_name(source)
    await create(fixture.store, name, Stage.FOLLOWING, "checkpoint")
    state = FollowerState(name, 1, Stage.FOLLOWING, "checkpoint")

    async def act() -> None:
        await save(fixture.store, state, state, *await log.handle(changes))

    return act


async def _follow_one(fixture: Fixture) -> Act:
    return await _follow(fixture, 1)


async def _follow_many(fixture: Fixture) -> Act:
    return await _follow(fixture, _BUSY)


async def _read(fixture: Fixture) -> Act:
    await (await _follow_many(fixture))()
    webhooks, source = Webhooks(fixture.store, fixture.clock), _source(fixture)

    async def act() -> object:
        return await read_events(webhooks, source, 0, _BUSY)

    return act


TITLE = "Events"
PATTERNS = (
    Pattern(
        "event_alone",
        "log the event of a message, the only one in a quarter of a second",
        _follow_one,
        most_read=1,
        most_write=6,
    ),
    Pattern(
        "event_busy",
        f"log the event of a message, {_BUSY} in a quarter of a second",
        _follow_many,
        times=_BUSY,
        most_write=0.5,
    ),
    Pattern("event_read", f"read {_BUSY} events of one page", _read),
)
