"""Uploads in numbered parts. A part is a file of its own until all are joined.

A lock on the file `upload` lets one request end an upload, and the others wait. The file is removed
first: without it there is no upload.
"""

import fcntl
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

import msgspec
from msgspec import Struct

from greenroom.blobs.base import (
    BlobHead,
    BlobKey,
    InvalidParts,
    UploadedPart,
    UploadId,
    UploadNotFound,
)
from greenroom.blobs.folder import stored
from greenroom.blobs.folder.disk_threads import DiskThreads
from greenroom.blobs.folder.layout import FILE, Layout
from greenroom.blobs.folder.receive import receiving
from greenroom.blobs.keys import check
from greenroom.blobs.part_rules import check_parts
from greenroom.durable_files import sync_folder, write_new

_UPLOAD = "upload"
_RETRIES = 10


class _Upload(Struct, frozen=True):
    key: BlobKey
    content_type: str


class Multipart:
    def __init__(self, layout: Layout, threads: DiskThreads) -> None:
        self._layout = layout
        self._threads = threads

    async def begin(self, key: BlobKey, content_type: str) -> UploadId:
        return await self._threads.run(_begin, self._layout, key, content_type)

    async def receive_part(
        self,
        key: BlobKey,
        upload: UploadId,
        number: int,
        content: AsyncIterator[bytes],
        *,
        size: int,
    ) -> UploadedPart:
        """Replaces a part that was sent before. Raises `WrongSize` and `UploadNotFound`."""
        folder = self._layout.parts(upload)
        await self._threads.run(_upload_of, self._layout, key, upload)
        async with receiving(self._threads, self._layout, content, size) as draft:
            return await self._threads.run(_keep_part, draft.path, folder, number)

    async def uploaded(self, key: BlobKey, upload: UploadId) -> Sequence[UploadedPart]:
        return await self._threads.run(_uploaded, self._layout, key, upload)

    async def complete(
        self, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
    ) -> BlobHead:
        return await self._threads.run(_complete, self._layout, key, upload, parts)

    async def abort(self, key: BlobKey, upload: UploadId) -> None:
        await self._threads.run(_abort, self._layout, key, upload)


def _begin(layout: Layout, key: BlobKey, content_type: str) -> UploadId:
    check(key)
    upload = UploadId(token_hex(16))
    folder = layout.parts(upload)
    layout.make(folder)
    write_new(folder / _UPLOAD, msgspec.json.encode(_Upload(key, content_type)), FILE)
    return upload


def _upload_of(layout: Layout, key: BlobKey, upload: UploadId) -> _Upload:
    try:
        found = msgspec.json.decode((layout.parts(upload) / _UPLOAD).read_bytes(), type=_Upload)
    except FileNotFoundError:
        raise UploadNotFound from None
    if found.key != key:
        raise UploadNotFound
    return found


def _keep_part(draft: Path, folder: Path, number: int) -> UploadedPart:
    path = folder / str(number)
    try:
        draft.rename(path)
    except FileNotFoundError:
        raise UploadNotFound from None
    sync_folder(folder)
    return _part(path)


def _part(path: Path) -> UploadedPart:
    found = path.stat()
    return UploadedPart(int(path.name), stored.etag_of(found), found.st_size)


def _uploaded(layout: Layout, key: BlobKey, upload: UploadId) -> list[UploadedPart]:
    _upload_of(layout, key, upload)
    try:
        paths = [path for path in layout.parts(upload).iterdir() if path.name.isdecimal()]
        return sorted(map(_part, paths), key=lambda part: part.number)
    except FileNotFoundError:  # it has ended since
        raise UploadNotFound from None


def _complete(
    layout: Layout, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
) -> BlobHead:
    """A call that comes after another, or waits for it, finds the blob that it has made."""
    check_parts(parts)
    try:
        return _join(layout, key, upload, parts)
    except UploadNotFound:
        made = stored.head_of(layout, key, upload)
        if made is None:
            raise
        return made


def _join(
    layout: Layout, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
) -> BlobHead:
    folder = layout.parts(upload)
    with _locked(layout, key, upload) as found:
        there = {part.number: part.etag.strip('"') for part in _uploaded(layout, key, upload)}
        if any(there.get(part.number) != part.etag.strip('"') for part in parts):
            raise InvalidParts
        joined = [folder / str(part.number) for part in parts]
        head = stored.put_files(layout, key, joined, found.content_type, upload)
        _remove(folder)
    return head


def _abort(layout: Layout, key: BlobKey, upload: UploadId) -> None:
    try:
        with _locked(layout, key, upload):
            _remove(layout.parts(upload))
    except UploadNotFound:
        return


@contextmanager
def _locked(layout: Layout, key: BlobKey, upload: UploadId) -> Iterator[_Upload]:
    """Raises `UploadNotFound`, also where another request ends the upload meanwhile."""
    try:
        descriptor = os.open(layout.parts(upload) / _UPLOAD, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise UploadNotFound from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield _upload_of(layout, key, upload)
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    (folder / _UPLOAD).unlink()
    for _ in range(_RETRIES):
        if not folder.exists():
            break
        rmtree(folder, ignore_errors=True)  # a part may arrive at this moment
    else:
        rmtree(folder)
    sync_folder(folder.parent)
