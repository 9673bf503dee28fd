"""Reads the bytes of an uploaded file once: for its checksum, for the scanner, and for the decoder
if the blob store is elsewhere."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from greenroom.blobs.base import BlobKey, Blobs
from greenroom.files.scanner import Scanner, ScanOutcome

_PIECE = 1 << 20


class Arrived(Struct, frozen=True):
    """What the blob store has of a file."""

    size: int
    sha256: str
    path: Path
    """Of the bytes on this machine."""
    scan: ScanOutcome | None
    """None without a scanner."""


async def read_bytes(
    blobs: Blobs, key: BlobKey, *, most: int, scanner: Scanner | None, folder: Path
) -> Arrived | None:
    """None if there is no blob. Stops after `most` bytes and one piece. `folder` is for a copy."""
    path = blobs.path_of(key)
    if path is not None and scanner is None:
        return await asyncio.to_thread(_hashed, path, most)
    content = await blobs.get(key)
    if content is None:
        return None
    async with AsyncExitStack() as stack:
        copy: BinaryIO | None = None
        if path is None:
            path = folder / "original"
            copy = await asyncio.to_thread(path.open, "wb")
            stack.push_async_callback(asyncio.to_thread, copy.close)
        reader = _Reader(blobs, key, content, most, copy)
        scan = None if scanner is None else await scanner.scan(reader.again)
        await reader.finish()
    return Arrived(reader.size, reader.digest.hexdigest(), path, scan)


def _hashed(path: Path, most: int) -> Arrived | None:
    digest, size = sha256(), 0
    try:
        with path.open("rb", buffering=0) as file:
            while size <= most and (piece := file.read(_PIECE)):
                digest.update(piece)
                size += len(piece)
    except FileNotFoundError:
        return None
    return Arrived(size, digest.hexdigest(), path, None)


class _Reader:
    """Passes on what it reads, and computes the checksum of it on the way."""

    def __init__(
        self,
        blobs: Blobs,
        key: BlobKey,
        content: AsyncIterator[bytes],
        most: int,
        copy: BinaryIO | None,
    ) -> None:
        self._blobs, self._key = blobs, key
        self._content = content
        self._most = most
        self._copy = copy
        self._is_begun = self._is_cut_off = False
        self._taking: asyncio.Task[None] | None = None
        self.digest, self.size = sha256(), 0

    async def again(self) -> AsyncIterator[bytes]:
        """The content from its beginning. Only the first call computes the checksum."""
        if not self._is_begun:
            async for piece in self._first():
                yield piece
            return
        content = await self._blobs.get(self._key)
        if content is not None:
            async for piece in content:
                yield piece

    async def finish(self) -> None:
        """Reads the rest that the scanner has not read, for the checksum. A scan that took too long
        was cancelled in the middle of a read: then everything is read again."""
        if self._is_cut_off:
            await self._restart()
        async for _ in self._first():
            pass

    async def _restart(self) -> None:
        if self._taking is not None:
            await asyncio.wait((self._taking,))
        content = await self._blobs.get(self._key)
        self._content = _nothing() if content is None else content
        self.digest, self.size = sha256(), 0
        if self._copy is not None:
            await asyncio.to_thread(self._copy.seek, 0)

    async def _first(self) -> AsyncIterator[bytes]:
        self._is_begun = True
        while self.size <= self._most:
            self._is_cut_off = True
            piece = await anext(self._content, None)
            if piece is not None:
                await self._taken(piece)
            self._is_cut_off = False
            if piece is None or self.size > self._most:
                return
            yield piece

    async def _taken(self, piece: bytes) -> None:
        self._taking = asyncio.create_task(asyncio.to_thread(self._take, piece))
        await asyncio.shield(self._taking)

    def _take(self, piece: bytes) -> None:
        self.size += len(piece)
        self.digest.update(piece)
        if self._copy is not None:
            self._copy.write(piece)


async def _nothing() -> AsyncIterator[bytes]:
    """The content of a blob that was deleted meanwhile."""
    return
    yield b""
