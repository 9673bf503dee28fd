"""Files that nothing uses are deleted after a day, and their bytes are removed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.files import access, items
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import expires_ms
from greenroom.files.delete_file import delete_file
from greenroom.files.models import FileState, FileUse, Storage, Variant
from greenroom.files.problems import FileNotFound
from greenroom.files.records import blob_of
from greenroom.files.release import removal_timer
from greenroom.files.upload_state import upload_state
from greenroom.files.use import unuse_ops, use_op
from tests.files.upload_world import NOTES, UploadWorld, upload_world

DAY_S = 86_400
USE = FileUse(kind="avatar", target="usr_ana")


@pytest.fixture(params=["in order", "in parts"])
async def world(
    request: pytest.FixtureRequest, store_url: str, tmp_path: Path
) -> AsyncIterator[UploadWorld]:
    is_parts = request.param == "in parts"
    async with upload_world(store_url, tmp_path, parts=is_parts) as found:
        yield found


async def test_an_unfinished_upload_is_gone_after_a_day(world: UploadWorld) -> None:
    content = bytes(9_000_000)
    file, ana = await world.announce(content), world.actors["ana"]
    if world.files.blobs.path_of(blob_of(file, Variant.ORIGINAL)) is None:
        await world.send_parts(file, content, 1)
    else:
        await world.append(file, content[:1_000_000])
    assert world.bytes_on_disk()
    assert expires_ms(world.files, file) == world.clock.now_ms() + DAY_S * 1000
    world.clock.advance(seconds=DAY_S - 1)
    await world.run_timers()
    assert (await upload_state(world.files, ana, file.id)).state is not None
    world.clock.advance(seconds=1)
    await world.run_timers()  # deletes it, and schedules the removal
    await world.run_timers()
    assert world.bytes_on_disk() == []
    assert await world.used() == Storage(0, 0)
    assert await world.timers() == []
    for call in (access.own_file, complete_upload, upload_state):
        with pytest.raises(FileNotFound):
            await call(world.files, ana, file.id)


async def test_a_used_file_stays(world: UploadWorld) -> None:
    file = await world.send(await world.announce())
    await world.store.write(use_op(file, USE, world.clock.now_ms()))
    world.clock.advance(seconds=2 * DAY_S)
    await world.run_timers()
    await world.run_timers()
    assert await world.content(file) == NOTES
    used = await world.file(file.id)
    assert used.state is FileState.READY
    await world.store.write(*unuse_ops(used, world.files.policy, world.clock.now_ms()))
    world.clock.advance(seconds=DAY_S)
    await world.run_timers()
    await world.run_timers()
    assert (await world.file(file.id)).state is FileState.DELETED
    assert world.bytes_on_disk() == []


async def test_a_deleted_file_leaves_no_bytes_and_no_timer(world: UploadWorld) -> None:
    file, ana = await world.send(await world.announce()), world.actors["ana"]
    for variant in (Variant.SMALL, Variant.BLURRED, Variant.CLIP, Variant.STRIPPED):
        await world.files.blobs.put(blob_of(file, variant), b"preview", "image/webp")
    await delete_file(world.files, ana, file.id)
    await world.run_timers()
    await world.run_timers()
    assert world.bytes_on_disk() == []
    assert await world.timers() == []


async def test_a_tombstone_says_nothing_and_is_gone_after_a_month(world: UploadWorld) -> None:
    file, ana = await world.announce(name="secret plan.txt"), world.actors["ana"]
    await delete_file(world.files, ana, file.id)
    gone = await world.file(file.id)
    assert (gone.state, gone.name, gone.sha256) == (FileState.DELETED, "", "")
    world.clock.advance(ms=items.DELETED_MS - 1000)
    assert await access.load(world.files, file.id) is not None
    world.clock.advance(seconds=2)
    assert await access.load(world.files, file.id) is None


async def test_removal_leaves_a_file_that_lives(world: UploadWorld) -> None:
    """Such as one whose removal was scheduled by a transaction that was refused."""
    file = await world.send(await world.announce())
    await world.store.write(removal_timer(file, world.clock.now_ms()))
    await world.run_timers()
    assert await world.content(file) == NOTES
