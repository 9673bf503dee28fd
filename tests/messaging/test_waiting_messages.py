"""Messages that wait for their files: sent once when all are ready, or given up with a reason."""

import asyncio
import dataclasses
from typing import Any

import pytest

from greenroom.background.rebuild import request_rebuild
from greenroom.files import Files
from greenroom.files.access import file_views
from greenroom.files.models import FileState
from greenroom.ids import FileId, ThreadId
from greenroom.messaging import draft, inbox, participants
from greenroom.messaging.attachment_ops import use_while_waiting
from greenroom.messaging.block import block_person
from greenroom.messaging.cancel_waiting import cancel_waiting
from greenroom.messaging.events import WaitingChanged
from greenroom.messaging.held import HeldStatus, own_held
from greenroom.messaging.history import history
from greenroom.messaging.lock import lock
from greenroom.messaging.models import (
    MAX_WAITING,
    NewAttachment,
    Thread,
    WaitingMessage,
    WaitingStatus,
)
from greenroom.messaging.outgoing import Canceled, Failed, Held, Outgoing, Sent, Waiting
from greenroom.messaging.problems import (
    ClientIdReused,
    TextRefused,
    TooManyWaiting,
    WaitingMessageNotFound,
)
from greenroom.messaging.records import claim_key
from greenroom.messaging.send import send
from greenroom.messaging.send_waiting import send_when_ready
from greenroom.messaging.waiting import waiting_messages, waiting_state
from greenroom.messaging.waiting_items import timer_of
from greenroom.people.actor import Actor, Scope
from greenroom.people.suspend import suspend
from greenroom.safety.matchers import Pattern
from greenroom.safety.rules import DEFAULT_RULES, Rule, RuleSet, Severity
from greenroom.store.base import Key, Op, Store, key_of
from greenroom.store.problems import ConditionFailed
from greenroom.store.values import Item
from tests.forwarding_store import ForwardingStore
from tests.messaging.file_steps import (
    announce,
    expire,
    files_follower,
    follow_files,
    ready_file,
    send_files,
    settle,
    stored,
)
from tests.messaging.world import MessagingWorld, world_on
from tests.world import UNLIMITED, messaging_on

SCAM = "Please pay a deposit with a gift card, then wire the rest by western union"


class RecordedChanges:
    """Records the changes that are published to the author's devices."""

    def __init__(self, world: MessagingWorld) -> None:
        self.changes: list[WaitingChanged] = []
        publish = self.changes.append
        world.messaging = dataclasses.replace(world.messaging, publish_waiting=publish)

    @property
    def statuses(self) -> list[str]:
        return [change.waiting.status.value for change in self.changes]


@pytest.fixture
async def thread(world: MessagingWorld) -> Thread:
    return await world.inquiry()


async def _own(world: MessagingWorld) -> tuple[WaitingMessage, ...]:
    return await waiting_messages(world.messaging, world.actors["ana"])


async def _bodies(world: MessagingWorld, thread: ThreadId, name: str = "ben") -> list[str]:
    node = world.another_node()
    page = await history(node.messaging, world.actors[name], thread)
    return [message.body for message in page.messages]


async def _wait(
    world: MessagingWorld, thread: ThreadId, *files: FileId, body: str = "Look", client: str = "f1"
) -> None:
    outcome = await send_files(world, "ana", thread, *files, body=body, client_id=client)
    assert isinstance(outcome, Waiting)


async def test_it_is_sent_once_when_its_last_file_is_ready(
    world: MessagingWorld, thread: Thread
) -> None:
    recorded = RecordedChanges(world)
    one, other = [await announce(world, "ana", thread.id) for _ in range(2)]
    await _wait(world, thread.id, one, other)
    await settle(world, one)
    await follow_files(world)
    assert await _bodies(world, thread.id) == []
    [waiting] = await _own(world)
    assert (waiting.body, waiting.status) == ("Look", WaitingStatus.WAITING)
    await settle(world, other)
    await follow_files(world)
    await follow_files(world)
    page = await history(world.messaging, world.actors["ben"], thread.id)
    [message] = page.messages
    assert [shown.file for shown in message.attachments] == [one, other]
    assert message.attachments[0].w == 4000
    assert await _own(world) == ()
    assert recorded.statuses == ["waiting", "sent"]
    assert recorded.changes[-1].message == message.id
    again = await send_files(world, "ana", thread.id, one, other, body="Look")
    assert isinstance(again, Sent)
    assert again.message == message


