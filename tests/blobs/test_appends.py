"""Uploads that grow at their end: nothing that has come is lost, and nothing comes twice."""

import asyncio
import os
import time
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from greenroom.blobs.base import (
    AppendBlobs,
    AppendConflict,
    BlobsFailing,
    DiscardContent,
    UploadNotFound,
    WrongSize,
)
from greenroom.blobs.folder import FolderBlobs, appends, receive
from tests.blobs.appending import KEY, killed_while_appending, run_until_full, sent

TYPE = "video/mp4"
BIG = os.urandom(3_500_000)


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


class CutOff(Exception):
    """The sender is gone."""


async def pieces(*given: bytes) -> AsyncIterator[bytes]:
    for piece in given:
        yield piece


async def cut_off_after(*given: bytes) -> AsyncIterator[bytes]:
    for piece in given:
        yield piece
    raise CutOff


def slices(content: bytes, size: int) -> Sequence[bytes]:
    return [content[at : at + size] for at in range(0, len(content), size)]


async def content_of(blobs: FolderBlobs) -> bytes | None:
    found = await blobs.get(KEY)
    return None if found is None else b"".join([piece async for piece in found])


async def test_a_blob_is_appended_in_several_requests(blobs: FolderBlobs) -> None:
    assert isinstance(blobs, AppendBlobs)
    assert await blobs.appended(KEY) == 0
    half = len(BIG) // 2
    first = pieces(*slices(BIG[:half], 60_000))
    assert await blobs.append(KEY, 0, first, size=len(BIG)) == half
    assert (await blobs.appended(KEY), await blobs.head(KEY)) == (half, None)
    await blobs.append(KEY, half, pieces(BIG[half:]), size=len(BIG))
    done = await blobs.finish_append(KEY, TYPE)
    assert (done.size, done.content_type) == (len(BIG), TYPE)
    assert await content_of(blobs) == BIG
    assert await blobs.finish_append(KEY, TYPE) == done
    assert await blobs.appended(KEY) == 0


async def test_what_has_come_is_kept_when_the_sender_is_cut_off(blobs: FolderBlobs) -> None:
    with pytest.raises(CutOff):
        await blobs.append(KEY, 0, cut_off_after(BIG[:2_000_000], b"end"), size=len(BIG))
    assert await blobs.appended(KEY) == 2_000_003


async def test_a_cancelled_request_keeps_what_has_come(blobs: FolderBlobs) -> None:
    stalled = asyncio.Event()

    async def content() -> AsyncIterator[bytes]:
        for piece in slices(BIG, 100_000):
            yield piece
        stalled.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(blobs.append(KEY, 0, content(), size=2 * len(BIG)))
    await stalled.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await blobs.appended(KEY) == len(BIG)
    await blobs.append(KEY, len(BIG), pieces(BIG), size=2 * len(BIG))
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == BIG + BIG


@pytest.mark.parametrize("offset", [1, 4, 6, 2**40])
async def test_an_append_at_another_offset_is_refused(blobs: FolderBlobs, offset: int) -> None:
    await blobs.append(KEY, 0, pieces(b"bytes"), size=10)
    with pytest.raises(AppendConflict) as refusal:
        await blobs.append(KEY, offset, pieces(b"more"), size=10)
    assert refusal.value.length == 5
    assert await blobs.appended(KEY) == 5


async def test_a_second_request_is_refused_while_one_appends(blobs: FolderBlobs) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def content() -> AsyncIterator[bytes]:
        begun.set()
        yield b"first"
        await go_on.wait()

    first = asyncio.create_task(blobs.append(KEY, 0, content(), size=10))
    await begun.wait()
    with pytest.raises(AppendConflict):
        await blobs.append(KEY, 0, pieces(b"other"), size=10)
    with pytest.raises(AppendConflict):
        await blobs.finish_append(KEY, TYPE)
    go_on.set()
    assert await first == 5
    assert await blobs.append(KEY, 5, pieces(b"other"), size=10) == 10


async def test_more_than_was_announced_is_refused_and_not_kept(blobs: FolderBlobs) -> None:
    with pytest.raises(WrongSize):
        await blobs.append(KEY, 0, pieces(b"12345678", b"90AB"), size=10)
    assert await blobs.appended(KEY) == 10
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == b"1234567890"


