"""Cost patterns: schedule a message, change, cancel and send it, and expire a request."""

from functools import partial

from greenroom.background.models import Timer
from greenroom.cost.fixture import TEXT, Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.messaging import request_timers
from greenroom.messaging.cancel_scheduled import cancel_scheduled
from greenroom.messaging.change_scheduled import ScheduledChange, change_scheduled
from greenroom.messaging.expire_requests import expire_requests
from greenroom.messaging.models import ScheduledMessage
from greenroom.messaging.schedule_message import NewScheduled, schedule_message
from greenroom.messaging.scheduled import scheduled_messages, scheduled_state
from greenroom.messaging.scheduled_items import timer_of
from greenroom.messaging.send_scheduled import send_due
from greenroom.people.actor import Actor

TITLE = "Scheduled messages, and requests that expire"
_HOUR_MS = 3_600_000
_DAY_S = 86_400


async def _scheduled(fixture: Fixture, number: int = 1) -> tuple[Actor, ScheduledMessage]:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    new = NewScheduled(TEXT, fixture.clock.now_ms() + _HOUR_MS)
    found = [await schedule_message(fixture.messaging, ana, thread.id, new) for _ in range(number)]
    return ana, found[0]


async def _schedule(fixture: Fixture) -> Act:
    ana, first = await _scheduled(fixture)
    new = NewScheduled(TEXT, first.send_ms)
    return partial(schedule_message, fixture.messaging, ana, first.thread, new)


async def _change(fixture: Fixture) -> Act:
    ana, first = await _scheduled(fixture)
    change = ScheduledChange(send_ms=first.send_ms + _HOUR_MS)
    return partial(change_scheduled, fixture.messaging, ana, first.id, change)


async def _cancel(fixture: Fixture) -> Act:
    ana, first = await _scheduled(fixture)
    return partial(cancel_scheduled, fixture.messaging, ana, first.id)


async def _send(fixture: Fixture) -> Act:
    _, first = await _scheduled(fixture)
    fixture.clock.advance(seconds=3600)
    return partial(send_due, fixture.messaging, timer_of(first, first.send_ms))


async def _list(fixture: Fixture) -> Act:
    ana, _ = await _scheduled(fixture, 10)
    return partial(scheduled_messages, fixture.messaging, ana)


async def _unchanged(fixture: Fixture) -> Act:
    ana, _ = await _scheduled(fixture)
    return partial(scheduled_state, fixture.messaging, ana.user)


async def _expire(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.open(ana, ben)
    await fixture.say(ana, thread.id)
    due_ms = thread.gates[ben.user].expires_ms
    fixture.clock.advance(seconds=14 * _DAY_S)
    fixture.forget()
    timer = Timer(request_timers.KIND, f"{thread.id}#{due_ms}", due_ms, {"threadId": thread.id})
    return partial(expire_requests, fixture.messaging, timer)


PATTERNS: tuple[Pattern, ...] = (
    Pattern("schedule_message", "schedule a message", _schedule),
    Pattern("change_scheduled", "change its time or text", _change),
    Pattern("cancel_scheduled", "cancel it", _cancel),
    Pattern("send_scheduled", "send it when it is due, after an hour's pause", _send),
    Pattern("list_scheduled", "list 10 scheduled messages", _list),
    Pattern("sync_scheduled", "sync when no scheduled message has changed", _unchanged),
    Pattern("expire_request", "expire a request", _expire),
)