async def test_nobody_but_its_author_knows_of_it(world: MessagingWorld, thread: Thread) -> None:
    ben = world.actors["ben"]
    before = await inbox.inbox(world.another_node().messaging, ben)
    file = await announce(world, "ana", thread.id)
    ready = await ready_file(world, "ana", thread.id)
    await _wait(world, thread.id, ready, file)
    after = await inbox.inbox(world.another_node().messaging, ben)
    assert [row.thread for row in after.rows] == [row.thread for row in before.rows]
    assert await file_views(world.contexts[Files], ben, (ready, file)) == {}
    assert await waiting_messages(world.messaging, ben) == ()
    with pytest.raises(WaitingMessageNotFound):
        await cancel_waiting(world.messaging, ben, thread.id, "f1")


async def test_two_nodes_send_it_once(world: MessagingWorld, thread: Thread) -> None:
    file = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, file)
    await settle(world, file)
    nodes = [world.another_node() for _ in range(4)]
    await asyncio.gather(*(follow_files(node) for node in nodes))
    assert await _bodies(world, thread.id) == ["Look"]


async def test_a_retry_is_answered_as_the_first_try(world: MessagingWorld, thread: Thread) -> None:
    file = await announce(world, "ana", thread.id)
    outcomes = await asyncio.gather(
        *(send_files(world, "ana", thread.id, file, body="Look") for _ in range(4))
    )
    assert outcomes.count(Waiting("f1", again=True)) == 3
    other = await announce(world, "ana", thread.id)
    for changed in (
        send_files(world, "ana", thread.id, file, body="Other"),
        send_files(world, "ana", thread.id, other, body="Look"),
    ):
        with pytest.raises(ClientIdReused):
            await changed
    held = await own_held(world.messaging, world.actors["ana"], thread.id, "f1")
    assert held.status is HeldStatus.WAITING
    assert (await waiting_state(world.messaging, world.user("ana"))).count == 1


async def test_a_file_that_becomes_ready_at_the_same_moment(
    world: MessagingWorld, thread: Thread
) -> None:
    for number in range(6):
        file = await announce(world, "ana", thread.id)
        await asyncio.gather(
            send_files(world, "ana", thread.id, file, body=f"{number}", client_id=f"c{number}"),
            _settle_however_often(world, file),
        )
        await follow_files(world)
    assert sorted(await _bodies(world, thread.id)) == [f"{number}" for number in range(6)]
    assert await _own(world) == ()


async def _settle_however_often(world: MessagingWorld, file: FileId) -> None:
    while True:
        try:
            await settle(world, file)
        except ConditionFailed:
            continue
        return


@pytest.mark.parametrize(
    "state",
    [FileState.INFECTED, FileState.UNSCANNABLE, FileState.REFUSED, FileState.FAILED],
)
async def test_it_fails_where_a_file_ends_badly(
    world: MessagingWorld, thread: Thread, state: FileState
) -> None:
    recorded = RecordedChanges(world)
    good = await ready_file(world, "ana", thread.id)
    bad = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, good, bad)
    await settle(world, bad, state, problem="picture-too-large", detail="It has 100 megapixels.")
    await follow_files(world)
    [failed] = await _own(world)
    assert failed.status is WaitingStatus.FAILED
    assert (failed.problem, failed.detail) == ("picture-too-large", "It has 100 megapixels.")
    assert recorded.statuses == ["waiting", "failed"]
    assert await _bodies(world, thread.id) == []
    again = await send_files(world, "ana", thread.id, good, bad, body="Look")
    assert again == Failed("f1", "picture-too-large", "It has 100 megapixels.")
    assert (await stored(world, good)).use is None
    sent = await send_files(world, "ana", thread.id, good, body="Then this", client_id="f2")
    assert isinstance(sent, Sent)


async def test_it_fails_where_a_file_expires(world: MessagingWorld, thread: Thread) -> None:
    good, late = [await announce(world, "ana", thread.id) for _ in range(2)]
    await settle(world, good)
    await _wait(world, thread.id, good, late)
    await expire(world, late)
    await follow_files(world)
    [failed] = await _own(world)
    assert (failed.status, failed.problem) == (WaitingStatus.FAILED, "file-expired")
    assert (await stored(world, good)).use is None


async def test_a_rebuild_finds_messages_whose_files_changed_while_no_server_ran(
    world: MessagingWorld, thread: Thread
) -> None:
    one, other, late = [await announce(world, "ana", thread.id) for _ in range(3)]
    await _wait(world, thread.id, one, body="ready", client="f1")
    await _wait(world, thread.id, other, body="refused", client="f2")
    await _wait(world, thread.id, late, body="late", client="f3")
    await follow_files(world)
    await settle(world, one)
    await settle(world, other, FileState.REFUSED)
    await request_rebuild(world.store, files_follower(world))  # forgets what was not followed
    await follow_files(world)
    assert await _bodies(world, thread.id) == ["ready"]
    assert [(one.body, one.status.value) for one in await _own(world)] == [
        ("refused", "failed"),
        ("late", "waiting"),
    ]


