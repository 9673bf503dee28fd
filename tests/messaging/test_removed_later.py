"""Pictures that were checked before a moderator removed one like them, and are sent afterwards."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from greenroom.files.removed_pictures import remember_removed
from greenroom.messaging.lock import lock, unlock
from greenroom.messaging.models import Status
from greenroom.messaging.outgoing import Held, Sent
from greenroom.messaging.pictures import own_picture
from greenroom.messaging.problems import ConversationLocked, InvalidPicture
from greenroom.people.actor import system
from tests.messaging.file_steps import ready_file, send_files, stored
from tests.messaging.world import MessagingWorld

HASH, MIRRORED, OTHER = "0f" * 32, "3c" * 32, "5a" * 32


async def _remove_one_like_it(world: MessagingWorld) -> None:
    await world.person("ben")
    removed = await ready_file(world, "ben", None, perceptual_hash=OTHER, frame_hashes=(HASH,))
    ops = remember_removed(await stored(world, removed), world.clock.now_ms())
    await world.store.write(*ops)
    world.clock.advance(seconds=2)


@pytest.mark.parametrize(
    "hashes",
    [
        {"perceptual_hash": HASH},
        {"perceptual_hash": "0" * 64, "frame_hashes": (HASH,)},
        {"perceptual_hash": "0" * 64, "mirrored_hashes": (HASH,)},
    ],
    ids=["the same", "in a video", "mirrored"],
)
async def test_a_picture_like_one_that_was_removed_since_is_held(
    world: MessagingWorld, hashes: dict[str, Any]
) -> None:
    thread = await world.inquiry()
    first, second = [await ready_file(world, "ana", thread.id, **hashes) for _ in range(2)]
    assert isinstance(await send_files(world, "ana", thread.id, first), Sent)
    await _remove_one_like_it(world)
    outcome = await send_files(world, "ana", thread.id, second, client_id="f2")
    assert isinstance(outcome, Held)
    assert (await stored(world, second)).resembles is not None, "the moderator sees why"


async def test_only_what_was_removed_since_the_upload_is_compared(world: MessagingWorld) -> None:
    """The check of the upload has compared it with all before."""
    await _remove_one_like_it(world)
    world.clock.advance(seconds=600)
    thread = await world.inquiry()
    file = await ready_file(world, "ana", thread.id, perceptual_hash=HASH)
    assert isinstance(await send_files(world, "ana", thread.id, file), Sent)


async def test_nothing_is_compared_for_an_author_who_may_not_send(
    world: MessagingWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = await world.inquiry()
    file = await ready_file(world, "ana", thread.id, perceptual_hash=HASH)
    removed, compared = world.messaging.files.pipeline.removed, list[Sequence[str]]()

    async def resembling(hashes: Sequence[str], since_ms: int = 0) -> None:
        compared.append(hashes)

    monkeypatch.setattr(removed, "resembling", resembling)
    await lock(world.messaging, system(), thread.id)
    with pytest.raises(ConversationLocked):
        await send_files(world, "ana", thread.id, file)
    assert compared == []
    await unlock(world.messaging, system(), thread.id)
    assert isinstance(await send_files(world, "ana", thread.id, file), Sent)
    assert compared == [(HASH,)]


async def test_an_old_head_in_the_cache_refuses_no_files(world: MessagingWorld) -> None:
    """Another node has unlocked the thread."""
    thread = await world.inquiry()
    file = await ready_file(world, "ana", thread.id)
    await lock(world.messaging, system(), thread.id)
    await unlock(world.another_node().messaging, system(), thread.id)
    cached = world.messaging.thread_cache.get(thread.id)
    assert cached is not None
    assert cached.status is Status.LOCKED
    assert isinstance(await send_files(world, "ana", thread.id, file), Sent)


async def test_an_avatar_is_compared_again_if_such_pictures_are_held(
    world: MessagingWorld,
) -> None:
    files, ana = world.messaging.files, await world.person("ana")
    avatar = await ready_file(world, "ana", None, perceptual_hash=HASH)
    assert (await own_picture(files, ana, avatar, None)).id == avatar
    await _remove_one_like_it(world)
    with pytest.raises(InvalidPicture, match="removed"):
        await own_picture(files, ana, avatar, None)
    off = changed(files.safe_mode, hold_resembling=False)
    assert (await own_picture(replace(files, safe_mode=off), ana, avatar, None)).id == avatar
