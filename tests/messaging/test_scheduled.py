"""Scheduled messages are sent once, at their time, and never after they were canceled."""

import asyncio
import dataclasses
from functools import partial

import pytest

from greenroom.background import repair
from greenroom.background.models import TimerRow
from greenroom.background.problems import TimerNotSetAside
from greenroom.background.records import retry_timer
from greenroom.background.repair import Background
from greenroom.background.set_aside import list_timers
from greenroom.background.timers import TimerHandler
from greenroom.ids import MessageId, ScheduledId, ThreadId
from greenroom.messaging import inbox, participants, read
from greenroom.messaging.block import block_person
from greenroom.messaging.cancel_scheduled import cancel_scheduled
from greenroom.messaging.change_scheduled import ScheduledChange, change_scheduled
from greenroom.messaging.draft import draft, save_draft
from greenroom.messaging.events import ScheduledChanged
from greenroom.messaging.history import history
from greenroom.messaging.lock import lock, unlock
from greenroom.messaging.models import (
    MAX_SCHEDULED,
    MAX_SCHEDULED_DAYS,
    ScheduledMessage,
    ScheduledStatus,
    Thread,
)
from greenroom.messaging.outgoing import Held, Outgoing, Sent
from greenroom.messaging.policy import MESSAGES
from greenroom.messaging.problems import (
    ConversationLocked,
    InvalidSendTime,
    InvalidText,
    MessageNotFound,
    ScheduledMessageNotFound,
    ThreadNotFound,
    TooManyScheduled,
    VersionMismatch,
)
from greenroom.messaging.schedule_message import NewScheduled, schedule_message
from greenroom.messaging.scheduled import scheduled_messages, scheduled_state
from greenroom.messaging.scheduled_items import KIND, timer_of
from greenroom.messaging.send import send
from greenroom.messaging.send_scheduled import send_due, send_now, stop_due
from greenroom.people.actor import Scope
from greenroom.people.suspend import suspend
from greenroom.safety.limits import Rate
from tests.messaging.world import MessagingWorld
from tests.world import RATES

HOUR_MS = 3_600_000
SCAM = "Please pay a deposit with a gift card, then wire the rest by western union"


class RecordedChanges:
    """Records the changes that are published to the author's devices."""

    def __init__(self, world: MessagingWorld) -> None:
        self.changes: list[ScheduledChanged] = []
        publish = self.changes.append
        world.messaging = dataclasses.replace(world.messaging, publish_scheduled=publish)

    @property
    def statuses(self) -> list[str]:
        return [change.scheduled.status.value for change in self.changes]


async def _schedule(
    world: MessagingWorld,
    thread: ThreadId,
    body: str = "Good morning!",
    *,
    hours: float = 1,
    name: str = "ana",
    key: str | None = None,
) -> ScheduledMessage:
    new = NewScheduled(body, world.clock.now_ms() + int(hours * HOUR_MS))
    return await schedule_message(world.messaging, world.actors[name], thread, new, key=key)


async def _pass(world: MessagingWorld, hours: float = 1) -> None:
    world.clock.advance(ms=int(hours * HOUR_MS))
    await world.run_timers()


async def _bodies(world: MessagingWorld, thread: ThreadId, name: str = "ben") -> list[str]:
    page = await history(world.messaging, world.actors[name], thread)
    return [message.body for message in page.messages]


async def _own(world: MessagingWorld, name: str = "ana") -> tuple[ScheduledMessage, ...]:
    return await scheduled_messages(world.messaging, world.actors[name])


@pytest.fixture
async def thread(world: MessagingWorld) -> Thread:
    return await world.inquiry()


async def test_it_is_sent_once_at_its_time(world: MessagingWorld, thread: Thread) -> None:
    recorded = RecordedChanges(world)
    scheduled = await _schedule(world, thread.id)
    assert await _own(world) == (scheduled,)
    await _pass(world, 0.99)
    assert await _bodies(world, thread.id) == []
    await _pass(world, 0.01)
    await asyncio.gather(world.run_timers(), world.another_node().run_timers())
    assert await _bodies(world, thread.id) == ["Good morning!"]
    assert await _own(world) == ()
    assert recorded.statuses == ["pending", "sent"]
    page = await history(world.messaging, world.actors["ben"], thread.id)
    assert recorded.changes[-1].message == page.messages[-1].id
    assert (await scheduled_state(world.messaging, world.user("ana"))).count == 0