async def test_nothing_is_left_after_an_abort(blobs: FolderBlobs, folder: Path) -> None:
    await blobs.append(KEY, 0, pieces(b"bytes"), size=10)
    for _ in range(2):
        await blobs.abort_append(KEY)
        assert await blobs.appended(KEY) == 0
    with pytest.raises(UploadNotFound):
        await blobs.finish_append(KEY, TYPE)
    assert files_in(folder) == []


async def test_an_upload_of_nothing_becomes_an_empty_blob(blobs: FolderBlobs) -> None:
    assert await blobs.append(KEY, 0, pieces(), size=0) == 0
    assert (await blobs.finish_append(KEY, TYPE)).size == 0


async def test_a_finished_blob_does_not_grow(blobs: FolderBlobs) -> None:
    await blobs.append(KEY, 0, pieces(b"bytes"), size=5)
    done = await blobs.finish_append(KEY, TYPE)
    with pytest.raises(AppendConflict):
        await blobs.append(KEY, 5, pieces(b"more"), size=9)
    assert (await blobs.head(KEY), await blobs.appended(KEY)) == (done, 0)


async def test_a_full_disk_is_a_problem_and_leaves_no_gap(blobs: FolderBlobs, folder: Path) -> None:
    limit, size = 1_500_000, 4_000_000
    problem = await asyncio.to_thread(run_until_full, folder, limit)
    assert problem == BlobsFailing.__name__
    assert await blobs.appended(KEY) == limit
    await blobs.append(KEY, limit, pieces(sent(size)[limit:]), size=size)
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == sent(size)


async def test_an_upload_goes_on_after_its_server_was_killed(
    blobs: FolderBlobs, folder: Path
) -> None:
    await asyncio.to_thread(killed_while_appending, folder)
    length = await blobs.appended(KEY)
    assert length > 1_000_000
    await blobs.append(KEY, length, pieces(b"the end"), size=length + 7)
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == sent(length) + b"the end"


async def test_content_that_turns_out_to_be_wrong_is_not_kept(blobs: FolderBlobs) -> None:
    async def wrong() -> AsyncIterator[bytes]:
        yield BIG
        assert isinstance(await appended_by_another(), AppendConflict)
        raise DiscardContent

    async def appended_by_another() -> BaseException | None:
        tried = blobs.append(KEY, 1000 + len(BIG), pieces(b"more"), size=3 * len(BIG))
        return (await asyncio.gather(tried, return_exceptions=True))[0]  # type: ignore[return-value]

    await blobs.append(KEY, 0, pieces(BIG[:1000]), size=3 * len(BIG))
    with pytest.raises(DiscardContent):
        await blobs.append(KEY, 1000, wrong(), size=3 * len(BIG))
    assert await blobs.appended(KEY) == 1000
    await blobs.append(KEY, 1000, pieces(BIG[1000:]), size=len(BIG))
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == BIG


async def test_a_piece_that_waited_is_written_with_the_next(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receive, "_WAIT_SECONDS", 0.0)
    written: list[int] = []

    async def slow() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"a few bytes"
            await asyncio.sleep(0.1)
            written.append(await blobs.appended(KEY))

    await blobs.append(KEY, 0, slow(), size=100)
    assert written[2] > written[0] > 0


async def test_many_small_pieces_take_little_more_memory_than_their_bytes(
    blobs: FolderBlobs,
) -> None:
    async def tiny() -> AsyncIterator[bytes]:
        for _ in range(200_000):
            yield b"ab"

    tracemalloc.start()
    try:
        await blobs.append(KEY, 0, tiny(), size=400_000)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == b"ab" * 200_000


async def stalled_after(*given: bytes) -> AsyncIterator[bytes]:
    for piece in given:
        yield piece
    await asyncio.Event().wait()


