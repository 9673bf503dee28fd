"""Inbox pages, pins, mutes, the archive, and counts, which are exact during many changes."""

import asyncio

import pytest

from greenroom.ids import ThreadId
from greenroom.messaging import draft, inbox, participants, read, row_settings
from greenroom.messaging.history import Seen, history
from greenroom.messaging.models import Folder, Kind, Role
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.problems import InvalidReadPosition, MessageNotFound, ThreadNotFound
from greenroom.people.actor import Scope
from greenroom.store.problems import InvalidCursor
from tests.messaging.world import MessagingWorld


async def _standing(world: MessagingWorld, name: str, thread: ThreadId) -> tuple[str, int]:
    for folder in (Folder.ALL, Folder.ARCHIVED, Folder.SPAM):
        for row in (await inbox.inbox(world.messaging, world.actors[name], folder)).rows:
            if row.thread.id == thread:
                return str(row.state.folder), row.state.unread
    return "nowhere", 0


async def _settles(world: MessagingWorld) -> None:
    """A day passes, and everybody opens their inbox."""
    world.clock.advance(days=1)
    for actor in world.actors.values():
        await inbox.inbox(world.messaging, actor)
    await world.messaging.deferred.run()


async def _crowd(world: MessagingWorld, threads: int) -> list[ThreadId]:
    shop, ana = await world.person("shop", Scope.SERVICE), await world.person("ana")
    found: list[ThreadId] = []
    for n in range(threads):
        world.clock.advance(ms=10)
        opening = Opening(
            kind=Kind.INQUIRY, role=Role.SELLER, others=(Invited(ana.user, Role.BUYER),)
        )
        thread = await open_thread(world.messaging, shop, opening)
        await world.say("shop", thread.id, f"Offer {n}")
        found.append(thread.id)
    return found


@pytest.mark.parametrize("threads", [130, 330])
async def test_everything_unread_is_found_page_by_page(
    unlimited_world: MessagingWorld, threads: int
) -> None:
    opened = await _crowd(unlimited_world, threads)
    ana = unlimited_world.actors["ana"]
    page = await inbox.inbox(unlimited_world.messaging, ana)
    assert page.counts is not None
    looked_at = min(threads, inbox.MAX_ACTIVE_ROWS)
    assert (page.counts.badge, page.counts.more) == (looked_at, threads > looked_at)
    assert len(page.rows) == inbox.PAGE
    shown = [row.thread.id for row in page.rows]
    while page.next is not None:
        page = await inbox.inbox(unlimited_world.messaging, ana, cursor=page.next)
        shown += [row.thread.id for row in page.rows]
    assert shown == opened[::-1]


async def test_active_and_inactive_rows_are_one_list(unlimited_world: MessagingWorld) -> None:
    opened = await _crowd(unlimited_world, 60)
    ana = unlimited_world.actors["ana"]
    for thread in opened[::2]:
        await read.mark_read(unlimited_world.messaging, ana, thread, 1)
    unlimited_world.clock.advance(seconds=3600)
    for _ in range(6):
        await inbox.inbox(unlimited_world.messaging, ana, limit=50)
        await unlimited_world.messaging.deferred.run()
    await row_settings.pin(unlimited_world.messaging, ana, opened[10], True)
    shown: list[ThreadId] = []
    cursor: str | None = None
    while True:
        page = await inbox.inbox(
            unlimited_world.messaging, ana, Folder.ACTION, cursor=cursor, limit=7
        )
        shown += [row.thread.id for row in page.rows]
        cursor = page.next
        if cursor is None:
            break
    assert shown == [opened[10], *(thread for thread in opened[::-1] if thread != opened[10])]
    assert (await inbox.counts(unlimited_world.messaging, ana)).badge == 30


async def test_a_cursor_is_for_one_folder_of_one_user(unlimited_world: MessagingWorld) -> None:
    await _crowd(unlimited_world, 3)
    ana = unlimited_world.actors["ana"]
    page = await inbox.inbox(unlimited_world.messaging, ana, limit=1)
    assert page.next is not None
    with pytest.raises(InvalidCursor):
        await inbox.inbox(
            unlimited_world.messaging, unlimited_world.actors["shop"], cursor=page.next
        )
    with pytest.raises(InvalidCursor):
        await inbox.inbox(unlimited_world.messaging, ana, Folder.OFFERS, cursor=page.next)