async def test_two_nodes_send_it_once(world: MessagingWorld, thread: Thread) -> None:
    await _schedule(world, thread.id)
    world.clock.advance(ms=HOUR_MS)
    nodes = [world.another_node() for _ in range(4)]
    await asyncio.gather(*(node.run_timers() for node in nodes))
    world.messaging.thread_cache.drop(thread.id)
    assert await _bodies(world, thread.id) == ["Good morning!"]


async def test_a_retry_with_the_same_key_schedules_nothing_more(
    world: MessagingWorld, thread: Thread
) -> None:
    first, *rest = await asyncio.gather(
        *(_schedule(world, thread.id, key="tomorrow") for _ in range(5))
    )
    assert rest == [first] * 4
    assert await _own(world) == (first,)
    assert (await scheduled_state(world.messaging, world.user("ana"))).count == 1


async def test_it_can_be_changed_until_it_is_sent(world: MessagingWorld, thread: Thread) -> None:
    recorded = RecordedChanges(world)
    scheduled = await _schedule(world, thread.id)
    ana = world.actors["ana"]
    later = ScheduledChange(send_ms=scheduled.send_ms + HOUR_MS)
    changed = await change_scheduled(world.messaging, ana, scheduled.id, later)
    other = ScheduledChange(body="Good day!")
    changed = await change_scheduled(world.messaging, ana, scheduled.id, other, version=2)
    assert (changed.body, changed.send_ms) == ("Good day!", later.send_ms)
    with pytest.raises(VersionMismatch):
        await change_scheduled(world.messaging, ana, scheduled.id, other, version=2)
    await _pass(world)
    assert await _bodies(world, thread.id) == [], "it was moved"
    await _pass(world)
    assert await _bodies(world, thread.id) == ["Good day!"]
    assert recorded.statuses == ["pending", "pending", "pending", "sent"]
    with pytest.raises(ScheduledMessageNotFound):
        await change_scheduled(world.messaging, ana, scheduled.id, other)


async def test_it_can_be_canceled_until_it_is_sent(world: MessagingWorld, thread: Thread) -> None:
    recorded = RecordedChanges(world)
    scheduled, ana = await _schedule(world, thread.id), world.actors["ana"]
    await cancel_scheduled(world.messaging, ana, scheduled.id)
    with pytest.raises(ScheduledMessageNotFound):
        await cancel_scheduled(world.messaging, ana, scheduled.id)
    await _pass(world)
    assert await _bodies(world, thread.id) == []
    assert recorded.statuses == ["pending", "canceled"]
    assert (await scheduled_state(world.messaging, ana.user)).count == 0


async def test_cancelling_and_sending_at_once_agree(world: MessagingWorld, thread: Thread) -> None:
    for n in range(8):
        scheduled = await _schedule(world, thread.id, f"number {n}")
        world.clock.advance(ms=HOUR_MS)
        cancel = cancel_scheduled(world.messaging, world.actors["ana"], scheduled.id)
        both = [world.another_node().run_timers(), cancel]
        answers = await asyncio.gather(*(both if n % 2 else both[::-1]), return_exceptions=True)
        was_late = any(isinstance(answer, ScheduledMessageNotFound) for answer in answers)
        world.messaging.thread_cache.drop(thread.id)
        assert (f"number {n}" in await _bodies(world, thread.id)) is was_late
        assert await _own(world) == ()


async def test_it_can_be_sent_now(world: MessagingWorld, thread: Thread) -> None:
    scheduled, ana = await _schedule(world, thread.id), world.actors["ana"]
    outcome = await send_now(world.messaging, ana, scheduled.id)
    assert isinstance(outcome, Sent)
    with pytest.raises(ScheduledMessageNotFound):
        await send_now(world.messaging, ana, scheduled.id)
    await _pass(world)
    assert await _bodies(world, thread.id) == ["Good morning!"]


