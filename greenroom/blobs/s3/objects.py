"""Whole objects of a bucket, through obstore: its requests run in threads of its own, beside the
event loop, and are repeated after a failure."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from obstore.exceptions import BaseError
from obstore.store import S3Store

from greenroom.aws.retries import RetryPolicy
from greenroom.blobs.base import BlobHead, BlobKey, ByteRange
from greenroom.blobs.keys import check
from greenroom.blobs.s3.current_key import CurrentKey
from greenroom.blobs.s3.errors import is_no_such_bucket, is_unsatisfiable, problem_of
from greenroom.blobs.s3.location import Location

if TYPE_CHECKING:
    from obstore import Attributes, GetOptions, GetResult
    from obstore.store import ClientConfig, RetryConfig, S3Credential

_PIECE = 1024 * 1024
_PART = 8 * 1024 * 1024
_MOST_PARTS = 10_000
_CONCURRENT_PARTS = 4
_UNKNOWN_TYPE = "application/octet-stream"
_CREDENTIAL_SECONDS = 360
"""obstore asks for another five minutes before that."""
_STALL_SECONDS = 30
"""How long a request may take without a byte of its answer; a part has to be sent in it."""
UPLOAD = "greenroom-upload"
"""The metadata that says which multipart upload has made the blob."""


class MadeBlob(msgspec.Struct, frozen=True):
    head: BlobHead
    upload: str
    """Empty if it was put whole."""


class Objects:
    def __init__(
        self, location: Location, key: CurrentKey, retry: RetryPolicy, requests: Counter[str]
    ) -> None:
        self._prefix = location.prefix
        self._key = key
        self._requests = requests
        self._store = S3Store(
            location.bucket,
            endpoint=location.endpoint,
            aws_endpoint_url_s3=location.endpoint,  # it would be read from the environment
            region=location.region,
            virtual_hosted_style_request=location.in_host,
            disable_bulk_delete=True,
            credential_provider=self._credential,
            client_options=_client(location, retry),
            retry_config=_retries(retry),
        )

    def _credential(self) -> "S3Credential":
        key = self._key.value
        return {
            "access_key_id": key.id,
            "secret_access_key": key.secret,
            "token": key.token,
            "expires_at": datetime.now(UTC) + timedelta(seconds=_CREDENTIAL_SECONDS),
        }

    async def put(self, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
        self._requests["PutObject"] += 1
        return await self._put(key, content, len(content), content_type)

    async def put_file(self, key: BlobKey, path: Path, content_type: str) -> BlobHead:
        """In parts if it is large: little of it is in memory at a time."""
        size = (await asyncio.to_thread(path.stat)).st_size
        part = max(_PART, -(-size // _MOST_PARTS))
        if size > part:
            self._requests["CreateMultipartUpload"] += 1
            self._requests["UploadPart"] += -(-size // part)
            self._requests["CompleteMultipartUpload"] += 1
        else:
            self._requests["PutObject"] += 1
        return await self._put(key, path, size, content_type, part)

    async def _put(
        self, key: BlobKey, content: bytes | Path, size: int, content_type: str, part: int = _PART
    ) -> BlobHead:
        attributes: Attributes = {"Content-Type": content_type}
        try:
            put = await self._store.put_async(
                self._prefix + check(key),
                content,
                attributes=attributes,
                use_multipart=size > part,
                chunk_size=part,
                max_concurrency=_CONCURRENT_PARTS,
            )
        except BaseError as error:
            raise problem_of(error) from error
        except FileNotFoundError as error:
            raise _unless_local(error) from error
        return BlobHead(size, content_type, put["e_tag"] or "")

    async def head(self, key: BlobKey) -> MadeBlob | None:
        self._requests["HeadObject"] += 1
        found = await self._get(key, {"head": True})
        if found is None:
            return None
        given = found.attributes
        head = BlobHead(
            found.meta["size"],
            given.get("Content-Type", _UNKNOWN_TYPE),
            found.meta["e_tag"] or "",
        )
        return MadeBlob(head, given.get(UPLOAD, ""))

    async def get(self, key: BlobKey, range: ByteRange | None) -> AsyncIterator[bytes] | None:
        self._requests["GetObject"] += 1
        options: GetOptions = {}
        if range is not None:
            options["range"] = (range.first, range.last + 1)
        try:
            found = await self._get(key, options)
        except _BehindTheEnd:
            return _nothing()
        return None if found is None else _pieces(found)

    async def _get(self, key: BlobKey, options: "GetOptions") -> "GetResult | None":
        try:
            return await self._store.get_async(self._prefix + check(key), options=options)
        except FileNotFoundError as error:
            if is_no_such_bucket(error):
                raise problem_of(BaseError(str(error))) from error
            return None
        except BaseError as error:
            if is_unsatisfiable(error):
                raise _BehindTheEnd from None
            raise problem_of(error) from error

    async def delete(self, key: BlobKey) -> None:
        self._requests["DeleteObject"] += 1
        try:
            await self._store.delete_async(self._prefix + check(key))
        except FileNotFoundError as error:
            if is_no_such_bucket(error):
                raise problem_of(BaseError(str(error))) from error
        except BaseError as error:
            raise problem_of(error) from error


class _BehindTheEnd(Exception):
    """The range begins behind the end of the blob."""


async def _pieces(found: "GetResult") -> AsyncIterator[bytes]:
    try:
        async for piece in found.stream(_PIECE):
            yield bytes(piece)
    except BaseError as error:
        raise problem_of(error) from error


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""


def _unless_local(error: FileNotFoundError) -> Exception:
    """The file to put may be missing, which is a bug, or the bucket."""
    return problem_of(BaseError(str(error))) if is_no_such_bucket(error) else error


def _client(location: Location, retry: RetryPolicy) -> "ClientConfig":
    """Without a limit on the whole request: reading a large blob takes its time."""
    return {
        "allow_http": location.endpoint.startswith("http://"),
        "connect_timeout": timedelta(seconds=retry.connect_seconds),
        "read_timeout": timedelta(seconds=_STALL_SECONDS),
        "timeout": timedelta(days=1),
        "default_content_type": _UNKNOWN_TYPE,
    }


def _retries(retry: RetryPolicy) -> "RetryConfig":
    return {
        "max_retries": retry.attempts - 1,
        "retry_timeout": timedelta(seconds=retry.seconds),
        "backoff": {
            "init_backoff": timedelta(seconds=retry.first_delay),
            "max_backoff": timedelta(seconds=retry.longest_delay),
            "base": 2,
        },
    }