async def test_its_author_can_cancel_it(world: MessagingWorld, thread: Thread) -> None:
    recorded, ana = RecordedChanges(world), world.actors["ana"]
    file = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, file)
    await cancel_waiting(world.messaging, ana, thread.id, "f1")
    await settle(world, file)
    await follow_files(world)
    assert await _bodies(world, thread.id) == []
    assert await _own(world) == ()
    assert recorded.statuses == ["waiting", "canceled"]
    assert await send_files(world, "ana", thread.id, file, body="Look") == Canceled("f1")
    with pytest.raises(WaitingMessageNotFound):
        await cancel_waiting(world.messaging, ana, thread.id, "f1")
    sent = await send_files(world, "ana", thread.id, file, body="After all", client_id="f2")
    assert isinstance(sent, Sent)


async def test_canceling_and_sending_at_the_same_moment_has_one_winner(
    world: MessagingWorld, thread: Thread
) -> None:
    for number in range(6):
        file, client = await announce(world, "ana", thread.id), f"c{number}"
        await _wait(world, thread.id, file, body=client, client=client)
        await settle(world, file)
        ana = world.actors["ana"]
        canceled, _ = await asyncio.gather(
            cancel_waiting(world.another_node().messaging, ana, thread.id, client),
            follow_files(world),
            return_exceptions=True,
        )
        was_sent = client in await _bodies(world, thread.id)
        assert was_sent == isinstance(canceled, WaitingMessageNotFound)
        use = (await stored(world, file)).use
        assert (use is not None) == was_sent
    assert await _own(world) == ()
    assert (await waiting_state(world.messaging, world.user("ana"))).count == 0


async def test_a_message_that_failed_can_be_removed_from_the_list(
    world: MessagingWorld, thread: Thread
) -> None:
    file = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, file)
    await settle(world, file, FileState.INFECTED)
    await follow_files(world)
    await cancel_waiting(world.messaging, world.actors["ana"], thread.id, "f1")
    assert await _own(world) == ()
    assert isinstance(await send_files(world, "ana", thread.id, file, body="Look"), Failed)


async def test_later_texts_do_not_wait_and_order_is_kept_where_both_are_ready(
    world: MessagingWorld, thread: Thread
) -> None:
    files = [await announce(world, "ana", thread.id) for _ in range(3)]
    for number, file in enumerate(files):
        world.clock.advance(seconds=1)
        await _wait(world, thread.id, file, body=f"picture {number}", client=f"p{number}")
    await world.say("ana", thread.id, "a text")
    for file in reversed(files):
        await settle(world, file)
    await follow_files(world)
    expected = ["a text", "picture 0", "picture 1", "picture 2"]
    assert await _bodies(world, thread.id) == expected


class FailsForOne(ForwardingStore):
    """A store that fails unexpectedly whenever the claim of one message is written."""

    def __init__(self, store: Store, claim: Key) -> None:
        super().__init__(store)
        self._claim = claim

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        if any(key_of(op) == self._claim for op in ops):
            raise RuntimeError("a bug")
        return await super().write(*ops, token=token)


async def test_one_that_fails_unexpectedly_holds_up_no_other(
    world: MessagingWorld, thread: Thread
) -> None:
    for number in range(2):
        file = await announce(world, "ana", thread.id)
        await _wait(world, thread.id, file, body=f"picture {number}", client=f"p{number}")
        await settle(world, file)
        world.clock.advance(seconds=1)
    ana = world.actors["ana"].user
    failing = FailsForOne(world.store, claim_key(thread.id, ana, "p0"))
    timer = timer_of(ana, thread.id, "p1", "", world.clock.now_ms())
    await send_when_ready(messaging_on(failing, world.clock), timer)
    assert await _bodies(world, thread.id) == ["picture 1"]
    await follow_files(world)
    assert await _bodies(world, thread.id) == ["picture 1", "picture 0"]