async def test_it_is_only_its_authors(world: MessagingWorld, thread: Thread) -> None:
    scheduled, ben = await _schedule(world, thread.id), world.actors["ben"]
    assert await _own(world, "ben") == ()
    for act in (
        cancel_scheduled(world.messaging, ben, scheduled.id),
        send_now(world.messaging, ben, scheduled.id),
        change_scheduled(world.messaging, ben, scheduled.id, ScheduledChange(body="x")),
    ):
        with pytest.raises(ScheduledMessageNotFound):
            await act


@pytest.mark.parametrize("ms", [0, -1, -10 * HOUR_MS, MAX_SCHEDULED_DAYS * 86_400_000 + 1])
async def test_a_time_in_the_past_or_far_away_is_refused(
    world: MessagingWorld, thread: Thread, ms: int
) -> None:
    new = NewScheduled("Hello", world.clock.now_ms() + ms)
    with pytest.raises(InvalidSendTime):
        await schedule_message(world.messaging, world.actors["ana"], thread.id, new)


async def test_what_could_not_be_sent_now_is_refused_at_once(
    world: MessagingWorld, thread: Thread
) -> None:
    await world.person("cleo")
    with pytest.raises(ThreadNotFound):
        await _schedule(world, thread.id, name="cleo")
    with pytest.raises(InvalidText):
        await _schedule(world, thread.id, " ")
    unknown = NewScheduled("Hello", world.clock.now_ms() + 1000, MessageId("msg_" + "0" * 26))
    with pytest.raises(MessageNotFound):
        await schedule_message(world.messaging, world.actors["ana"], thread.id, unknown)
    moderator = await world.person("mod", Scope.MODERATOR)
    await lock(world.messaging, moderator, thread.id)
    with pytest.raises(ConversationLocked):
        await _schedule(world, thread.id)
    assert await _own(world) == ()


async def _is_locked(world: MessagingWorld, thread: ThreadId) -> None:
    await lock(world.messaging, await world.person("mod", Scope.MODERATOR), thread)


async def _leaves(world: MessagingWorld, thread: ThreadId) -> None:
    await participants.leave(world.messaging, world.actors["ana"], thread)


async def _blocks(world: MessagingWorld, thread: ThreadId) -> None:
    await block_person(world.messaging, world.actors["ana"], world.user("ben"))


async def _is_suspended(world: MessagingWorld, thread: ThreadId) -> None:
    await suspend(world.people, world.user("ana"), None, "spam")


@pytest.mark.parametrize(
    ("obstacle", "problem"),
    [
        (_is_locked, "conversation-locked"),
        (_leaves, "thread-not-found"),
        (_blocks, "thread-not-found"),
        (_is_suspended, "account-suspended"),
    ],
)
async def test_what_came_meanwhile_is_respected_and_the_author_is_told(
    world: MessagingWorld, thread: Thread, obstacle: object, problem: str
) -> None:
    recorded = RecordedChanges(world)
    await _schedule(world, thread.id)
    await obstacle(world, thread.id)  # type: ignore[operator]
    await _pass(world)
    assert await _bodies(world, thread.id) in ([], [""]), "a lock leaves a system message"
    [failed] = await _own(world)
    assert (failed.status, failed.problem) == (ScheduledStatus.FAILED, problem)
    assert failed.detail
    assert recorded.statuses == ["pending", "failed"]
    await _pass(world, 100)
    assert recorded.statuses == ["pending", "failed"], "it is tried once"
    await cancel_scheduled(world.messaging, world.actors["ana"], failed.id)
    assert (await scheduled_state(world.messaging, world.user("ana"))).count == 0


async def test_a_failed_one_can_be_scheduled_again(world: MessagingWorld, thread: Thread) -> None:
    scheduled, ana = await _schedule(world, thread.id), world.actors["ana"]
    await suspend(world.people, ana.user, world.clock.now_ms() + 2 * HOUR_MS, "spam")
    await _pass(world, 1.5)
    with pytest.raises(InvalidSendTime):
        await change_scheduled(world.messaging, ana, scheduled.id, ScheduledChange(body="Again"))
    later = ScheduledChange(send_ms=world.clock.now_ms() + HOUR_MS)
    again = await change_scheduled(world.messaging, ana, scheduled.id, later)
    assert (again.status, again.problem) == (ScheduledStatus.PENDING, "")
    await _pass(world)
    assert await _bodies(world, thread.id) == ["Good morning!"]


