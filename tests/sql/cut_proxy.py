"""A TCP proxy in front of PostgreSQL that cuts connections when a client sends a given text.

proxy.cut(b"COMMIT;")                  the next one is lost before it arrives
proxy.cut(b"COMMIT;", arrives=True)    it takes effect, and its answer is lost
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import make_url


class CutProxy:
    def __init__(self, host: str, port: int) -> None:
        self._target = host, port
        self._cuts: list[tuple[bytes, bool]] = []
        self._open: set[asyncio.StreamWriter] = set()
        self.is_down = False

    def cut(self, text: bytes, *, arrives: bool = False) -> None:
        self._cuts.append((text, arrives))

    def drop_all(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_down:
            writer.transport.abort()
            return
        server_reader, server = await asyncio.open_connection(*self._target)
        self._open |= {writer, server}
        back = asyncio.create_task(self._copy(server_reader, writer))
        with suppress(OSError):
            await self._forward(reader, server, writer)
        back.cancel()
        for one in (writer, server):
            one.transport.abort()
            self._open.discard(one)

    async def _forward(
        self, reader: asyncio.StreamReader, server: asyncio.StreamWriter, back: asyncio.StreamWriter
    ) -> None:
        while sent := await reader.read(65536):
            text, arrives = self._cuts[0] if self._cuts else (b"", False)
            if not text or text not in sent:
                server.write(sent)
                continue
            self._cuts.pop(0)
            back.transport.abort()
            if arrives:
                server.write(sent)
                await server.drain()
                await asyncio.sleep(0.1)  # the server acts before it notices
            return

    @staticmethod
    async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while sent := await reader.read(65536):
                writer.write(sent)
        writer.transport.abort()


@asynccontextmanager
async def cut_proxy(url: str) -> AsyncIterator[tuple[CutProxy, str]]:
    """The proxy, and the URL that leads through it."""
    target = make_url(url)
    proxy = CutProxy(str(target.host), target.port or 5432)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield proxy, target.set(port=port).render_as_string(hide_password=False)
        proxy.drop_all()
