"""Caches the AWS key that signs requests, and renews it once for all waiting requests.

Careful: aiodynamo shares one renewal between its callers, and canceling one of them cancels it for
all. So a separate task renews the key, which no request can cancel.
"""

import asyncio

from aiodynamo.credentials import Credentials, Key

from greenroom.aws.metadata_http import MetadataHttpClient

KEPT_SECONDS = 60.0
"""How long a key is used. aiodynamo renews a key ten minutes before it expires."""


class CredentialsUnavailable(Exception):
    """The credentials could not be fetched."""


class CredentialsClosed(Exception):
    """The cache was closed."""


class CredentialCache:
    def __init__(self, credentials: Credentials, http: MetadataHttpClient) -> None:
        self._credentials = credentials
        self._http = http
        self._key: Key | None = None
        self._kept_until = 0.0
        self._renewal: asyncio.Task[Key | None] | None = None
        self._is_closed = False

    async def get(self) -> Key | None:
        """None if there are none. Raises `CredentialsUnavailable` or `CredentialsClosed`."""
        if self._key is not None and asyncio.get_running_loop().time() < self._kept_until:
            return self._key
        if self._is_closed:
            raise CredentialsClosed
        renewal = self._renewal or self._start_renewal()
        await asyncio.wait([renewal])
        if self._is_closed:
            raise CredentialsClosed
        try:
            return renewal.result()
        except Exception as error:
            raise CredentialsUnavailable(
                f"no AWS credentials: {str(error) or type(error).__name__}"
            ) from None

    def invalidate(self, key: Key | None) -> bool:
        """Drops a key that the service refused. Returns whether there may be another."""
        if key != self._key:
            return True  # replaced since the request was signed
        self._key = None
        return self._credentials.invalidate()

    async def close(self) -> None:
        self._is_closed = True
        await self._http.close()
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.wait([self._renewal])

    def _start_renewal(self) -> asyncio.Task[Key | None]:
        renewal = self._renewal = asyncio.create_task(self._renew())
        renewal.add_done_callback(self._renewed)
        return renewal

    async def _renew(self) -> Key | None:
        self._key = key = await self._credentials.get_key(self._http)
        self._kept_until = asyncio.get_running_loop().time() + KEPT_SECONDS
        return key

    def _renewed(self, renewal: asyncio.Task[Key | None]) -> None:
        self._renewal = None
        if not renewal.cancelled():
            renewal.exception()  # retrieved, so that asyncio does not log it
