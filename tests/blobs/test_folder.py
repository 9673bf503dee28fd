"""The folder of blobs on disk: private, safe against odd keys, tidy after a kill."""

import asyncio
import fcntl
import os
import shutil
import stat
from pathlib import Path

import pytest

from greenroom.blobs.base import BlobKey, BlobsFailing, ByteRange
from greenroom.blobs.folder import FolderBlobs
from greenroom.blobs.keys import InvalidBlobKey
from greenroom.clock import ManualClock
from tests.stores import SECRET

KEY = BlobKey("threads/thr_1/attachments/fil_1")
TYPE = "image/png"


def modes_in(folder: Path) -> dict[Path, tuple[bool, int]]:
    """By path: whether it is a folder, and its mode."""
    paths = [folder, *folder.rglob("*")]
    return {path: (path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/",
        "/etc/passwd",
        "..",
        "../secret",
        "a/../b",
        "a//b",
        "a/",
        "a/./b",
        ".drafts/a",
        "a/.b.type",
        "a\\b",
        "a\0b",
        "a b",
        "a%2e%2e",
        "é",
        "a\n",
        "a" * 129,
        "a/" * 400 + "a",
    ],
)
async def test_a_key_cannot_leave_the_folder(blobs: FolderBlobs, key: str) -> None:
    odd = BlobKey(key)
    with pytest.raises(InvalidBlobKey):
        await blobs.put(odd, b"bytes", TYPE)
    for call in (blobs.head, blobs.get, blobs.delete, blobs.appended):
        with pytest.raises(InvalidBlobKey):
            await call(odd)
    with pytest.raises(InvalidBlobKey):
        blobs.presign_upload(odd, size=1, content_type=TYPE, seconds=60)


async def test_a_link_is_not_followed(blobs: FolderBlobs, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "threads").mkdir()
    (folder / "threads/link").symlink_to(tmp_path / "secret")
    with pytest.raises(Exception, match="storage"):
        await blobs.get(BlobKey("threads/link"))


async def test_everything_in_the_folder_is_private(blobs: FolderBlobs, folder: Path) -> None:
    before = os.umask(0)
    try:
        await blobs.put(KEY, b"bytes", TYPE)
        await blobs.begin_multipart(KEY, TYPE)
    finally:
        os.umask(before)
    modes = modes_in(folder)
    assert len(modes) > 8
    assert set(modes.values()) == {(True, 0o700), (False, 0o600)}


async def test_a_blob_is_a_plain_file_under_its_key(blobs: FolderBlobs, folder: Path) -> None:
    await blobs.put(KEY, b"bytes", TYPE)
    assert blobs.path_of(KEY) == folder / KEY
    assert (folder / KEY).read_bytes() == b"bytes"


async def test_deleting_the_last_blob_leaves_no_empty_folders(
    blobs: FolderBlobs, folder: Path
) -> None:
    await blobs.put(KEY, b"bytes", TYPE)
    await blobs.delete(KEY)
    assert list((folder / "threads").iterdir()) == []
    await blobs.put(KEY, b"again", TYPE)
    assert (await blobs.head(KEY)) is not None


async def test_blobs_of_one_folder_come_and_go_at_once(blobs: FolderBlobs, folder: Path) -> None:
    """The folder becomes empty and is removed while another blob is put into it."""
    keys = [BlobKey(f"msg-previews/fil_{n % 3}/{n}") for n in range(12)]

    async def put_and_delete(key: BlobKey) -> None:
        for _ in range(30):
            await blobs.put(key, b"bytes", TYPE)
            assert await blobs.head(key) is not None
            await blobs.delete(key)

    await asyncio.gather(*map(put_and_delete, keys))
    assert list((folder / "msg-previews").iterdir()) == []


async def test_a_restored_backup_keeps_content_and_type(
    blobs: FolderBlobs, folder: Path, tmp_path: Path, clock: ManualClock
) -> None:
    """Copies have other inodes and times, so that no etag is known."""
    await blobs.put(KEY, b"old", "text/plain")
    await blobs.put(KEY, b"bytes", TYPE)
    copy = shutil.copytree(folder, tmp_path / "copy", copy_function=shutil.copyfile)
    restored = FolderBlobs(copy, SECRET, clock)
    head = await restored.head(KEY)
    assert head is not None
    assert (head.size, head.content_type) == (5, TYPE)
    await restored.close()


async def test_a_node_that_starts_does_not_remove_what_another_begins_to_write(
    blobs: FolderBlobs, folder: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, started = fcntl.flock, list[FolderBlobs]()

    def start_before(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        started.append(FolderBlobs(folder, SECRET, clock))
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", start_before)
    await blobs.put(KEY, b"bytes", TYPE)
    assert len(started) == 1
    await started[0].close()
    head = await blobs.head(KEY)
    assert head is not None
    assert head.size == 5
    assert list((folder / ".drafts").iterdir()) == []


async def test_a_file_that_cannot_get_its_name_is_refused(
    blobs: FolderBlobs, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others remove its folder each time."""

    def lose(draft: Path, path: Path) -> None:
        path.parent.rmdir()
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "replace", lose)
    with pytest.raises(BlobsFailing):
        await blobs.put(KEY, b"bytes", TYPE)
    assert list((folder / ".drafts").iterdir()) == []


async def test_a_half_written_file_is_removed_at_the_next_start(
    blobs: FolderBlobs, folder: Path, clock: ManualClock
) -> None:
    (folder / ".drafts/left").write_bytes(b"half")
    upload = await blobs.begin_multipart(KEY, TYPE)
    again = FolderBlobs(folder, SECRET, clock)
    assert list((folder / ".drafts").iterdir()) == []
    assert await again.uploaded_parts(KEY, upload) == []
    await again.close()


async def test_readers_see_the_old_or_the_new_blob_with_its_own_type(blobs: FolderBlobs) -> None:
    versions = {bytes([n]) * (n * 1000): f"type/{n}" for n in range(1, 9)}
    await blobs.put(KEY, *next(iter(versions.items())))
    writing = True

    async def read() -> int:
        seen = 0
        while writing:
            blob = await blobs.open(KEY)
            assert blob is not None
            whole = b"".join([piece async for piece in blobs.pieces(blob)])
            assert versions[whole] == blob.head.content_type
            seen += 1
        return seen

    readers = [asyncio.create_task(read()) for _ in range(2)]
    for _ in range(10):
        for content, kind in versions.items():
            await blobs.put(KEY, content, kind)
    writing = False
    assert sum(await asyncio.gather(*readers)) > 10


async def test_a_replaced_blob_is_read_to_its_end(blobs: FolderBlobs) -> None:
    content = os.urandom(2_000_000)
    await blobs.put(KEY, content, TYPE)
    pieces = await blobs.get(KEY, ByteRange(10, 1_500_000))
    assert pieces is not None
    first = await anext(pieces)
    await blobs.put(KEY, b"new", TYPE)
    await blobs.delete(KEY)
    assert first + b"".join([piece async for piece in pieces]) == content[10:1_500_001]


async def test_etags_of_quick_replacements_differ(blobs: FolderBlobs) -> None:
    etags = {(await blobs.put(KEY, b"same size", TYPE)).etag for _ in range(50)}
    assert len(etags) == 50
