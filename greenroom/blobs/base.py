"""The interface of the blob store: bytes under a key, and requests that a client sends itself.

Engines: none yet. An engine is added to tests/contracts/blob_engines.py and passes
tests/contracts/test_blobs.py.

Careful: a presigned request needs no token. Anyone who has it can send it until it expires.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NewType, Protocol

from msgspec import Struct, field

BlobKey = NewType("BlobKey", str)
UploadId = NewType("UploadId", str)


class BlobHead(Struct, frozen=True):
    size: int
    content_type: str
    etag: str
    """Changes with the content."""


class ByteRange(Struct, frozen=True):
    """Both ends are included, as in HTTP."""

    first: int
    last: int


class PresignedRequest(Struct, frozen=True):
    """What a client sends: exactly this method, URL and headers."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


class UploadedPart(Struct, frozen=True):
    number: int
    """From 1."""
    etag: str
    """From the answer to the part's request."""


class Blobs(Protocol):
    async def put(self, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
        """Replaces an existing blob: readers see the old or the new one, never a mixture."""

    async def head(self, key: BlobKey) -> BlobHead | None: ...

    async def get(
        self, key: BlobKey, range: ByteRange | None = None
    ) -> AsyncIterator[bytes] | None:
        """The content in pieces, or None if there is no blob. A range is cut at the end."""

    async def delete(self, key: BlobKey) -> None:
        """Has no effect if there is no blob."""

    def presign_download(self, key: BlobKey, *, file_name: str, seconds: int) -> PresignedRequest:
        """`file_name` is what a browser saves it as."""

    def presign_upload(
        self, key: BlobKey, *, size: int, content_type: str, seconds: int
    ) -> PresignedRequest:
        """The upload is refused unless its body has exactly this size and type."""

    async def begin_multipart(self, key: BlobKey, content_type: str) -> UploadId:
        """There is no blob until `complete_multipart`."""

    def presign_part(
        self, key: BlobKey, upload: UploadId, number: int, *, size: int, seconds: int
    ) -> PresignedRequest: ...

    async def complete_multipart(
        self, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
    ) -> BlobHead: ...

    async def abort_multipart(self, key: BlobKey, upload: UploadId) -> None:
        """Removes the parts that were uploaded."""

    async def close(self) -> None: ...
