"""Sends signed requests that obstore does not offer, and repeats them after a failure.

Every one of them may be repeated: beginning an upload twice leaves one that the bucket's lifecycle
rule aborts, and completing it twice is noticed by multipart.py.
"""

from collections import Counter
from collections.abc import Mapping

import aiohttp
from yarl import URL

from greenroom.aws.retries import Attempts, RetryPolicy
from greenroom.blobs.base import BlobKey
from greenroom.blobs.s3.current_key import CurrentKey
from greenroom.blobs.s3.errors import S3Refusal, failing
from greenroom.blobs.s3.location import Location
from greenroom.blobs.s3.responses import error_code
from greenroom.blobs.s3.signature import S3Signer, query_text

_MOST_BYTES = 4 * 1024 * 1024
"""Of an answer. A page of parts has 400 KB."""
_COMPLETE_SECONDS = 120
"""A bucket may take minutes to complete a large upload."""
_TRANSIENT = {"InternalError", "RequestTimeout", "ServiceUnavailable", "SlowDown", "Throttling"}


class _Transient(Exception):
    """A failure that may be over when the request is repeated."""


class S3Requests:
    def __init__(
        self,
        location: Location,
        key: CurrentKey,
        signer: S3Signer,
        retry: RetryPolicy,
        requests: Counter[str],
    ) -> None:
        self._location = location
        self._key = key
        self._signer = signer
        self._retry = retry
        self._requests = requests
        self._http = aiohttp.ClientSession(
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=retry.connect_seconds, sock_read=_COMPLETE_SECONDS
            ),
        )

    async def send(
        self,
        operation: str,
        method: str,
        key: BlobKey,
        query: Mapping[str, str],
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> bytes:
        """The body of the answer. Raises `S3Refusal` and `BlobsFailing`."""
        attempts, last = Attempts(self._retry), "there was no time for an attempt"
        while await attempts.next_attempt():
            self._requests[operation] += 1
            try:
                return await self._attempt(method, key, query, headers or {}, body)
            except _Transient as failure:
                last = f"{operation}: {failure}"
        raise failing(last)

    async def _attempt(
        self,
        method: str,
        key: BlobKey,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: bytes,
    ) -> bytes:
        path = self._location.path(key)
        signed = self._signer.headers(self._key.value, method, path, query, headers, body)
        url = URL(f"{self._location.endpoint}{path}?{query_text(query)}", encoded=True)
        try:
            async with self._http.request(
                method, url, headers=signed, data=body or None, allow_redirects=False
            ) as answer:
                status, text = answer.status, await _limited(answer)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _Transient(str(error) or type(error).__name__) from None
        code = error_code(text)
        if status >= 500 or code in _TRANSIENT:
            raise _Transient(f"HTTP status {status} {code}".strip())
        if status >= 300 or code:
            raise S3Refusal(status, code or f"HTTP status {status}")
        return text

    async def close(self) -> None:
        await self._http.close()


async def _limited(answer: aiohttp.ClientResponse) -> bytes:
    text = await answer.content.read(_MOST_BYTES + 1)
    while len(text) <= _MOST_BYTES and (more := await answer.content.read(_MOST_BYTES)):
        text += more
    if len(text) > _MOST_BYTES:
        raise _Transient("the answer is too large")
    return text