async def test_a_row_that_becomes_inactive_returns_with_a_message_after_weeks(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    await world.say("ben", thread.id, "Friday?")
    await read.mark_read(world.messaging, world.actors["ana"], thread.id, 1)
    await _settles(world)
    world.clock.advance(days=30)
    assert await _standing(world, "ana", thread.id) == ("action", 0)
    await world.say("ben", thread.id, "Or Saturday?")
    assert await _standing(world, "ana", thread.id) == ("action", 1)
    assert (await inbox.counts(world.messaging, world.actors["ana"])).badge == 1


async def test_a_message_brings_a_thread_back_from_the_archive_unless_it_is_muted(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, messaging = world.actors["ana"], world.messaging
    await row_settings.archive(messaging, ana, thread.id, True)
    await _settles(world)
    assert await _standing(world, "ana", thread.id) == ("archived", 0)
    await world.say("ben", thread.id, "Hello?")
    assert await _standing(world, "ana", thread.id) == ("action", 1)
    await row_settings.archive(messaging, ana, thread.id, True)
    await row_settings.mute(messaging, ana, thread.id, world.clock.now_ms() + 86_400_000)
    await world.say("ben", thread.id, "Hello??")
    assert await _standing(world, "ana", thread.id) == ("archived", 2)
    assert (await inbox.counts(messaging, ana)).badge == 0


async def test_muting_and_unmuting_leave_a_thread_where_it_is(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, messaging = world.actors["ana"], world.messaging
    tomorrow = world.clock.now_ms() + 86_400_000
    await row_settings.archive(messaging, ana, thread.id, True)
    await world.say("ben", thread.id, "It is back.")
    await row_settings.mute(messaging, ana, thread.id, tomorrow)
    assert (await _standing(world, "ana", thread.id))[0] == "action"
    await row_settings.archive(messaging, ana, thread.id, True)
    await world.say("ben", thread.id, "Nobody hears this.")
    await row_settings.mute(messaging, ana, thread.id, 0)
    assert (await _standing(world, "ana", thread.id))[0] == "archived"
    await world.say("ben", thread.id, "But this.")
    assert (await _standing(world, "ana", thread.id))[0] == "action"


async def test_a_mute_ends_by_itself_and_the_badge_knows(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    await world.say("ben", thread.id, "Hello.")
    await row_settings.mute(world.messaging, ana, thread.id, world.clock.now_ms() + 60_000)
    muted = await inbox.counts(world.messaging, ana)
    assert (muted.badge, muted.unread[Folder.ALL]) == (0, 0)
    world.clock.advance(ms=60_000)
    assert (await inbox.counts(world.messaging, ana)).badge == 1
    with pytest.raises(InvalidReadPosition):
        await row_settings.mute(world.messaging, ana, thread.id, -1)


async def test_marking_unread_moves_the_read_position_back_but_not_the_receipt(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, messaging = world.actors["ana"], world.messaging
    for n in range(4):
        await world.say("ben", thread.id, f"{n}")
    await read.mark_unread(messaging, ana, thread.id)
    assert await _standing(world, "ana", thread.id) == ("action", 4), "they were unread already"
    await read.mark_read(messaging, ana, thread.id, 4)
    await _settles(world)
    await read.mark_unread(messaging, ana, thread.id, 2)
    assert await _standing(world, "ana", thread.id) == ("action", 3)
    await read.mark_read(messaging, ana, thread.id, 1)
    assert await _standing(world, "ana", thread.id) == ("action", 3), (
        "a late receipt of another device"
    )
    await read.mark_read(messaging, ana, thread.id, 3)
    assert await _standing(world, "ana", thread.id) == ("action", 1)
    page = await history(messaging, world.actors["ben"], thread.id)
    assert all(Seen(page.view.thread, page.members).by(f) == (ana.user,) for f in page.messages)
    await world.say("ana", thread.id, "Sending reads.")
    assert await _standing(world, "ana", thread.id) == ("offers", 0)


async def test_receipts_never_go_back_and_never_exceed_the_thread(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    messages = [await world.say("ben", thread.id, f"{n}") for n in range(3)]
    await read.mark_read(world.messaging, ana, thread.id, 2)
    await read.mark_read(world.another_node().messaging, ana, thread.id, 1)
    page = await history(world.messaging, ben, thread.id)
    seen = [Seen(page.view.thread, page.members).by(message) for message in page.messages]
    assert seen == [(ana.user,), (ana.user,), ()]
    for wrong in (4, -1):
        with pytest.raises(InvalidReadPosition):
            await read.mark_read(world.messaging, ana, thread.id, wrong)
    await asyncio.gather(
        *(read.mark_read(world.messaging, ana, thread.id, seq) for seq in (3, 1, 2))
    )
    assert await _standing(world, "ana", thread.id) == ("action", 0)
    assert messages[2].seq == 3


async def test_only_its_author_sees_a_draft_and_an_empty_one_is_deleted(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    await draft.save_draft(world.messaging, ana, thread.id, "I would")
    found = await draft.draft(world.messaging, ana, thread.id)
    assert found is not None
    assert found.body == "I would"
    assert await draft.draft(world.messaging, ben, thread.id) is None
    assert await draft.save_draft(world.messaging, ana, thread.id, " ") is None
    assert await draft.draft(world.messaging, ana, thread.id) is None
    with pytest.raises(ThreadNotFound):
        await draft.save_draft(world.messaging, await world.person("cleo"), thread.id, "x")


async def test_history_goes_both_ways_and_around(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, messaging = world.actors["ana"], world.messaging
    ids = [(await world.say("ben", thread.id, f"{n}")).id for n in range(1, 8)]

    async def seqs(**where: object) -> tuple[list[int], bool, bool]:
        page = await history(messaging, ana, thread.id, **where)  # type: ignore[arg-type]
        return [message.seq for message in page.messages], page.has_before, page.has_after

    assert await seqs(limit=3) == ([5, 6, 7], True, False)
    assert await seqs(before=ids[4], limit=3) == ([2, 3, 4], True, True)
    assert await seqs(before=ids[1], limit=3) == ([1], False, True)
    assert await seqs(after=ids[4], limit=3) == ([6, 7], True, False)
    assert await seqs(after=ids[0], limit=3) == ([2, 3, 4], True, True)
    assert await seqs(around=ids[3], limit=3) == ([3, 4, 5], True, True)
    assert await seqs(around=ids[0], limit=4) == ([1, 2], False, True)
    assert await seqs(around=ids[6], limit=1) == ([7], True, False)
    with pytest.raises(MessageNotFound):
        await seqs(around="nonsense")


async def test_later_members_see_only_messages_since_they_joined(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    mod = await world.person("mod", Scope.SERVICE)
    before = await world.say("ana", thread.id, "Between us.")
    await participants.add(world.messaging, world.actors["ana"], thread.id, Invited(mod.user))
    await world.say("ben", thread.id, "Welcome.")
    page = await history(world.messaging, mod, thread.id, around=before.id)
    assert not [message for message in page.messages if message.seq == before.seq]
    page = await history(world.messaging, mod, thread.id)
    assert [message.seq for message in page.messages] == [2, 3]
    assert not page.has_before
    with pytest.raises(MessageNotFound):
        await world.say("mod", thread.id, "What?", reply_to=before.id)
    with pytest.raises(InvalidReadPosition):
        await read.mark_unread(world.messaging, mod, thread.id, 1)


async def test_two_devices_of_one_user_that_read_at_once_after_a_pause_both_succeed(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    for n in range(3):
        await world.say("ana", thread.id, f"Message {n}")
    ben = world.actors["ben"]
    await read.mark_read(world.messaging, ben, thread.id, 1)
    world.clock.advance(seconds=3600)
    nodes = [world.another_node().messaging for _ in range(4)]
    await asyncio.gather(
        *(read.mark_read(node, ben, thread.id, 2 + n % 2) for n, node in enumerate(nodes)),
        *(read.mark_delivered(node, ben, thread.id, 3) for node in nodes),
    )
    assert (await inbox.counts(world.messaging, ben)).badge == 0