async def test_a_request_that_gets_no_more_bytes_makes_room_for_the_next(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a change of networks: the server does not learn that the first sender is gone."""
    monkeypatch.setattr(appends, "STALLED_SECONDS", 0.2)
    first = asyncio.create_task(blobs.append(KEY, 0, stalled_after(BIG[:500_000]), size=len(BIG)))
    await asyncio.sleep(0.1)
    with pytest.raises(AppendConflict):  # it may only be slow
        await blobs.append(KEY, 0, pieces(BIG), size=len(BIG))
    await asyncio.sleep(0.2)
    with pytest.raises(AppendConflict) as conflict:  # what the first has received is kept
        await blobs.append(KEY, 0, pieces(BIG), size=len(BIG))
    assert conflict.value.length == 500_000
    with pytest.raises(AppendConflict):
        await first
    await blobs.append(KEY, 500_000, pieces(BIG[500_000:]), size=len(BIG))
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == BIG


async def test_a_request_that_was_taken_over_does_not_cancel_its_own_task(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appends, "STALLED_SECONDS", 0.0)

    async def appended() -> str:
        with pytest.raises(AppendConflict):
            await blobs.append(KEY, 0, stalled_after(b"12345"), size=10)
        await asyncio.sleep(0)
        return "went on"

    first = asyncio.create_task(appended())
    await asyncio.sleep(0.1)
    with pytest.raises(AppendConflict):
        await blobs.append(KEY, 0, pieces(b"1234567890"), size=10)
    assert await first == "went on"
    assert await blobs.append(KEY, 5, pieces(b"67890"), size=10) == 10


async def test_a_request_that_stalls_while_a_damaged_chunk_is_discarded_refuses_others(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = appends._cut

    def slowly(descriptor: int, length: int) -> None:
        time.sleep(0.5)
        cut(descriptor, length)

    async def damaged() -> AsyncIterator[bytes]:
        yield b"12345"
        raise DiscardContent

    monkeypatch.setattr(appends, "_cut", slowly)
    monkeypatch.setattr(appends, "STALLED_SECONDS", 0.1)
    first = asyncio.create_task(blobs.append(KEY, 0, damaged(), size=10))
    await asyncio.sleep(0.3)
    assert await blobs.append(KEY, 0, pieces(b"1234567890"), size=10) == 10
    with pytest.raises(DiscardContent):
        await first


async def test_several_requests_end_a_stalled_one_at_the_same_time(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appends, "STALLED_SECONDS", 0.1)
    first = asyncio.create_task(blobs.append(KEY, 0, stalled_after(b"12345"), size=10))
    await asyncio.sleep(0.3)
    others = [blobs.append(KEY, 5, pieces(b"67890"), size=10) for _ in range(3)]
    found = await asyncio.gather(*others, return_exceptions=True)
    assert found.count(10) == 1
    assert [type(one) for one in found if one != 10] == [AppendConflict] * 2
    with pytest.raises(AppendConflict):
        await first


async def test_no_request_replaces_a_blob_that_was_made(blobs: FolderBlobs, folder: Path) -> None:
    """It may have been checked: its owner must not put other bytes in its place."""
    await blobs.append(KEY, 0, pieces(b"12345"), size=5)
    await blobs.finish_append(KEY, TYPE)
    with pytest.raises(AppendConflict):
        await blobs.append(KEY, 0, pieces(b"EVILS"), size=5)
    left = folder / ".appends" / KEY
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"EVILS")
    await blobs.finish_append(KEY, TYPE)
    assert await content_of(blobs) == b"12345"
    assert not left.exists()


async def test_a_refused_request_holds_no_lock(blobs: FolderBlobs) -> None:
    await blobs.append(KEY, 0, pieces(b"12345"), size=10)
    with pytest.raises(AppendConflict) as kept:
        await blobs.append(KEY, 3, pieces(b"45678"), size=10)
    assert await blobs.append(KEY, 5, pieces(b"67890"), size=10) == 10
    assert kept.value.length == 5


async def test_uploads_leave_some_of_the_disk_free(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Conversations are on the same disk: they must be stored when uploads have no room left."""
    await blobs.append(KEY, 0, pieces(BIG[:1000]), size=len(BIG))
    monkeypatch.setattr(receive, "RESERVED_BYTES", 2**62)
    monkeypatch.setattr(receive, "RESERVED_SHARE", 1)
    with pytest.raises(BlobsFailing):
        await blobs.append(KEY, 1000, pieces(BIG[1000:]), size=len(BIG))
    assert await blobs.appended(KEY) == 1000
    monkeypatch.undo()
    assert await blobs.append(KEY, 1000, pieces(BIG[1000:]), size=len(BIG)) == len(BIG)
