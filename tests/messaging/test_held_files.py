"""Held messages with files: released with them, or discarded with them."""

import pytest
from msgspec.structs import replace

from greenroom.files.models import FileState
from greenroom.files.records import FILES, removed_in
from greenroom.ids import FileId
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.history import history
from greenroom.messaging.models import Message, Thread
from greenroom.messaging.outgoing import Held, Rejected, Sent
from greenroom.safety.access import find
from greenroom.safety.models import Case, Decision, HeldMessage, SentMessage, case_id
from tests.messaging.file_steps import quota, ready_file, send_files, stored
from tests.messaging.world import MessagingWorld

LIKE = FileId("fil_01k75q8h4g8j0m2p4r6t8v0x2y")
HASH = "f" * 64


@pytest.fixture
async def thread(world: MessagingWorld) -> Thread:
    return await world.inquiry()


async def _held(world: MessagingWorld, thread: Thread) -> tuple[FileId, Case]:
    """A message with a picture like one that a moderator removed."""
    file = await ready_file(world, "ana", thread.id, resembles=LIKE, perceptual_hash=HASH)
    outcome = await send_files(world, "ana", thread.id, file, body="Look", alt="A roof")
    assert isinstance(outcome, Held)
    subject = HeldMessage(thread.id, world.user("ana"), "f1")
    case = await find(world.safety, case_id(subject))
    assert case is not None
    return file, case


async def _messages(world: MessagingWorld, thread: Thread) -> tuple[Message, ...]:
    node = world.another_node()
    return (await history(node.messaging, world.actors["ben"], thread.id)).messages


async def test_a_picture_like_a_removed_one_is_held_and_nobody_sees_it(
    world: MessagingWorld, thread: Thread
) -> None:
    file, case = await _held(world, thread)
    assert (case.verdict, case.policy_tags) == ("resembles", frozenset())
    assert (case.text, case.files) == ("Look\nA roof", (file,))
    assert await _messages(world, thread) == ()
    use = (await stored(world, file)).use
    assert use is not None
    assert use.is_waiting


async def test_it_is_released_with_its_files(world: MessagingWorld, thread: Thread) -> None:
    file, case = await _held(world, thread)
    enforcement = Enforcement(world.messaging)
    await enforcement.check_release(case)
    for _ in range(2):
        assert await enforcement.release(case)
    [message] = await _messages(world, thread)
    assert (message.body, message.moderation) == ("Look", "clean")
    assert [(one.file, one.alt) for one in message.attachments] == [(file, "A roof")]
    use = (await stored(world, file)).use
    assert use is not None
    assert use.item == message.id
    again = await send_files(world, "ana", thread.id, file, body="Look", alt="A roof")
    assert isinstance(again, Sent)


async def test_it_is_discarded_with_its_files(world: MessagingWorld, thread: Thread) -> None:
    file, case = await _held(world, thread)
    for _ in range(2):
        await Enforcement(world.messaging).remove(case)
    assert (await stored(world, file)).state is FileState.DELETED
    assert await quota(world, "ana") == (0, 0)
    again = await send_files(world, "ana", thread.id, file, body="Look", alt="A roof")
    assert isinstance(again, Rejected)
    month = removed_in(world.clock.now_ms())
    assert len((await world.store.query(FILES, month, limit=9)).items) == 1


async def test_a_picture_that_nobody_looked_at_is_not_remembered(
    world: MessagingWorld, thread: Thread
) -> None:
    """Its case was closed with another one: its author was suspended."""
    file, case = await _held(world, thread)
    await Enforcement(world.messaging).remove(replace(case, decision=Decision.FOLDED))
    assert (await stored(world, file)).state is FileState.DELETED
    month = removed_in(world.clock.now_ms())
    assert (await world.store.query(FILES, month, limit=9)).items == ()


async def test_a_removed_message_takes_its_files_and_leaves_their_hashes(
    world: MessagingWorld, thread: Thread
) -> None:
    file = await ready_file(world, "ana", thread.id, perceptual_hash=HASH)
    sent = await send_files(world, "ana", thread.id, file)
    assert isinstance(sent, Sent)
    subject = SentMessage(thread.id, sent.message.id)
    case = Case(id=case_id(subject), subject=subject, opened_ms=world.clock.now_ms())
    for _ in range(2):
        await Enforcement(world.messaging).remove(case)
    [message] = await _messages(world, thread)
    assert (message.attachments, message.deleted_ms is not None) == ((), True)
    assert (await stored(world, file)).state is FileState.DELETED
    month = removed_in(world.clock.now_ms())
    assert len((await world.store.query(FILES, month, limit=9)).items) == 1
