"""A proxy in front of an S3 server that injects faults.

A signature covers the host, which is the proxy's: the proxy passes it on.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web
from msgspec import Struct
from yarl import URL


class _Fault(Struct):
    method: str
    parameter: str
    """Only requests that have it in their query."""
    status: int
    body: bytes
    passes: bool
    """Whether the request is carried out."""


class S3Proxy:
    def __init__(self, target: str, session: aiohttp.ClientSession) -> None:
        self.cut_downloads_after: int | None = None
        self._target = target
        self._session = session
        self._faults: list[_Fault] = []

    def lose_answer_to(self, method: str, parameter: str = "") -> None:
        """The next such request is carried out, and its connection breaks."""
        self._faults.append(_Fault(method, parameter, 0, b"", passes=True))

    def answer_once(self, method: str, status: int, body: bytes = b"") -> None:
        self._faults.append(_Fault(method, "", status, body, passes=False))

    @property
    def faults_left(self) -> int:
        return len(self._faults)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        fault = self._take(request)
        if fault is None:
            return await self._forward(request)
        if fault.passes:
            await self._forward(request, only_send=True)
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        await request.content.read()
        return web.Response(status=fault.status, body=fault.body)

    def _take(self, request: web.BaseRequest) -> _Fault | None:
        query = request.rel_url.raw_query_string
        for fault in self._faults:
            if fault.method == request.method and fault.parameter in query:
                self._faults.remove(fault)
                return fault
        return None

    async def _forward(
        self, request: web.BaseRequest, *, only_send: bool = False
    ) -> web.StreamResponse:
        body = await request.content.read()
        url = URL(self._target + request.raw_path, encoded=True)
        async with self._session.request(
            request.method, url, headers=request.headers, data=body or None
        ) as answer:
            content = await answer.read()
            headers = {
                name: text
                for name, text in answer.headers.items()
                if name.lower() not in ("connection", "transfer-encoding")
            }
            if only_send:
                return web.Response()
            response = web.StreamResponse(status=answer.status, headers=headers)
            await response.prepare(request)
            if request.method == "GET" and self.cut_downloads_after is not None:
                await response.write(content[: self.cut_downloads_after])
                if request.transport is not None:
                    request.transport.abort()
                return response
            if request.method != "HEAD":
                await response.write(content)
            return response


@asynccontextmanager
async def s3_proxy(url: str) -> AsyncIterator[tuple[S3Proxy, str]]:
    """The proxy, and the bucket's URL through it."""
    base, _, endpoint = url.partition("endpoint=")
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        proxy = S3Proxy(endpoint, session)
        server = web.Server(proxy.handle, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        try:
            yield proxy, f"{base}endpoint=http://{host}:{port}"
        finally:
            await runner.cleanup()
