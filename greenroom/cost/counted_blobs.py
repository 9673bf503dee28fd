"""A blob store that counts the requests that S3 would get, and keeps the bytes in a folder.

It takes uploads in parts, as S3 does, and not in order, as a folder can.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct

from greenroom.blobs.base import (
    BlobHead,
    BlobKey,
    ByteRange,
    PresignedRequest,
    UploadedPart,
    UploadId,
)
from greenroom.blobs.folder import FolderBlobs
from greenroom.blobs.folder.signed_urls import PREFIX, Grant

DOLLARS_PER_MILLION_PUTS = 5.0
DOLLARS_PER_MILLION_GETS = 0.4


_PART = 8 * 1024 * 1024
"""A larger file is put in parts."""


class BlobRequests(Struct):
    """By the class that S3 bills them in. Those that delete or abort are free."""

    puts: int = 0
    """PUT, POST and LIST."""
    gets: int = 0
    """GET and HEAD."""


class CountedBlobs:
    def __init__(self, folder: FolderBlobs) -> None:
        self._folder = folder
        self.requests = BlobRequests()

    async def put(self, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
        self.requests.puts += 1
        return await self._folder.put(key, content, content_type)

    async def put_file(self, key: BlobKey, path: Path, content_type: str) -> BlobHead:
        parts = -(-(await asyncio.to_thread(path.stat)).st_size // _PART)
        self.requests.puts += 1 if parts <= 1 else parts + 2  # begun, and joined
        return await self._folder.put_file(key, path, content_type)

    async def head(self, key: BlobKey) -> BlobHead | None:
        self.requests.gets += 1
        return await self._folder.head(key)

    async def get(
        self, key: BlobKey, range: ByteRange | None = None
    ) -> AsyncIterator[bytes] | None:
        self.requests.gets += 1
        return await self._folder.get(key, range)

    async def delete(self, key: BlobKey) -> None:
        await self._folder.delete(key)

    def path_of(self, key: BlobKey) -> Path | None:
        return None

    def presign_download(
        self, key: BlobKey, *, file_name: str, content_type: str, inline: bool, seconds: int
    ) -> PresignedRequest:
        return self._folder.presign_download(
            key, file_name=file_name, content_type=content_type, inline=inline, seconds=seconds
        )

    def presign_upload(
        self, key: BlobKey, *, size: int, content_type: str, seconds: int
    ) -> PresignedRequest:
        return self._folder.presign_upload(
            key, size=size, content_type=content_type, seconds=seconds
        )

    async def begin_multipart(self, key: BlobKey, content_type: str) -> UploadId:
        self.requests.puts += 1
        return await self._folder.begin_multipart(key, content_type)

    def presign_part(
        self, key: BlobKey, upload: UploadId, number: int, *, size: int, seconds: int
    ) -> PresignedRequest:
        return self._folder.presign_part(key, upload, number, size=size, seconds=seconds)

    async def uploaded_parts(self, key: BlobKey, upload: UploadId) -> Sequence[UploadedPart]:
        self.requests.puts += 1
        return await self._folder.uploaded_parts(key, upload)

    async def complete_multipart(
        self, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
    ) -> BlobHead:
        self.requests.puts += 1
        self.requests.gets += 1  # S3 does not say the size of what it has made
        return await self._folder.complete_multipart(key, upload, parts)

    async def abort_multipart(self, key: BlobKey, upload: UploadId) -> None:
        await self._folder.abort_multipart(key, upload)

    async def close(self) -> None:
        await self._folder.close()

    async def send(self, request: PresignedRequest, content: bytes) -> None:
        """What a client does with a presigned request."""
        self.requests.puts += 1
        await self._folder.receive(self._grant(request.method, request.url), _once(content))

    async def download(self, url: str) -> bytes:
        """What a client does with a download URL."""
        self.requests.gets += 1
        content = await self._folder.get(self._grant("GET", url).key)
        assert content is not None
        return b"".join([piece async for piece in content])

    def _grant(self, method: str, signed: str) -> Grant:
        url = urlsplit(signed)
        key = BlobKey(url.path.removeprefix(PREFIX))
        grant = self._folder.signer.verified(method, key, parse_qsl(url.query))
        assert grant is not None
        return grant


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