async def test_it_keeps_what_came_with_it(world: MessagingWorld, thread: Thread) -> None:
    first = await world.say("ben", thread.id, "Send me the picture")
    file = await announce(world, "ana", thread.id)
    ana = world.actors["ana"]
    await draft.save_draft(world.messaging, ana, thread.id, "Loo")
    outgoing = Outgoing(
        "f1",
        "Look, @ben",
        first.id,
        metadata='{"order":17}',
        attachments=(NewAttachment(file, "A roof"),),
    )
    assert isinstance(await send(world.messaging, ana, thread.id, outgoing), Waiting)
    assert await draft.draft(world.messaging, ana, thread.id) is None
    await settle(world, file)
    await follow_files(world)
    page = await history(world.messaging, world.actors["ben"], thread.id)
    message = page.messages[-1]
    assert (message.reply_to, message.metadata) == (first.id, '{"order":17}')
    assert message.mentions == (world.user("ben"),)
    assert message.attachments[0].alt == "A roof"


async def test_what_came_while_it_waited_stays_unread(
    world: MessagingWorld, thread: Thread
) -> None:
    file = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, file)
    await world.say("ben", thread.id, "Are you there?")
    await settle(world, file)
    await follow_files(world)
    page = await inbox.inbox(world.another_node().messaging, world.actors["ana"])
    assert page.rows[0].state.unread == 2


async def _left(world: MessagingWorld, thread: Thread) -> str:
    await participants.leave(world.messaging, world.actors["ana"], thread.id)
    return "thread-not-found"


async def _locked(world: MessagingWorld, thread: Thread) -> str:
    moderator = Actor(world.user("ben"), frozenset({Scope.MODERATOR}))
    await lock(world.messaging, moderator, thread.id)
    return "conversation-locked"


async def _suspended(world: MessagingWorld, thread: Thread) -> str:
    await suspend(world.people, world.user("ana"), None, "Spam")
    return "account-suspended"


@pytest.mark.parametrize("happens", [_left, _locked, _suspended])
async def test_what_happened_meanwhile_is_respected(
    world: MessagingWorld, thread: Thread, happens: Any
) -> None:
    file = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, file)
    problem = await happens(world, thread)
    await settle(world, file)
    await follow_files(world)
    [failed] = await _own(world)
    assert (failed.status, failed.problem) == (WaitingStatus.FAILED, problem)
    assert "Look" not in await _bodies(world, thread.id)
    assert (await stored(world, file)).use is None


async def test_a_block_meanwhile_does_not_show(world: MessagingWorld, thread: Thread) -> None:
    recorded = RecordedChanges(world)
    file = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, file)
    await block_person(world.messaging, world.actors["ben"], world.user("ana"))
    await settle(world, file)
    await follow_files(world)
    assert recorded.statuses == ["waiting", "sent"]
    assert await _bodies(world, thread.id, "ana") == ["Look"]
    assert await file_views(world.contexts[Files], world.actors["ben"], (file,)) == {}


async def test_a_text_that_is_held_waits_for_its_files_first(
    world: MessagingWorld, thread: Thread
) -> None:
    recorded = RecordedChanges(world)
    file = await announce(world, "ana", thread.id)
    await _wait(world, thread.id, file, body=SCAM)
    await settle(world, file)
    await follow_files(world)
    assert recorded.statuses == ["waiting", "held"]
    assert await _own(world) == ()
    assert isinstance(await send_files(world, "ana", thread.id, file, body=SCAM), Held)
    assert (await stored(world, file)).use == use_while_waiting(thread.id, "f1")


async def test_a_refused_text_does_not_wait(world: MessagingWorld, thread: Thread) -> None:
    file = await announce(world, "ana", thread.id)
    rule = Rule(name="no-fish", matcher=Pattern("fish"), severity=Severity.REFUSE)
    rule_set = RuleSet(rules=(*DEFAULT_RULES.rules, rule))
    safety = dataclasses.replace(world.messaging.safety, rule_set=rule_set)
    world.messaging = dataclasses.replace(world.messaging, safety=safety)
    with pytest.raises(TextRefused):
        await send_files(world, "ana", thread.id, file, alt="Fish on a plate")
    assert (await stored(world, file)).use is None
    assert await _own(world) == ()


async def test_there_is_a_limit_to_how_many_wait(store_url: str) -> None:
    async with world_on(store_url, UNLIMITED) as world:
        thread = await world.inquiry()
        for number in range(MAX_WAITING):
            file = await announce(world, "ana", thread.id)
            await _wait(world, thread.id, file, client=f"c{number}")
        file = await announce(world, "ana", thread.id)
        with pytest.raises(TooManyWaiting):
            await _wait(world, thread.id, file, client="one-more")
        again = await send_files(
            world, "ana", thread.id, (await _own(world))[0].attachments[0].file,
            body="Look", client_id="c0",
        )  # fmt: skip
        assert again == Waiting("c0", again=True)
        await cancel_waiting(world.messaging, world.actors["ana"], thread.id, "c0")
        await _wait(world, thread.id, file, client="one-more")
        assert len(await _own(world)) == MAX_WAITING
