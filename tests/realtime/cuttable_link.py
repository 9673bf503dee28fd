"""A TCP proxy to a server for one node. Tests can close it, or make it silently drop data."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class CuttableLink:
    def __init__(self, server: str) -> None:
        self._server = urlsplit(server)
        self._whole = asyncio.Event()
        self._alive = asyncio.Event()
        self._ends: set[asyncio.StreamWriter] = set()
        self.url = ""
        self.passed: Callable[[bytes], None] = lambda some: None
        """Called with all data that passes."""
        self.mend()

    def cut(self) -> None:
        self._whole.clear()
        for end in self._ends:
            end.transport.abort()

    def go_dead(self) -> None:
        """Drops all data without closing either end."""
        self._alive.clear()

    def mend(self) -> None:
        self._whole.set()
        self._alive.set()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._whole.is_set():
            writer.transport.abort()
            return
        try:
            there = await asyncio.open_connection(self._server.hostname, self._server.port)
        except OSError:
            writer.transport.abort()
            return
        self._ends |= {writer, there[1]}
        await asyncio.gather(self._pass(reader, there[1]), self._pass(there[0], writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while some := await reader.read(65536):
                await self._alive.wait()
                writer.write(some)
                await writer.drain()
                self.passed(some)
        writer.close()
        self._ends.discard(writer)


@asynccontextmanager
async def cuttable_link_to(server: str) -> AsyncIterator[CuttableLink]:
    cuttable_link = CuttableLink(server)
    listening = await asyncio.start_server(cuttable_link.carry, "127.0.0.1", 0)
    host, port = listening.sockets[0].getsockname()
    cuttable_link.url = f"nats://{host}:{port}"
    try:
        yield cuttable_link
    finally:
        cuttable_link.mend()
        cuttable_link.cut()
        listening.close()
