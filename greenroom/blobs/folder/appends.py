"""Uploads that grow at their end, in one or many requests, and survive a kill at any moment.

What has come is a file whose length is the offset to go on at. A lock on that file keeps a second
request out; the system releases it when the process ends.
"""

import fcntl
import os
from collections.abc import AsyncIterator
from pathlib import Path

from greenroom.blobs.base import AppendConflict, BlobHead, BlobKey, UploadNotFound
from greenroom.blobs.folder import stored
from greenroom.blobs.folder.disk_threads import DiskThreads
from greenroom.blobs.folder.layout import Layout
from greenroom.blobs.folder.receive import receive


class Appends:
    def __init__(self, layout: Layout, threads: DiskThreads) -> None:
        self._layout = layout
        self._threads = threads

    async def appended(self, key: BlobKey) -> int:
        return await self._threads.run(_synced_length, self._layout, key)

    async def append(
        self, key: BlobKey, offset: int, content: AsyncIterator[bytes], *, size: int
    ) -> int:
        file = await self._threads.run(_Appended, self._layout, key, offset)
        try:
            most = size - offset
            return offset + await receive(
                self._threads, file.descriptor, content, most=most, size=size
            )
        finally:
            file.close()

    async def finish(self, key: BlobKey, content_type: str) -> BlobHead:
        return await self._threads.run(_finish, self._layout, key, content_type)

    async def cut(self, key: BlobKey, length: int) -> None:
        await self._threads.run(_cut, self._layout, key, length)

    async def abort(self, key: BlobKey) -> None:
        await self._threads.run(self._layout.remove, self._layout.appended(key))


class _Appended:
    """What has come of an upload, opened for appending and locked. Raises `AppendConflict`."""

    descriptor = -1

    def __init__(self, layout: Layout, key: BlobKey, offset: int) -> None:
        self.descriptor = _open(layout, key, offset)
        _lock(self.descriptor)
        length = _length(layout.appended(key), self.descriptor)
        if offset != length:
            raise AppendConflict(length)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __del__(self) -> None:
        self.close()


def _open(layout: Layout, key: BlobKey, offset: int) -> int:
    """Creates the file at the first byte."""
    path, flags = layout.appended(key), os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        if offset:
            raise AppendConflict(0) from None
    return layout.create(path, flags)


def _length(path: Path, descriptor: int) -> int:
    """Careful: the upload may have ended between opening and locking. Then the open file is the
    blob, and must not grow."""
    if not _is_same(path, descriptor):
        raise AppendConflict(0)
    return os.fstat(descriptor).st_size


def _is_same(path: Path, descriptor: int) -> bool:
    try:
        return path.lstat().st_ino == os.fstat(descriptor).st_ino
    except (FileNotFoundError, NotADirectoryError):
        return False


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise AppendConflict(os.fstat(descriptor).st_size) from None


def _synced_length(layout: Layout, key: BlobKey) -> int:
    """A killed server may have left bytes that are not on disk yet."""
    try:
        descriptor = os.open(layout.appended(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return 0
    try:
        length = os.fstat(descriptor).st_size
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return length


def _cut(layout: Layout, key: BlobKey, length: int) -> None:
    try:
        descriptor = os.open(layout.appended(key), os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        _lock(descriptor)
        if os.fstat(descriptor).st_size > length:
            os.ftruncate(descriptor, length)
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _finish(layout: Layout, key: BlobKey, content_type: str) -> BlobHead:
    path = layout.appended(key)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return _finished(layout, key)
    try:
        _lock(descriptor)
        if not _is_same(path, descriptor):  # another request has finished or aborted it
            return _finished(layout, key)
        return stored.publish(layout, path, key, content_type)
    finally:
        os.close(descriptor)


def _finished(layout: Layout, key: BlobKey) -> BlobHead:
    found = stored.head_of(layout, key)
    if found is None:
        raise UploadNotFound
    return found
