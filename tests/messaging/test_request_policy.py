"""The policy for requests and retention: size, length, expiry, and the age of a cursor."""

import dataclasses
from typing import Any

import pytest

from greenroom.messaging import inbox
from greenroom.messaging.history import history
from greenroom.messaging.models import Folder, Kind, Thread
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.problems import AlreadyAsked, InvalidText, RequestPending
from greenroom.messaging.records import DAY_MS
from greenroom.messaging.sync import cursor_now, sync
from tests.messaging.world import MessagingWorld


async def _request(world: MessagingWorld, **policy: Any) -> Thread:
    """Cleo, a stranger, has opened a conversation with Ana."""
    world.messaging = dataclasses.replace(world.messaging, **policy)
    ana, cleo = await world.person("ana"), await world.person("cleo")
    opening = Opening(kind=Kind.INQUIRY, others=(Invited(ana.user),))
    return await open_thread(world.messaging, cleo, opening)


@pytest.mark.parametrize("size", [1, 5])
async def test_a_request_holds_and_shows_as_many_messages_as_the_policy_allows(
    world: MessagingWorld, size: int
) -> None:
    thread = await _request(world, request_messages=size)
    for number in range(size):
        await world.say("cleo", thread.id, f"Hello {number}")
    with pytest.raises(RequestPending) as refusal:
        await world.say("cleo", thread.id, "One more")
    assert refusal.value.most == size
    page = await history(world.messaging, world.actors["ana"], thread.id)
    assert [message.body for message in page.messages] == [f"Hello {n}" for n in range(size)]
    [row] = (await inbox.inbox(world.messaging, world.actors["ana"], Folder.REQUESTS)).rows
    assert row.state.unread == size


async def test_a_request_keeps_the_size_with_which_it_was_made(world: MessagingWorld) -> None:
    thread = await _request(world, request_messages=2)
    world.messaging = dataclasses.replace(world.messaging, request_messages=9)
    for text in ("Hello", "Are you there?"):
        await world.say("cleo", thread.id, text)
    with pytest.raises(RequestPending):
        await world.say("cleo", thread.id, "One more")


async def test_a_message_in_a_request_is_as_long_as_the_policy_allows(
    world: MessagingWorld,
) -> None:
    thread = await _request(world, request_characters=100)
    await world.say("cleo", thread.id, "a" * 100)
    with pytest.raises(InvalidText, match="at most 100 characters"):
        await world.say("cleo", thread.id, "a" * 101)


async def test_a_request_expires_and_may_be_made_again_as_the_policy_says(
    world: MessagingWorld,
) -> None:
    thread = await _request(world, request_ms=2 * DAY_MS, ask_again_ms=5 * DAY_MS)
    await world.say("cleo", thread.id, "Hello")
    world.clock.advance(days=2)
    ana, cleo = world.actors["ana"], world.actors["cleo"]
    assert (await inbox.inbox(world.messaging, ana, Folder.REQUESTS)).rows == ()
    opening = Opening(kind=Kind.GROUP, others=(Invited(ana.user),), subject="Again")
    with pytest.raises(AlreadyAsked):
        await open_thread(world.messaging, cleo, opening)
    world.clock.advance(days=3)
    await open_thread(world.messaging, cleo, opening)


@pytest.mark.parametrize(("before", "after"), [(5, 5), (5, 60), (60, 5)])
async def test_a_cursor_is_too_old_once_log_entries_may_have_expired(
    world: MessagingWorld, before: int, after: int
) -> None:
    """The shorter of the two times holds, if the policy has changed in between."""
    ana = await world.person("ana")
    short = dataclasses.replace(world.messaging, sync_log_ms=before * DAY_MS)
    cursor = cursor_now(short)
    now = dataclasses.replace(world.messaging, sync_log_ms=after * DAY_MS)
    world.clock.advance(days=4)
    assert not (await sync(now, ana, cursor)).reset
    world.clock.advance(days=2)
    assert (await sync(now, ana, cursor)).reset
