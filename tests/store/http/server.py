"""A loopback server that handles each connection as a test demands, and a client of it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeAlias

from greenroom.store.dynamo.http import HttpClient

REQUEST = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}"
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

Handler: TypeAlias = Callable[["Peer"], Awaitable[None]]


class Peer:
    """A connection from the server's side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def request(self) -> None:
        assert await self._reader.readexactly(len(REQUEST)) == REQUEST

    async def any_request(self) -> bytes:
        """Reads the head of the next request."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.partition(b":")[2])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        await self._reader.readexactly(length)
        return head

    async def write(self, *parts: bytes) -> None:
        for part in parts:
            self._writer.write(part)
            await self._writer.drain()
            await asyncio.sleep(0)

    def close(self) -> None:
        self._writer.close()

    async def until_closed(self) -> bytes:
        return await self._reader.read()


class Server:
    def __init__(self, handler: Handler) -> None:
        self.opened = 0
        self.open = 0
        self.most_open = 0
        self._handler = handler
        self._tasks = set[asyncio.Task[None]]()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.opened += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await self._handler(Peer(reader, writer))
            await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            writer.close()
            self._tasks.discard(task)

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def talking(
    handler: Handler,
    *,
    host: str = "127.0.0.1",
    server_tls: ssl.SSLContext | None = None,
    **options: Any,
) -> AsyncIterator[tuple[HttpClient, Server]]:
    peer = Server(handler)
    async with AsyncExitStack() as stack:
        server = await asyncio.start_server(peer.serve, host, 0, ssl=server_tls)
        stack.callback(server.close)
        stack.push_async_callback(peer.end)
        shown = f"[{host}]" if ":" in host else host
        scheme = "https" if server_tls else "http"
        port = server.sockets[0].getsockname()[1]
        usual = {"connect_seconds": 5.0, "response_seconds": 5.0}
        client = HttpClient(f"{scheme}://{shown}:{port}/", **{**usual, **options})
        stack.push_async_callback(client.close)
        yield client, peer


def answering(*parts: bytes) -> Handler:
    """Sends the same response to every request."""

    async def handler(peer: Peer) -> None:
        while True:
            await peer.request()
            await peer.write(*parts)

    return handler


async def never_answering(peer: Peer) -> None:
    await peer.until_closed()


def split(answer: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in answer]


class Gate:
    """Responds to each request once it is let through, and counts requests."""

    def __init__(self) -> None:
        self.came = 0
        self._let = asyncio.Semaphore(0)

    def let(self, count: int) -> None:
        for _ in range(count):
            self._let.release()

    async def __call__(self, peer: Peer) -> None:
        while True:
            await peer.request()
            self.came += 1
            await self._let.acquire()
            await peer.write(OK)
