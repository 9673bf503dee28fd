"""The blob store that keeps its blobs in a folder. Clients reach them by signed URLs.

layout.py says where the files are, stored.py reads and writes whole blobs, appends.py and
multipart.py take uploads in several requests, signed_urls.py signs.
"""

import fcntl
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path

from greenroom.blobs.base import (
    BlobHead,
    BlobKey,
    ByteRange,
    PresignedRequest,
    UploadedPart,
    UploadId,
)
from greenroom.blobs.folder import stored
from greenroom.blobs.folder.appends import Appends
from greenroom.blobs.folder.disk_threads import DiskThreads
from greenroom.blobs.folder.layout import FOLDER, Layout
from greenroom.blobs.folder.multipart import Multipart
from greenroom.blobs.folder.pieces import Pieces
from greenroom.blobs.folder.receive import receiving
from greenroom.blobs.folder.signed_urls import Grant, UrlSigner
from greenroom.blobs.folder.stored import OpenBlob
from greenroom.clock import Clock
from greenroom.durable_files import make_folder


class FolderBlobs:
    def __init__(self, folder: Path, secret: bytes, clock: Clock) -> None:
        """The secret signs URLs. Creates the folder, and removes what a killed process left half
        written; unfinished uploads stay."""
        make_folder(folder, FOLDER)
        self._layout = Layout(folder.resolve())
        self._layout.make(self._layout.drafts)
        for private in (self._layout.root, self._layout.drafts):
            private.chmod(FOLDER)
        _remove_abandoned(self._layout.drafts)
        self._threads = DiskThreads()
        self._appends = Appends(self._layout, self._threads)
        self._multipart = Multipart(self._layout, self._threads)
        self.signer = UrlSigner(secret, clock)

    async def put(self, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
        return await self._threads.run(stored.put, self._layout, key, content, content_type)

    async def put_file(self, key: BlobKey, path: Path, content_type: str) -> BlobHead:
        return await self._threads.run(stored.put_files, self._layout, key, [path], content_type)

    async def head(self, key: BlobKey) -> BlobHead | None:
        return await self._threads.run(stored.head_of, self._layout, key)

    async def open(self, key: BlobKey) -> OpenBlob | None:
        return await self._threads.run(stored.open_blob, self._layout, key)

    def pieces(self, blob: OpenBlob, range: ByteRange | None = None) -> AsyncIterator[bytes]:
        """The content in pieces. Closes the blob at the end."""
        return Pieces(self._threads, blob, range)

    async def get(
        self, key: BlobKey, range: ByteRange | None = None
    ) -> AsyncIterator[bytes] | None:
        blob = await self.open(key)
        return None if blob is None else self.pieces(blob, range)

    async def delete(self, key: BlobKey) -> None:
        await self._threads.run(stored.delete, self._layout, key)

    def path_of(self, key: BlobKey) -> Path | None:
        return self._layout.blob(key)

    def presign_download(
        self, key: BlobKey, *, file_name: str, content_type: str, inline: bool, seconds: int
    ) -> PresignedRequest:
        expires = self.signer.expiry(seconds)
        grant = Grant("GET", key, expires, content_type, name=file_name, inline=int(inline))
        return PresignedRequest("GET", self.signer.url(grant))

    def presign_upload(
        self, key: BlobKey, *, size: int, content_type: str, seconds: int
    ) -> PresignedRequest:
        grant = Grant("PUT", key, self.signer.expiry(seconds), content_type, size=size)
        return PresignedRequest("PUT", self.signer.url(grant), {"Content-Type": content_type})

    def presign_part(
        self, key: BlobKey, upload: UploadId, number: int, *, size: int, seconds: int
    ) -> PresignedRequest:
        expires = self.signer.expiry(seconds)
        grant = Grant("PUT", key, expires, "", size=size, upload=upload, part=number)
        return PresignedRequest("PUT", self.signer.url(grant))

    async def receive(self, grant: Grant, content: AsyncIterator[bytes]) -> str:
        """Takes the upload that a signed URL allows, and returns its etag. Raises `WrongSize`."""
        if grant.part:
            part = await self._multipart.receive_part(
                grant.key, grant.upload, grant.part, content, size=grant.size
            )
            return part.etag
        return (await self._receive_blob(grant, content)).etag

    async def _receive_blob(self, grant: Grant, content: AsyncIterator[bytes]) -> BlobHead:
        async with receiving(self._threads, self._layout, content, grant.size) as draft:
            return await self._threads.run(
                stored.publish, self._layout, draft.path, grant.key, grant.type
            )

    async def begin_multipart(self, key: BlobKey, content_type: str) -> UploadId:
        return await self._multipart.begin(key, content_type)

    async def uploaded_parts(self, key: BlobKey, upload: UploadId) -> Sequence[UploadedPart]:
        return await self._multipart.uploaded(key, upload)

    async def complete_multipart(
        self, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
    ) -> BlobHead:
        return await self._multipart.complete(key, upload, parts)

    async def abort_multipart(self, key: BlobKey, upload: UploadId) -> None:
        await self._multipart.abort(key, upload)

    async def appended(self, key: BlobKey) -> int:
        return await self._appends.appended(key)

    async def append(
        self, key: BlobKey, offset: int, content: AsyncIterator[bytes], *, size: int
    ) -> int:
        return await self._appends.append(key, offset, content, size=size)

    async def finish_append(self, key: BlobKey, content_type: str) -> BlobHead:
        return await self._appends.finish(key, content_type)

    async def abort_append(self, key: BlobKey) -> None:
        await self._appends.abort(key)

    async def close(self) -> None:
        self._threads.close()


def _remove_abandoned(drafts: Path) -> None:
    """Of processes that were killed. Careful: several processes may share the folder."""
    for draft in drafts.iterdir():
        with suppress(FileNotFoundError, BlockingIOError), draft.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.unlink()
