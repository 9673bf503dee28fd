"""Uploads from the announcement to the check: in order and in parts, on each store engine."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from greenroom.blobs.base import AppendBlobs, UploadId
from greenroom.files import part_sizes
from greenroom.files.append_upload import append_upload
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.models import FileState
from greenroom.files.problems import (
    FileNotFound,
    FileTooLarge,
    InvalidFile,
    SizeExceeded,
    UploadConflict,
    UploadFinished,
    UploadIncomplete,
    UploadInParts,
)
from greenroom.files.records import original_blob
from greenroom.files.upload_state import MOST_PARTS, InOrder, InParts, upload_state
from greenroom.ids import FileId
from tests.files.upload_world import NOTES, UploadWorld, pieces, upload_world
from tests.forwarding_store import ForwardingStore
from tests.stores import SQLITE

T = TypeVar("T")
PART = 8 * 1024 * 1024


@pytest.fixture(params=["in order", "in parts"])
async def world(
    request: pytest.FixtureRequest, store_url: str, tmp_path: Path
) -> AsyncIterator[UploadWorld]:
    is_parts = request.param == "in parts"
    async with upload_world(store_url, tmp_path, parts=is_parts) as found:
        yield found


@pytest.fixture
async def ordered(tmp_path: Path) -> AsyncIterator[UploadWorld]:
    async with upload_world(f"{SQLITE}{tmp_path}/store.db", tmp_path) as found:
        yield found


@pytest.fixture
async def parts(tmp_path: Path) -> AsyncIterator[UploadWorld]:
    async with upload_world(f"{SQLITE}{tmp_path}/store.db", tmp_path, parts=True) as found:
        yield found


async def test_a_file_is_uploaded_and_then_checked(world: UploadWorld) -> None:
    file = await world.announce()
    assert (file.state, file.owner) == (FileState.UPLOADING, world.user("ana"))
    after = await world.send(file)
    assert after.state is FileState.CHECKING
    assert await world.content(file) == NOTES
    assert any(timer.startswith("TIMER#file_check#") for timer in await world.timers())


async def test_completing_twice_or_five_times_at_once_checks_once(world: UploadWorld) -> None:
    file = await world.announce()
    await world.send(file)
    ana = world.actors["ana"]
    again = await asyncio.gather(*(complete_upload(world.files, ana, file.id) for _ in range(5)))
    assert {(one.state, one.version) for one in again} == {
        (FileState.CHECKING, (await world.file(file.id)).version)
    }


async def test_five_requests_that_find_the_last_byte_agree(ordered: UploadWorld) -> None:
    file, ana = await ordered.announce(), ordered.actors["ana"]
    blobs = ordered.files.blobs
    assert isinstance(blobs, AppendBlobs)  # the server was killed after the last byte
    await blobs.append(original_blob(file), 0, pieces(NOTES), size=len(NOTES))
    done = await asyncio.gather(
        *(upload_state(ordered.files, ana, file.id) for _ in range(3)),
        *(complete_upload(ordered.files, ana, file.id) for _ in range(5)),
    )
    assert len(done) == 8
    assert (await ordered.file(file.id)).state is FileState.CHECKING
    assert await ordered.content(file) == NOTES


async def test_five_requests_that_complete_at_once_agree(parts: UploadWorld) -> None:
    file, ana = await parts.announce(), parts.actors["ana"]
    await parts.send_parts(file, NOTES)
    done = await asyncio.gather(*(complete_upload(parts.files, ana, file.id) for _ in range(5)))
    assert {one.state for one in done} == {FileState.CHECKING}
    assert await parts.content(file) == NOTES


async def test_an_upload_goes_on_where_it_was_cut_off(ordered: UploadWorld) -> None:
    content = bytes(range(256)) * 40
    file, ana = await ordered.announce(content), ordered.actors["ana"]

    async def cut_off() -> AsyncIterator[bytes]:
        yield content[:3000]
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await append_upload(ordered.files, ana, file.id, 0, cut_off())
    node = ordered.on(ordered.store)  # the server was restarted meanwhile
    state = (await upload_state(node.files, ana, file.id)).state
    assert state == InOrder(3000)
    assert await node.append(file, content[3000:], 3000) == len(content)
    assert await node.content(file) == content
    assert (await node.file(file.id)).state is FileState.CHECKING


async def test_parts_come_in_any_order_and_again(parts: UploadWorld) -> None:
    content = bytes(PART) + bytes([1]) * PART + b"the end"
    file, ana = await parts.announce(content), parts.actors["ana"]
    await parts.send_parts(file, content, 3, 1)
    with pytest.raises(UploadIncomplete) as refusal:
        await complete_upload(parts.files, ana, file.id)
    assert refusal.value.missing_bytes == PART
    found = await upload_state(parts.on(parts.store).files, ana, file.id)
    assert isinstance(found.state, InParts)
    assert found.state.uploaded == (1, 3)
    assert [(one.number, one.size) for one in found.state.missing] == [(2, PART)]
    assert found.state.uploaded_bytes == PART + 7
    await parts.send_parts(file, content)
    assert (await complete_upload(parts.files, ana, file.id)).state is FileState.CHECKING
    assert await parts.content(file) == content


async def test_an_answer_names_at_most_a_hundred_parts(parts: UploadWorld) -> None:
    file = await parts.announce(size=PART * 119 + 1, sha256="0" * 64)
    state = (await upload_state(parts.files, parts.actors["ana"], file.id)).state
    assert isinstance(state, InParts)
    assert [one.number for one in state.missing] == list(range(1, MOST_PARTS + 1))


def test_the_largest_file_of_s3_has_ten_thousand_parts() -> None:
    for size in (1, PART, PART + 1, 10_000 * PART, 10_000 * PART + 1, 5 * 10**12):
        part = part_sizes.part_size_for(size)
        assert -(-size // part) <= 10_000
        assert PART <= part <= 5 * 1024**3
        assert part % (1024 * 1024) == 0


async def test_two_clients_that_ask_at_once_get_one_multipart_upload(parts: UploadWorld) -> None:
    file, ana = await parts.announce(), parts.actors["ana"]
    found = await asyncio.gather(*(upload_state(parts.files, ana, file.id) for _ in range(5)))
    assert len({one.file.upload_id for one in found}) == 1
    assert len([path for path in parts.bytes_on_disk() if path.endswith("/upload")]) == 1


async def test_an_upload_that_the_bucket_has_forgotten_begins_again(parts: UploadWorld) -> None:
    content = bytes(PART) + b"the end"
    file, ana = await parts.announce(content), parts.actors["ana"]
    await parts.send_parts(file, content, 1)
    begun = await parts.file(file.id)
    await parts.files.blobs.abort_multipart(original_blob(begun), UploadId(begun.upload_id))
    with pytest.raises(UploadIncomplete) as refusal:
        await complete_upload(parts.files, ana, file.id)
    assert refusal.value.missing_bytes == len(content)
    found = await upload_state(parts.files, ana, file.id)
    assert isinstance(found.state, InParts)
    assert (found.state.uploaded, found.file.upload_id != begun.upload_id) == ((), True)
    assert (await parts.send(file, content)).state is FileState.CHECKING


async def test_a_wrong_offset_is_refused_with_the_right_one(ordered: UploadWorld) -> None:
    file = await ordered.announce()
    await ordered.append(file, NOTES[:10])
    for offset in (0, 5, 11):
        with pytest.raises(UploadConflict) as refusal:
            await ordered.append(file, b"x", offset)
        assert refusal.value.offset == 10


async def test_more_bytes_than_announced_are_refused(ordered: UploadWorld) -> None:
    file, ana = await ordered.announce(), ordered.actors["ana"]
    with pytest.raises(SizeExceeded):
        await ordered.append(file, NOTES + b"!")
    assert (await upload_state(ordered.files, ana, file.id)).state == InOrder(0)
    with pytest.raises(SizeExceeded) as refusal:  # a length that is not known before
        await append_upload(ordered.files, ana, file.id, 0, pieces(NOTES + b"!", 7))
    assert refusal.value.announced_bytes == len(NOTES)


async def test_of_two_clients_on_one_upload_one_is_refused(ordered: UploadWorld) -> None:
    file, ana = await ordered.announce(), ordered.actors["ana"]
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield NOTES[:10]
        begun.set()
        await go_on.wait()
        yield NOTES[10:]

    first = asyncio.create_task(append_upload(ordered.files, ana, file.id, 0, slow()))
    await begun.wait()
    with pytest.raises(UploadConflict):
        await ordered.append(file, NOTES)
    go_on.set()
    assert (await first).offset == len(NOTES)
    assert await ordered.content(file) == NOTES


async def test_after_the_last_byte_nothing_more_is_taken(ordered: UploadWorld) -> None:
    file = await ordered.announce()
    await ordered.send(file)
    for offset in (0, len(NOTES)):
        with pytest.raises(UploadFinished):
            await ordered.append(file, b"x", offset)
    assert (await upload_state(ordered.files, ordered.actors["ana"], file.id)).state is None
    assert await ordered.content(file) == NOTES


async def test_the_file_of_another_does_not_exist(world: UploadWorld) -> None:
    file, ben = await world.announce(), world.actors["ben"]
    for call in (complete_upload, delete_file, upload_state):
        for file_id in (file.id, FileId("fil_0000000000000000000000000a"), FileId("nonsense")):
            with pytest.raises(FileNotFound):
                await call(world.files, ben, file_id)
    assert (await world.file(file.id)).version == file.version


async def test_an_upload_by_another_is_refused_before_a_byte_is_read(
    ordered: UploadWorld,
) -> None:
    file = await ordered.announce()
    with pytest.raises(FileNotFound):
        await ordered.append(file, NOTES, by="ben")


async def test_nothing_is_uploaded_to_a_deleted_file(world: UploadWorld) -> None:
    file, ana = await world.announce(), world.actors["ana"]
    await delete_file(world.files, ana, file.id)
    for call in (complete_upload, delete_file, upload_state):
        with pytest.raises(FileNotFound):
            await call(world.files, ana, file.id)


async def test_a_file_that_is_deleted_while_bytes_come_leaves_none(ordered: UploadWorld) -> None:
    file, ana = await ordered.announce(), ordered.actors["ana"]

    async def interrupted() -> AsyncIterator[bytes]:
        yield NOTES[:10]
        await delete_file(ordered.files, ana, file.id)
        await ordered.run_timers()
        yield NOTES[10:]

    with pytest.raises(FileNotFound):
        await append_upload(ordered.files, ana, file.id, 0, interrupted())
    assert ordered.bytes_on_disk() == []


async def test_a_folder_takes_no_parts_and_s3_no_tus(parts: UploadWorld) -> None:
    file = await parts.announce()
    with pytest.raises(UploadInParts):
        await parts.append(file, NOTES)


async def test_what_is_announced_is_checked_first(ordered: UploadWorld) -> None:
    for fields in ({"size": 0}, {"name": ""}, {"name": "x" * 1001}, {"sha256": "abc"}):
        with pytest.raises(InvalidFile):
            await ordered.announce(**fields)
    with pytest.raises(FileTooLarge):
        await ordered.announce(size=ordered.files.policy.max_bytes + 1)
    assert (await ordered.used()).files == 0


async def test_a_retry_with_the_same_key_finds_the_file(world: UploadWorld) -> None:
    ana, new = world.actors["ana"], world.new()
    tries = await asyncio.gather(
        *(create_file(world.files, ana, new, key="tab-1") for _ in range(5))
    )
    assert len({file.id for file in tries}) == 1
    await world.send(tries[0])
    again = await create_file(world.files, ana, new, key="tab-1")
    assert (again.id, again.state) == (tries[0].id, FileState.CHECKING)
    assert (await world.used()).files == 1
    other = await create_file(world.files, ana, world.new(name="other.txt"), key="tab-1")
    ben = await create_file(world.files, world.actors["ben"], new, key="tab-1")
    assert len({again.id, other.id, ben.id}) == 3


async def test_after_a_day_the_same_key_makes_another_file(ordered: UploadWorld) -> None:
    ana, new = ordered.actors["ana"], ordered.new()
    first = await create_file(ordered.files, ana, new, key="tab-1")
    ordered.clock.advance(seconds=86_400)
    second = await create_file(ordered.files, ana, new, key="tab-1")
    assert first.id != second.id


async def test_a_late_retry_does_not_bring_a_deleted_file_back(world: UploadWorld) -> None:
    ana, new = world.actors["ana"], world.new()
    first = await create_file(world.files, ana, new, key="tab-1")
    await delete_file(world.files, ana, first.id)
    with pytest.raises(FileNotFound):
        await create_file(world.files, ana, new, key="tab-1")
    assert (await world.used()).files == 0


async def test_a_second_request_at_the_last_moment_cannot_replace_the_checked_bytes(
    tmp_path: Path,
) -> None:
    """It comes after the blob was made and before the store notes that, and sends its bytes when
    the file is ready."""
    others = b"E" * len(NOTES)
    async with upload_world(f"{SQLITE}{tmp_path}/store.db", tmp_path) as world:
        file, ana = await world.announce(), world.actors["ana"]
        is_ready, requests = asyncio.Event(), list[asyncio.Task[Any]]()

        async def late() -> AsyncIterator[bytes]:
            yield others[:1]
            await is_ready.wait()
            yield others[1:]

        class Watched(ForwardingStore):
            async def _call(self, call: Callable[[], Awaitable[T]]) -> T:
                if not requests and await world.files.blobs.head(original_blob(file)):
                    second = append_upload(world.files, ana, file.id, 0, late())
                    requests.append(asyncio.create_task(second))
                    await asyncio.sleep(0.1)
                return await call()

        await world.on(Watched(world.store)).append(file, NOTES)
        await world.run_timers()
        assert (await world.file(file.id)).state is FileState.READY
        is_ready.set()
        with pytest.raises(UploadConflict):
            await requests[0]
        assert await world.content(file) == NOTES
