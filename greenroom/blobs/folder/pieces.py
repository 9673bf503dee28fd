"""Reads a blob in pieces, each in a thread. While one is used the next is read."""

import asyncio
import os

from greenroom.blobs.base import ByteRange
from greenroom.blobs.folder.disk_threads import DiskThreads
from greenroom.blobs.folder.stored import OpenBlob

PIECE = 256 * 1024


class Pieces:
    """An asynchronous iterator. It closes the blob at the end, and when nobody has it any more."""

    def __init__(self, threads: DiskThreads, blob: OpenBlob, range: ByteRange | None) -> None:
        size = blob.head.size
        self._threads = threads
        self._blob = blob
        self._at = 0 if range is None else range.first
        self._end = size if range is None else min(range.last + 1, size)
        self._next: asyncio.Task[bytes] | None = None

    def __aiter__(self) -> "Pieces":
        return self

    async def __anext__(self) -> bytes:
        reading = self._next or self._read()
        self._next = None
        piece = b"" if reading is None else await reading
        if not piece:
            self._blob.close()
            raise StopAsyncIteration
        self._next = self._read()
        return piece

    def _read(self) -> asyncio.Task[bytes] | None:
        count = min(PIECE, self._end - self._at)
        if count <= 0:
            return None
        self._at += count
        return asyncio.create_task(self._threads.run(_read_at, self._blob, count, self._at - count))


def _read_at(blob: OpenBlob, count: int, at: int) -> bytes:
    return os.pread(blob.descriptor, count, at)