async def test_a_blocked_author_does_not_notice(world: MessagingWorld, thread: Thread) -> None:
    await block_person(world.messaging, world.actors["ben"], world.user("ana"))
    await _schedule(world, thread.id)
    await _pass(world)
    assert await _own(world) == ()
    assert await _bodies(world, thread.id, "ana") == ["Good morning!"]
    assert (await inbox.inbox(world.messaging, world.actors["ben"])).rows == ()


async def test_it_is_held_as_any_other_message(world: MessagingWorld, thread: Thread) -> None:
    told = RecordedChanges(world)
    scheduled = await _schedule(world, thread.id, SCAM)
    outcome = await send_now(world.messaging, world.actors["ana"], scheduled.id)
    assert isinstance(outcome, Held)
    await _schedule(world, thread.id, f"{SCAM} please")
    await _pass(world)
    assert await _own(world) == ()
    assert told.statuses == ["pending", "held", "pending", "held"]
    assert await _bodies(world, thread.id) == []


async def test_unread_messages_and_the_draft_of_its_author_stay(
    world: MessagingWorld, thread: Thread
) -> None:
    ana = world.actors["ana"]
    await _schedule(world, thread.id)
    await world.say("ben", thread.id, "Are you there?")
    await save_draft(world.messaging, ana, thread.id, "Not yet")
    await _pass(world)
    [row] = (await inbox.inbox(world.messaging, ana)).rows
    assert row.state.unread == 2
    assert row.thread.members[ana.user].sent == 0, "no read receipt"
    kept = await draft(world.messaging, ana, thread.id)
    assert kept is not None
    assert kept.body == "Not yet"
    await read.mark_read(world.messaging, ana, thread.id, 2)
    await _schedule(world, thread.id, "Another")
    await _pass(world)
    [row] = (await inbox.inbox(world.messaging, ana)).rows
    assert row.state.unread == 0


async def test_a_change_of_nothing_changes_nothing(world: MessagingWorld, thread: Thread) -> None:
    told = RecordedChanges(world)
    made = await _schedule(world, thread.id)
    again = await change_scheduled(
        world.messaging, world.actors["ana"], made.id, ScheduledChange(made.body, made.send_ms)
    )
    assert again == made
    assert told.statuses == ["pending"]


async def test_a_version_guards_a_cancellation(world: MessagingWorld, thread: Thread) -> None:
    made = await _schedule(world, thread.id)
    ana = world.actors["ana"]
    with pytest.raises(VersionMismatch):
        await cancel_scheduled(world.messaging, ana, made.id, version=2)
    await cancel_scheduled(world.messaging, ana, made.id, version=1)
    assert await _own(world) == ()


async def test_a_message_whose_timer_is_dropped_is_not_sent(
    world: MessagingWorld, thread: Thread
) -> None:
    told = RecordedChanges(world)
    made = await _schedule(world, thread.id, "must not be sent")
    timer = timer_of(made, made.send_ms)
    handler = TimerHandler(
        partial(send_due, world.messaging), on_dropped=partial(stop_due, world.messaging)
    )
    background = Background(world.store, world.clock, lambda: (), lambda: {KIND: handler})
    with pytest.raises(TimerNotSetAside):
        await repair.drop_timer(background, KIND, made.id)
    row = TimerRow(timer, made.send_ms)
    await world.store.write(retry_timer(row, made.send_ms, "it fails", is_last=True))
    await repair.drop_timer(background, KIND, made.id)
    await _schedule(world, thread.id, "second")
    await _pass(world)
    assert await _bodies(world, thread.id) == ["second"]
    [failed] = await _own(world)
    assert (failed.status, failed.problem) == (ScheduledStatus.FAILED, "sending-stopped")
    assert told.statuses == ["pending", "failed", "pending", "sent"]
    assert await list_timers(world.store) == []


async def test_the_number_is_limited(world: MessagingWorld, thread: Thread) -> None:
    world.messaging = dataclasses.replace(world.messaging, max_scheduled=3)
    await asyncio.gather(*(_schedule(world, thread.id, f"number {n}") for n in range(3)))
    with pytest.raises(TooManyScheduled):
        await _schedule(world, thread.id)
    first, *_ = await _own(world)
    await cancel_scheduled(world.messaging, world.actors["ana"], first.id)
    await _schedule(world, thread.id)
    assert len(await _own(world)) == 3
    assert MAX_SCHEDULED > 3


