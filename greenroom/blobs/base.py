"""The interface of the blob store: bytes under a key, and requests that a client sends itself.

Engines: `folder` keeps blobs on disk, `s3` in a bucket. Both pass tests/contracts/test_blob*.py.
keys.py says what a key may be. No key may begin with another one and a slash.

Careful: a presigned request needs no token. Anyone who has it can send it until it expires.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import NewType, Protocol, runtime_checkable

from msgspec import Struct, field

from greenroom.errors import Clause, Problem

BlobKey = NewType("BlobKey", str)
UploadId = NewType("UploadId", str)


class BlobHead(Struct, frozen=True):
    size: int
    content_type: str
    etag: str
    """Changes with the content. In quotes, as in HTTP."""


class ByteRange(Struct, frozen=True):
    """Both ends are included, as in HTTP."""

    first: int
    last: int


class PresignedRequest(Struct, frozen=True):
    """What a client sends: exactly this method, URL and headers."""

    method: str
    url: str
    """Relative to this server where it begins with a slash."""
    headers: Mapping[str, str] = field(default_factory=dict)


class UploadedPart(Struct, frozen=True):
    number: int
    """From 1."""
    etag: str
    """As in the answer to the part's request."""
    size: int


class Blobs(Protocol):
    async def put(self, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
        """Replaces an existing blob: readers see the old or the new one, never a mixture."""

    async def put_file(self, key: BlobKey, path: Path, content_type: str) -> BlobHead:
        """As `put`, from a file of any size, with little memory. The file may be gone after it."""

    async def head(self, key: BlobKey) -> BlobHead | None: ...

    async def get(
        self, key: BlobKey, range: ByteRange | None = None
    ) -> AsyncIterator[bytes] | None:
        """The content in pieces, or None if there is no blob. A range is cut at the end."""

    async def delete(self, key: BlobKey) -> None:
        """Has no effect if there is no blob."""

    def path_of(self, key: BlobKey) -> Path | None:
        """The file with the content, if the engine keeps it on this machine."""

    def presign_download(
        self, key: BlobKey, *, file_name: str, content_type: str, inline: bool, seconds: int
    ) -> PresignedRequest:
        """`file_name` is what a browser saves it as, and `content_type` what it takes it for.
        Unless it is `inline`, the browser saves it and does not show it."""

    def presign_upload(
        self, key: BlobKey, *, size: int, content_type: str, seconds: int
    ) -> PresignedRequest:
        """The upload is refused unless its body has exactly this size and type."""

    async def begin_multipart(self, key: BlobKey, content_type: str) -> UploadId:
        """There is no blob until `complete_multipart`."""

    def presign_part(
        self, key: BlobKey, upload: UploadId, number: int, *, size: int, seconds: int
    ) -> PresignedRequest: ...

    async def uploaded_parts(self, key: BlobKey, upload: UploadId) -> Sequence[UploadedPart]:
        """The parts that have arrived whole, by number. Raises `UploadNotFound`."""

    async def complete_multipart(
        self, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
    ) -> BlobHead:
        """Joins the parts, which are given by number, and ends the upload. May be called again:
        then returns the blob that it has made. part_rules.py says which parts can be joined.
        Raises `UploadNotFound` and `InvalidParts`. Careful: a part that was sent again since
        the parts were listed is refused, or joined as it was listed."""

    async def abort_multipart(self, key: BlobKey, upload: UploadId) -> None:
        """Removes the parts that were uploaded. Has no effect if there is no such upload."""

    async def close(self) -> None: ...


@runtime_checkable
class AppendBlobs(Protocol):
    """An engine that also takes an upload from its first byte to its last, in one or many requests,
    as tus does. The blob does not exist until `finish_append`."""

    async def appended(self, key: BlobKey) -> int:
        """The number of bytes that are safely there; 0 if none are."""

    async def append(
        self, key: BlobKey, offset: int, content: AsyncIterator[bytes], *, size: int
    ) -> int:
        """Adds what comes and returns the new length. What has come is kept when the sender is cut
        off: whatever `content` raises is raised here. Raises `AppendConflict` unless `offset` is
        the length, or while another request appends to the same blob. One that gets no more bytes
        is ended instead, with `AppendConflict`. Raises `WrongSize` if more comes than `size` bytes
        in all: then it keeps the first `size`. If `content` raises `DiscardContent`, nothing of it
        is kept."""

    async def finish_append(self, key: BlobKey, content_type: str) -> BlobHead:
        """Turns what was appended into the blob. May be called again. Raises `UploadNotFound` if
        nothing was appended and there is no blob."""

    async def abort_append(self, key: BlobKey) -> None:
        """Removes what was appended. Has no effect on a blob."""


class DiscardContent(Exception):
    """Raised by the content of an `append` that turns out to be wrong."""


class AppendConflict(Problem):
    """Continue the upload at byte {length}, or wait until the other request has ended."""

    length: int


class WrongSize(Problem):
    """The upload must have exactly {size} bytes."""

    size: int


class UploadNotFound(Problem):
    """There is no such upload. Begin a new one."""


class InvalidParts(Problem):
    """A part is missing, or was uploaded again meanwhile. Ask which parts have arrived."""


class BlobsFailing(Problem):
    """The file storage is not available at the moment. Try again later."""


class BlobsRefused(Problem):
    """The file storage refuses this server: {reason}."""

    reason: Clause
    """For the operator. Contains no secret."""


class BucketUnusable(Problem):
    """The bucket {bucket} cannot be used: {reason}. See docs/guides/s3.md."""

    bucket: str
    reason: Clause
