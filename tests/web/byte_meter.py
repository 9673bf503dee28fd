"""A proxy between browser and server that counts the bytes of every response.

It also sees what a worker loads, unlike the browser's own tools. Careful: responses must stay
compressed, because the compressed bytes are counted. It does not forward the socket.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

_OF_THE_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class ByteMeter:
    def __init__(self, target: str, session: aiohttp.ClientSession) -> None:
        self._target = target
        self._session = session
        self.url = ""
        self.bytes: Counter[str] = Counter()
        """By content type."""

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.headers.get("Upgrade"):
            return web.Response(status=503)
        headers = {**request.headers, "Host": self._target.partition("//")[2]}
        headers.pop("Origin", None)
        async with self._session.request(
            request.method, self._target + request.path_qs, headers=headers, data=request.content
        ) as answer:
            body = await answer.read()
            kind = answer.headers.get("Content-Type", "").partition(";")[0]
            self.bytes[kind] += len(body)
            kept = {k: v for k, v in answer.headers.items() if k.lower() not in _OF_THE_HOP}
            return web.Response(status=answer.status, body=body, headers=kept)


@asynccontextmanager
async def byte_meter(target: str) -> AsyncIterator[ByteMeter]:
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        weighed = ByteMeter(target, session)
        runner = web.ServerRunner(web.Server(weighed.handle, access_log=None), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        weighed.url = f"http://{host}:{port}"
        try:
            yield weighed
        finally:
            await runner.cleanup()
