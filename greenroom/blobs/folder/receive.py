"""Writes an upload to disk while it arrives, in pieces of 1 MB, each in a thread.

While one piece is written the next is collected: memory stays below two pieces, and the sender is
slowed down to the speed of the disk. What a slow sender has sent is written after a second.

Uploads leave some of the disk free, because conversations may be on the same one.

Careful: a thread cannot be cancelled. Nothing else may use the descriptor before the work that was
begun has ended.
"""

import asyncio
import errno
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from greenroom.blobs.base import WrongSize
from greenroom.blobs.folder.disk_threads import DiskThreads, to_its_end
from greenroom.blobs.folder.layout import Layout
from greenroom.blobs.folder.stored import Draft, write_all
from greenroom.durable_files import begin_sync

RESERVED_BYTES, RESERVED_SHARE = 512 * 1024 * 1024, 20
"""What uploads leave free: so many bytes, or this share of a small disk."""
_PIECE = 1024 * 1024
_SMALL = 4096
"""Shorter pieces are joined: as objects of their own they would take many times their size."""
_WAIT_SECONDS = 1.0
"""How long bytes are collected. After it the next piece has them written."""


async def receive(
    threads: DiskThreads, descriptor: int, content: AsyncIterator[bytes], *, most: int, size: int
) -> int:
    """Writes at most `most` bytes, and returns how many. What has come is written and synced
    whatever happens. Raises `WrongSize(size)` if more comes."""
    writer = _Writer(threads, descriptor)
    try:
        async for piece in content:
            room = most - writer.received
            await writer.add(piece if len(piece) <= room else piece[:room])
            if len(piece) > room:
                raise WrongSize(size)
    finally:
        await to_its_end(writer.finish())
    return writer.received


@asynccontextmanager
async def receiving(
    threads: DiskThreads, layout: Layout, content: AsyncIterator[bytes], size: int
) -> AsyncIterator[Draft]:
    """A draft with the content, which is removed unless it gets a name. Raises `WrongSize`."""
    draft = await threads.run(Draft, layout)
    try:
        if await receive(threads, draft.descriptor, content, most=size, size=size) != size:
            raise WrongSize(size)
        yield draft
    finally:
        await threads.run(draft.discard)


class _Writer:
    def __init__(self, threads: DiskThreads, descriptor: int) -> None:
        self.received = 0
        self._threads = threads
        self._descriptor = descriptor
        self._collected: list[bytes | bytearray] = []
        self._bytes = 0
        self._now = asyncio.get_running_loop().time
        self._since = self._now()
        self._writing: asyncio.Task[None] | None = None

    async def add(self, piece: bytes) -> None:
        self._collect(piece)
        self._bytes += len(piece)
        self.received += len(piece)
        if self._bytes >= _PIECE or self._now() - self._since >= _WAIT_SECONDS:
            await self._written()
            self._write_collected()

    def _collect(self, piece: bytes) -> None:
        if len(piece) >= _SMALL:
            self._collected.append(piece)
            return
        last = self._collected[-1] if self._collected else None
        if not isinstance(last, bytearray):
            last = bytearray()
            self._collected.append(last)
        last += piece

    async def finish(self) -> None:
        """After a failed write nothing more is written: there would be a gap."""
        await self._written()
        self._write_collected()
        await self._written()
        await self._threads.run(os.fsync, self._descriptor)

    def _write_collected(self) -> None:
        pieces, self._collected, self._bytes = self._collected, [], 0
        self._since = self._now()
        writing = self._threads.write(_write_pieces, self._descriptor, pieces)
        self._writing = asyncio.create_task(writing)

    async def _written(self) -> None:
        if self._writing is not None:
            await asyncio.shield(self._writing)


def _write_pieces(descriptor: int, pieces: list[bytes | bytearray]) -> None:
    _check_room(descriptor)
    for piece in pieces:
        write_all(descriptor, piece)
    begin_sync(descriptor)


def _check_room(descriptor: int) -> None:
    disk = os.fstatvfs(descriptor)
    reserved = min(RESERVED_BYTES, disk.f_blocks * disk.f_frsize // RESERVED_SHARE)
    if disk.f_bavail * disk.f_frsize < reserved:
        raise OSError(errno.ENOSPC, "the rest of the disk is kept free of uploads")
