"""The HTTP client that aiodynamo uses to fetch AWS credentials from the metadata service.

It is used a few times an hour, and only if neither the environment nor a file has credentials.
"""

import aiohttp
from aiodynamo.http.aiohttp import AIOHTTP
from aiodynamo.http.types import Request, RequestFailed, Response


class MetadataHttpClient:
    """The first request opens the session."""

    def __init__(self, connect_seconds: float, response_seconds: float) -> None:
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=connect_seconds, sock_read=response_seconds
        )
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def __call__(self, request: Request) -> Response:
        if self._is_closed:
            raise RequestFailed(ConnectionError("the client is closed"))
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=self._timeout)
        return await AIOHTTP(self._session)(request)

    async def close(self) -> None:
        self._is_closed = True
        if self._session is not None:
            await self._session.close()