async def test_rate_limits_only_delay_it(world: MessagingWorld) -> None:
    rates = dict(RATES) | {
        MESSAGES: Rate(most=1, window_ms=60_000, local_share=1, lease_size=1, lease_ms=1000)
    }
    limited = world.another_node(rates=rates)
    limited.actors = world.actors
    thread = await limited.inquiry()
    for n in range(2):
        await _schedule(limited, thread.id, f"number {n}")
    await _pass(limited)
    assert len(await _bodies(limited, thread.id)) == 1
    for _ in range(3):
        await _pass(limited, 0.05)
    assert sorted(await _bodies(limited, thread.id)) == ["number 0", "number 1"]


async def test_a_message_under_its_client_id_does_not_leave_it_behind(
    world: MessagingWorld, thread: Thread
) -> None:
    scheduled = await _schedule(world, thread.id)
    own = Outgoing(f"scheduled:{scheduled.id}", "Good morning!")
    await send(world.messaging, world.actors["ana"], thread.id, own)
    await _pass(world)
    assert await _bodies(world, thread.id) == ["Good morning!"]
    assert await _own(world) == ()


async def test_ids_that_nobody_has(world: MessagingWorld, thread: Thread) -> None:
    for unknown in ("", "x" * 65, "sch_" + "0" * 26, "#"):
        with pytest.raises(ScheduledMessageNotFound):
            await cancel_scheduled(world.messaging, world.actors["ana"], ScheduledId(unknown))


async def test_they_are_sent_in_their_order_after_downtime(
    unlimited_world: MessagingWorld,
) -> None:
    world = unlimited_world
    thread, told = await world.inquiry(), RecordedChanges(world)
    for n in range(10):
        await _schedule(world, thread.id, f"{n}", hours=10 if n < 5 else 10 - n / 10)
        world.clock.advance(ms=1)
    world.clock.advance(ms=11 * HOUR_MS)
    nodes = [world.another_node() for _ in range(2)]
    await asyncio.gather(world.run_timers(), *(node.run_timers() for node in nodes))
    world.messaging.thread_cache.drop(thread.id)
    assert "".join(await _bodies(world, thread.id)) == "9876501234"
    assert await _own(world) == ()
    assert len(told.changes) <= 20, "each is told once"


async def test_a_key_that_is_used_again_schedules_another_message(
    world: MessagingWorld, thread: Thread
) -> None:
    await _schedule(world, thread.id, key="weekly")
    await _pass(world)
    again = await _schedule(world, thread.id, key="weekly")
    other = await _schedule(world, thread.id, "Another text", key="weekly")
    assert again.id != other.id
    await _pass(world)
    assert sorted(await _bodies(world, thread.id)) == [
        "Another text",
        "Good morning!",
        "Good morning!",
    ]


async def test_a_retry_is_answered_even_where_it_would_be_refused_now(
    world: MessagingWorld, thread: Thread
) -> None:
    ana, new = world.actors["ana"], NewScheduled("Hello", world.clock.now_ms() + HOUR_MS)
    first = await schedule_message(world.messaging, ana, thread.id, new, key="k")
    await lock(world.messaging, await world.person("mod", Scope.MODERATOR), thread.id)
    assert await schedule_message(world.messaging, ana, thread.id, new, key="k") == first
    await unlock(world.messaging, await world.person("mod"), thread.id)
    await _pass(world, 2)
    late = await schedule_message(world.messaging, ana, thread.id, new, key="k")
    assert (late.id, late.status) == (first.id, ScheduledStatus.SENT)
    assert await _own(world) == ()


async def test_a_text_may_change_while_its_time_has_come(
    world: MessagingWorld, thread: Thread
) -> None:
    scheduled, ana = await _schedule(world, thread.id), world.actors["ana"]
    world.clock.advance(ms=HOUR_MS + 1)
    other = ScheduledChange(body="Good day!")
    await change_scheduled(world.messaging, ana, scheduled.id, other)
    await world.run_timers()
    assert await _bodies(world, thread.id) == ["Good day!"]
