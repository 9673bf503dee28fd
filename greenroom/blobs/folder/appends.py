"""Uploads that grow at their end, in one or many requests, and survive a kill at any moment.

What has come is a file whose length is the offset to go on at. A lock on that file keeps a second
request out; the system releases it when the process ends.

A sender that changes its network leaves a request behind that gets no more bytes, and whose end
nobody announces. So a request that has stalled makes room for the next one.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from greenroom.blobs.base import AppendConflict, BlobHead, BlobKey, DiscardContent, UploadNotFound
from greenroom.blobs.folder import stored
from greenroom.blobs.folder.disk_threads import DiskThreads
from greenroom.blobs.folder.layout import Layout
from greenroom.blobs.folder.receive import receive

STALLED_SECONDS = 2.0
"""Without a byte, until another request may take over. A slow sender sends something meanwhile."""


class Appends:
    def __init__(self, layout: Layout, threads: DiskThreads) -> None:
        self._layout = layout
        self._threads = threads
        self._running: dict[BlobKey, _Running] = {}

    async def appended(self, key: BlobKey) -> int:
        return await self._threads.run(_synced_length, self._layout, key)

    async def append(
        self, key: BlobKey, offset: int, content: AsyncIterator[bytes], *, size: int
    ) -> int:
        await self._end_stalled(key)
        file = await self._threads.run(_Appended, self._layout, key, offset)
        running = self._running[key] = _Running(content)
        try:
            async with running.limit:
                most = size - offset
                return offset + await receive(
                    self._threads, file.descriptor, running, most=most, size=size
                )
        except DiscardContent:
            await self._threads.run(_cut, file.descriptor, offset)
            raise
        except TimeoutError:
            if not running.limit.expired():
                raise
            raise AppendConflict(os.fstat(file.descriptor).st_size) from None
        finally:
            file.close()
            del self._running[key]
            running.ended.set()

    async def _end_stalled(self, key: BlobKey) -> None:
        """What the stalled request has received is written first."""
        running = self._running.get(key)
        if running is not None and running.has_stalled:
            running.end()
            await running.ended.wait()

    async def finish(self, key: BlobKey, content_type: str) -> BlobHead:
        return await self._threads.run(_finish, self._layout, key, content_type)

    async def abort(self, key: BlobKey) -> None:
        await self._threads.run(self._layout.remove, self._layout.appended(key))


class _Running:
    """The content of a request, which another request may end."""

    def __init__(self, content: AsyncIterator[bytes]) -> None:
        self.limit = asyncio.timeout(None)
        self.ended = asyncio.Event()
        self._content = content
        self._now = asyncio.get_running_loop().time
        self._heard_at = self._now()

    def __aiter__(self) -> "_Running":
        return self

    async def __anext__(self) -> bytes:
        self._heard_at = self._now()
        piece = await anext(self._content)
        self._heard_at = self._now()
        return piece

    @property
    def has_stalled(self) -> bool:
        return self._now() - self._heard_at > STALLED_SECONDS

    def end(self) -> None:
        """Its request is refused with `AppendConflict`."""
        with suppress(RuntimeError):  # it is ending already
            self.limit.reschedule(self._now())


class _Appended:
    """What has come of an upload, opened for appending and locked. Raises `AppendConflict`, also
    where the upload has ended: its blob may have been checked, and must not be replaced."""

    descriptor = -1

    def __init__(self, layout: Layout, key: BlobKey, offset: int) -> None:
        self.descriptor = _open(layout, key, offset)
        try:
            _lock(self.descriptor)
            length = _length(layout.appended(key), self.descriptor)
            if offset != length:
                raise AppendConflict(length)
            if length == 0 and layout.blob(key).exists():
                layout.remove(layout.appended(key))
                raise AppendConflict(0)
        except BaseException:
            self.close()  # at once: a traceback may keep this object, and its lock, for long
            raise

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


def _cut(descriptor: int, length: int) -> None:
    os.ftruncate(descriptor, length)
    os.fsync(descriptor)


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
        if (made := stored.head_of(layout, key)) is not None:  # a blob is made once
            layout.remove(path)
            return made
        head = stored.publish(layout, path, key, content_type)
        layout.prune(path.parent)
        return head
    finally:
        os.close(descriptor)


def _finished(layout: Layout, key: BlobKey) -> BlobHead:
    found = stored.head_of(layout, key)
    if found is None:
        raise UploadNotFound
    return found
