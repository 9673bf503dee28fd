"""Keeps the AWS key that signs requests, and asks the machine for it once for all who wait.

Careful: aiodynamo shares one renewal between its callers, and cancelling one of them cancels it
for all. So a task of our own asks, which no request can cancel.
"""

import asyncio

from aiodynamo.credentials import Credentials, Key

from greenroom.store.dynamo.http import ClientClosed
from greenroom.store.dynamo.metadata import MetadataHttp

KEPT_SECONDS = 60.0
"""Before aiodynamo is asked again. It renews a key ten minutes before that expires."""


class NoKey(Exception):
    """The key could not be had just now."""


class Keys:
    def __init__(self, credentials: Credentials, http: MetadataHttp) -> None:
        self._credentials = credentials
        self._http = http
        self._key: Key | None = None
        self._kept_until = 0.0
        self._asking: asyncio.Task[Key | None] | None = None
        self._is_closed = False

    async def get(self) -> Key | None:
        """None where the machine has no credentials. Raises `NoKey` or `ClientClosed`."""
        if self._key is not None and asyncio.get_running_loop().time() < self._kept_until:
            return self._key
        if self._is_closed:
            raise ClientClosed
        asking = self._asking or self._begin()
        await asyncio.wait([asking])
        if self._is_closed:
            raise ClientClosed
        try:
            return asking.result()
        except Exception as error:
            raise NoKey(f"no AWS credentials: {str(error) or type(error).__name__}") from None

    def invalidate(self, key: Key | None) -> bool:
        """DynamoDB refuses the key. Whether there may be another."""
        if key != self._key:
            return True  # it has been replaced since the request was signed
        self._key = None
        return self._credentials.invalidate()

    async def close(self) -> None:
        self._is_closed = True
        await self._http.close()
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    def _begin(self) -> asyncio.Task[Key | None]:
        asking = self._asking = asyncio.create_task(self._ask())
        asking.add_done_callback(self._asked)
        return asking

    async def _ask(self) -> Key | None:
        self._key = key = await self._credentials.get_key(self._http)
        self._kept_until = asyncio.get_running_loop().time() + KEPT_SECONDS
        return key

    def _asked(self, asking: asyncio.Task[Key | None]) -> None:
        self._asking = None
        if not asking.cancelled():
            asking.exception()  # so that none is logged where nobody waits any more
