"""The blob store that keeps its blobs in a bucket. Clients reach them by presigned URLs.

location.py says where the bucket is, objects.py reads and writes whole blobs, multipart.py takes
uploads in parts, signature.py signs.
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from greenroom.aws.retries import RetryPolicy
from greenroom.blobs.base import (
    BlobHead,
    BlobKey,
    ByteRange,
    PresignedRequest,
    UploadedPart,
    UploadId,
)
from greenroom.blobs.disposition import content_disposition
from greenroom.blobs.s3.check import check_bucket
from greenroom.blobs.s3.current_key import CurrentKey
from greenroom.blobs.s3.location import Location
from greenroom.blobs.s3.multipart import Multipart, query_of
from greenroom.blobs.s3.objects import Objects
from greenroom.blobs.s3.requests import S3Requests
from greenroom.blobs.s3.signature import S3Signer
from greenroom.clock import Clock


class S3Blobs:
    def __init__(self, location: Location, clock: Clock, retry: RetryPolicy | None = None) -> None:
        """Call `open` before anything else."""
        retry = retry or RetryPolicy()
        self.requests: Counter[str] = Counter()
        """The requests that this server has sent, by their name in S3's API, without obstore's own
        repetitions. A bill counts them, and those of clients."""
        self._location = location
        self._key = CurrentKey(location.credentials, retry)
        self._signer = S3Signer(location, clock)
        self._objects = Objects(location, self._key, retry, self.requests)
        self._sender = S3Requests(location, self._key, self._signer, retry, self.requests)
        self._multipart = Multipart(self._sender, self._objects)

    async def open(self) -> None:
        """Raises `BlobsRefused` if there are no credentials."""
        await self._key.open()

    async def check(self) -> None:
        """Raises `BucketUnusable` unless blobs can be written, read and deleted."""
        await check_bucket(self._location, self._objects)

    @property
    def origin(self) -> str:
        """Where the URLs of clients lead."""
        return self._location.public

    async def put(self, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
        return await self._objects.put(key, content, content_type)

    async def put_file(self, key: BlobKey, path: Path, content_type: str) -> BlobHead:
        return await self._objects.put_file(key, path, content_type)

    async def head(self, key: BlobKey) -> BlobHead | None:
        found = await self._objects.head(key)
        return None if found is None else found.head

    async def get(
        self, key: BlobKey, range: ByteRange | None = None
    ) -> AsyncIterator[bytes] | None:
        return await self._objects.get(key, range)

    async def delete(self, key: BlobKey) -> None:
        await self._objects.delete(key)

    def path_of(self, key: BlobKey) -> Path | None:
        return None

    def presign_download(
        self, key: BlobKey, *, file_name: str, content_type: str, inline: bool, seconds: int
    ) -> PresignedRequest:
        query = {
            "response-cache-control": f"private, max-age={seconds}",
            "response-content-disposition": content_disposition(file_name, inline=inline),
            "response-content-type": content_type,
        }
        return self._presigned("GET", key, query, {}, seconds)

    def presign_upload(
        self, key: BlobKey, *, size: int, content_type: str, seconds: int
    ) -> PresignedRequest:
        headers = {"Content-Type": content_type}
        signed = {"content-length": str(size), "content-type": content_type}
        return self._presigned("PUT", key, {}, signed, seconds, headers)

    def presign_part(
        self, key: BlobKey, upload: UploadId, number: int, *, size: int, seconds: int
    ) -> PresignedRequest:
        query = {**query_of(upload), "partNumber": str(number)}
        return self._presigned("PUT", key, query, {"content-length": str(size)}, seconds)

    def _presigned(
        self,
        method: str,
        key: BlobKey,
        query: Mapping[str, str],
        signed: Mapping[str, str],
        seconds: int,
        headers: Mapping[str, str] | None = None,
    ) -> PresignedRequest:
        """Every client sends `Content-Length` itself, and a browser lets nobody set it."""
        path = self._location.path(key)
        url = self._signer.url(self._key.value, method, path, query, signed, seconds)
        return PresignedRequest(method, url, headers or {})

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

    async def close(self) -> None:
        await self._sender.close()
        await self._key.close()
